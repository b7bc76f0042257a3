// SPDX-License-Identifier: GPL-2.0-or-later
/* Scratch directories, descriptors and what is left behind; tests only. */
#include "tests/fault/room.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/text.h"

/* A user that nobody else is, so that whatever he leaves in shared places is known to be jail's. */
#define NOBODY_ELSE 61375

#define OPEN_MAX_WALK 16
#define SOCKET_NAME   "socket"

static void die(const char *what) __attribute__((noreturn));
static void die(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(99);
}

/* ---- making it */

static void copy_program(const char *from, const char *to)
{
	own_fd in = open(from, O_RDONLY | O_CLOEXEC),
	       out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	static char buf[64 << 10];
	ssize_t n = -1;

	if (in < 0 || out < 0)
		die(from);
	while ((n = read(in, buf, sizeof(buf))) > 0) {
		if (fs_write_all(out, buf, (size_t)n) < 0)
			die(to);
	}
	if (n < 0)
		die(from);
}

static bool real_root(void)
{
	char map[64];

	return geteuid() == 0 &&
	       fs_read_file_at(AT_FDCWD, "/proc/self/uid_map", map, sizeof(map), false) > 0 &&
	       strstr(map, " 4294967295\n");
}

void site_make(struct site *s)
{
	const char *tmp = getenv("TMPDIR"), *jail = getenv("JAIL"), *build = getenv("top_builddir");
	char path[PATH_MAX];

	if (!tmp || *tmp != '/' || strlen(tmp) > 200)
		tmp = "/tmp";
	if (!jail || !build) {
		errno = 0;
		die("JAIL and top_builddir are not set: run by make check");
	}
	(void)umask(022);
	(void)snprintf(s->top, sizeof(s->top), "%s/jail-fault.XXXXXX", tmp);
	if (!mkdtemp(s->top) || chmod(s->top, 0755) < 0)
		die(s->top);
	(void)snprintf(s->bin, sizeof(s->bin), "%s/bin", s->top);
	(void)snprintf(s->jail, sizeof(s->jail), "%s/jail", s->top);
	(void)snprintf(s->posture, sizeof(s->posture), "%s/posture", s->bin);
	if (mkdir(s->bin, 0755) < 0)
		die(s->bin);
	copy_program(jail, s->jail);
	(void)snprintf(path, sizeof(path), "%s/tests/fault/posture", build);
	copy_program(path, s->posture);
	s->user = real_root() ? NOBODY_ELSE : (uid_t)-1;
}

static void make_dir(const struct site *s, char *buf, size_t size, unsigned number,
		     const char *name, bool root)
{
	(void)snprintf(buf, size, "%s/%u/%s", s->top, number, name);
	if (mkdir(buf, 0755) < 0 ||
	    (!root && s->user != (uid_t)-1 && chown(buf, s->user, s->user) < 0))
		die(buf);
}

/* A socket of the host's in the workspace: one mount more, and the one kind that matters most. */
static int listen_in(const char *dir)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(a.sun_path, sizeof(a.sun_path), "%.90s/" SOCKET_NAME, dir);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 1) < 0)
		die(dir);
	return fd;
}

void room_make(struct room *r, const struct site *s, unsigned number)
{
	char path[PATH_MAX];
	own_fd fd = FD_NONE;

	r->site = s;
	(void)snprintf(path, sizeof(path), "%s/%u", s->top, number);
	if (mkdir(path, 0755) < 0)
		die(path);
	make_dir(s, r->work[false], sizeof(r->work[0]), number, "work", false);
	make_dir(s, r->work[true], sizeof(r->work[0]), number, "root", true);
	make_dir(s, r->home, sizeof(r->home), number, "home", false);
	make_dir(s, r->io, sizeof(r->io), number, "io", false);
	for (int i = 0; i < 2; i++)
		r->sockets[i] = listen_in(r->work[i]);
	(void)snprintf(path, sizeof(path), "%s/in", r->io);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0 || fs_write_all(fd, "input\n", 6) < 0)
		die(path);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

void site_remove(const struct site *s)
{
	(void)nftw(s->top, remove_one, OPEN_MAX_WALK, FTW_DEPTH | FTW_PHYS);
}

/* ---- what is left */

static char *found; /* nftw has no argument to pass on */
static size_t found_size;

static int note_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	if (where->level == 0 || str_eq(path + where->base, SOCKET_NAME))
		return 0;
	(void)snprintf(found, found_size, "file %s", path);
	return 1;
}

/* A mount that jail made shows the name it gave, or where it was put. */
static void find_mounts(const struct room *r, struct outcome *o)
{
	static char list[1 << 20];
	char *line = list;

	if (fs_read_file_at(AT_FDCWD, "/proc/self/mountinfo", list, sizeof(list), false) < 0)
		return;
	while (line && *line) {
		char *end = strchr(line, '\n');

		if (end)
			*end++ = '\0';
		if (strstr(line, r->site->top) || strstr(line, " - tmpfs jail "))
			(void)snprintf(o->left, sizeof(o->left), "mount %.480s", line);
		line = end;
	}
}

static void find_left(const struct room *r, const struct config *c, struct outcome *o)
{
	static const char *const shared[] = { "/tmp", "/var/tmp", "/dev/shm", "/run" };

	found = o->left;
	found_size = sizeof(o->left);
	(void)nftw(r->work[c->root], note_one, OPEN_MAX_WALK, FTW_PHYS);
	(void)nftw(r->home, note_one, OPEN_MAX_WALK, FTW_PHYS);
	find_mounts(r, o);
	for (size_t i = 0; i < ARRAY_SIZE(shared) && !c->root && r->site->user != (uid_t)-1; i++) {
		own_dir dir = opendir(shared[i]);
		struct dirent *d;
		struct stat st;

		while (dir && (d = readdir(dir))) {
			if (fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			    st.st_uid == r->site->user)
				(void)snprintf(o->left, sizeof(o->left), "file %s/%s", shared[i],
					       d->d_name);
		}
	}
}

/* ---- one run */

struct ends {
	int child[3], master, out, err; /* out, err: where we read what was written */
	struct termios termios;
};

static int make_pipe(int *ret_read, int *ret_write)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	(void)fcntl(ends[0], F_SETPIPE_SZ, ROOM_REPORT);
	*ret_read = ends[0];
	*ret_write = ends[1];
	return 0;
}

static int open_terminal(struct ends *e)
{
	int unlock = 0;

	e->master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (e->master < 0 || ioctl(e->master, TIOCSPTLCK, &unlock) < 0)
		return -errno;
	e->child[0] = ioctl(e->master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (e->child[0] < 0 || tcgetattr(e->child[0], &e->termios) < 0)
		return -errno;
	e->child[1] = fcntl(e->child[0], F_DUPFD_CLOEXEC, 3);
	return e->child[1] < 0 ? -errno : make_pipe(&e->err, &e->child[2]);
}

static int open_file(const struct room *r, const char *name, int flags)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", r->io, name);
	return open(path, flags | O_CLOEXEC, 0644);
}

static int open_ends(const struct room *r, const struct config *c, struct ends *e)
{
	const int fresh = O_RDWR | O_CREAT | O_TRUNC;
	int rc = 0;

	*e = (struct ends){ { FD_NONE, FD_NONE, FD_NONE }, FD_NONE, FD_NONE, FD_NONE, { 0 } };
	switch (c->io) {
	case IO_TERMINAL:
		return open_terminal(e);
	case IO_FILES:
		e->child[0] = open_file(r, "in", O_RDONLY);
		e->child[1] = open_file(r, "out", fresh);
		e->child[2] = open_file(r, "err", fresh);
		e->out = open_file(r, "out", O_RDONLY);
		e->err = open_file(r, "err", O_RDONLY);
		break;
	case IO_PIPES:
		e->child[0] = open("/dev/null", O_RDWR | O_CLOEXEC);
		rc = make_pipe(&e->out, &e->child[1]);
		if (rc == 0)
			rc = make_pipe(&e->err, &e->child[2]);
		break;
	}
	return rc == 0 && e->child[0] >= 0 && e->child[1] >= 0 && e->child[2] >= 0 && e->err >= 0
		       ? 0
		       : -EIO;
}

static void close_ends(struct ends *e)
{
	for (int i = 0; i < 3; i++)
		fd_release(&e->child[i]);
	fd_release(&e->master);
	fd_release(&e->out);
	fd_release(&e->err);
}

/* All that is there; a terminal says EIO and a pipe EAGAIN at the end. */
static void read_all(int fd, char *buf, size_t size)
{
	size_t len = 0;

	while (fd >= 0 && len < size - 1) {
		ssize_t n = read(fd, buf + len, size - 1 - len);

		if (n <= 0)
			break;
		len += (size_t)n;
	}
	buf[len] = '\0';
}

static void take_report(const struct room *r, const struct config *c, struct outcome *o)
{
	own_fd dir = open(r->work[c->root], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fs_read_file_at(dir, "report", o->report, sizeof(o->report), true) < 0)
		o->report[0] = '\0';
	else
		(void)unlinkat(dir, "report", 0);
	if (!o->report[0] && str_starts(o->out, "cwd ")) {
		memcpy(o->report, o->out, strlen(o->out) + 1);
		o->out[0] = '\0';
	}
}

static void gather(const struct room *r, const struct config *c, struct ends *e, struct outcome *o)
{
	struct termios now;

	if (c->io == IO_TERMINAL) {
		o->terminal_changed =
			tcgetattr(e->child[0], &now) < 0 || now.c_lflag != e->termios.c_lflag ||
			now.c_iflag != e->termios.c_iflag || now.c_oflag != e->termios.c_oflag;
		read_all(e->master, o->out, sizeof(o->out));
	} else {
		read_all(e->out, o->out, sizeof(o->out));
	}
	for (int i = 0; i < 3; i++)
		fd_release(&e->child[i]);
	read_all(e->err, o->err, sizeof(o->err));
	take_report(r, c, o);
	find_left(r, c, o);
}

#define ARGS_MAX 24

int room_run(const struct room *r, const struct config *c, const struct fault *f, struct seen *seen,
	     size_t seen_max, struct outcome *ret)
{
	const struct site *s = r->site;
	const char *argv[ARGS_MAX] = { s->jail, "--ro", s->bin };
	char home[PATH_MAX], path[PATH_MAX + 16], image[PATH_MAX + 8];
	/* A sanitizer's search for leaks is itself a tracer, and there is one already. */
	const char *envp[] = {
		home, path, "USER=tester", "TERM=dumb", "ASAN_OPTIONS=detect_leaks=0", NULL
	};
	struct trace_job job = {
		.argv = (char *const *)(uintptr_t)argv,
		.envp = (char *const *)(uintptr_t)envp,
		.cwd = r->work[c->root],
		.uid = c->root ? (uid_t)-1 : s->user,
		.terminal = c->io == IO_TERMINAL,
		.always = { .kind = c->refuses ? FAULT_ERROR : FAULT_NONE,
			    .role = ROLE_P1,
			    .nth = 1,
			    .code = EPERM },
		.fault = *f,
		.seen = seen,
		.seen_max = seen_max,
	};
	struct ends e;
	size_t n = 3;
	int rc;

	if (c->refuses)
		job.always.nr = call_number(c->refuses);
	(void)snprintf(home, sizeof(home), "HOME=%s", r->home);
	(void)snprintf(path, sizeof(path), "PATH=/usr/bin:%s", s->bin);
	for (const char *const *flag = c->flags; *flag && n < ARGS_MAX - 9; flag++)
		argv[n++] = *flag;
	(void)snprintf(image, sizeof(image), "dir:%s", s->bin);
	if (c->writes) {
		const char *const flags[] = { "--image", image,	  "--root-writes",
					      c->writes, "--set", path };

		memcpy(argv + n, flags, sizeof(flags));
		n += ARRAY_SIZE(flags);
	}
	argv[n++] = "--";
	argv[n] = "posture";
	*ret = (struct outcome){ 0 };
	rc = open_ends(r, c, &e);
	if (rc == 0) {
		memcpy(job.io, e.child, sizeof(job.io));
		rc = trace_run(&job, &ret->trace);
	}
	if (rc == 0)
		gather(r, c, &e, ret);
	close_ends(&e);
	return rc;
}
