/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The [files] section made real: workspace, ro, rw and the starting directory, resolved and judged.
 * Runs in P0.
 */
#ifndef JAIL_SANDBOX_FILES_H
#define JAIL_SANDBOX_FILES_H

#include "sandbox/mountlist.h"

/* Resolve and add every path the draft names; sets p->workspace and p->cwd. */
int files_add(struct mount_draft *m, struct plan *p, struct err *e);

/* Is `path` inside what the command may write? Only after files_add. */
bool files_writable(const struct mount_draft *m, const char *path);

#endif
