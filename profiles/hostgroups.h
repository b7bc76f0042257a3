/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host groups: names for lists of rules, from groups.ini as shipped, as the administrator has it and
 * as the user has it. Runs in P0, and only when a profile names a group.
 */
#ifndef JAIL_PROFILES_HOSTGROUPS_H
#define JAIL_PROFILES_HOSTGROUPS_H

#include "profiles/draft.h"

#define HOSTGROUPS_MAX 512

/* One line of a file; a group may have several. */
struct hostgroup {
	struct hostgroup *next;
	const char *name;  /* "pypi" */
	const char *words; /* as `allow` takes them, single spaces between; not checked here */
	const char *file;
	unsigned line;
};

/*
 * "[groups]" once, then "name = words" lines; blank lines, comments as in profiles, and nothing else.
 * A name has letters, digits and hyphens, all small. Appends to *list.
 */
int hostgroups_parse(struct arena *a, const char *file, const char *text, size_t n,
		     struct hostgroup **list, struct err *e);

/* All three files; those that exist are added to *files. */
int hostgroups_read(struct arena *a, const struct expansion *x, struct hostgroup **ret,
		    struct profile_file **files, struct err *e);

/* The nearest name there is, or NULL. */
const char *hostgroups_nearest(const struct hostgroup *list, const char *name);

#endif
