/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command's input, relayed so that only what the command has read is gone from the caller's:
 * `while read x; do jail -- cmd; done <list` must find the next line. Runs in P0.
 */
#ifndef JAIL_SANDBOX_FEED_H
#define JAIL_SANDBOX_FEED_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

enum feed_kind { FEED_NONE, FEED_FILE, FEED_PIPE, FEED_SOCKET };

struct feed {
	enum feed_kind kind;
	int from, to;	/* the caller's input, and our end of the command's */
	int watch;	/* the command's own end, for a look at what it has not read yet */
	size_t offered; /* bytes that are in the command's pipe, or were, and still in the caller's */
	int error;	/* errno that ended it before its time */
};

/*
 * Take over the descriptors and return true, or leave them alone and return false: what can
 * neither be looked at without taking nor put back (a device) is no input for this.
 */
bool feed_open(struct feed *f, int *from, int *to, int *watch);

/* What to wait for next; fd -1 when nothing. */
struct pollfd feed_wants(const struct feed *f);

/* Offer what can be offered, and take from the caller what the command has read meanwhile. */
void feed_run(struct feed *f, short revents);

/* The command is gone, or its input ended: settle, and let go. */
void feed_close(struct feed *f);

#endif
