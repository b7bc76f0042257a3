// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rules that jail-nft wrote when jail was built, and between them the elements of their sets,
 * which are this jail's own; P0. Sending them: P1.
 *
 * A set of intervals wants no two that overlap. Ports are merged in a map of all 65536. Addresses
 * with ports are rectangles: prefixes lie in one another or apart, so of each rule only those ports
 * are kept that no rule for a wider prefix, or an earlier one for the same, has already.
 */
#include "net/batch.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "base/own.h"
#include "net/netlink.h"
#include "net/ruleset.h"

#include "net/ruleset.inc"

enum {
	/* An attribute's length has 16 bits: so many elements are well within. */
	ELEMENTS_MAX = 512,
	MESSAGES_MAX = ARRAY_SIZE(ruleset_pieces) + 3 * (BATCH_MAX / 1024),
	PORTS = 65536,
};

struct ports {
	uint64_t bit[PORTS / 64];
	bool any;
};

/* A batch under construction. */
struct build {
	struct netlink nl;
	const char *what[MESSAGES_MAX];
	unsigned messages;
	unsigned elements; /* in the message that is open */
	size_t message, list;
};

/* ---- elements --------------------------------------------------------------------------------- */

static void close_elements(struct build *b)
{
	if (!b->elements)
		return;
	netlink_close(&b->nl, b->list);
	netlink_end(&b->nl, b->message);
	b->elements = 0;
}

static void open_elements(struct build *b, const char *set, uint32_t id)
{
	const struct nfgenmsg head = { .nfgen_family = NFPROTO_INET, .version = NFNETLINK_V0 };
	const uint32_t wire_id = htonl(id);

	b->message = netlink_begin(&b->nl, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWSETELEM,
				   NLM_F_REQUEST | NLM_F_CREATE | NLM_F_ACK, b->messages, &head,
				   sizeof(head));
	netlink_put(&b->nl, NFTA_SET_ELEM_LIST_TABLE, RULESET_TABLE, sizeof(RULESET_TABLE));
	netlink_put(&b->nl, NFTA_SET_ELEM_LIST_SET, set, strlen(set) + 1);
	netlink_put(&b->nl, NFTA_SET_ELEM_LIST_SET_ID, &wire_id, sizeof(wire_id));
	b->list = netlink_open(&b->nl, NFTA_SET_ELEM_LIST_ELEMENTS);
	if (b->messages < MESSAGES_MAX)
		b->what[b->messages++] = "the elements of a set";
	else
		b->nl.full = true;
}

/* An element of `length` bytes; `end` is NULL for an interval whose end is an element too. */
static void put_element(struct build *b, const char *set, uint32_t id, const void *key,
			const void *end, size_t length, uint32_t flags)
{
	const uint32_t wire_flags = htonl(flags);
	size_t element, data;

	if (b->elements == ELEMENTS_MAX)
		close_elements(b);
	if (!b->elements)
		open_elements(b, set, id);
	b->elements++;
	element = netlink_open(&b->nl, NFTA_LIST_ELEM);
	data = netlink_open(&b->nl, NFTA_SET_ELEM_KEY);
	netlink_put(&b->nl, NFTA_DATA_VALUE, key, length);
	netlink_close(&b->nl, data);
	if (end) {
		data = netlink_open(&b->nl, NFTA_SET_ELEM_KEY_END);
		netlink_put(&b->nl, NFTA_DATA_VALUE, end, length);
		netlink_close(&b->nl, data);
	}
	if (flags)
		netlink_put(&b->nl, NFTA_SET_ELEM_FLAGS, &wire_flags, sizeof(wire_flags));
	netlink_close(&b->nl, element);
}

/* ---- ports of names --------------------------------------------------------------------------- */

static bool has_port(const struct ports *ports, unsigned n)
{
	return ports->bit[n / 64] >> (n % 64) & 1;
}

static void collect_ports(const struct net_policy *p, struct ports *ports)
{
	for (uint32_t i = 0; i < p->rules; i++) {
		const struct rule *r = &p->rule[i];

		for (unsigned n = r->first; !r->addr.family && n <= r->last; n++) {
			/* 64 at a time where they are whole */
			if (n % 64 == 0 && n + 63 <= r->last) {
				ports->bit[n / 64] = ~UINT64_C(0);
				n += 63;
			} else {
				ports->bit[n / 64] |= UINT64_C(1) << (n % 64);
			}
			ports->any = true;
		}
	}
}

static void put_port(struct build *b, unsigned n, bool end)
{
	const uint16_t wire = htons((uint16_t)n);

	put_element(b, RULESET_PORTS, RULESET_PORTS_ID, &wire, NULL, sizeof(wire),
		    end ? NFT_SET_ELEM_INTERVAL_END : 0);
}

/* As nft does: an end before the first, and none behind the last port there is. */
static void put_ports(struct build *b, const struct ports *ports)
{
	bool inside = false;

	if (ports->any && !has_port(ports, 0))
		put_port(b, 0, true);
	for (unsigned n = 0; n < PORTS; n++) {
		if (n % 64 == 0 && ports->bit[n / 64] == (inside ? ~UINT64_C(0) : 0)) {
			n += 63;
			continue;
		}
		if (has_port(ports, n) == inside)
			continue;
		put_port(b, n, inside);
		inside = !inside;
	}
	close_elements(b);
}

/* ---- addresses with ports --------------------------------------------------------------------- */

/* Has `a` ports that are left to `b`, because b's prefix is wider, or the same and b is earlier? */
static bool yields(const struct rule *a, const struct rule *b)
{
	if (a == b || b->addr.family != a->addr.family || b->bits > a->bits ||
	    (b->bits == a->bits && b > a))
		return false;
	return addr_within(&a->addr, &b->addr, b->bits);
}

/* The next ports from `from` on that are a's alone; false when there are none. */
static bool next_own(const struct net_policy *p, const struct rule *a, unsigned from,
		     unsigned *ret_first, unsigned *ret_last)
{
	unsigned last = a->last;

	for (uint32_t i = 0; i < p->rules && from <= a->last; i++) {
		const struct rule *b = &p->rule[i];

		if (!yields(a, b) || from < b->first || from > b->last)
			continue;
		from = b->last + 1u;
		i = UINT32_MAX; /* others may have what comes behind it: look at all again */
	}
	for (uint32_t i = 0; i < p->rules; i++) {
		const struct rule *b = &p->rule[i];

		if (b->first > from && b->first <= last && yields(a, b))
			last = b->first - 1u;
	}
	*ret_first = from;
	*ret_last = last;
	return from <= a->last;
}

/* Each part of a key takes a multiple of four bytes. */
static void put_address(struct build *b, const struct rule *r, unsigned first, unsigned last)
{
	const bool six = r->addr.family == 6;
	const size_t n = six ? 16 : 4;
	uint8_t low[20] = { 0 }, high[20] = { 0 };

	for (size_t i = 0; i < n; i++) {
		const unsigned fixed = r->bits > i * 8 ? r->bits - (unsigned)i * 8 : 0;
		const uint8_t host = fixed >= 8 ? 0 : (uint8_t)(0xff >> fixed);

		low[i] = r->addr.bytes[i] & (uint8_t)~host;
		high[i] = r->addr.bytes[i] | host;
	}
	memcpy(low + n, &(uint16_t){ htons((uint16_t)first) }, 2);
	memcpy(high + n, &(uint16_t){ htons((uint16_t)last) }, 2);
	put_element(b, six ? RULESET_SET6 : RULESET_SET4, six ? RULESET_SET6_ID : RULESET_SET4_ID,
		    low, high, n + 4, 0);
}

static void put_addresses(struct build *b, const struct net_policy *p, uint8_t family)
{
	for (uint32_t i = 0; i < p->rules; i++) {
		const struct rule *r = &p->rule[i];
		unsigned first = r->first, last;

		while (r->addr.family == family && !b->nl.full &&
		       next_own(p, r, first, &first, &last)) {
			put_address(b, r, first, last);
			first = last + 1;
		}
	}
	close_elements(b);
}

/* ---- the whole -------------------------------------------------------------------------------- */

static bool has_family(const struct net_policy *p, uint8_t family)
{
	for (uint32_t i = 0; i < p->rules; i++) {
		if (p->rule[i].addr.family == family)
			return true;
	}
	return false;
}

static void put_piece(struct build *b, const struct piece *piece)
{
	netlink_copy(&b->nl, ruleset_bytes + piece->at, piece->length, b->messages);
	if (b->messages < MESSAGES_MAX)
		b->what[b->messages++] = piece->what;
	else
		b->nl.full = true;
}

int batch_build(struct arena *a, const struct net_policy *p, bool filter, struct batch *ret,
		struct err *e)
{
	static struct build build;
	static uint8_t bytes[BATCH_MAX];
	struct ports ports = { 0 };
	const char **what;
	struct build *b = &build;
	uint8_t *copy;
	bool wanted[PIECE_KINDS] = { [PIECE_ALWAYS] = true };

	collect_ports(p, &ports);
	wanted[PIECE_PORTS] = filter && ports.any;
	wanted[PIECE_SET4] = filter && has_family(p, 4);
	wanted[PIECE_SET6] = filter && has_family(p, 6);
	b->messages = 0;
	netlink_init(&b->nl, bytes, sizeof(bytes));
	for (size_t i = 0; i < ARRAY_SIZE(ruleset_pieces); i++) {
		const struct piece *piece = &ruleset_pieces[i];

		if (piece->when == PIECE_ELEMENTS && filter) {
			put_ports(b, &ports);
			put_addresses(b, p, 4);
			put_addresses(b, p, 6);
		} else if (wanted[piece->when] && (filter || !piece->filter)) {
			put_piece(b, piece);
		}
	}
	if (b->nl.full)
		return err_set(e, ST_NET, E2BIG,
			       "the addresses and ports of the rules for nftables (over %u bytes)",
			       BATCH_MAX);
	copy = arena_alloc(a, b->nl.used);
	memcpy(copy, bytes, b->nl.used);
	what = arena_array(a, const char *, b->messages);
	memcpy(what, b->what, b->messages * sizeof(*what));
	*ret = (struct batch){
		.bytes = copy, .length = b->nl.used, .messages = b->messages, .what = what
	};
	return 0;
}

int batch_send(const struct batch *b, struct err *e)
{
	own_fd fd = FD_NONE;
	unsigned failed = 0;
	int rc;

	fd = netlink_socket(NETLINK_NETFILTER);
	if (fd < 0)
		return err_set(e, ST_NET, -fd, "open a socket for nftables");
	/* The first and the last message frame the others and are not acknowledged. */
	rc = netlink_talk(fd, b->bytes, b->length, 1, b->messages - 2, &failed);
	if (rc < 0)
		return err_set(e, ST_NET, -rc, "nftables: %s",
			       failed < b->messages ? b->what[failed] : "the answer");
	return 0;
}

bool batch_is_missing(int rc)
{
	return rc == -EPROTONOSUPPORT || rc == -EAFNOSUPPORT || rc == -EOPNOTSUPP || rc == -ENOENT;
}
