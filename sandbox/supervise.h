/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watching over a jail until it has ended. Runs in P0. */
#ifndef JAIL_SANDBOX_SUPERVISE_H
#define JAIL_SANDBOX_SUPERVISE_H

#include "sandbox/launch.h"
#include "sandbox/status.h"

/*
 * Block what the supervisor will read from its descriptor; the caller's mask is kept in s->mask.
 * Before launch.
 */
int supervise_prepare(struct session *s, int *ret_signals, struct err *e);

/*
 * Relay, pass signals on, keep time, until nothing of the jail is left. The terminal is as it was
 * found on return, whatever happened. *e holds the jail's own failure, if any; the outcome says
 * what the command did.
 */
void supervise(const struct plan *p, struct session *s, struct gateway *g, struct jail *j,
	       int signals, int status_fd, struct outcome *ret, struct err *e);

#endif
