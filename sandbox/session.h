/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run's connections to its caller: what stands behind descriptors 0, 1 and 2, and the terminal.
 * Made by P0 before the clone; P1 reads it to give the command its three descriptors.
 */
#ifndef JAIL_SANDBOX_SESSION_H
#define JAIL_SANDBOX_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <termios.h>
#include <sys/ioctl.h>
#include <sys/types.h>

#include "base/err.h"

enum stdio_kind {
	STDIO_NULL,  /* the jail's own /dev/null */
	STDIO_TTY,   /* the jail's own terminal */
	STDIO_RELAY, /* a file, a pipe, a socket: only bytes cross, never the descriptor */
};

struct stdio {
	enum stdio_kind kind;
	int child;  /* STDIO_RELAY: the command's end of our pipe */
	int parent; /* STDIO_RELAY: our end */
	int host;   /* STDIO_RELAY: where the bytes come from or go to */
};

struct session {
	struct stdio io[3];
	bool tty;	/* the command gets a terminal of its own */
	bool tty_input; /* what the user types goes there: stdin is the user's terminal */
	/*
	 * the user's terminal goes on ending lines as it is set to, since others write to it too:
	 * `jail ls | cat`
	 */
	bool tty_lines;
	int tty_in, tty_out;	/* our side, of the user's terminal */
	struct termios termios; /* as it was found */
	struct winsize winsize;
	sigset_t mask; /* the caller's, for the command */
	mode_t umask;  /* likewise */
	bool cgroup;   /* limits are held by one */
	int wire[2];   /* [0] P0, [1] P1 */
};

void session_init(struct session *s);

/*
 * Descriptors 0 to 2 exist from here on: a closed one is /dev/null, so that nothing else can take
 * its number.
 */
int session_fill_stdio(struct err *e);

/*
 * Look at 0, 1 and 2 and decide how each crosses. `uid` is who the command runs as, outside: pipes
 * become its own, or it could not open /dev/stdout.
 */
int session_open(struct session *s, uid_t uid, struct err *e);
void session_close(struct session *s);

#endif
