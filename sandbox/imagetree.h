/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looking into an image before it is mounted: what overlayfs would show at a path, found in the
 * layers. Links lead no further than the image's own root. Runs in P0; reads only.
 */
#ifndef JAIL_SANDBOX_IMAGETREE_H
#define JAIL_SANDBOX_IMAGETREE_H

#include <sys/stat.h>

#include "sandbox/image.h"

struct image_place {
	const char *path; /* canonical: no links, no dots */
	int fd;		  /* O_PATH; FD_NONE when there is nothing */
	struct stat st;
};

/*
 * Where `path` (absolute) leads. What is not there is no error: the path is then what it would be
 * called. -ELOOP, -ENOTDIR and the like are left for the caller to say.
 */
int image_resolve(struct arena *a, const struct image *i, const char *path, struct image_place *ret);

/* A regular file's text, terminated, or NULL: not there, no file, or over `max` bytes. */
char *image_read(struct arena *a, const struct image *i, const char *path, size_t max);

#endif
