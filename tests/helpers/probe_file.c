// SPDX-License-Identifier: GPL-2.0-or-later
/* Attempts at files, with the size, mode and times they have already; runs inside a jail. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/own.h"
#include "base/text.h"
#include "tests/helpers/probe.h"

#define K_RENAME_EXCHANGE 2
#define K_RENAME_WHITEOUT 4
#define FLIPS_MAX	  1000000

static long open_file(const struct call *c)
{
	static const struct {
		const char *name;
		int flags;
	} modes[] = {
		{ "r", O_RDONLY },
		{ "w", O_WRONLY },
		{ "rw", O_RDWR },
		{ "a", O_WRONLY | O_APPEND },
		{ "create", O_WRONLY | O_CREAT | O_EXCL },
		{ "dir", O_RDONLY | O_DIRECTORY },
		{ "path", O_PATH },
	};

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (str_eq(modes[i].name, c->argv[0])) {
			int flags = modes[i].flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
			int fd = open(c->argv[1], flags, 0600);

			if (fd >= 0 && flags & O_CREAT)
				(void)unlink(c->argv[1]);
			return fd;
		}
	return PROBE_USAGE;
}

static long truncate_path(const struct call *c)
{
	struct stat st;

	if (stat(c->argv[0], &st) < 0)
		return PROBE_UNREADY;
	return truncate(c->argv[0], st.st_size);
}

static long truncate_fd(const struct call *c)
{
	struct stat st;
	uint64_t fd;

	if (!probe_number(c->argv[0], INT_MAX, &fd))
		return PROBE_USAGE;
	if (fstat((int)fd, &st) < 0)
		return PROBE_UNREADY;
	return ftruncate((int)fd, st.st_size);
}

static long change_mode(const struct call *c)
{
	struct stat st;

	if (stat(c->argv[0], &st) < 0)
		return PROBE_UNREADY;
	return chmod(c->argv[0], st.st_mode & 07777);
}

static long change_times(const struct call *c)
{
	struct stat st;

	if (stat(c->argv[0], &st) < 0)
		return PROBE_UNREADY;
	return utimensat(AT_FDCWD, c->argv[0], (struct timespec[]){ st.st_atim, st.st_mtim }, 0);
}

/* To the owner that it has. */
static long change_owner(const struct call *c)
{
	struct stat st;

	if (stat(c->argv[0], &st) < 0)
		return PROBE_UNREADY;
	return chown(c->argv[0], st.st_uid, st.st_gid);
}

static long set_attribute(const struct call *c)
{
	int rc = setxattr(c->argv[0], "user.jail-probe", "1", 1, 0);

	if (!rc)
		(void)removexattr(c->argv[0], "user.jail-probe");
	return rc;
}

static long make_link(const struct call *c)
{
	return link(c->argv[0], c->argv[1]);
}

/* The old name is not looked at again: it is the inode that is given another one. */
static long link_opened(const struct call *c)
{
	own_fd fd = open(c->argv[0], O_PATH | O_CLOEXEC);
	char path[64];

	if (fd < 0)
		return PROBE_UNREADY;
	if (!c->data)
		return linkat(fd, "", AT_FDCWD, c->argv[1], AT_EMPTY_PATH);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, path, AT_FDCWD, c->argv[1], AT_SYMLINK_FOLLOW);
}

static long rename_file(const struct call *c)
{
	return syscall(SYS_renameat2, AT_FDCWD, c->argv[0], AT_FDCWD, c->argv[1], c->data);
}

static long make_node(const struct call *c)
{
	const char *path = c->argv[0] ? c->argv[0] : "/tmp/jail-probe-node";
	int rc = mknod(path, S_IFCHR | 0600, makedev(1, 3));

	if (!rc)
		(void)unlink(path);
	return rc;
}

/* 0:0 is what overlayfs calls a whiteout, and needs no privilege. */
static long make_whiteout(const struct call *c)
{
	int rc = mknod(c->argv[0], S_IFCHR | 0600, makedev(0, 0));

	if (!rc)
		(void)unlink(c->argv[0]);
	return rc;
}

static long make_dir(const struct call *c)
{
	int rc = mkdir(c->argv[0], 0700);

	if (!rc)
		(void)rmdir(c->argv[0]);
	return rc;
}

static long remove_file(const struct call *c)
{
	return unlink(c->argv[0]);
}

struct flip {
	char path[PATH_MAX];
	const char *good, *bad;
	atomic_bool end;
};

static void *flip_path(void *arg)
{
	struct flip *f = arg;
	size_t good = strlen(f->good) + 1, bad = strlen(f->bad) + 1;

	while (!f->end) {
		memcpy(f->path, f->bad, bad);
		memcpy(f->path, f->good, good);
	}
	return NULL;
}

/*
 * "flip-open TRIES HITS": opens a path while another thread changes it between two. What looks at
 * the words before the kernel does sees one, and the kernel the other. A hit is BAD, opened.
 */
static long flip_open(const struct call *c)
{
	static struct flip f;
	struct stat good, st;
	uint64_t tries, hits = 0;
	pthread_t thread;

	if (!probe_number(c->argv[2], FLIPS_MAX, &tries) || strlen(c->argv[0]) >= PATH_MAX ||
	    strlen(c->argv[1]) >= PATH_MAX)
		return PROBE_USAGE;
	f.good = c->argv[0];
	f.bad = c->argv[1];
	if (stat(f.good, &good) < 0 || pthread_create(&thread, NULL, flip_path, &f))
		return PROBE_UNREADY;
	for (uint64_t i = 0; i < tries; i++) {
		own_fd fd = open(f.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

		if (fd >= 0 && fstat(fd, &st) == 0)
			hits += st.st_dev != good.st_dev || st.st_ino != good.st_ino;
	}
	f.end = true;
	(void)pthread_join(thread, NULL);
	printf("%s %ju %ju\n", c->name, (uintmax_t)tries, (uintmax_t)hits);
	return PROBE_SAID;
}

/*
 * Puts a Landlock layer of its own on top, which takes away writing: EACCES shows that layers add
 * up.
 */
static long landlock_write(const struct call *c)
{
	uint64_t handled = LANDLOCK_ACCESS_FS_WRITE_FILE;
	own_fd ruleset = FD_NONE;

	ruleset = (int)syscall(K_NR_landlock_create, &handled, sizeof(handled), 0);
	if (ruleset < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(K_NR_landlock_self, ruleset, 0) < 0)
		return PROBE_UNREADY;
	return open(c->argv[0], O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK);
}

static bool same_place(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static long walk_up(const struct call *c)
{
	struct stat here, root;

	for (int i = 0; i < 64; i++)
		if (chdir("..") < 0)
			return PROBE_UNREADY;
	if (stat(".", &here) < 0 || stat("/", &root) < 0)
		return PROBE_UNREADY;
	printf("%s %ju:%ju %ju:%ju\n", c->name, (uintmax_t)here.st_dev, (uintmax_t)here.st_ino,
	       (uintmax_t)root.st_dev, (uintmax_t)root.st_ino);
	return same_place(&here, &root) ? PROBE_SAID : PROBE_DENIED;
}

/* A path of the host's, without its first slash, from here and from each directory above. */
static long walk_write(const struct call *c)
{
	int refused = ENOENT;

	for (int i = 0; i < 64; i++) {
		own_fd fd = open(c->argv[0], O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

		if (fd >= 0)
			return write(fd, "probe\n", 6);
		if (errno != ENOENT)
			refused = errno;
		if (chdir("..") < 0)
			return PROBE_UNREADY;
	}
	errno = refused;
	return -1;
}

const struct probe probes_file[] = {
	{ "open", "r|w|rw|a|create|dir|path PATH", 2, 2, open_file, 0 },
	{ "truncate", "PATH", 1, 1, truncate_path, 0 },
	{ "ftruncate", "FD", 1, 1, truncate_fd, 0 },
	{ "chmod", "PATH", 1, 1, change_mode, 0 },
	{ "utime", "PATH", 1, 1, change_times, 0 },
	{ "chown", "PATH", 1, 1, change_owner, 0 },
	{ "setxattr", "PATH", 1, 1, set_attribute, 0 },
	{ "link", "OLD NEW", 2, 2, make_link, 0 },
	{ "rename", "OLD NEW", 2, 2, rename_file, 0 },
	{ "exchange", "A B", 2, 2, rename_file, K_RENAME_EXCHANGE },
	{ "whiteout", "OLD NEW", 2, 2, rename_file, K_RENAME_WHITEOUT },
	{ "linkat-fd", "OLD NEW", 2, 2, link_opened, 0 },
	{ "linkat-proc", "OLD NEW", 2, 2, link_opened, 1 },
	{ "mkdir", "PATH", 1, 1, make_dir, 0 },
	{ "unlink", "PATH", 1, 1, remove_file, 0 },
	{ "mknod-whiteout", "PATH", 1, 1, make_whiteout, 0 },
	{ "flip-open", "GOOD BAD TRIES", 3, 3, flip_open, 0 },
	{ "mknod", "[PATH]", 0, 1, make_node, 0 },
	{ "landlock-write", "PATH", 1, 1, landlock_write, 0 },
	{ "dotdot", "", 0, 0, walk_up, 0 },
	{ "dotdot-write", "PATH", 1, 1, walk_write, 0 },
	{ 0 },
};
