// SPDX-License-Identifier: GPL-2.0-or-later
/* The network's policy: is it whole, and which rule is meant; P0 and the gate. */
#include "net/policy.h"

#include <string.h>

static bool ended(const char *s, size_t size)
{
	return memchr(s, '\0', size) != NULL;
}

/* The bytes of a bool from elsewhere: anything but 0 and 1 must not be read as one. */
static bool is_bool(const bool *b)
{
	unsigned char byte;

	memcpy(&byte, b, 1);
	return byte <= 1;
}

static bool is_canonical(const char *name)
{
	char same[NAME_SIZE];

	return ended(name, NAME_SIZE) && name_canonical(name, strlen(name), same) == 0 &&
	       strcmp(name, same) == 0;
}

static bool is_addr(const struct addr *a)
{
	return a->family == 4 || a->family == 6;
}

static bool rule_valid(const struct rule *r)
{
	if (r->kind > RULE_TCP || !is_bool(&r->wildcard) || !r->first || r->first > r->last ||
	    !ended(r->text, sizeof(r->text)) || !ended(r->origin, sizeof(r->origin)))
		return false;
	if (!r->addr.family)
		return is_canonical(r->name);
	return is_addr(&r->addr) && r->bits <= (r->addr.family == 4 ? 32 : 128) &&
	       r->kind == RULE_TCP && !r->wildcard && !r->name[0];
}

static bool ports_valid(const struct port_pair *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!p[i].inside || !p[i].outside)
			return false;
	}
	return true;
}

static bool proxy_valid(const struct net_policy *p)
{
	if (!is_bool(&p->use_proxy))
		return false;
	if (!p->use_proxy)
		return true;
	return p->proxy_port && (is_addr(&p->proxy_addr) || is_canonical(p->proxy_name));
}

bool policy_valid(const void *memory, size_t size)
{
	const struct net_policy *p = memory;

	if (size < sizeof(*p) || p->magic != POLICY_MAGIC || p->size != size ||
	    p->rules > POLICY_RULES_MAX || p->pins > POLICY_PINS_MAX ||
	    p->host_ports > POLICY_PORTS_MAX || p->publish > POLICY_PORTS_MAX ||
	    size != policy_size(p->rules))
		return false;
	if (!is_bool(&p->redirected) || !proxy_valid(p) || !ended(p->jail, sizeof(p->jail)) ||
	    !ports_valid(p->host_port, p->host_ports) || !ports_valid(p->published, p->publish))
		return false;
	for (uint32_t i = 0; i < p->pins; i++) {
		if (!is_canonical(p->pin[i].name) || !is_addr(&p->pin[i].addr))
			return false;
	}
	for (uint32_t i = 0; i < p->rules; i++) {
		if (!rule_valid(&p->rule[i]))
			return false;
	}
	return true;
}

size_t policy_size(uint32_t rules)
{
	return sizeof(struct net_policy) + rules * sizeof(struct rule);
}

static bool has_port(const struct rule *r, uint16_t port)
{
	return !port || (port >= r->first && port <= r->last);
}

/*
 * Of two rules that both fit, is `a` meant rather than `b`, which stands before it? The one that
 * says more: a name before a wildcard, the longer name or prefix, fewer ports; else the later, which
 * is closer to the user.
 */
static bool is_nearer(const struct rule *a, const struct rule *b)
{
	size_t n = strlen(a->name), m = strlen(b->name);

	if (a->wildcard != b->wildcard)
		return b->wildcard;
	if (n != m)
		return n > m;
	if (a->bits != b->bits)
		return a->bits > b->bits;
	return a->last - a->first <= b->last - b->first;
}

const struct rule *policy_find(const struct net_policy *p, const char *name, uint16_t port)
{
	const struct rule *best = NULL;

	for (uint32_t i = 0; i < p->rules; i++) {
		const struct rule *r = &p->rule[i];

		if (!r->addr.family && has_port(r, port) &&
		    name_matches(r->name, r->wildcard, name) && (!best || is_nearer(r, best)))
			best = r;
	}
	return best;
}

const struct rule *policy_find_addr(const struct net_policy *p, const struct addr *a, uint16_t port)
{
	unsigned least = addr_special_bits(a);
	const struct rule *best = NULL;

	if (addr_is_loopback(a))
		return NULL;
	for (uint32_t i = 0; i < p->rules; i++) {
		const struct rule *r = &p->rule[i];

		if (r->addr.family && r->bits >= least && has_port(r, port) &&
		    addr_within(a, &r->addr, r->bits) && (!best || is_nearer(r, best)))
			best = r;
	}
	return best;
}

static bool same_hosts(const struct rule *a, const struct rule *b)
{
	return a->wildcard == b->wildcard && strcmp(a->name, b->name) == 0 && a->bits == b->bits &&
	       a->addr.family == b->addr.family && (!a->addr.family || addr_eq(&a->addr, &b->addr));
}

/* The rule for the same hosts that has a port of r's in its place. */
static const struct rule *find_instead(const struct net_policy *p, const struct rule *r, uint16_t port)
{
	for (uint32_t i = p->rules; i-- > 0;) {
		const struct rule *s = &p->rule[i];

		if (s != r && has_port(s, port) && same_hosts(s, r) &&
		    (s > r ? is_nearer(s, r) : !is_nearer(r, s)))
			return s;
	}
	return NULL;
}

const struct rule *policy_shadow(const struct net_policy *p, const struct rule *r)
{
	const struct rule *by = NULL;

	for (unsigned port = r->first; port <= r->last; port = by->last + 1u) {
		by = find_instead(p, r, (uint16_t)port);
		if (!by)
			return NULL;
	}
	return by;
}

const struct pin *policy_find_pin(const struct net_policy *p, const char *name)
{
	for (uint32_t i = 0; i < p->pins; i++) {
		if (strcmp(p->pin[i].name, name) == 0)
			return &p->pin[i];
	}
	return NULL;
}
