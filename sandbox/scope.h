/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cgroup from systemd, for a caller to whom none is delegated. Runs in P0, before a run is set
 * up.
 */
#ifndef JAIL_SANDBOX_SCOPE_H
#define JAIL_SANDBOX_SCOPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "sandbox/caller.h"

/*
 * True when scope_enter started this very process anew: it is in a scope of its own, and must not
 * ask for another. Takes the mark out of the environment, whoever put it there.
 */
bool scope_entered(char **env);

/* Would systemd give us one? By asking it for one, which ends at once. */
bool scope_available(struct arena *a, const struct caller *c);

/*
 * Start this program again, in the same process and with the same words, in a scope of its own.
 * The descriptors in keep stay open over it; FD_NONE is none. Returns only when there is none to be
 * had.
 */
void scope_enter(struct arena *a, const struct caller *c, char *const *argv, const int *keep,
		 size_t keep_n);

/* The command line that does it; `self` and the words after the first of argv are its end. */
char **scope_argv(struct arena *a, bool user, const char *self, char *const *argv);

#endif
