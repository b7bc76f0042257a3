/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jail can be told to do, one function each; all run in P0 and return an exit code. */
#ifndef JAIL_SANDBOX_VERBS_H
#define JAIL_SANDBOX_VERBS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"

struct call {
	int argc;
	char **argv; /* argv[0] is the verb's own word, or "jail" for the default verb */
	char **env;
	char **launcher_argv; /* the process's own, for pid 1 to forget */
	struct arena *arena;
};

/* jail's exit codes; everything else is the command's own. */
enum { EXIT_OK = 0, EXIT_TIME = 124, EXIT_JAIL = 125, EXIT_NOEXEC = 126, EXIT_NOTFOUND = 127 };

/* What a verb was asked for, on stdout: EXIT_OK, or a failure when it cannot be written whole. */
int verb_show(const struct text *t, struct err *e);

/* An exit code, or -errno with *e filled: main prints it and exits 125. */
int verb_command(struct call *c, struct err *e); /* jail [OPTIONS] [--] COMMAND [ARG...] */
int verb_run(struct call *c, struct err *e);	 /* jail run [OPTIONS] PROFILE [ARG...] */
int verb_help(struct call *c, struct err *e);
int verb_explain(struct call *c, struct err *e);
int verb_doctor(struct call *c, struct err *e);
int verb_selftest(struct call *c, struct err *e);
int verb_profile(struct call *c, struct err *e);
int verb_completion(struct call *c, struct err *e);
int verb_image(struct call *c, struct err *e);

#endif
