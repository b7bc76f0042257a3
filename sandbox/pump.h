/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes from one descriptor to another, never blocking on either. Runs in P0 while it supervises.
 */
#ifndef JAIL_SANDBOX_PUMP_H
#define JAIL_SANDBOX_PUMP_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "sandbox/ttyfilter.h"

#define PUMP_SIZE 32768

struct pump {
	int from, to;  /* FD_NONE: this end is finished */
	bool close_to; /* `to` is ours to close at the end of `from`: the reader must see it */
	bool paused;   /* leave `from` alone for now */
	struct ttyfilter *filter; /* or NULL */
	int error;	 /* errno that ended it before its time; a peer that left is none */
	size_t off, len; /* what waits in buf */
	char buf[PUMP_SIZE + TTYFILTER_SLACK];
};

/* Still something to move, or something to wait for? */
bool pump_alive(const struct pump *p);

/* What to wait for next; fd -1 when nothing. */
struct pollfd pump_wants(const struct pump *p);

/* Move what can be moved now. */
void pump_run(struct pump *p, short revents);

#endif
