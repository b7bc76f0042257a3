/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mounts by descriptor: made detached, then attached. Runs in P1; nothing here allocates. */
#ifndef JAIL_SANDBOX_MOUNTAPI_H
#define JAIL_SANDBOX_MOUNTAPI_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* Nothing we mount reaches the host, and nothing it mounts later reaches us. */
int mount_make_private(struct err *e);

/* nosuid and nodev always; `attrs` adds to them. */
int mount_open_tmpfs(uint64_t size, uint64_t inodes, mode_t mode, unsigned attrs, int *ret_fd, struct err *e);
int mount_open_proc(bool pids_only, int *ret_fd, struct err *e);
int mount_open_devpts(int *ret_fd, struct err *e);

/* A copy of the tree at `path` with all that is mounted beneath it, with these attributes set on each mount. */
int mount_open_bind(int dirfd, const char *path, unsigned attrs, int *ret_fd, struct err *e);

/* Attach at `path` below dirfd, or at dirfd itself when path is empty. `target` is for the message. */
int mount_attach(int tree_fd, int dirfd, const char *path, const char *target, struct err *e);

#endif
