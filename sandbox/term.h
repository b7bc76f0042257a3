/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user's terminal while a jail uses it: raw when we are in the foreground, as it was found
 * otherwise. Runs in P0.
 */
#ifndef JAIL_SANDBOX_TERM_H
#define JAIL_SANDBOX_TERM_H

#include <stdbool.h>

#include "sandbox/session.h"

/*
 * Take the terminal if nobody else is in its foreground, and keep its settings to give back; true
 * when it is ours.
 */
bool term_take(struct session *s);

/*
 * Give it back as it was found; `flush` throws away what was typed and not read, replies to the
 * command's queries among it.
 */
void term_give(const struct session *s, bool flush);

/* The user's window has another size: tell the jail's. */
void term_resize(const struct session *s, int master);

/*
 * Stop as Ctrl-Z would have, and come back when continued. With `group` the whole process group
 * stops, which the terminal would have done had it seen the key: a pipeline stops together.
 */
void term_stop_self(bool group);

#endif
