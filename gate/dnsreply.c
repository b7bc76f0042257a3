// SPDX-License-Identifier: GPL-2.0-or-later
/* What the gate asks the host's name servers, and what they answer; in the gate. */
#include <errno.h>
#include <string.h>

#include "gate/dns.h"
#include "gate/dnswire.h"

enum {
	CHAIN_MAX = 16,	  /* CNAMEs one behind the other */
	RECORDS_MAX = 128 /* of an answer; each is looked at once for each CNAME */
};

size_t dns_build_query(uint16_t id, const char *name, uint16_t type, uint8_t *out, size_t size)
{
	const struct wire_head h = { .id = id, .flags = DNS_RD, .questions = 1 };
	struct wire_out w = { .m = out, .size = size };
	struct wire_name wire;

	if (!wire_name_from(name, &wire))
		return 0;
	wire_put_head(&w, &h);
	wire_put(&w, wire.bytes, wire.n);
	wire_put16(&w, type);
	wire_put16(&w, DNS_CLASS_IN);
	return w.full ? 0 : w.at;
}

/* As it will be used: RFC 2181 §8 has a time with the top bit set mean none. */
static uint32_t sane_ttl(uint32_t ttl)
{
	return ttl & 0x80000000u ? 0 : ttl;
}

static void add_address(struct dns_reply *ret, const uint8_t *bytes, uint16_t type)
{
	if (ret->n < DNS_ADDRS_MAX)
		ret->addr[ret->n++] = addr_from_bytes(bytes, type == DNS_A ? 4 : 6);
}

static void lower_ttl(struct dns_reply *ret, uint32_t ttl)
{
	ttl = sane_ttl(ttl);
	if (ttl < ret->ttl)
		ret->ttl = ttl;
}

/*
 * Once through the answers for one owner: its addresses, or the name that it is another name for,
 * which goes to *at. 1: there is one; 0: no; -EBADMSG.
 */
static int walk_answers(struct wire_in r, unsigned count, uint16_t type, struct wire_name *at,
			struct dns_reply *ret)
{
	const size_t size = type == DNS_A ? 4 : 16;
	struct wire_record rec;

	for (unsigned i = 0; i < count; i++) {
		wire_get_record(&r, &rec);
		if (r.bad)
			return -EBADMSG;
		if (rec.class != DNS_CLASS_IN || !wire_name_eq(&rec.owner, at))
			continue;
		if (rec.type == DNS_CNAME) {
			struct wire_in data = { .m = r.m, .n = rec.data + rec.size, .at = rec.data };

			wire_get_name(&data, at);
			if (data.bad || data.at != data.n)
				return -EBADMSG;
			lower_ttl(ret, rec.ttl);
			return 1;
		}
		if (rec.type != type)
			continue;
		if (rec.size != size)
			return -EBADMSG;
		add_address(ret, r.m + rec.data, type);
		lower_ttl(ret, rec.ttl);
	}
	return 0;
}

static bool is_answer_to(struct wire_in *r, const struct wire_head *h, uint16_t id,
			 const struct wire_name *name, uint16_t type)
{
	struct wire_name asked;
	bool same;

	if (h->id != id || !(h->flags & DNS_QR) || h->flags & DNS_OPCODE || h->questions != 1)
		return false;
	wire_get_name(r, &asked);
	same = !r->bad && wire_name_eq(&asked, name);
	same &= wire_get16(r) == type;
	same &= wire_get16(r) == DNS_CLASS_IN;
	return same && !r->bad;
}

int dns_parse_reply(const uint8_t *m, size_t n, uint16_t id, const char *name, uint16_t type,
		    struct dns_reply *ret)
{
	struct wire_in r = { .m = m, .n = n };
	struct dns_reply reply = { .ttl = UINT32_MAX };
	struct wire_name at;
	struct wire_head h;
	int more = 1;

	wire_get_head(&r, &h);
	if (r.bad || !wire_name_from(name, &at) || !is_answer_to(&r, &h, id, &at, type))
		return -EBADMSG;
	reply.rcode = h.flags & DNS_RCODE;
	reply.truncated = h.flags & DNS_TC;
	if (!reply.truncated && reply.rcode == DNS_OK) {
		if (h.answers > RECORDS_MAX)
			return -EBADMSG;
		for (int i = 0; i < CHAIN_MAX && more == 1; i++) {
			reply.n = 0;
			more = walk_answers(r, h.answers, type, &at, &reply);
		}
		/* A chain that does not end, or a circle, is broken like any other. */
		if (more)
			return -EBADMSG;
		if (!h.answers && !(h.flags & (DNS_AA | DNS_RA)))
			reply.rcode = DNS_SERVFAIL;
	}
	if (!reply.n)
		reply.ttl = 0;
	*ret = reply;
	return 0;
}
