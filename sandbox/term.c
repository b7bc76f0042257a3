// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The user's terminal; P0. SIGTTOU is blocked throughout, so that giving it back works from the
 * background too.
 */
#include "sandbox/term.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool term_take(struct session *s)
{
	struct termios raw;
	pid_t front = s->tty_input ? tcgetpgrp(s->tty_in) : 0;

	/*
	 * A terminal that controls another session, or none (-1), has no foreground that we could
	 * be kept out of.
	 */
	if (!s->tty_input || (front >= 0 && front != getpgrp()))
		return false;
	/* Each time anew: while we were stopped the user may have changed them. */
	if (tcgetattr(s->tty_in, &raw) < 0)
		return false;
	s->termios = raw;
	cfmakeraw(&raw);
	if (s->tty_lines)
		raw.c_oflag = s->termios.c_oflag;
	return tcsetattr(s->tty_in, TCSADRAIN, &raw) == 0;
}

void term_give(const struct session *s, bool flush)
{
	(void)tcsetattr(s->tty_in, flush ? TCSAFLUSH : TCSADRAIN, &s->termios);
}

void term_resize(const struct session *s, int master)
{
	struct winsize size;

	if (s->tty && master >= 0 && ioctl(s->tty_out, TIOCGWINSZ, &size) == 0)
		(void)ioctl(master, TIOCSWINSZ, &size);
}

void term_stop_self(bool group)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL }, old;
	sigset_t stop;

	(void)sigaction(SIGTSTP, &dfl, &old);
	(void)sigemptyset(&stop);
	(void)sigaddset(&stop, SIGTSTP);
	(void)kill(group ? 0 : getpid(), SIGTSTP);
	(void)sigprocmask(SIG_UNBLOCK, &stop, NULL);
	/*
	 * Stopped here, until SIGCONT. In an orphaned group, where nobody could continue us, the
	 * kernel ignores the signal.
	 */
	(void)sigprocmask(SIG_BLOCK, &stop, NULL);
	(void)sigaction(SIGTSTP, &old, NULL);
}
