// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How descriptors 0, 1 and 2 cross into the jail; P0, before the clone.
 *
 * A descriptor is more than a stream of bytes: one for a file or a pipe can be opened again through
 * /proc/self/fd, in the other direction too, or truncated, whatever mode it was opened in. So none
 * is handed on: only bytes cross. The user's terminal least of all: its ioctls reach the user's own
 * input.
 */
#include "sandbox/session.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/wire.h"
#include "sandbox/weak.h"

void session_init(struct session *s)
{
	*s = (struct session){ .tty_in = FD_NONE, .tty_out = FD_NONE, .wire = { FD_NONE, FD_NONE } };
	for (int i = 0; i < 3; i++)
		s->io[i] = (struct stdio){ .child = FD_NONE, .parent = FD_NONE, .host = FD_NONE };
}

int session_fill_stdio(struct err *e)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
		if (fd < 0)
			return err_set(e, ST_SUPERVISE, errno, "open '/dev/null'");
	} while (fd < 3);
	(void)close(fd);
	return 0;
}

static int classify(int fd, enum stdio_kind *ret, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set(e, ST_SUPERVISE, errno, "stat descriptor %d", fd);
	if (isatty(fd))
		*ret = STDIO_TTY;
	else if (S_ISCHR(st.st_mode) && errno != ENOTTY && errno != EINVAL)
		/* what it shows would go unfiltered */
		return err_set(e, ST_TTY, errno, "ask whether descriptor %d is a terminal", fd);
	else if (S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3))
		*ret = STDIO_NULL;
	else if (S_ISDIR(st.st_mode))
		return err_set(e, ST_SUPERVISE, EISDIR, "descriptor %d", fd);
	else
		*ret = STDIO_RELAY;
	return 0;
}

/*
 * A description of our own of what `fd` is open on, so that O_NONBLOCK does not leak to everyone
 * who shares the caller's. What cannot be reopened (a socket, a terminal of another user) is used
 * as it is.
 */
static int reopen(int fd, int flags)
{
	char path[32];
	int own;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own = open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return own >= 0 ? own : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

/*
 * To real root's remapped command, a pipe of root's is a stranger's: it could use it, but not open
 * it again by /dev/stdout.
 */
static int give_pipe(int fd, uid_t uid, struct err *e)
{
	if (uid != getuid() && fchown(fd, uid, (gid_t)-1) < 0)
		return err_set(e, ST_SUPERVISE, errno, "give a pipe to the command");
	return 0;
}

static int open_relay(struct stdio *io, int fd, uid_t uid, struct err *e)
{
	struct stat st;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_set(e, ST_SUPERVISE, errno, "make a pipe for descriptor %d", fd);
	io->child = ends[fd ? 1 : 0];
	io->parent = ends[fd ? 0 : 1];
	if (fcntl(io->parent, F_SETFL, O_NONBLOCK) < 0)
		return err_set(e, ST_SUPERVISE, errno, "make a pipe non-blocking");
	/* A regular file keeps the caller's offset and O_APPEND; a named pipe must not block us. */
	if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode))
		io->host = reopen(fd, fd ? O_WRONLY : O_RDONLY);
	else
		io->host = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (io->host < 0)
		return err_set(e, ST_SUPERVISE, errno, "duplicate descriptor %d", fd);
	return give_pipe(io->child, uid, e);
}

/*
 * What the command's terminal starts with. In the background ours has the settings of whoever is in
 * front, as a rule a shell that is editing a line: they are not for the command.
 */
static void choose_modes(int fd, struct termios *t)
{
	pid_t front = tcgetpgrp(fd);

	if (front < 0 || front == getpgrp())
		return;
	t->c_iflag |= ICRNL | IXON;
	t->c_oflag |= OPOST | ONLCR;
	t->c_lflag |= ICANON | ISIG | IEXTEN | ECHO | ECHOE | ECHOK;
}

static int open_terminal(struct session *s, struct err *e)
{
	int out = s->io[1].kind == STDIO_TTY ? 1 : s->io[2].kind == STDIO_TTY ? 2 : 0;

	s->tty = true;
	s->tty_input = s->io[0].kind == STDIO_TTY;
	s->tty_lines = !s->tty_input || s->io[1].kind != STDIO_TTY;
	s->tty_out = reopen(out, O_WRONLY);
	if (s->tty_out < 0)
		return err_set(e, ST_TTY, errno, "open the terminal for writing");
	if (s->tty_input) {
		s->tty_in = reopen(0, O_RDONLY);
		if (s->tty_in < 0)
			return err_set(e, ST_TTY, errno, "open the terminal for reading");
	}
	if (tcgetattr(out, &s->termios) < 0)
		return err_set(e, ST_TTY, errno, "read the terminal's settings");
	choose_modes(out, &s->termios);
	(void)ioctl(out, TIOCGWINSZ, &s->winsize); /* zeros mean unknown, inside as outside */
	return 0;
}

/* Are 1 and 2 one and the same open file, as after `>log 2>&1`? */
static bool outputs_are_one(void)
{
	struct stat a, b;
	long differ = syscall(SYS_kcmp, getpid(), getpid(), KCMP_FILE, 1, 2);

	if (differ >= 0)
		return differ == 0;
	return fstat(1, &a) == 0 && fstat(2, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino && fcntl(1, F_GETFL) == fcntl(2, F_GETFL);
}

/* What is one file outside is one pipe inside: lines of both keep their order. */
static int share_relay(struct session *s, struct err *e)
{
	s->io[2].child = fcntl(s->io[1].child, F_DUPFD_CLOEXEC, 3);
	return s->io[2].child < 0
		       ? err_set(e, ST_SUPERVISE, errno, "duplicate the pipe of descriptor 1")
		       : 0;
}

int session_open(struct session *s, uid_t uid, struct err *e)
{
	bool tty = false;
	int rc;

	for (int i = 0; i < 3 && !weakened(WEAK_STDIO); i++) {
		rc = classify(i, &s->io[i].kind, e);
		if (rc < 0)
			return rc;
		tty |= s->io[i].kind == STDIO_TTY;
		if (i == 2 && s->io[1].kind == STDIO_RELAY && s->io[2].kind == STDIO_RELAY &&
		    outputs_are_one())
			rc = share_relay(s, e);
		else if (s->io[i].kind == STDIO_RELAY)
			rc = open_relay(&s->io[i], i, uid, e);
		if (rc < 0)
			return rc;
	}
	rc = tty ? open_terminal(s, e) : 0;
	return rc < 0 ? rc : wire_pair(s->wire, e);
}

void session_close(struct session *s)
{
	for (int i = 0; i < 3; i++) {
		fd_release(&s->io[i].child);
		fd_release(&s->io[i].parent);
		fd_release(&s->io[i].host);
	}
	fd_release(&s->tty_in);
	fd_release(&s->tty_out);
	fd_release(&s->wire[0]);
	fd_release(&s->wire[1]);
}
