// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses of both families in one form; pure functions, P0 and the gate. */
#include "net/addr.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "base/own.h"

/*
 * What is not a server on the public Internet: IANA's special-purpose registries, and the
 * addresses at which clouds tell a machine its secrets.
 */
static const struct {
	uint8_t net[4], bits;
} special4[] = {
	{ { 0 }, 8 },		      /* this network */
	{ { 10 }, 8 },		      /* private */
	{ { 100, 64 }, 10 },	      /* CGNAT; 100.100.100.200 is metadata */
	{ { 127 }, 8 },		      /* loopback */
	{ { 168, 63, 129, 16 }, 32 }, /* metadata that looks public */
	{ { 169, 254 }, 16 },	      /* link-local; 169.254.169.254 is metadata */
	{ { 172, 16 }, 12 },	      /* private */
	{ { 192, 0, 0 }, 24 },	      /* protocol assignments */
	{ { 192, 0, 2 }, 24 },	      /* documentation */
	{ { 192, 88, 99 }, 24 },      /* 6to4 relays */
	{ { 192, 168 }, 16 },	      /* private */
	{ { 198, 18 }, 15 },	      /* benchmarks, and here: names */
	{ { 198, 51, 100 }, 24 },     /* documentation */
	{ { 203, 0, 113 }, 24 },      /* documentation */
	{ { 224 }, 4 },		      /* multicast */
	{ { 240 }, 4 },		      /* reserved, broadcast */
};

/* The same within 2000::/3 and beside it. What is in neither is nobody's yet: nothing_bits. */
static const struct {
	uint8_t net[6], bits;
} special6[] = {
	{ { 0 }, 96 },				  /* ::, ::1, compatible; mapped ones are IPv4 */
	{ { 0x00, 0x64, 0xff, 0x9b, 0, 1 }, 48 }, /* NAT64 of one's own */
	{ { 0x01, 0x00 }, 64 },			  /* discard */
	{ { 0x20, 0x01, 0x00 }, 23 },		  /* protocols: Teredo, benchmarks, ORCHID */
	{ { 0x20, 0x01, 0x0d, 0xb8 }, 32 },	  /* documentation */
	{ { 0x3f, 0xff, 0x00 }, 20 },		  /* documentation */
	{ { 0xfc }, 7 },			  /* unique local; fd00:ec2::254 is metadata */
	{ { 0xfe, 0x80 }, 10 },			  /* link-local */
	{ { 0xfe, 0xc0 }, 10 },			  /* site-local, that was */
	{ { 0xff }, 8 },			  /* multicast */
};

enum { nothing_bits = 3 };

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
static const uint8_t nat64[12] = { 0x00, 0x64, 0xff, 0x9b };

static struct addr from4(const uint8_t *bytes)
{
	struct addr a = { .family = 4 };

	memcpy(a.bytes, bytes, 4);
	return a;
}

static struct addr from6(const uint8_t *bytes)
{
	struct addr a = { .family = 6 };

	if (memcmp(bytes, mapped, sizeof(mapped)) == 0)
		return from4(bytes + 12);
	memcpy(a.bytes, bytes, 16);
	return a;
}

struct addr addr_from_bytes(const uint8_t *bytes, unsigned family)
{
	return family == 4 ? from4(bytes) : from6(bytes);
}

bool addr_parse(const char *text, struct addr *ret)
{
	uint8_t bytes[16];

	/* inet_pton() is strict: four decimal parts without leading zeros, no zone. */
	if (inet_pton(AF_INET, text, bytes) == 1)
		*ret = from4(bytes);
	else if (inet_pton(AF_INET6, text, bytes) == 1)
		*ret = from6(bytes);
	else
		return false;
	return true;
}

void addr_format(const struct addr *a, struct text *t)
{
	char buf[INET6_ADDRSTRLEN];

	if (!a->family || !inet_ntop(a->family == 4 ? AF_INET : AF_INET6, a->bytes, buf, sizeof(buf)))
		text_add(t, "none");
	else
		text_add(t, buf);
}

bool addr_eq(const struct addr *a, const struct addr *b)
{
	return a->family == b->family && memcmp(a->bytes, b->bytes, a->family == 4 ? 4 : 16) == 0;
}

static bool same_bits(const uint8_t *a, const uint8_t *b, unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;

	if (memcmp(a, b, whole) != 0)
		return false;
	return !rest || !((a[whole] ^ b[whole]) >> (8 - rest));
}

bool addr_within(const struct addr *a, const struct addr *net, unsigned bits)
{
	if (!a->family || a->family != net->family || bits > (a->family == 4 ? 32u : 128u))
		return false;
	return same_bits(a->bytes, net->bytes, bits);
}

static unsigned special4_bits(const uint8_t *bytes)
{
	for (size_t i = 0; i < ARRAY_SIZE(special4); i++) {
		if (same_bits(bytes, special4[i].net, special4[i].bits))
			return special4[i].bits;
	}
	return 0;
}

/* An IPv4 address within, at `offset`: as special as that one is. */
static unsigned embedded_bits(const uint8_t *bytes, unsigned offset)
{
	unsigned bits = special4_bits(bytes + offset);

	return bits ? offset * 8 + bits : 0;
}

static unsigned special6_bits(const uint8_t *bytes)
{
	for (size_t i = 0; i < ARRAY_SIZE(special6); i++) {
		uint8_t net[16] = { 0 };

		memcpy(net, special6[i].net, sizeof(special6[i].net));
		if (same_bits(bytes, net, special6[i].bits))
			return special6[i].bits;
	}
	if (memcmp(bytes, nat64, sizeof(nat64)) == 0)
		return embedded_bits(bytes, 12);
	if (bytes[0] >> 5 != 1)
		return nothing_bits;
	if (bytes[0] == 0x20 && bytes[1] == 0x02) /* 6to4 */
		return embedded_bits(bytes, 2);
	if ((bytes[8] & ~2) == 0 && bytes[9] == 0 && bytes[10] == 0x5e && bytes[11] == 0xfe) /* ISATAP */
		return embedded_bits(bytes, 12);
	return 0;
}

unsigned addr_special_bits(const struct addr *a)
{
	if (a->family == 4)
		return special4_bits(a->bytes);
	return a->family == 6 ? special6_bits(a->bytes) : nothing_bits;
}

bool addr_is_public(const struct addr *a)
{
	return !addr_special_bits(a);
}

bool addr_is_loopback(const struct addr *a)
{
	static const uint8_t zeros[15];

	if (a->family == 4)
		return a->bytes[0] == 127 || a->bytes[0] == 0;
	return a->family == 6 && memcmp(a->bytes, zeros, sizeof(zeros)) == 0 && a->bytes[15] <= 1;
}

bool addr_from_sockaddr(const struct sockaddr *sa, struct addr *ret, uint16_t *ret_port)
{
	if (sa->sa_family == AF_INET) {
		struct sockaddr_in in;

		memcpy(&in, sa, sizeof(in));
		*ret = from4((const uint8_t *)&in.sin_addr);
		*ret_port = ntohs(in.sin_port);
		return true;
	}
	if (sa->sa_family == AF_INET6) {
		struct sockaddr_in6 in6;

		memcpy(&in6, sa, sizeof(in6));
		*ret = from6((const uint8_t *)&in6.sin6_addr);
		*ret_port = ntohs(in6.sin6_port);
		return true;
	}
	return false;
}

socklen_t addr_to_sockaddr(const struct addr *a, uint16_t port, struct sockaddr_storage *ret)
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };

	memset(ret, 0, sizeof(*ret));
	if (a->family == 4) {
		memcpy(&in.sin_addr, a->bytes, 4);
		memcpy(ret, &in, sizeof(in));
		return sizeof(in);
	}
	memcpy(&in6.sin6_addr, a->bytes, 16);
	memcpy(ret, &in6, sizeof(in6));
	return sizeof(in6);
}
