/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits for all of a jail's processes together: a cgroup of its own, where one is delegated to the
 * caller. Runs in P0.
 */
#ifndef JAIL_SANDBOX_CGROUP_H
#define JAIL_SANDBOX_CGROUP_H

#include "sandbox/plan.h"

struct cgroup {
	int parent; /* the directory it is made in, or FD_NONE */
	int fd;	    /* its own directory, or FD_NONE: no cgroup, rlimits only */
	char name[32];
	unsigned passed; /* controllers that we made the parent pass on */
	bool moved;	 /* we left the parent for a leaf beneath it, and go back at the end */
};

/* What can be limited; a set of bits. */
enum { CGROUP_MEMORY = 1, CGROUP_PIDS = 2, CGROUP_CPU = 4 };

void cgroup_init(struct cgroup *g);

/* The controllers that a plan needs; 0 when it needs no cgroup. */
unsigned cgroup_needs(const struct plan *p);

/*
 * Is there a place where one with these controllers can be made? Looks, and changes nothing.
 * `own_scope`: we asked the service manager for the scope that we are in, and it is ours.
 */
bool cgroup_found(unsigned needs, bool own_scope);

/*
 * Make it and set the limits, when the plan needs one. Where none is to be had: a line on stderr
 * and rlimits instead, or an error when `require = cgroup`.
 */
int cgroup_make(const struct plan *p, bool own_scope, struct cgroup *g, struct err *e);

/* 0 when one with these controllers could be made just now, else -errno; leaves nothing behind. */
int cgroup_try(unsigned needs);

/* Once pid 1 is gone: true when the kernel killed the jail because it reached its memory limit. */
bool cgroup_ran_out_of_memory(const struct cgroup *g);

/* The end of every process that is left in it, and of the cgroup; nothing is left behind. */
void cgroup_remove(struct cgroup *g);

#endif
