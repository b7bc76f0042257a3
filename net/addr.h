/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of both families in one form, and which of them are nobody's business; P0 and the gate. */
#ifndef JAIL_NET_ADDR_H
#define JAIL_NET_ADDR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/text.h"

/* An IPv4 address, also when it came as ::ffff:a.b.c.d, has family 4 and its four bytes first. */
struct addr {
	uint8_t family; /* 4 or 6; 0: none */
	uint8_t bytes[16];
};

/* Of 4 or 16 bytes as they stand in a packet. */
struct addr addr_from_bytes(const uint8_t *bytes, unsigned family);

/* The strict text forms only: four decimal parts without leading zeros, or IPv6 without a zone. */
bool addr_parse(const char *text, struct addr *ret);
void addr_format(const struct addr *a, struct text *t);
bool addr_eq(const struct addr *a, const struct addr *b);

/* Is `a` in net/bits? Families differ: no. */
bool addr_within(const struct addr *a, const struct addr *net, unsigned bits);

/*
 * Can this be a server on the public Internet? No for loopback, private, link-local, CGNAT,
 * unspecified, multicast, broadcast, documentation, benchmark and reserved ranges, unique local
 * ones, cloud metadata (169.254.169.254, fd00:ec2::254, 100.100.100.200), and for what embeds such
 * an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo).
 */
bool addr_is_public(const struct addr *a);

/*
 * How long the prefix of the special range is in which `a` lies; 0: it is public. A rule for a wider
 * net than that does not mean `a`: 0.0.0.0/0 is the Internet, not the neighbours.
 */
unsigned addr_special_bits(const struct addr *a);

/* This machine: 127.0.0.0/8, ::1, and the unspecified ones, which connect to it too. */
bool addr_is_loopback(const struct addr *a);

/* Both ways; false for another family than IPv4 and IPv6. */
bool addr_from_sockaddr(const struct sockaddr *sa, struct addr *ret, uint16_t *ret_port);
socklen_t addr_to_sockaddr(const struct addr *a, uint16_t port, struct sockaddr_storage *ret);

#endif
