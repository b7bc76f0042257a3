/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits for all of a jail's processes together: a cgroup of its own, where the system has delegated one. Runs in P0. */
#ifndef JAIL_SANDBOX_CGROUP_H
#define JAIL_SANDBOX_CGROUP_H

#include "sandbox/plan.h"

struct cgroup {
	int parent; /* the directory it is made in, or FD_NONE */
	int fd;	    /* its own directory, or FD_NONE: no cgroup, rlimits only */
	char name[32];
};

void cgroup_init(struct cgroup *g);

/*
 * Make it and set the limits, when the plan asks for any that need one. Where none is to be had: a line on stderr and rlimits instead, or
 * an error when `require = cgroup`.
 */
int cgroup_make(const struct plan *p, struct cgroup *g, struct err *e);

/* 0 when cgroup_make would find one, else -errno; leaves nothing behind. */
int cgroup_available(void);

/* After the last process: nothing is left behind. */
void cgroup_remove(struct cgroup *g);

#endif
