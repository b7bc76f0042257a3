// SPDX-License-Identifier: GPL-2.0-or-later
/* Answers to questions from inside, and the bounds of names beneath wildcards; in the gate. */
#include <errno.h>
#include <string.h>

#include "gate/dns.h"
#include "gate/dnsanswer.h"
#include "gate/dnswire.h"
#include "gate/event.h"

enum { MINUTE = 60000, TEXT_SIZE = 512 };

/* One question on its way to its answer. */
struct asked {
	struct answerer *a;
	int64_t now;
	const uint8_t *m;
	struct dns_query q;
	uint8_t *out;
	size_t size;
};

void answerer_init(struct answerer *a, const struct net_policy *p, int64_t now)
{
	*a = (struct answerer){
		.policy = p,
		.names = names_get(),
		.budget = (int64_t)BENEATH_A_MINUTE * MINUTE,
		.since = now,
	};
}

/* One more new name? The budget grows by BENEATH_A_MINUTE for each ms, and a name costs MINUTE. */
static bool spend(struct answerer *a, int64_t now)
{
	int64_t most = (int64_t)BENEATH_A_MINUTE * MINUTE, ms = now - a->since;

	ms = ms < MINUTE ? ms : MINUTE;
	a->budget += ms * BENEATH_A_MINUTE;
	a->budget = a->budget < most ? a->budget : most;
	a->since = now;
	if (a->budget < MINUTE)
		return false;
	a->budget -= MINUTE;
	return true;
}

static bool within_bounds(const struct rule *r, const char *name)
{
	size_t n = strlen(name) - strlen(r->name) - 1;
	unsigned labels = 1;

	for (size_t i = 0; i < n; i++)
		labels += name[i] == '.';
	return n <= BENEATH_BYTES && labels <= BENEATH_LABELS;
}

/*
 * The rule that says most for a name, at any port: one for the name itself, else a wildcard within
 * whose bounds it is, else any. Not the first, as for a connection: the bounds of a wildcard are not
 * for a name that was written down.
 */
static const struct rule *best_rule(const struct net_policy *p, const char *name, bool *ret_fits)
{
	const struct rule *best = NULL;

	*ret_fits = false;
	for (uint32_t i = 0; i < p->rules; i++) {
		const struct rule *r = &p->rule[i];
		bool fits;

		if (r->addr.family || !name_matches(r->name, r->wildcard, name))
			continue;
		fits = !r->wildcard || within_bounds(r, name);
		if (!r->wildcard || !best || (fits && !*ret_fits)) {
			best = r;
			*ret_fits = fits;
		}
		if (!r->wildcard)
			break;
	}
	return best;
}

static size_t refuse(const struct asked *k, enum dns_rcode rcode, uint16_t ede, const char *why,
		     const struct rule *rule)
{
	const struct event ev = {
		.event = "query",
		.verdict = "deny",
		.name = k->q.name,
		.rule = rule,
		.why = why,
		.ms = -1,
	};
	char buf[TEXT_SIZE];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_addf(&t, "jail: %s", why);
	if (rcode == DNS_NXDOMAIN && ede)
		text_addf(&t, ", to allow: allow = %s", k->q.name);
	event_write(&ev);
	return dns_refuse(k->m, &k->q, rcode, ede, buf, k->out, k->size);
}

/* addr NULL: there is such a name, but nothing of this type. */
static size_t allow(const struct asked *k, const struct addr *addr, const struct rule *rule)
{
	const struct event ev = {
		.event = "query",
		.verdict = "allow",
		.name = k->q.name,
		.addr = addr ? *addr : (struct addr){ 0 },
		.rule = rule,
		.ms = -1,
	};

	event_write(&ev);
	return dns_answer(k->m, &k->q, addr, ANSWER_TTL, k->out, k->size);
}

static size_t answer_allowed(const struct asked *k, const struct rule *rule, bool fits)
{
	struct answerer *a = k->a;
	struct addr addr;

	if (!names_find(a->names, k->q.name, &addr)) {
		if (!fits)
			return refuse(k, DNS_NXDOMAIN, DNS_EDE_FILTERED,
				      "too long or too deep beneath a wildcard", rule);
		if (rule->wildcard && names_used(a->names) >= BENEATH_MAX)
			return refuse(k, DNS_NXDOMAIN, DNS_EDE_FILTERED,
				      "too many names beneath wildcards", rule);
		/* This alone passes, so programs may try again: musl does, after 2.5 s. */
		if (rule->wildcard && !spend(a, k->now))
			return refuse(k, DNS_REFUSED, DNS_EDE_FILTERED,
				      "too many new names beneath wildcards in a minute", rule);
		if (!names_address(a->names, k->q.name, &addr))
			return refuse(k, DNS_NXDOMAIN, DNS_EDE_FILTERED, "too many names", rule);
	}
	return allow(k, k->q.type == DNS_A ? &addr : NULL, rule);
}

/* Is `name` "d.c.b.a.in-addr.arpa"? */
static bool reverse_address(const char *name, struct addr *ret)
{
	struct addr a = { .family = 4 };

	for (int i = 3; i >= 0; i--) {
		unsigned v = 0;
		size_t n = strspn(name, "0123456789");

		if (n == 0 || n > 3 || name[n] != '.')
			return false;
		for (size_t j = 0; j < n; j++)
			v = 10 * v + (unsigned)(name[j] - '0');
		if (v > 255)
			return false;
		a.bytes[i] = (uint8_t)v;
		name += n + 1;
	}
	if (!str_eq(name, "in-addr.arpa"))
		return false;
	*ret = a;
	return true;
}

static size_t answer_pointer(const struct asked *k)
{
	struct event ev = { .event = "query", .verdict = "allow", .name = k->q.name, .ms = -1 };
	const char *name;

	if (!reverse_address(k->q.name, &ev.addr))
		return 0;
	name = names_behind(k->a->names, &ev.addr);
	if (!name)
		return 0;
	event_write(&ev);
	return dns_answer_name(k->m, &k->q, name, ANSWER_TTL, k->out, k->size);
}

static size_t answer_local(const struct asked *k)
{
	static const struct addr v4 = { .family = 4, .bytes = { 127, 0, 0, 1 } };
	static const struct addr v6 = { .family = 6, .bytes = { [15] = 1 } };

	return allow(k, k->q.type == DNS_A ? &v4 : k->q.type == DNS_AAAA ? &v6 : NULL, NULL);
}

static bool is_beneath(const char *name, const char *parent)
{
	return name_matches(parent, true, name);
}

/* 249 to 255 are not types of records but wishes: keys, transfers, everything there is. */
static bool is_meta(uint16_t type)
{
	return type == 0 || type == DNS_OPT || (type >= 249 && type <= 255);
}

static size_t answer(const struct asked *k)
{
	const char *name = k->q.name;
	const struct rule *rule;
	size_t n;
	bool fits;

	if (k->q.version)
		return refuse(k, DNS_BADVERS, 0, "an EDNS of another version", NULL);
	if (k->q.class != DNS_CLASS_IN || is_meta(k->q.type))
		return refuse(k, DNS_REFUSED, 0, "not a question for an address", NULL);
	if (!name[0])
		return refuse(k, DNS_NXDOMAIN, 0, "not a host name", NULL);
	if (str_eq(name, "localhost") || is_beneath(name, "localhost"))
		return answer_local(k);
	if (k->q.type == DNS_PTR && (n = answer_pointer(k)) != 0)
		return n;
	rule = best_rule(k->a->policy, name, &fits);
	if (rule)
		return answer_allowed(k, rule, fits);
	/* Nobody writes `allow =` for an address spelt backwards. */
	if (is_beneath(name, "arpa"))
		return refuse(k, DNS_NXDOMAIN, 0, "not on the list", NULL);
	/* Most programs ask twice or thrice for one name, and mean one refusal. */
	if (k->q.type != DNS_AAAA && k->q.type != DNS_HTTPS)
		event_score(SCORE_NOT_LISTED, &(struct event){ .name = name });
	return refuse(k, DNS_NXDOMAIN, DNS_EDE_BLOCKED, "not on the list", NULL);
}

size_t answerer_reply(struct answerer *a, int64_t now, const uint8_t *m, size_t n, bool tcp,
		      uint8_t *out, size_t size)
{
	struct asked k = { .a = a, .now = now, .m = m, .out = out, .size = size };
	int rc = dns_parse_query(m, n, &k.q);

	if (rc == -EBADMSG)
		return 0;
	if (!tcp && k.size > k.q.room)
		k.size = k.q.room;
	if (rc < 0)
		return refuse(&k, rc == -EOPNOTSUPP ? DNS_NOTIMP : DNS_FORMERR, 0,
			      "not a question of the usual form", NULL);
	return answer(&k);
}
