// SPDX-License-Identifier: GPL-2.0-or-later
/* The verb that hands over to the hardening suite; P0. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/own.h"
#include "base/paths.h"
#include "sandbox/verbs.h"

int verb_selftest(struct call *c, struct err *e)
{
	char *run = arena_printf(c->arena, "%s/run", path_selftest);
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		return err_set(e, ST_USAGE, errno, "selftest: find this program");
	self[n] = '\0';
	/* What is tested is this very binary, wherever it is. */
	if (setenv("ESCAPE_JAIL", self, 1) < 0)
		return err_set(e, ST_USAGE, errno, "selftest");
	c->argv[0] = run;
	(void)execv(run, c->argv);
	return err_set(e, ST_USAGE, errno, "selftest: run '%s'", run);
}
