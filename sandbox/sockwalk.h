/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking for sockets in directories, and never for long. Runs in P0. */
#ifndef JAIL_SANDBOX_SOCKWALK_H
#define JAIL_SANDBOX_SOCKWALK_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/err.h"

struct sockwalk {
	/* Called for each socket; 1 ends the walk, -errno with *e filled fails it. */
	int (*met)(void *arg, const char *path, const struct stat *st, struct err *e);
	void *arg;
	unsigned left; /* how many names may still be read, by this walk and those that follow */
	bool cut;      /* something was not looked at: too much, or not to be read */
	bool cross;    /* go on into other mounts */
};

/*
 * The directory and all beneath it, those near the top first, links not followed: 0, 1 when `met`
 * ended it, or -errno. A path that is gone has nothing in it.
 */
int sockwalk_tree(struct sockwalk *w, const char *top, struct err *e);

/* The directory alone; links on the way to it are followed. */
int sockwalk_directory(struct sockwalk *w, const char *path, struct err *e);

#endif
