/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a path as somebody wrote it to the one object it means, and the links passed on the way. Runs in P0. */
#ifndef JAIL_SANDBOX_RESOLVE_H
#define JAIL_SANDBOX_RESOLVE_H

#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"

struct link_passed {
	struct link_passed *next;
	const char *at;	  /* canonical path of the link itself */
	const char *text; /* what it says */
};

struct resolved {
	const char *path; /* canonical: no links, no dots */
	int fd;		  /* O_PATH; pins the object so that its number cannot be given to another */
	struct stat st;
	struct link_passed *links; /* in the order they were passed */
};

/*
 * `path` is absolute. Returns -errno; -ENOENT, -ENOTDIR and -EACCES are left for the caller to judge and leave *e alone.
 * The descriptor belongs to the plan: it stays open until the set-up process has used it.
 */
int path_resolve(struct arena *a, const char *path, struct resolved *ret, struct err *e);

/* An absolute path from one that may be relative to `cwd`; no file system access. */
const char *path_absolute(struct arena *a, const char *cwd, const char *path);

#endif
