/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The packets that nftables refused, as the kernel reports them. A flood makes few events: of each
 * destination the first at once, and then one a second with a count.
 */
#ifndef JAIL_GATE_NFLOG_H
#define JAIL_GATE_NFLOG_H

#include <stddef.h>

#include "gate/loop.h"
#include "net/addr.h"

struct packet {
	struct addr to;
	uint8_t protocol; /* IPPROTO_ */
	uint16_t port;	  /* 0: the protocol has none, or it is not in the packet */
};

/* What a packet says, from its IP header on; false: it is none. Pure. */
bool packet_parse(const uint8_t *data, size_t n, struct packet *ret);

/*
 * Calls `each` for every packet in one datagram from the kernel; how many. Whatever is not as it
 * should be is passed over. Pure.
 */
size_t nflog_parse(const uint8_t *data, size_t n, void (*each)(void *arg, const struct packet *p),
		   void *arg);

/* The netlink socket, bound to its group; non-blocking. -errno. */
int nflog_open(struct loop *l, int fd);
/* The jail has ended: read what is still there, and report what this second has counted so far. */
void nflog_flush(void);

#endif
