/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every decision as one line of JSON, appended to GATE_EVENTS with one write; and the scoreboard.
 * Names are stable.
 */
#ifndef JAIL_GATE_EVENT_H
#define JAIL_GATE_EVENT_H

#include "net/addr.h"
#include "net/gate.h"
#include "net/policy.h"

/* What happened: one field each, left out when empty. */
struct event {
	const char *event;   /* "query", "connect", "refuse", "close", "packet", "gate" */
	const char *verdict; /* "allow", "deny" */
	const char *name;
	const char *asked; /* the name in the request, when it is another */
	struct addr addr;
	uint16_t port;
	uint16_t addr_port;	 /* at addr, when it is another */
	const char *protocol;	 /* "tls", "http", "tcp", "udp", "icmp"... */
	const struct rule *rule; /* which let it through; its index and its origin are written */
	const char *why;	 /* one phrase */
	bool counted;		 /* write the two below */
	uint64_t sent, received; /* bytes, seen from inside */
	int64_t ms;		 /* how long; -1: not said */
	uint64_t count;		 /* packets; 0: not said */
};

void event_init(int fd, struct scoreboard *board, const struct net_policy *policy);
void event_write(const struct event *ev);
/* Its destination, once more on the scoreboard: the name that was asked for, or the name, or addr. */
void event_score(enum score_why why, const struct event *ev);

#endif
