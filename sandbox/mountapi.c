// SPDX-License-Identifier: GPL-2.0-or-later
/* The new mount API, one call each; P1. */
#include "sandbox/mountapi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>

#include "base/kernel.h"
#include "base/own.h"

struct fs_param {
	const char *key, *value; /* value NULL: a flag */
};

int mount_make_private(struct err *e)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return err_set(e, ST_MOUNT, errno, "make the mounts private");
	return 0;
}

static int open_fs(const char *type, const struct fs_param *params, size_t n, unsigned attrs, int *ret_fd, struct err *e)
{
	own_fd fs = k_fsopen(type, K_FSOPEN_CLOEXEC);
	int fd;

	if (fs < 0)
		return err_set(e, ST_MOUNT, errno, "open the file system %s", type);
	for (size_t i = 0; i < n; i++) {
		unsigned cmd = params[i].value ? K_FSCONFIG_SET_STRING : K_FSCONFIG_SET_FLAG;

		if (k_fsconfig(fs, cmd, params[i].key, params[i].value, 0) < 0)
			return err_set(e, ST_MOUNT, errno, "set %s of a new %s", params[i].key, type);
	}
	if (k_fsconfig(fs, K_FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return err_set(e, ST_MOUNT, errno, "create a new %s", type);
	fd = k_fsmount(fs, K_FSMOUNT_CLOEXEC, attrs);
	if (fd < 0)
		return err_set(e, ST_MOUNT, errno, "mount a new %s", type);
	*ret_fd = fd;
	return 0;
}

int mount_open_tmpfs(uint64_t size, uint64_t inodes, mode_t mode, unsigned attrs, int *ret_fd, struct err *e)
{
	char bytes[24], files[24], octal[8];
	const struct fs_param params[] = { { "source", "jail" }, { "size", bytes }, { "nr_inodes", files }, { "mode", octal } };

	(void)snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)size);
	(void)snprintf(files, sizeof(files), "%llu", (unsigned long long)inodes);
	(void)snprintf(octal, sizeof(octal), "%o", mode & 07777);
	return open_fs("tmpfs", params, ARRAY_SIZE(params), K_MOUNT_ATTR_NOSUID | K_MOUNT_ATTR_NODEV | attrs, ret_fd, e);
}

int mount_open_proc(bool pids_only, int *ret_fd, struct err *e)
{
	const struct fs_param params[] = { { "source", "proc" }, { "subset", "pid" }, { "hidepid", "invisible" } };

	return open_fs("proc", params, pids_only ? 3 : 1, K_MOUNT_ATTR_NOSUID | K_MOUNT_ATTR_NODEV | K_MOUNT_ATTR_NOEXEC, ret_fd, e);
}

int mount_open_devpts(int *ret_fd, struct err *e)
{
	const struct fs_param params[] = { { "source", "devpts" }, { "newinstance", NULL }, { "ptmxmode", "0666" },
					   { "mode", "0620" },	   { "max", "256" } };

	return open_fs("devpts", params, ARRAY_SIZE(params), K_MOUNT_ATTR_NOSUID | K_MOUNT_ATTR_NOEXEC, ret_fd, e);
}

int mount_open_bind(int dirfd, const char *path, unsigned attrs, int *ret_fd, struct err *e)
{
	struct k_mount_attr attr = { .attr_set = attrs, .propagation = MS_PRIVATE };
	/* Recursive: in a new user namespace mounts are locked to what is mounted on them, and one without the other is refused. */
	own_fd tree = k_open_tree(dirfd, path, K_OPEN_TREE_CLONE | K_OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW | K_AT_RECURSIVE);

	if (tree < 0)
		return err_set(e, ST_MOUNT, errno, "clone the tree at '%s'", path);
	if (k_mount_setattr(tree, "", K_AT_EMPTY_PATH | K_AT_RECURSIVE, &attr) < 0)
		return err_set(e, ST_MOUNT, errno, "restrict the tree at '%s'", path);
	*ret_fd = fd_take(&tree);
	return 0;
}

int mount_attach(int tree_fd, int dirfd, const char *path, const char *target, struct err *e)
{
	if (k_move_mount(tree_fd, "", dirfd, path, K_MOVE_MOUNT_F_EMPTY_PATH | (*path ? 0 : K_MOVE_MOUNT_T_EMPTY_PATH)) < 0)
		return err_set(e, ST_MOUNT, errno, "mount '%s'", target);
	return 0;
}
