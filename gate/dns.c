// SPDX-License-Identifier: GPL-2.0-or-later
/* What is asked inside, and what the gate answers: one question, at most one record; in the gate. */
#include <errno.h>
#include <string.h>

#include "gate/dns.h"
#include "gate/dnswire.h"

enum {
	ROOM_LEAST = 512, /* RFC 1035: everyone takes that */
	ROOM_OURS = 1232, /* what the gate says of itself */
	OPTION_EDE = 15,
};

/* The additional section: nothing but at most one OPT matters (a TSIG is as good as none here). */
static bool read_additional(struct wire_in *r, unsigned count, struct dns_query *q)
{
	struct wire_record rec;

	for (unsigned i = 0; i < count && !r->bad; i++) {
		wire_get_record(r, &rec);
		if (r->bad || rec.type != DNS_OPT)
			continue;
		if (q->edns || rec.owner.n != 1)
			return false;
		q->edns = true;
		q->version = (uint8_t)(rec.ttl >> 16);
		if (rec.class > ROOM_LEAST)
			q->room = rec.class < DNS_MESSAGE_MAX ? rec.class : DNS_MESSAGE_MAX;
	}
	return !r->bad && r->at == r->n;
}

int dns_parse_query(const uint8_t *m, size_t n, struct dns_query *ret)
{
	struct wire_in r = { .m = m, .n = n };
	struct wire_name name;
	struct wire_head h;
	struct dns_query q = { .room = ROOM_LEAST };

	wire_get_head(&r, &h);
	if (r.bad || h.flags & DNS_QR)
		return -EBADMSG;
	q.id = h.id;
	q.recursion = h.flags & DNS_RD;
	*ret = q;
	if (h.flags & DNS_OPCODE)
		return -EOPNOTSUPP;
	if (n > DNS_QUERY_MAX || h.questions != 1 || h.answers || h.authorities)
		return -EINVAL;
	wire_get_name(&r, &name);
	/* A pointer could only point into the head. */
	if (r.bad || r.at != WIRE_HEAD + name.n)
		return -EINVAL;
	q.type = wire_get16(&r);
	q.class = wire_get16(&r);
	q.question = (uint16_t)(r.at - WIRE_HEAD);
	if (r.bad || !read_additional(&r, h.additional, &q))
		return -EINVAL;
	(void)wire_name_text(&name, q.name);
	*ret = q;
	return 0;
}

static void put_top(struct wire_out *w, const uint8_t *m, const struct dns_query *q, unsigned rcode,
		    unsigned answers)
{
	const struct wire_head h = {
		.id = q->id,
		.flags = (uint16_t)(DNS_QR | DNS_RA | (q->recursion ? DNS_RD : 0) |
				    (rcode & DNS_RCODE)),
		.questions = q->question != 0,
		.answers = (uint16_t)answers,
		.additional = q->edns,
	};

	wire_put_head(w, &h);
	wire_put(w, m + WIRE_HEAD, q->question);
}

/* The OPT record, with an extended error (RFC 8914) when `ede` is not 0. */
static void put_opt(struct wire_out *w, unsigned rcode, uint16_t ede, const char *text)
{
	const size_t fixed = 11 + 6;
	size_t n = ede && text ? strlen(text) : 0;

	/* Better no text than no answer. */
	if (n > w->size - w->at || fixed > w->size - w->at - n)
		n = 0;
	wire_put(w, "", 1);
	wire_put16(w, DNS_OPT);
	wire_put16(w, ROOM_OURS);
	wire_put32(w, (uint32_t)(rcode >> 4) << 24);
	wire_put16(w, (uint16_t)(ede ? 6 + n : 0));
	if (!ede)
		return;
	wire_put16(w, OPTION_EDE);
	wire_put16(w, (uint16_t)(2 + n));
	wire_put16(w, ede);
	wire_put(w, text, n);
}

/* Name (that of the question), type, class, time and the bytes. */
static void put_record(struct wire_out *w, uint16_t type, uint32_t ttl, const uint8_t *data, size_t n)
{
	wire_put16(w, 0xc000 | WIRE_HEAD);
	wire_put16(w, type);
	wire_put16(w, DNS_CLASS_IN);
	wire_put32(w, ttl);
	wire_put16(w, (uint16_t)n);
	wire_put(w, data, n);
}

static size_t finish(struct wire_out *w, const struct dns_query *q)
{
	if (q->edns)
		put_opt(w, DNS_OK, 0, NULL);
	return w->full ? 0 : w->at;
}

size_t dns_answer(const uint8_t *m, const struct dns_query *q, const struct addr *addr,
		  uint32_t ttl, uint8_t *out, size_t size)
{
	struct wire_out w = { .m = out, .size = size };

	put_top(&w, m, q, DNS_OK, addr != NULL);
	if (addr && addr->family == 4)
		put_record(&w, DNS_A, ttl, addr->bytes, 4);
	else if (addr)
		put_record(&w, DNS_AAAA, ttl, addr->bytes, 16);
	return finish(&w, q);
}

size_t dns_answer_name(const uint8_t *m, const struct dns_query *q, const char *name, uint32_t ttl,
		       uint8_t *out, size_t size)
{
	struct wire_out w = { .m = out, .size = size };
	struct wire_name target;

	if (!wire_name_from(name, &target))
		return 0;
	put_top(&w, m, q, DNS_OK, 1);
	put_record(&w, DNS_PTR, ttl, target.bytes, target.n);
	return finish(&w, q);
}

size_t dns_refuse(const uint8_t *m, const struct dns_query *q, enum dns_rcode rcode, uint16_t ede,
		  const char *text, uint8_t *out, size_t size)
{
	struct wire_out w = { .m = out, .size = size };

	put_top(&w, m, q, rcode, 0);
	if (q->edns)
		put_opt(&w, rcode, ede, text);
	return w.full ? 0 : w.at;
}
