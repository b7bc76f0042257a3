/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gate of one jail, seen from P0.
 *
 * Between jail and jail-gate stands the stub: a child of P0 that shares its memory and does nothing
 * but hold the sockets that P1 made inside (stage_net.c), and wait. With the first byte that comes
 * for one of them it becomes jail-gate. A jail that never uses its network never has a gate.
 *
 * One socket pair is all that ties them: P1 hands the sockets over through it and hears that they
 * were received; when P0 closes its end, the jail has ended.
 */
#ifndef JAIL_SANDBOX_GATEWAY_H
#define JAIL_SANDBOX_GATEWAY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"
#include "net/batch.h"
#include "net/gate.h"
#include "net/policy.h"

struct plan;

/* What each of net/gate.h's descriptors is. */
enum socket_kind {
	SOCKET_TCP4,
	SOCKET_TCP6,
	SOCKET_UDP4,
	SOCKET_UDP6,
	SOCKET_DNS4,
	SOCKET_DNS6,
	SOCKET_NFLOG,
	SOCKET_HOST,
	SOCKET_PUB,
	SOCKET_AT,
	SOCKET_AT6,
	SOCKET_KINDS,
};

struct handed {
	uint8_t kind;  /* enum socket_kind */
	uint16_t port; /* of those that have one of their own */
};

/* All that P1 makes goes in one message. */
enum { HANDED_MAX = 6 + 1 + 3 * POLICY_PORTS_MAX }; /* SCM_MAX_FD is 253 */

/* Ports that are listened at where nothing redirects. */
struct gateway_ports {
	unsigned n;
	bool full; /* there are more */
	uint16_t port[POLICY_PORTS_MAX];
};

struct gateway {
	const struct net_policy *policy; /* NULL: no gate, and nothing below */
	struct batch batch;
	bool without_nft; /* the profile accepts a kernel that does not take the batch; then these: */
	struct gateway_ports at, at6;
	int pair[2]; /* [0] P0 and P1, [1] the stub */
	int score;   /* the scoreboard's memory */
	int events;  /* FD_NONE: nobody asked */
	int published[POLICY_PORTS_MAX];
	/* The stub's: what becomes descriptor GATE_POLICY and those behind it. Its table is a copy. */
	int places[GATE_SOCKETS - GATE_POLICY + POLICY_PORTS_MAX], n_places;
	pid_t parent;
	int pidfd; /* the stub's and the gate's; FD_NONE when it has ended */
	bool closing, dead;
	int how, status; /* it died: si_code and si_status */
	bool started;	 /* the stub has become the gate, or tried to */
	struct err err;	 /* the stub's own failure */
};

void gateway_init(struct gateway *g);

/* Before the arena is sealed: everything that can be had before there is a process. */
int gateway_open(struct arena *a, const struct plan *p, struct gateway *g, struct err *e);

/* In P1, first of all: what is not its own. */
void gateway_enter(struct gateway *g);

/* Start the stub; P0 keeps nothing of what it gave it. */
int gateway_start(struct gateway *g, struct err *e);

/* The jail has ended, or will at once: the gate should write its last and leave. */
void gateway_end(struct gateway *g);

/* Its process has ended. */
void gateway_reap(struct gateway *g);

/* If it has, and nobody had asked it to: say so, once. */
void gateway_mourn(struct gateway *g);

/* Wait for the gate, not for long; say what it refused. */
void gateway_close(struct gateway *g);

/* stub.c: the stub's life. It returns when there is nothing to wait for, or nothing to become. */
int stub_main(void *gateway);

/* refusals.c: what the scoreboard says, a line for what was refused and one for what was not reached. */
void refusals_format(const struct scoreboard *board, char *buf, size_t size);

#endif
