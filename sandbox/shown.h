/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the command will see of the host's own trees, by file system: the paths that the user named
 * and whatever is mounted beneath them. Runs in P0.
 */
#ifndef JAIL_SANDBOX_SHOWN_H
#define JAIL_SANDBOX_SHOWN_H

#include "sandbox/mountlist.h"

#define PLACES_MAX 512

/* A directory where a part of a file system begins to be seen. */
struct place {
	const char *path; /* canonical */
	uint64_t mount;	  /* 0: not known */
	uint32_t dev;	  /* of the file system, by MOUNTINFO_DEV, */
	uint32_t st_dev;  /* and what stat has for the path; 0: not known */
};

struct shown {
	struct place *places;
	size_t n;
	bool unknown; /* what is mounted could not be told: it may be any file system */
};

/* The bind by which the user shows `path` (canonical), or NULL. */
const struct mount_op *shown_by_user(const struct mount_draft *m, const char *path);

void shown_read(const struct mount_draft *m, struct shown *ret);

/* Is a part of this file system seen? */
bool shown_device(const struct shown *s, uint32_t dev);

/* Does stat have other numbers there than the file system's own, one for each subvolume? */
bool shown_subvolumes(const struct shown *s, uint32_t dev);

/* Is it seen through more than one mount, so that a file may be seen at two paths? */
bool shown_twice(const struct shown *s, uint32_t dev);

#endif
