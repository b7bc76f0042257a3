/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nftables rules of one jail: completed by P0 from the policy, before the clone; sent by P1,
 * which allocates nothing.
 */
#ifndef JAIL_NET_BATCH_H
#define JAIL_NET_BATCH_H

#include "base/arena.h"
#include "net/policy.h"

struct batch {
	const uint8_t *bytes;
	size_t length;
	unsigned messages;	 /* numbered from 0 */
	const char *const *what; /* what each of them makes */
};

/* The kernel takes no more than this in one piece from who has no rights outside. */
#define BATCH_MAX (200u << 10)

/* `filter` false leaves the filter out, and only redirects: for tests of the gate alone. */
int batch_build(struct arena *a, const struct net_policy *p, bool filter, struct batch *ret,
		struct err *e);

/*
 * In the network namespace that it is for. The kernel takes a batch as a whole or not at all; each
 * message must be acknowledged, and the error names the first that was not.
 */
int batch_send(const struct batch *b, struct err *e);

/* Is this error of batch_send's what a kernel says that lacks nftables, or a part of it? */
bool batch_is_missing(int rc);

#endif
