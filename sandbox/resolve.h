/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a path as somebody wrote it to the one object it means, and the links passed on the way.
 * Runs in P0.
 */
#ifndef JAIL_SANDBOX_RESOLVE_H
#define JAIL_SANDBOX_RESOLVE_H

#include <stdbool.h>
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
	/* O_PATH; pins the object so that its number cannot be given to another */
	int fd;
	struct stat st;
	struct link_passed *links; /* in the order they were passed */
};

/*
 * `path` is absolute. Returns -errno; what path_absent() holds for is left for the caller to judge
 * and leaves *e alone. The descriptor belongs to the plan: it stays open until the set-up process
 * has used it.
 */
int path_resolve(struct arena *a, const char *path, struct resolved *ret, struct err *e);

/*
 * Is this errno value said of the path: not there, or not for us to see? What is said of this
 * process or of the machine (EMFILE, ENOMEM, EPERM) is not, and nothing may be left out because of
 * it.
 */
bool path_absent(int code);

/* An absolute path from one that may be relative to `cwd`; no file system access. */
const char *path_absolute(struct arena *a, const char *cwd, const char *path);

#endif
