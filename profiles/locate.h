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
 * Every named profile, the one that would be used first for each name, sorted; shadowed ones left
 * out.
 */
int profile_list(struct arena *a, const struct expansion *x, struct located **ret, struct err *e);

#endif
