/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where profiles live: named ones in three directories, and nowhere else. Runs in P0. */
#ifndef JAIL_PROFILES_LOCATE_H
#define JAIL_PROFILES_LOCATE_H

#include "profiles/draft.h"

struct located {
	const char *name; /* "claude", without .ini */
	const char *path;
	const char *from; /* "user", "system", "shipped" */
	struct located *next;
};

/*
 * The file behind a profile's name or path; opened read-only, a regular file, not writable by other
 * users.
 */
int profile_open(struct draft *d, const char *name, int *ret_fd, const char **ret_path, struct err *e);

/*
 * A file at this very path that decides as a profile does, with the same trust asked of it; `by_root`
 * for those of the system. 0: there is none; 1: *ret_fd is open.
 */
int profile_open_path(const char *path, bool by_root, int *ret_fd, struct err *e);

/*
 * Every named profile, the one that would be used first for each name, sorted; shadowed ones left
 * out.
 */
int profile_list(struct arena *a, const struct expansion *x, struct located **ret, struct err *e);

#endif
