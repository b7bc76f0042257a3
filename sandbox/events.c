// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening the event log; P0. */
#include "sandbox/events.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"

int events_number(const struct draft *d)
{
	const struct value *v = draft_get(d, OPT_EVENTS);
	uint64_t n;

	return v && str_to_u64(v->text, INT_MAX, &n) ? (int)n : FD_NONE;
}

static int open_number(struct plan *p, int fd, struct err *e)
{
	int mode = fcntl(fd, F_GETFL);

	if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY)
		return err_set(e, ST_USAGE, 0,
			       "--events %d: the descriptor is not open for writing", fd);
	if (fd > STDERR_FILENO)
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	p->events_fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return p->events_fd < 0 ? err_set(e, ST_USAGE, errno, "--events %d", fd) : 0;
}

/* Could the command change a file in this directory? The innermost of the mounts decides. */
static bool writable_inside(const struct plan *p, const char *dir)
{
	const struct mount_op *best = NULL;

	for (size_t i = 0; i < p->mounts.n; i++) {
		const struct mount_op *op = &p->mounts.ops[i];

		if (op->kind == MK_BIND && op->is_dir && path_beneath(dir, op->target) &&
		    (!best || strlen(op->target) >= strlen(best->target)))
			best = op;
	}
	return best && !best->readonly;
}

/* The directory that `path` is in, opened, and its one true name. */
static int open_directory(const char *path, const char **ret_name, char real[PATH_MAX], struct err *e)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX], link[32];
	own_fd fd = FD_NONE;
	struct text t;
	ssize_t n;

	text_init(&t, dir, sizeof(dir));
	text_addn(&t, path, slash ? (size_t)(slash - path) + 1 : 0);
	fd = open(t.len ? dir : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || t.full)
		return err_set(e, ST_USAGE, t.full ? ENAMETOOLONG : errno, "--events '%s'", path);
	text_init(&t, link, sizeof(link));
	text_addf(&t, "/proc/self/fd/%d", fd);
	n = readlink(link, real, PATH_MAX);
	if (n < 0 || n == PATH_MAX)
		return err_set(e, ST_USAGE, n < 0 ? errno : ENAMETOOLONG, "--events '%s'", path);
	real[n] = '\0';
	*ret_name = slash ? slash + 1 : path;
	return fd_take(&fd);
}

static int open_log(struct plan *p, const char *path, struct err *e)
{
	const int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
			  O_CLOEXEC;
	char real[PATH_MAX];
	own_fd fd = FD_NONE;
	const char *name;
	struct stat st;
	own_fd dir = open_directory(path, &name, real, e);

	if (dir < 0)
		return -EINVAL;
	if (writable_inside(p, real))
		return err_set(e, ST_USAGE, 0,
			       "--events '%s': the command could change it there: name a file elsewhere",
			       path);
	fd = openat(dir, name, flags, 0600);
	if (fd < 0 && errno == ELOOP)
		return err_set(
			e, ST_USAGE, 0,
			"--events '%s' is a symbolic link: name what it leads to, or the number of a descriptor",
			path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(e, ST_USAGE, errno, "--events '%s'", path);
	if (!S_ISREG(st.st_mode))
		return err_set(
			e, ST_USAGE, 0,
			"--events '%s' is not a regular file: for others give the number of a descriptor",
			path);
	p->events_fd = fd_take(&fd);
	return 0;
}

int events_open(struct plan *p, struct err *e)
{
	const struct value *v = draft_get(p->draft, OPT_EVENTS);
	int number = events_number(p->draft);

	if (!v)
		return 0;
	if (str_eq(v->text, "-"))
		return err_set(e, ST_USAGE, 0,
			       "--events -: give the number of a descriptor: 1 is stdout, 2 is stderr");
	return number >= 0 ? open_number(p, number, e) : open_log(p, v->text, e);
}
