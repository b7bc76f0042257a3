/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who calls, from where, with what environment: read once at the start of P0, by looking and never
 * by guessing.
 */
#ifndef JAIL_SANDBOX_CALLER_H
#define JAIL_SANDBOX_CALLER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"
#include "profiles/draft.h"

struct caller {
	uid_t uid;
	gid_t gid;
	/*
	 * uid 0 of the initial user namespace, whatever it is called here: owns /proc/sys and
	 * root's files
	 */
	bool kernel_root;
	bool initial_userns; /* all ids are mapped: nobody's user namespace is around us */
	bool can_remap;	     /* may map other ids than its own, and make idmapped mounts */
	const char *user, *shell;
	const char *home;	  /* canonical */
	const char *home_spelled; /* as $HOME says, for the link from one to the other */
	const char *cwd;
	char *const *env;
	struct expansion expand;
	gid_t *groups;
	int groups_n;
};

int caller_read(struct arena *a, char *const *env, struct caller *ret, struct err *e);

/* The value of NAME in the caller's environment, or NULL. */
const char *caller_getenv(const struct caller *c, const char *name);

#endif
