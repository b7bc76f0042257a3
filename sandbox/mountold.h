/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What mountapi.h promises, by mount(2) alone; for mountapi.c. Runs in P1; nothing here allocates.
 */
#ifndef JAIL_SANDBOX_MOUNTOLD_H
#define JAIL_SANDBOX_MOUNTOLD_H

#include <stddef.h>

#include "sandbox/mountapi.h"

struct fs_param {
	const char *key, *value; /* value NULL: a flag */
};

/* Make the place where trees wait. The working directory is ours until the pivot. */
int mountold_begin(struct mount_api *api, struct err *e);

/* params[0] is the source. */
int mountold_open_fs(const struct mount_api *api, const char *type, const struct fs_param *params,
		     size_t n, unsigned attrs, int *ret_fd, struct err *e);

/* The same with the options as mount(2) takes them, a page of text at most. */
int mountold_open_text(const struct mount_api *api, const char *type, const char *source,
		       const char *options, unsigned attrs, int *ret_fd, struct err *e);

/* The procfs that mountold_begin made, to be attached once. */
int mountold_take_proc(const struct mount_api *api, int *ret_fd, struct err *e);

int mountold_open_bind(const struct mount_api *api, int dirfd, const char *path, unsigned attrs,
		       int *ret_fd, struct err *e);
int mountold_attach(int tree_fd, int dirfd, const char *path, const char *target, struct err *e);
int mountold_attach_root(int tree_fd, struct err *e);

int mountold_detach_host(struct mount_api *api, int root_fd, struct err *e);

/* Give one mount exactly these flags, and leave its access times as they are; -errno. */
int mountold_remount(int tree_fd, unsigned long flags);

#endif
