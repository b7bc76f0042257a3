// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The terminal (P1), and the last steps of the command's own process (P2): session, descriptors,
 * exec.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/own.h"
#include "base/text.h"
#include "sandbox/setup.h"
#include "sandbox/wire.h"
#include "sandbox/weak.h"

#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41)
#endif
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC 4u
#endif

/*
 * pid 1 leads the session, and the command's process group is a child group in it: were the command
 * the leader, its group would be orphaned and Ctrl-Z could not stop it.
 */
int stage_terminal(struct setup *s, struct err *e)
{
	const struct session *session = s->session;
	struct record r = { .type = REC_TERMINAL };
	struct termios termios = session->termios;
	own_fd master = FD_NONE;
	int unlock = 0, rc;

	if (!weakened(WEAK_SESSION) && setsid() < 0)
		return err_set(e, ST_TTY, errno, "start a session");
	if (!session->tty)
		return 0;
	master = open("/dev/pts/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (master < 0 || ioctl(master, TIOCSPTLCK, &unlock) < 0)
		return err_set(e, ST_TTY, errno, "make a terminal");
	s->slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (s->slave < 0)
		return err_set(e, ST_TTY, errno, "open the terminal");
	/*
	 * Where the user's terminal stays in charge of lines, ours must not turn a newline into two
	 * characters first.
	 */
	if (session->tty_lines)
		termios.c_oflag &= ~(tcflag_t)OPOST;
	if (tcsetattr(s->slave, TCSANOW, &termios) < 0 ||
	    ioctl(s->slave, TIOCSWINSZ, &session->winsize) < 0)
		return err_set(e, ST_TTY, errno, "set the terminal up");
	if (ioctl(s->slave, TIOCSCTTY, 0) < 0)
		return err_set(e, ST_TTY, errno, "take the terminal");
	rc = wire_send(s->wire, &r, master);
	return rc < 0 ? err_set(e, ST_TTY, -rc, "hand the terminal to the supervisor") : 0;
}

int stage_session(struct setup *s, struct err *e)
{
	if (!weakened(WEAK_SESSION) && setpgid(0, 0) < 0)
		return err_set(e, ST_TTY, errno, "start a process group");
	if (s->slave >= 0 && tcsetpgrp(s->slave, getpid()) < 0)
		return err_set(e, ST_TTY, errno, "come to the foreground");
	return 0;
}

/* A descriptor for number i, above 2, or FD_NONE when i itself is already the right one. */
static int source_of(const struct setup *s, int i, int null)
{
	if (weakened(WEAK_STDIO))
		return FD_NONE;
	switch (s->session->io[i].kind) {
	case STDIO_NULL:
		return null;
	case STDIO_TTY:
		return s->slave;
	case STDIO_RELAY:
		return s->session->io[i].child;
	}
	return FD_NONE;
}

int stage_stdio(struct setup *s, struct err *e)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return err_set(e, ST_TTY, errno, "open '/dev/null' inside");
	for (int i = 0; i < 3; i++) {
		int fd = source_of(s, i, null);

		if (fd >= 0 && dup2(fd, i) < 0)
			return err_set(e, ST_TTY, errno, "set descriptor %d up", i);
	}
	/*
	 * Marked, not closed: they go at the exec, whatever they are and wherever they came from.
	 */
	if (!weakened(WEAK_FDS) && k_close_range(3, ~0u, CLOSE_RANGE_CLOEXEC) < 0)
		return err_set(e, ST_TTY, errno, "close all other descriptors");
	return 0;
}

/*
 * execve's errno, or a better one: it says the same of a script whose interpreter is missing as of
 * no file at all.
 */
static int exec_one(const struct plan *p, const char *file)
{
	struct stat st;
	int code;

	(void)execve(file, p->argv, p->envp);
	code = errno;
	if (code == ENOENT && stat(file, &st) == 0)
		return ELIBACC;
	if (code == EACCES && stat(file, &st) == 0 && S_ISDIR(st.st_mode))
		return EISDIR;
	return code;
}

/*
 * Like execvp, without allocation and with the jail's PATH. Returns the errno that tells the most.
 */
static int exec_by_path(const struct plan *p)
{
	const char *name = p->argv[0], *dir = p->path ? p->path : "/usr/bin:/bin";
	int best = ENOENT;
	char file[PATH_MAX];
	struct text t;

	if (strchr(name, '/')) {
		return exec_one(p, name);
	}
	while (*name && *dir) {
		size_t n = strcspn(dir, ":");

		text_init(&t, file, sizeof(file));
		text_addn(&t, dir, n);
		text_addf(&t, "/%s", name);
		if (n && !t.full) {
			int code = exec_one(p, file);

			if (code != ENOENT && code != ENOTDIR && code != EISDIR)
				best = code;
			if (best != ENOENT && best != EACCES)
				return best;
		}
		dir += n;
		dir += *dir == ':';
	}
	return best;
}

int stage_exec(struct setup *s, struct err *e)
{
	int code;

	(void)umask(s->session->umask);
	if (sigprocmask(SIG_SETMASK, &s->session->mask, NULL) < 0)
		return err_set(e, ST_TTY, errno, "restore the signal mask");
	s->ready = true;
	code = exec_by_path(s->plan);
	return err_set(e, ST_EXEC, code, "run '%s'", s->plan->argv[0]);
}
