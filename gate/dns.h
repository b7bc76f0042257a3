/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DNS messages: queries from inside, replies from the host's servers. Pure functions on bytes. */
#ifndef JAIL_GATE_DNS_H
#define JAIL_GATE_DNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/addr.h"
#include "net/name.h"

enum { DNS_MESSAGE_MAX = 4096, DNS_QUERY_MAX = 512, DNS_ADDRS_MAX = 16 };
enum { DNS_A = 1, DNS_PTR = 12, DNS_AAAA = 28, DNS_SVCB = 64, DNS_HTTPS = 65 };
enum { DNS_EDE_BLOCKED = 15, DNS_EDE_FILTERED = 17 };
enum dns_rcode {
	DNS_OK = 0,
	DNS_FORMERR = 1,
	DNS_SERVFAIL = 2,
	DNS_NXDOMAIN = 3,
	DNS_NOTIMP = 4,
	DNS_REFUSED = 5,
	DNS_BADVERS = 16 /* told by EDNS alone */
};

struct dns_query {
	uint16_t id, type, class;
	bool recursion; /* RD */
	bool edns;
	uint8_t version;      /* of EDNS; above 0 the answer is DNS_BADVERS */
	uint16_t room;	      /* what the client takes by UDP, 512 to DNS_MESSAGE_MAX */
	char name[NAME_SIZE]; /* canonical; "" when it is none: refused, never looked up */
	uint16_t question;    /* bytes of the question section, which begins at 12 */
};

/*
 * 0; -EBADMSG: no answer is due (too short, a response); -EINVAL: FORMERR is (dns_refuse), for more
 * or less than one question, for answers in a query, for what is cut or has something behind it or
 * is over DNS_QUERY_MAX; -EOPNOTSUPP: NOTIMP is. With these two *ret has no question, but is valid.
 */
int dns_parse_query(const uint8_t *m, size_t n, struct dns_query *ret);

/* Answers, with the question copied from `m`; the length, 0 when it does not fit. addr NULL: no data. */
size_t dns_answer(const uint8_t *m, const struct dns_query *q, const struct addr *addr,
		  uint32_t ttl, uint8_t *out, size_t size);
/* The answer to a question for a PTR: a canonical name. */
size_t dns_answer_name(const uint8_t *m, const struct dns_query *q, const char *name, uint32_t ttl,
		       uint8_t *out, size_t size);
/* `ede` is an extended error code (RFC 8914), 0 for none, sent when the client has EDNS. */
size_t dns_refuse(const uint8_t *m, const struct dns_query *q, enum dns_rcode rcode, uint16_t ede,
		  const char *text, uint8_t *out, size_t size);

struct dns_reply {
	enum dns_rcode rcode;
	bool truncated;
	size_t n;
	struct addr addr[DNS_ADDRS_MAX];
	uint32_t ttl; /* the least of those used, s */
};

/* A query of our own. */
size_t dns_build_query(uint16_t id, const char *name, uint16_t type, uint8_t *out, size_t size);
/*
 * Is it the answer to (id, name, type)? Follows CNAMEs within it. -EBADMSG: not ours, or broken:
 * ignore it. A truncated one is not read further. A referral from a server that does not recurse is
 * DNS_SERVFAIL.
 */
int dns_parse_reply(const uint8_t *m, size_t n, uint16_t id, const char *name, uint16_t type,
		    struct dns_reply *ret);

#endif
