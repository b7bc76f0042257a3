// SPDX-License-Identifier: GPL-2.0-or-later
/* Attempts to change what is mounted, without effect or undone; runs inside a jail. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/own.h"
#include "tests/helpers/probe.h"

#define K_NR_fspick	    433
#define K_NR_open_tree_attr 467

static const char *target(const struct call *c, const char *fallback)
{
	return c->argv[0] ? c->argv[0] : fallback;
}

static long unmount_after(const char *dir, int rc)
{
	if (!rc)
		(void)umount2(dir, MNT_DETACH);
	return rc;
}

static long mount_tmpfs(const struct call *c)
{
	const char *dir = target(c, "/tmp");
	int rc = mount("tmpfs", dir, "tmpfs", MS_NOSUID | MS_NODEV, "size=4k");

	return unmount_after(dir, rc);
}

static long mount_bind(const struct call *c)
{
	const char *dir = target(c, "/tmp");

	return unmount_after(dir, mount(dir, dir, NULL, MS_BIND, NULL));
}

static long mount_proc(const struct call *c)
{
	const char *dir = target(c, "/tmp");
	int rc = mount("proc", dir, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);

	return unmount_after(dir, rc);
}

static long mount_type(const struct call *c)
{
	const char *dir = c->argv[1] ? c->argv[1] : "/tmp";
	int rc = mount("none", dir, c->argv[0], MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);

	return unmount_after(dir, rc);
}

/* MNT_EXPIRE only marks it: EAGAIN and EBUSY say that it would have been allowed. */
static long umount_proc(const struct call *c)
{
	return umount2(target(c, "/proc"), MNT_EXPIRE);
}

static unsigned long mount_flags(unsigned long st_flags)
{
	static const struct {
		unsigned long st, ms;
	} map[] = {
		{ ST_RDONLY, MS_RDONLY },     { ST_NOSUID, MS_NOSUID },
		{ ST_NODEV, MS_NODEV },	      { ST_NOEXEC, MS_NOEXEC },
		{ ST_NOATIME, MS_NOATIME },   { ST_NODIRATIME, MS_NODIRATIME },
		{ ST_RELATIME, MS_RELATIME },
	};
	unsigned long flags = 0;

	for (size_t i = 0; i < ARRAY_SIZE(map); i++)
		if (st_flags & map[i].st)
			flags |= map[i].ms;
	return flags;
}

static long remount_rw(const struct call *c)
{
	const char *dir = target(c, "/usr");
	unsigned long flags;
	struct statvfs st;
	int rc;

	if (statvfs(dir, &st) < 0)
		return PROBE_UNREADY;
	flags = mount_flags(st.f_flag) | MS_REMOUNT | MS_BIND;
	rc = mount(NULL, dir, NULL, flags & ~(unsigned long)MS_RDONLY, NULL);
	if (!rc && !c->data)
		(void)mount(NULL, dir, NULL, flags, NULL);
	return rc;
}

/* The same, and then what it was for. What is refused is the write. */
static long remount_write(const struct call *c)
{
	own_fd fd = FD_NONE;

	(void)remount_rw(c);
	fd = open(c->argv[1], O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	return fd < 0 ? -1 : write(fd, "probe\n", 6);
}

/* Takes away what lies over a file, and reads what was under it: ENODATA when that is nothing. */
static long unmount_read(const struct call *c)
{
	own_fd fd = FD_NONE;
	char byte;

	(void)umount2(c->argv[0], MNT_DETACH);
	fd = open(c->argv[0], O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -1;
	errno = ENODATA;
	return read(fd, &byte, 1) == 1 ? 0 : -1;
}

/*
 * The present root cannot be pivoted into: EBUSY or EINVAL say that the call itself was allowed.
 */
static long pivot(const struct call *c)
{
	(void)c;
	return syscall(SYS_pivot_root, "/", "/");
}

static long change_root(const struct call *c)
{
	(void)c;
	return chroot("/");
}

static long try_fsopen(const struct call *c)
{
	(void)c;
	return k_fsopen("tmpfs", K_FSOPEN_CLOEXEC);
}

/* Where fsopen itself is refused, a descriptor of another kind: EINVAL says that the call was allowed. */
static int some_fs(void)
{
	int fd = k_fsopen("tmpfs", K_FSOPEN_CLOEXEC);

	return fd >= 0 ? fd : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static long try_fsconfig(const struct call *c)
{
	own_fd fs = some_fs();

	(void)c;
	if (fs < 0)
		return PROBE_UNREADY;
	return k_fsconfig(fs, K_FSCONFIG_SET_STRING, "source", "probe", 0);
}

static long try_fsmount(const struct call *c)
{
	own_fd fs = some_fs(), fd = FD_NONE;

	(void)c;
	if (fs < 0)
		return PROBE_UNREADY;
	(void)k_fsconfig(fs, K_FSCONFIG_CMD_CREATE, NULL, NULL, 0);
	fd = k_fsmount(fs, K_FSOPEN_CLOEXEC, 0);
	return fd;
}

static long try_fspick(const struct call *c)
{
	own_fd fd = (int)syscall(K_NR_fspick, AT_FDCWD, target(c, "/tmp"), 1);

	return fd;
}

static long try_open_tree_attr(const struct call *c)
{
	struct k_mount_attr attr = { 0 };
	own_fd fd = (int)syscall(K_NR_open_tree_attr, AT_FDCWD, target(c, "/tmp"),
				 K_OPEN_TREE_CLONE | K_OPEN_TREE_CLOEXEC, &attr, sizeof(attr));

	return fd;
}

static long try_open_tree(const struct call *c)
{
	return k_open_tree(AT_FDCWD, target(c, "/tmp"), K_OPEN_TREE_CLONE | K_OPEN_TREE_CLOEXEC);
}

/* A mount cannot be moved onto itself: anything but EPERM says that the call was allowed. */
static long try_move_mount(const struct call *c)
{
	const char *dir = target(c, "/proc");

	return k_move_mount(AT_FDCWD, dir, AT_FDCWD, dir, 0);
}

/* Changes nothing. */
static long try_mount_setattr(const struct call *c)
{
	struct k_mount_attr attr = { 0 };

	return syscall(K_NR_mount_setattr, AT_FDCWD, target(c, "/tmp"), 0, &attr, sizeof(attr));
}

const struct probe probes_mount[] = {
	{ "mount-tmpfs", "[DIR]", 0, 1, mount_tmpfs, 0 },
	{ "mount-bind", "[DIR]", 0, 1, mount_bind, 0 },
	{ "mount-proc", "[DIR]", 0, 1, mount_proc, 0 },
	{ "mount-fs", "TYPE [DIR]", 1, 2, mount_type, 0 },
	{ "umount-proc", "[DIR]", 0, 1, umount_proc, 0 },
	{ "remount-rw", "[DIR]", 0, 1, remount_rw, 0 },
	{ "remount-write", "DIR FILE", 2, 2, remount_write, 1 },
	{ "umount-read", "FILE", 1, 1, unmount_read, 0 },
	{ "pivot-root", "", 0, 0, pivot, 0 },
	{ "chroot", "", 0, 0, change_root, 0 },
	{ "fsopen", "", 0, 0, try_fsopen, 0 },
	{ "fsconfig", "", 0, 0, try_fsconfig, 0 },
	{ "fsmount", "", 0, 0, try_fsmount, 0 },
	{ "fspick", "[DIR]", 0, 1, try_fspick, 0 },
	{ "open_tree_attr", "[DIR]", 0, 1, try_open_tree_attr, 0 },
	{ "open_tree", "[DIR]", 0, 1, try_open_tree, 0 },
	{ "move_mount", "[DIR]", 0, 1, try_move_mount, 0 },
	{ "mount_setattr", "[DIR]", 0, 1, try_mount_setattr, 0 },
	{ 0 },
};
