/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --events: where the gate's events are appended. Runs in P0, before a run is set up. */
#ifndef JAIL_SANDBOX_EVENTS_H
#define JAIL_SANDBOX_EVENTS_H

#include "sandbox/plan.h"

/* The descriptor that --events names by number; FD_NONE: it names a file, or was not given. */
int events_number(const struct draft *d);

/*
 * Open what --events names, into p->events_fd: a descriptor of the caller's, or a file, which is
 * made when it is not there and must lie where the command cannot change it.
 */
int events_open(struct plan *p, struct err *e);

#endif
