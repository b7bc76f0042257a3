/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a helper gives up before it reads what others wrote, and the ids of a user namespace of one's
 * own. Allocates nothing: P1 maps itself by this, too.
 */
#ifndef JAIL_BASE_SHED_H
#define JAIL_BASE_SHED_H

#include <sys/types.h>

#include "base/err.h"

/* Every capability, in every set: for a process that executes nothing any more. */
int shed_capabilities(struct err *e);

/* One id each, and only after giving setgroups up: all that an ordinary user may map. */
int map_one_id(uid_t inside, uid_t outside, gid_t gid_inside, gid_t gid_outside, struct err *e);

#endif
