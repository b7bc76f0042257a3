/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a sealed plan to a running jail. Runs in P0. */
#ifndef JAIL_SANDBOX_LAUNCH_H
#define JAIL_SANDBOX_LAUNCH_H

#include "sandbox/gateway.h"
#include "sandbox/plan.h"
#include "sandbox/session.h"

struct jail {
	pid_t pid; /* P1, as seen from outside */
	int pidfd;
	int mounts;    /* its mount namespace, or FD_NONE; see afterwards.h */
	int cgroup_fd; /* the jail's own, or FD_NONE */
};

/*
 * Make the processes and the namespaces, map the ids, start the gate's stub, say go. argv and envp are the launcher's own,
 * for P1 to forget.
 */
int launch(const struct plan *p, struct session *s, struct gateway *g, int cgroup_fd, char **argv,
	   char **envp, struct jail *ret, struct err *e);

#endif
