/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sockets that the gate was given, by kind: see net/gate.h. */
#ifndef JAIL_GATE_DOOR_H
#define JAIL_GATE_DOOR_H

#include <stddef.h>

#include "gate/loop.h"
#include "net/gate.h"

enum door_kind {
	DOOR_TCP, /* redirected here */
	DOOR_AT,  /* bound to every address: without nftables */
	DOOR_UDP, /* queries */
	DOOR_DNS,
	DOOR_NFLOG,
	DOOR_HOST,	/* inside, for a port of the host's */
	DOOR_PUBLISHED, /* outside, for a port inside */
};

struct gate;

struct door {
	struct watch watch; /* its descriptor is GATE_SOCKETS and up, in order */
	struct gate *gate;
	enum door_kind kind;
	uint8_t family; /* 4 or 6; 0: netlink */
	uint16_t port;	/* where it listens, for those that are called by it */
	struct timer pause;
};

/* The list of net/gate.h, as `n` doors; -EINVAL for what is none. Pure. */
int doors_parse(const char *list, struct door ret[GATE_SOCKETS_MAX], size_t *ret_n);

/* Is the descriptor what the list says? Makes it non-blocking, with our options. -errno. */
int door_prepare(struct door *d);

/* Serve it. -errno. */
int door_open(struct gate *g, struct door *d);

/* No connection is accepted any more. */
void doors_close(struct gate *g, struct door *doors, size_t n);

#endif
