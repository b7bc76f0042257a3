/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups that amount to root, or nearly. Runs in P0. */
#ifndef JAIL_SANDBOX_GROUPS_H
#define JAIL_SANDBOX_GROUPS_H

#include <sys/types.h>

/*
 * The group's name when membership in it is a way to root on common systems, else NULL. Reads
 * /etc/group once, by hand.
 */
const char *group_is_dangerous(gid_t gid);

#endif
