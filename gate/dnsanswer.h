/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a question from inside is answered with: from the policy and the table of names alone, so
 * that no question ever leaves the host. Bytes in, bytes out, one event.
 *
 *	a name that a rule allows	A: its own address; every other type: no data
 *	localhost, *.localhost		127.0.0.1 and ::1 (RFC 6761)
 *	PTR of a given address		the name
 *	any other name			NXDOMAIN; with EDNS also why, and the line that would allow it
 *	ANY, transfers, other classes	REFUSED
 *
 * A name that only a wildcard allows is looked up outside when somebody connects to it, and the
 * server of that domain then reads it: what is beneath the wildcard carries data. Hence the bounds.
 */
#ifndef JAIL_GATE_DNSANSWER_H
#define JAIL_GATE_DNSANSWER_H

#include "gate/names.h"
#include "net/policy.h"

enum {
	ANSWER_TTL = 60, /* s; the address never changes, but what asks may outlive the jail */

	BENEATH_BYTES = 64, /* of what stands for the star, dots and all */
	BENEATH_LABELS = 4,
	BENEATH_A_MINUTE = 64, /* new names; at first that many at once, and then one a second or so */
	BENEATH_MAX = NAMES_MAX - POLICY_RULES_MAX, /* so that names with a rule always have room */
};

struct answerer {
	const struct net_policy *policy;
	struct names *names;
	int64_t budget, since; /* of new names, in minutes' parts; ms */
};

void answerer_init(struct answerer *a, const struct net_policy *p, int64_t now);

/* The length of the answer, at most `size` and what the client takes; 0: none is due. */
size_t answerer_reply(struct answerer *a, int64_t now, const uint8_t *m, size_t n, bool tcp,
		      uint8_t *out, size_t size);

#endif
