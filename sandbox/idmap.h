/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Real root's files, seen by a command that is not root: idmapped mounts. Runs in P0, as real root
 * only.
 */
#ifndef JAIL_SANDBOX_IDMAP_H
#define JAIL_SANDBOX_IDMAP_H

#include "sandbox/plan.h"

/*
 * For every path that somebody named, make a detached tree in which root's files belong to the
 * command, and files that the command makes belong to root outside; into op->tree_fd. Called before
 * the plan is sealed. Refuses where a file system cannot do it.
 */
int idmap_trees(struct plan *p, struct err *e);

#endif
