/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of a stream from inside, the parts that are checked; for relay.c. */
#ifndef JAIL_GATE_TAKEN_H
#define JAIL_GATE_TAKEN_H

#include "gate/slot.h"

/* What came of moving bytes one step on their way. */
enum moved {
	MOVED_IDLE, /* nothing to read */
	MOVED_FULL, /* no room to write */
	MOVED_MORE, /* there may be more to do */
	MOVED_END,
	MOVED_ERROR,
	MOVED_GONE, /* the slot was closed */
};

/*
 * The next part of a request, or of a client's side of a handshake: checked, and in the pipe of
 * s->out. MOVED_GONE when it was refused.
 */
enum moved taken_http(struct slot *s);
enum moved taken_tls(struct slot *s);

/* Does the server ask for another hello? Sets s->tls; false: it has not said enough yet. */
bool taken_answer(struct slot *s);

#endif
