/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ports that need no rule: the host's own, inside (host-port), and one inside, on the host (publish).
 *
 * The gate lives in the host's network and cannot connect inside. For that there is a connector: a
 * child made before the gate is confined, and only when a port is published, which enters the jail's
 * network and user namespaces by way of a socket from inside, gives up everything else, and does
 * nothing but make sockets that are connected to 127.0.0.1 there. It stays in the host's pid
 * namespace: nobody inside can see it.
 */
#ifndef JAIL_GATE_PORTS_H
#define JAIL_GATE_PORTS_H

#include "gate/slot.h"

/* A connection came in at a host: or pub: door. */
void ports_begin(struct slot *s, const struct door *d);

/* What is asked, and what comes back, with a socket; a SEQPACKET record each. */
struct connector_record {
	uint32_t slot;
	uint32_t port;	 /* 1 to 65535, inside; in the answer: an errno */
	uint64_t serial; /* of the connection, so that an answer that is too late is known */
};

/*
 * Make it: `inside` is any socket of the jail's network. The gate's end, or -errno. The child keeps
 * no descriptor but its own end.
 */
int connector_start(int inside);
/* Hear its answers. */
int connector_open(struct gate *g, int fd);

#endif
