/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sockets of host programs that lie in shared trees: found, and hidden. Runs in P0. */
#ifndef JAIL_SANDBOX_SOCKETS_H
#define JAIL_SANDBOX_SOCKETS_H

#include "sandbox/mountlist.h"

/*
 * A socket with a path is reachable by whoever sees the path: no namespace stands between, and
 * Landlock only from ABI 9. The kernel lists the bound ones, so those beneath a tree that the
 * command sees are masked. One that is made later is not: jail-security(7).
 *
 * Where not all of them could be found, the plan has a note, and p->sockets_unsure is set.
 */
int sockets_mask(struct mount_draft *m, struct plan *p, struct err *e);

#endif
