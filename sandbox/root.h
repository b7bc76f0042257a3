/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What / is made of when it is the host's own system: which trees, which synthesised files, which
 * masks. Runs in P0.
 */
#ifndef JAIL_SANDBOX_ROOT_H
#define JAIL_SANDBOX_ROOT_H

#include "sandbox/mountlist.h"

/*
 * Everything that is there in every jail: system trees, /etc, /dev, /proc, /tmp, /run, the empty
 * home.
 */
int root_add_system(struct mount_draft *m, const struct plan *p, uint64_t tmp, uint64_t shm,
		    uint64_t inodes, struct err *e);

/* passwd, group, hosts and the like. */
int root_add_etc(struct mount_draft *m, const struct plan *p, struct err *e);

/* The user's shell, for passwd and $SHELL: one that exists inside, as far as can be told. */
const char *root_shell(const struct plan *p);

/* Is `path`, or something in it, a part of the system inside, so that it cannot be an empty tree? */
bool root_occupies(const char *path);

#define ROOT_POLICY_JSON "/run/jail/policy.json"
#define ROOT_POLICY_TEXT "/run/jail/policy.txt"

/*
 * What the command may do, for the command to read; empty until the plan is complete and can be
 * written down.
 */
int root_add_policy(struct mount_draft *m, struct err *e);

#endif
