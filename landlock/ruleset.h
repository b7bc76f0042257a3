/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Landlock in three calls. Runs in P1; nothing here allocates. */
#ifndef JAIL_LANDLOCK_RULESET_H
#define JAIL_LANDLOCK_RULESET_H

#include <stdbool.h>

#include "base/err.h"
#include "landlock/rights.h"

/*
 * The ABI this kernel speaks, found by asking it; 0 when Landlock is absent or off, with *ret_errno
 * saying which.
 */
int landlock_abi(int *ret_errno);

/*
 * A ruleset that denies everything `abi` knows: the file system always, TCP when `net`, signals and
 * abstract sockets beyond.
 */
int ruleset_create(int abi, bool net, int *ret_fd, struct err *e);

/* Grant `access` beneath (or on) what path_fd holds. `path` is for the message only. */
int ruleset_add(int ruleset, int path_fd, const char *path, enum access access, int abi,
		struct err *e);

/* From here on, for this thread and all it starts, for good. */
int ruleset_apply(int ruleset, struct err *e);

#endif
