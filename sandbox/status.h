/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --status-fd: what happened to a run, as JSON lines on a descriptor of the caller's. Runs in P0.
 */
#ifndef JAIL_SANDBOX_STATUS_H
#define JAIL_SANDBOX_STATUS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* How a run ended. */
struct outcome {
	int code; /* jail's exit code */
	int wait; /* the command's wait status; only when it was started */
	bool started;
	bool timed_out;
};

/* fd FD_NONE: nothing is written. A reader that went away is no reason to stop. */
void status_started(int fd, pid_t pid);
void status_ended(int fd, const struct outcome *o, const struct err *e);

#endif
