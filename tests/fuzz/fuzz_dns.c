// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes DNS messages: a hostile program inside that asks, a hostile server outside that answers. The first byte of an input says
 * which ('q', 'r' for A, 's' for AAAA, 'n' for a name to ask for, 'f' for the text of a file), the rest are the bytes.
 *
 * A name that is given out is canonical and is what a second reader finds; what is built parses back to what it was built from;
 * nothing is longer than it may be; every address was in the answer; a failure changes nothing.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/dns.h"
#include "gate/dnsanswer.h"
#include "gate/event.h"
#include "gate/hostsfile.h"
#include "gate/resolvconf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what)
{
	fprintf(stderr, "dns: %s\n", what);
	abort();
}

static unsigned events;

void event_write(const struct event *ev)
{
	events++;
	if (!ev->verdict || !ev->name || !memchr(ev->name, '\0', NAME_SIZE))
		fail("an event without a name");
}

void event_score(enum score_why why, const struct event *ev)
{
	char same[NAME_SIZE];

	(void)why;
	if (name_canonical(ev->name, strlen(ev->name), same) < 0 || strcmp(ev->name, same) != 0)
		fail("a score for what is no name");
}

static void check_canonical(const char *name)
{
	char same[NAME_SIZE];

	if (name_canonical(name, strlen(name), same) < 0 || strcmp(name, same) != 0)
		fail("a name that is not canonical");
}

/* A second opinion: the labels of the question, which has no pointers. */
static void check_same_name(const uint8_t *m, const struct dns_query *q)
{
	const uint8_t *at = m + 12;
	const char *name = q->name;

	while (*at) {
		if (name != q->name && *name++ != '.')
			fail("labels that are cut elsewhere");
		for (unsigned i = 1; i <= *at; i++, name++) {
			if ((*name ^ at[i]) & ~0x20 ||
			    (*name != at[i] && (*name < 'a' || *name > 'z')))
				fail("another name than was asked for");
		}
		at += 1 + *at;
	}
	if (*name || at + 5 != m + 12 + q->question)
		fail("a name that ends elsewhere");
}

static void check_top(const uint8_t *m, const struct dns_query *q, const uint8_t *out, size_t n)
{
	if (n < 12u + q->question || memcmp(m, out, 2) != 0 || !(out[2] & 0x80) ||
	    memcmp(m + 12, out + 12, q->question) != 0)
		fail("an answer to another question");
}

/* What the gate answers, read by the gate's other side. */
static void check_answers(const uint8_t *m, const struct dns_query *q)
{
	const struct addr a4 = { .family = 4, .bytes = { 198, 18, 1, 2 } };
	const struct addr a6 = { .family = 6, .bytes = { 0x20, 1, [15] = 9 } };
	const struct addr *a = q->type == DNS_AAAA ? &a6 : &a4;
	uint8_t out[512];
	struct dns_reply r;
	size_t n = dns_answer(m, q, a, 60, out, sizeof(out));

	check_top(m, q, out, n);
	if (q->class != 1 || (q->type != DNS_A && q->type != DNS_AAAA) || !q->name[0])
		return;
	if (dns_parse_reply(out, n, q->id, q->name, q->type, &r) < 0 || r.n != 1 || r.ttl != 60 ||
	    !addr_eq(a, &r.addr[0]))
		fail("an answer that does not read back");
	for (size_t room = 0; room < sizeof(out); room += 7) {
		n = dns_refuse(m, q, DNS_NXDOMAIN, 15, "to allow: allow = x.test", out, room);
		if (n > room)
			fail("more than there is room for");
		if (n && (dns_parse_reply(out, n, q->id, q->name, q->type, &r) < 0 ||
			  r.rcode != DNS_NXDOMAIN || r.n))
			fail("a refusal that does not read back");
	}
}

static void fuzz_query(const uint8_t *m, size_t size)
{
	static union {
		struct net_policy p;
		char room[sizeof(struct net_policy) + sizeof(struct rule)];
	} u;
	uint8_t out[DNS_MESSAGE_MAX];
	struct answerer a;
	struct err e = { 0 };
	struct dns_query q;
	int rc = dns_parse_query(m, size, &q);
	unsigned before = events;
	size_t n;

	if (!u.p.rules && rule_parse("a.test", &u.p.rule[u.p.rules++], &e) < 0)
		fail("no policy");
	answerer_init(&a, &u.p, 0);
	n = answerer_reply(&a, 0, m, size, false, out, sizeof(out));
	if ((rc == -EBADMSG) != (n == 0) || (events - before) != (n != 0))
		fail("an answer that is not due, or none that is; or no event");
	if (rc == -EBADMSG)
		return;
	if (n > q.room || q.room < 512 || q.room > DNS_MESSAGE_MAX)
		fail("more than the client takes");
	check_top(m, &q, out, n);
	if (rc < 0 && (q.question || q.edns || q.name[0]))
		fail("a question in what has none");
	if (rc < 0)
		return;
	if (12u + q.question > size)
		fail("a question past the end");
	if (q.name[0]) {
		check_canonical(q.name);
		check_same_name(m, &q);
	}
	if (out[7] && !q.name[0])
		fail("an address for no name");
	check_answers(m, &q);
}

static void fuzz_reply(const uint8_t *m, size_t size, uint16_t type)
{
	const uint16_t id = size < 2 ? 0 : (uint16_t)((unsigned)m[0] << 8 | m[1]);
	const size_t bytes = type == DNS_A ? 4 : 16;
	union {
		struct dns_reply r;
		uint8_t bytes[sizeof(struct dns_reply)];
	} got, before;
	struct dns_reply r;

	memset(before.bytes, 0xa5, sizeof(before));
	got = before;
	if (dns_parse_reply(m, size, id, "a.test", type, &got.r) < 0) {
		if (memcmp(got.bytes, before.bytes, sizeof(got)) != 0)
			fail("a failure that changes its output");
		return;
	}
	r = got.r;
	if (r.n > DNS_ADDRS_MAX || (r.n && (r.truncated || r.rcode != DNS_OK)) || (!r.n && r.ttl) ||
	    r.ttl > INT32_MAX)
		fail("addresses that are none");
	for (size_t i = 0; i < r.n; i++) {
		if (r.addr[i].family != (type == DNS_A ? 4 : 6) ||
		    !memmem(m, size, r.addr[i].bytes, bytes))
			fail("an address out of nowhere");
	}
	if (dns_parse_reply(m, size, id ^ 1, "a.test", type, &r) == 0 ||
	    dns_parse_reply(m, size, id, "b.test", type, &r) == 0 ||
	    dns_parse_reply(m, size, id, "a.test", type ^ 29, &r) == 0)
		fail("an answer to every question");
}

static void fuzz_name(const char *s, size_t n)
{
	char name[NAME_SIZE];
	uint8_t m[DNS_QUERY_MAX];
	struct dns_query q;
	size_t size;

	if (name_canonical(s, n, name) < 0)
		return;
	size = dns_build_query(77, name, DNS_AAAA, m, sizeof(m));
	if (!size || dns_parse_query(m, size, &q) < 0 || q.id != 77 || q.type != DNS_AAAA ||
	    !q.recursion || strcmp(q.name, name) != 0)
		fail("a question that does not read back");
}

static void fuzz_file(const char *text, size_t n)
{
	struct addr addr[4];
	struct resolvconf c;
	size_t found = hosts_find(text, n, "a.test", addr, 4);

	for (size_t i = 0; i < found; i++) {
		if ((addr[i].family != 4 && addr[i].family != 6) ||
		    (i && addr[i].family < addr[i - 1].family))
			fail("hosts: no address, or not in order");
	}
	resolvconf_parse(text, n, &c);
	if (!c.servers || c.servers > RESOLV_SERVERS_MAX || c.searches > RESOLV_SEARCH_MAX ||
	    c.ndots > 15 || !c.timeout || c.timeout > 30 || !c.attempts || c.attempts > 5)
		fail("resolv.conf: out of bounds");
	for (unsigned i = 0; i < c.searches; i++)
		check_canonical(c.search[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *exact;

	if (size < 1)
		return 0;
	exact = malloc(size > 1 ? size - 1 : 1); /* so that a sanitizer sees one byte too far */
	if (!exact)
		fail("no memory");
	memcpy(exact, data + 1, size - 1);
	switch (data[0]) {
	case 'q':
		fuzz_query(exact, size - 1);
		break;
	case 'r':
		fuzz_reply(exact, size - 1, DNS_A);
		break;
	case 's':
		fuzz_reply(exact, size - 1, DNS_AAAA);
		break;
	case 'n':
		fuzz_name((const char *)exact, size - 1);
		break;
	case 'f':
		fuzz_file((const char *)exact, size - 1);
		break;
	}
	free(exact);
	return 0;
}
