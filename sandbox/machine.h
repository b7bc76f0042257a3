/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * @npm and @apt: the hosts that this machine's own configuration names. Reads the user's and the
 * system's files, never those of a workspace, which the command may have written. Runs in P0, and
 * only when a profile says one of the two.
 */
#ifndef JAIL_SANDBOX_MACHINE_H
#define JAIL_SANDBOX_MACHINE_H

#include "net/sources.h"
#include "sandbox/caller.h"

/* Is `name` ("npm") one of them? */
bool machine_knows(const char *name);

/*
 * What is configured; nothing when that is a default of the program's own. Files that were read are
 * put in front of *files: they decide, so the command must not change them.
 */
int machine_hosts(struct arena *a, const struct caller *c, const char *name, struct sources *ret,
		  struct profile_file **files, struct err *e);

#endif
