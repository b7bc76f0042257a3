/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What jail and jail-gate agree on: descriptors, the sockets that come from inside, and the
 * scoreboard that both look at.
 *
 * jail-gate SOCKETS	with the descriptors below open and no others; SOCKETS is a list like
 *			"tcp4,tcp6,udp4,udp6,dns4,dns6,nflog,host:5432,pub:3000,at:443,at6:443",
 *			the kinds of the descriptors from GATE_SOCKETS on, in that order. What this
 *			machine could not make (IPv6 switched off) is simply not in it.
 *
 *	tcp4 tcp6	listen at 127.0.0.1 and ::1, port GATE_PORT, where nftables redirects to
 *	udp4 udp6	bound to port 53; dns4 dns6 listen there: where queries are redirected to
 *	nflog		netlink, bound to group GATE_NFLOG: a refused packet each
 *	host:N		listens inside at 127.0.0.1:N, for the host's own service
 *	pub:N		listens outside at 127.0.0.1:N, for a service inside
 *	at:N at6:N	without nftables: listens inside at any address, port N
 */
#ifndef JAIL_NET_GATE_H
#define JAIL_NET_GATE_H

#include <stdatomic.h>
#include <stdint.h>

#include "net/name.h"

enum {
	GATE_POLICY = 3,  /* memfd: struct net_policy */
	GATE_SCORE = 4,	  /* memfd: struct scoreboard, mapped shared */
	GATE_CONTROL = 5, /* end of file: the jail has ended; write the last events and exit 0 */
	GATE_EVENTS = 6,  /* where events go, append only; /dev/null when nobody asked */
	GATE_SOCKETS = 7,

	GATE_SOCKETS_MAX = 6 + 1 + 4 * 64,

	/* Below 1024: nobody inside can bind them. */
	GATE_PORT = 2,
	GATE_DNS_PORT = 53,
	GATE_NFLOG = 1,
	SCORES_MAX = 64,
	SCORE_REASON_SIZE = 72,
};

/* Where names live: 198.18.0.0/15, one address for each. */
#define GATE_RANGE	0xc6120000u
#define GATE_RANGE_BITS 15

/*
 * What was refused or not reached, for the lines at exit. Written by the gate alone, read by the supervisor when the
 * gate has ended, which trusts nothing in it: bounded, and cleaned before it is shown.
 */
struct score {
	char what[NAME_SIZE]; /* a name, or an address */
	uint16_t port;
	uint8_t why; /* enum score_why */
	uint32_t count;
	char reason[SCORE_REASON_SIZE]; /* one phrase; of the first time */
};

enum score_why {
	SCORE_NOT_LISTED,  /* no rule: `allow = what` would let it through */
	SCORE_PORT,	   /* the name is allowed, the port is not */
	SCORE_ADDRESS,	   /* a packet to an address: refused by nftables */
	SCORE_PRIVATE,	   /* the name's address is private */
	SCORE_MISMATCH,	   /* SNI or Host says another name */
	SCORE_PROTOCOL,	   /* UDP, ICMP...: never */
	SCORE_OTHER,	   /* not what a rule is about: `reason` */
	SCORE_NOT_REACHED, /* allowed, and there is no server to be had: `reason` */
};

struct scoreboard {
	_Atomic uint32_t ready;	  /* the gate is confined and serves */
	_Atomic uint32_t used;	  /* of score[] */
	_Atomic uint32_t dropped; /* kinds that found no room */
	uint64_t connections, refused, queries;
	struct score score[SCORES_MAX];
};

#endif
