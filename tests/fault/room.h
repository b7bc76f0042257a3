/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A place to run jail in, the ways in which it is run, and what can be seen afterwards; tests only. */
#ifndef JAIL_TESTS_FAULT_ROOM_H
#define JAIL_TESTS_FAULT_ROOM_H

#include <termios.h>

#include "tests/fault/trace.h"

enum room_io { IO_PIPES, IO_TERMINAL, IO_FILES };

struct config {
	const char *name;
	enum room_io io;
	bool root;		  /* as root, where the others are an ordinary user */
	const char *const *flags; /* ends with NULL */
	const char *refuses; /* NULL, or a call that P1's surroundings refuse with EPERM, the first time it is made */
	const char *writes; /* the root is an image, with these root-writes; NULL: the host */
};

/* The whole test's: made once, removed at the end. */
struct site {
	char top[256], jail[320], posture[320], bin[288];
	uid_t user; /* whom root becomes for the configurations that are not its own; (uid_t)-1: nobody */
};

struct room {
	const struct site *site;
	char work[2][320]; /* the user's, and root's */
	char home[320], io[320];
	int sockets[2]; /* listening in each of the two, for jail to mask */
};

#define ROOM_REPORT (256 << 10)
#define ROOM_ERR    8192

struct outcome {
	struct trace_result trace;
	char report[ROOM_REPORT]; /* the command's, empty when there is none */
	char out[ROOM_REPORT], err[ROOM_ERR];
	char left[512]; /* a file or a mount that should not be there, or empty */
	bool terminal_changed;
};

/* Both complain and end the program when they cannot: nothing could be tested. */
void site_make(struct site *s);
void room_make(struct room *r, const struct site *s, unsigned number);
void site_remove(const struct site *s);

/* Run jail once. `seen` may be NULL. 0, or -errno when it could not even be tried. */
int room_run(const struct room *r, const struct config *c, const struct fault *f, struct seen *seen,
	     size_t seen_max, struct outcome *ret);

#endif
