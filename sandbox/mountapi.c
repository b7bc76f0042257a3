// SPDX-License-Identifier: GPL-2.0-or-later
/* The new mount API, one call each, and the way to the old one; P1. */
#include "sandbox/mountapi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>

#include "base/kernel.h"
#include "base/own.h"
#include "sandbox/mountold.h"
#include "sandbox/weak.h"

struct fd_path mount_fd_path(int fd)
{
	struct fd_path p;

	(void)snprintf(p.text, sizeof(p.text), "self/fd/%d", fd);
	return p;
}

int mount_make_private(struct err *e)
{
	if (mount(NULL, "/", NULL, MS_REC | MOUNT_PROPAGATION, NULL) < 0)
		return err_set(e, ST_MOUNT, errno, "make the mounts private");
	return 0;
}

/*
 * ENOSYS is the kernel, or a filter that pretends to be one; EPERM is what filters said before they
 * had learnt to.
 */
bool mount_refused(const struct mount_api *api, int rc)
{
	return !api->old && (rc == -ENOSYS || rc == -EPERM);
}

int mount_use_old(struct mount_api *api, struct err *e)
{
	*e = (struct err){ 0 };
	return mountold_begin(api, e);
}

static int open_fs(const struct mount_api *api, const char *type, const struct fs_param *params,
		   size_t n, unsigned attrs, int *ret_fd, struct err *e)
{
	own_fd fs = FD_NONE;
	int fd;

	if (api->old)
		return mountold_open_fs(api, type, params, n, attrs, ret_fd, e);
	fs = k_fsopen(type, K_FSOPEN_CLOEXEC);
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

int mount_open_tmpfs(const struct mount_api *api, uint64_t size, uint64_t inodes, mode_t mode,
		     unsigned attrs, int *ret_fd, struct err *e)
{
	char bytes[24], files[24], octal[8];
	const struct fs_param params[] = {
		{ "source", "jail" }, { "size", bytes }, { "nr_inodes", files }, { "mode", octal }
	};

	(void)snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)size);
	(void)snprintf(files, sizeof(files), "%llu", (unsigned long long)inodes);
	(void)snprintf(octal, sizeof(octal), "%o", mode & 07777);
	return open_fs(api, "tmpfs", params, ARRAY_SIZE(params),
		       K_MOUNT_ATTR_NOSUID | K_MOUNT_ATTR_NODEV | attrs, ret_fd, e);
}

int mount_open_proc(const struct mount_api *api, bool pids_only, int *ret_fd, struct err *e)
{
	/* Without a pid namespace of our own there is no procfs of our own either. */
	const bool host = weakened(WEAK_PIDNS);
	const struct fs_param params[] = { { "source", "proc" },
					   { "subset", "pid" },
					   { "hidepid", "invisible" } };

	if (host)
		return mount_open_bind(api, AT_FDCWD, "/proc", 0, ret_fd, e);
	if (api->old && !pids_only)
		return mountold_take_proc(api, ret_fd, e);
	return open_fs(api, "proc", params, pids_only ? 3 : 1,
		       K_MOUNT_ATTR_NOSUID | K_MOUNT_ATTR_NODEV | K_MOUNT_ATTR_NOEXEC, ret_fd, e);
}

int mount_open_devpts(const struct mount_api *api, int *ret_fd, struct err *e)
{
	const struct fs_param params[] = { { "source", "devpts" },
					   { "newinstance", NULL },
					   { "ptmxmode", "0666" },
					   { "mode", "0620" },
					   { "max", weakened(WEAK_LIMITS) ? "4096" : "256" } };

	return open_fs(api, "devpts", params, ARRAY_SIZE(params),
		       K_MOUNT_ATTR_NOSUID | K_MOUNT_ATTR_NOEXEC, ret_fd, e);
}

int mount_open_bind(const struct mount_api *api, int dirfd, const char *path, unsigned attrs,
		    int *ret_fd, struct err *e)
{
	struct k_mount_attr attr = { .attr_set = attrs, .propagation = MOUNT_PROPAGATION };
	own_fd tree = FD_NONE;

	if (api->old)
		return mountold_open_bind(api, dirfd, path, attrs, ret_fd, e);
	/*
	 * Recursive: in a new user namespace mounts are locked to what is mounted on them, and one
	 * without the other is refused.
	 */
	tree = k_open_tree(dirfd, path,
			   K_OPEN_TREE_CLONE | K_OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW |
				   K_AT_RECURSIVE);
	if (tree < 0)
		return err_set(e, ST_MOUNT, errno, "clone the tree at '%s'", path);
	if (k_mount_setattr(tree, "", K_AT_EMPTY_PATH | K_AT_RECURSIVE, &attr) < 0)
		return err_set(e, ST_MOUNT, errno, "restrict the tree at '%s'", path);
	*ret_fd = fd_take(&tree);
	return 0;
}

int mount_attach(const struct mount_api *api, int tree_fd, int dirfd, const char *path,
		 const char *target, struct err *e)
{
	if (api->old)
		return mountold_attach(tree_fd, dirfd, path, target, e);
	if (k_move_mount(tree_fd, "", dirfd, path,
			 K_MOVE_MOUNT_F_EMPTY_PATH | (*path ? 0 : K_MOVE_MOUNT_T_EMPTY_PATH)) < 0)
		return err_set(e, ST_MOUNT, errno, "mount '%s'", target);
	return 0;
}

int mount_cover(int tree_fd, int point, const char *target, struct err *e)
{
	if (mount(mount_fd_path(tree_fd).text, mount_fd_path(point).text, NULL, MS_BIND, NULL) < 0)
		return err_set(e, ST_MOUNT, errno, "cover '%s'", target);
	return 0;
}

int mount_attach_root(const struct mount_api *api, int tree_fd, struct err *e)
{
	if (api->old)
		return mountold_attach_root(tree_fd, e);
	if (k_move_mount(tree_fd, "", AT_FDCWD, "/", K_MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return err_set(e, ST_MOUNT, errno, "attach the new root");
	return 0;
}

int mount_set_readonly(const struct mount_api *api, int tree_fd, unsigned attrs, struct err *e)
{
	struct k_mount_attr attr = { .attr_set = attrs | K_MOUNT_ATTR_RDONLY };
	int rc = 0;

	if (api->old)
		rc = mountold_remount(tree_fd, attrs | K_MOUNT_ATTR_RDONLY);
	else if (k_mount_setattr(tree_fd, "", K_AT_EMPTY_PATH, &attr) < 0)
		rc = -errno;
	return rc < 0 ? err_set(e, ST_MOUNT, -rc, "make the new root read-only") : 0;
}

int mount_detach_host(struct mount_api *api, int root_fd, struct err *e)
{
	if (api->old)
		return mountold_detach_host(api, root_fd, e);
	/* The old root now lies on top of the new one, at the very place where the caller stands. */
	if (umount2(".", MNT_DETACH) < 0)
		return err_set(e, ST_MOUNT, errno, "detach the host's root");
	return 0;
}
