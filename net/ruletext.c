// SPDX-License-Identifier: GPL-2.0-or-later
/* The words of `allow =`, `resolve =`, `host-port =`, `publish =` and `proxy =` as records; pure functions, P0. */
#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "net/gate.h"
#include "net/policy.h"

/* A reason alone: whoever has the file and the line puts them in front. */
#define because(why, ...) err_set(why, ST_PROFILE, 0, __VA_ARGS__)

enum { ADDR_TEXT = 64 };

/* A piece of a word. */
struct span {
	const char *s;
	size_t n;
};

static bool span_has(struct span p, char c)
{
	return p.n && memchr(p.s, c, p.n);
}

static bool span_eq(struct span p, const char *s)
{
	return p.n == strlen(s) && memcmp(p.s, s, p.n) == 0;
}

/* What stands before the first `c`; the rest, without it, stays in *p. Without one: all of it. */
static struct span span_cut(struct span *p, char c)
{
	const char *at = p->n ? memchr(p->s, c, p->n) : NULL;
	struct span head = *p;

	if (at)
		head.n = (size_t)(at - p->s);
	p->s += head.n + (at ? 1 : 0);
	p->n -= head.n + (at ? 1 : 0);
	return head;
}

static bool number_parse(struct span p, unsigned max, unsigned *ret)
{
	unsigned v = 0;

	if (!p.n || p.n > 5 || (p.s[0] == '0' && p.n > 1))
		return false;
	for (size_t i = 0; i < p.n; i++) {
		unsigned d = (unsigned char)p.s[i] - '0';

		if (d > 9)
			return false;
		v = v * 10 + d;
	}
	if (v > max)
		return false;
	*ret = v;
	return true;
}

bool port_parse(const char *s, size_t n, uint16_t *ret)
{
	unsigned v;

	if (!number_parse((struct span){ s, n }, UINT16_MAX, &v) || !v)
		return false;
	*ret = (uint16_t)v;
	return true;
}

static bool span_addr(struct span p, struct addr *ret)
{
	char text[ADDR_TEXT];

	if (p.n >= sizeof(text) || span_has(p, '\0'))
		return false;
	memcpy(text, p.s, p.n);
	text[p.n] = '\0';
	return addr_parse(text, ret);
}

/* No name, and a digit where a top-level domain would begin: an address, or meant as one. */
static bool looks_like_addr(struct span host)
{
	char name[NAME_SIZE];
	size_t label = host.n;

	if (name_canonical(host.s, host.n, name) == 0)
		return false;
	while (label && host.s[label - 1] != '.')
		label--;
	return host.n && host.s[label] >= '0' && host.s[label] <= '9';
}

/* PORT[-PORT][/KIND] */
static int ports_parse(struct span p, struct rule *r, struct err *why)
{
	static const char *const kinds[] = {
		[RULE_TLS] = "tls", [RULE_HTTP] = "http", [RULE_TCP] = "tcp"
	};
	bool said = span_has(p, '/');
	struct span range = span_cut(&p, '/');
	bool is_range = span_has(range, '-');
	struct span first = span_cut(&range, '-');

	if (!port_parse(first.s, first.n, &r->first))
		return because(why, "'%.*s' is no port: 1 to 65535", (int)first.n, first.s);
	r->last = r->first;
	if (is_range && !port_parse(range.s, range.n, &r->last))
		return because(why, "'%.*s' is no port: 1 to 65535", (int)range.n, range.s);
	if (r->last < r->first)
		return because(why, "the ports end before they begin");
	if (r->first == GATE_DNS_PORT && r->last == GATE_DNS_PORT)
		return because(why, "port 53 is always jail's own resolver");
	if (!said) {
		r->kind = RULE_TCP;
		if (!is_range && r->first == 443)
			r->kind = RULE_TLS;
		if (!is_range && r->first == 80)
			r->kind = RULE_HTTP;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (span_eq(p, kinds[i])) {
			r->kind = (uint8_t)i;
			return 0;
		}
	}
	return because(why, "'/%.*s' is none of /tls, /http, /tcp", (int)p.n, p.s);
}

static bool host_bits_zero(const struct addr *a, unsigned bits)
{
	for (unsigned i = bits; i < (a->family == 4 ? 32u : 128u); i++) {
		if (a->bytes[i / 8] & (0x80 >> i % 8))
			return false;
	}
	return true;
}

static int addr_rule_check(const struct rule *r, struct err *why)
{
	static const struct addr names = {
		.family = 4,
		.bytes = { GATE_RANGE >> 24, GATE_RANGE >> 16 & 0xff, GATE_RANGE >> 8 & 0xff, 0 },
	};

	if (!host_bits_zero(&r->addr, r->bits))
		return because(why, "the address has bits beyond its /%u", r->bits);
	if (r->kind != RULE_TCP)
		return because(why, "an address has no name to check: its rule is plain tcp");
	if (addr_is_loopback(&r->addr) && r->bits >= 8)
		return because(
			why,
			"loopback is the jail's own inside; for a service of the host's use host-port");
	if (addr_within(&r->addr, &names, GATE_RANGE_BITS) && r->bits >= GATE_RANGE_BITS)
		return because(why, "198.18.0.0/15 is where jail puts names");
	return 0;
}

/* ADDR[/BITS], already without brackets; `ports` is what follows the colon. */
static int addr_rule(struct span host, bool brackets, struct span ports, struct rule *r,
		     struct err *why)
{
	bool has_bits = span_has(host, '/');
	struct span addr = span_cut(&host, '/');
	unsigned bits, max;

	if (!span_addr(addr, &r->addr))
		return because(why, "'%.*s' is no address: four decimal parts, or IPv6 in brackets",
			       (int)addr.n, addr.s);
	if (brackets && r->addr.family == 4)
		return because(why, "brackets are for IPv6: write the IPv4 address without them");
	max = bits = r->addr.family == 4 ? 32 : 128;
	if (has_bits && !number_parse(host, max, &bits))
		return because(why, "'/%.*s' is no prefix length: 0 to %u", (int)host.n, host.s, max);
	r->bits = (uint8_t)bits;
	if (!ports.n)
		return because(why, "an address needs a port, as in 192.0.2.1:22");
	if (ports_parse(ports, r, why) < 0)
		return -EINVAL;
	/* The defaults of 443 and 80 are for names. */
	if (!span_has(ports, '/'))
		r->kind = RULE_TCP;
	return addr_rule_check(r, why);
}

static int bracket_rule(struct span word, struct rule *r, struct err *why)
{
	struct span host;

	word.s++;
	word.n--;
	if (!span_has(word, ']'))
		return because(why, "the bracket is not closed");
	host = span_cut(&word, ']');
	if (word.n && word.s[0] != ':')
		return because(why, "after ']' comes ':' and a port");
	if (word.n) {
		word.s++;
		word.n--;
	}
	return addr_rule(host, true, word, r, why);
}

static bool is_localhost(const char *name)
{
	return strcmp(name, "localhost") == 0 || name_matches("localhost", true, name);
}

static int name_rule(struct span host, struct span ports, bool has_ports, struct rule *r,
		     struct err *why)
{
	if (host.n >= 2 && host.s[0] == '*' && host.s[1] == '.') {
		r->wildcard = true;
		host.s += 2;
		host.n -= 2;
	}
	if (span_has(host, '*'))
		return because(why, "a wildcard is '*.' in front of a name, and nothing else");
	if (name_canonical(host.s, host.n, r->name) < 0)
		return because(
			why,
			"'%.*s' is no host name: letters, digits, hyphens and dots (xn-- for others)",
			(int)host.n, host.s);
	if (is_localhost(r->name))
		return because(
			why,
			"localhost is the jail's own inside; for a service of the host's use host-port");
	if (has_ports)
		return ports_parse(ports, r, why);
	r->kind = RULE_TLS;
	r->first = r->last = 443;
	return 0;
}

/* "name.test/", "name.test/path": what stands before the slash is no address. */
static bool is_path(const char *word)
{
	struct span host = { word, strcspn(word, ":") };

	return span_has(host, '/') && !looks_like_addr(span_cut(&host, '/'));
}

/* What people write instead, told apart so that the reason helps. */
static int misread(const char *word, struct err *why)
{
	size_t colons = 0;

	if (!*word)
		return because(why, "it is empty");
	if (word[0] == '#')
		return because(why, "a comment begins with ';'");
	if (strchr(word, ','))
		return because(why, "separate rules with blanks, and repeat the host for each port");
	if (strlen(word) >= sizeof(((struct rule *)0)->text))
		return because(why, "it is longer than a host name can be");
	if (strstr(word, "://"))
		return because(why, "a rule is a host and maybe a port, not a URL");
	if (strchr(word, '@'))
		return because(why, "a rule has no user name in it");
	if (word[0] == '[')
		return 0;
	for (const char *s = word; *s; s++)
		colons += *s == ':';
	if (is_path(word))
		return because(why, "a rule is a host and maybe a port, not a URL or path");
	return colons > 1
		       ? because(why, "an IPv6 address stands in brackets, as in [2001:db8::1]:22")
		       : 0;
}

int rule_parse(const char *word, struct rule *ret, struct err *why)
{
	struct span rest = { word, strlen(word) }, host;
	bool has_ports = strchr(word, ':');
	struct rule r = { 0 };
	int rc;

	if (misread(word, why) < 0)
		return -EINVAL;
	if (word[0] == '[') {
		rc = bracket_rule(rest, &r, why);
	} else {
		host = span_cut(&rest, ':');
		if (span_has(host, '/') || looks_like_addr(host))
			rc = addr_rule(host, false, rest, &r, why);
		else
			rc = name_rule(host, rest, has_ports, &r, why);
	}
	if (rc < 0)
		return rc;
	memcpy(r.text, word, strlen(word) + 1);
	*ret = r;
	return 0;
}

int pin_parse(const char *word, struct pin *ret, struct err *why)
{
	struct span rest = { word, strlen(word) }, name, addr;
	struct pin p = { 0 };

	if (!strchr(word, '='))
		return because(why, "it is NAME=ADDRESS or NAME=ADDRESS:PORT");
	name = span_cut(&rest, '=');
	if (span_has(name, '*'))
		return because(why, "one name is pinned, not a wildcard");
	if (name_canonical(name.s, name.n, p.name) < 0)
		return because(why, "'%.*s' is no host name", (int)name.n, name.s);
	if (rest.n && rest.s[0] == '[' && span_has(rest, ']')) {
		rest.s++;
		rest.n--;
		addr = span_cut(&rest, ']');
		if (rest.n && rest.s[0] != ':')
			return because(why, "after ']' comes ':' and a port");
		if (!span_addr(addr, &p.addr) || p.addr.family != 6)
			return because(why, "'%.*s' is no IPv6 address", (int)addr.n, addr.s);
		if (rest.n) {
			rest.s++;
			rest.n--;
			if (!port_parse(rest.s, rest.n, &p.port))
				return because(why, "'%.*s' is no port: 1 to 65535", (int)rest.n,
					       rest.s);
		}
	} else {
		bool has_port = span_has(rest, ':');

		addr = span_cut(&rest, ':');
		if (!span_addr(addr, &p.addr))
			return because(why,
				       "'%.*s' is no address: four decimal parts, or IPv6 in brackets",
				       (int)addr.n, addr.s);
		if (has_port && !port_parse(rest.s, rest.n, &p.port))
			return because(why, "'%.*s' is no port: 1 to 65535", (int)rest.n, rest.s);
	}
	*ret = p;
	return 0;
}

static int no_pair(struct span p, struct err *why)
{
	return because(why, "'%.*s' is no port: it is INSIDE or INSIDE:OUTSIDE, each 1 to 65535",
		       (int)p.n, p.s);
}

int port_pair_parse(const char *word, struct port_pair *ret, struct err *why)
{
	struct span rest = { word, strlen(word) };
	bool two = span_has(rest, ':');
	struct span inside = span_cut(&rest, ':');
	struct port_pair p;

	if (strchr(word, ','))
		return because(why, "separate ports with blanks");
	if (!port_parse(inside.s, inside.n, &p.inside))
		return no_pair(inside, why);
	p.outside = p.inside;
	if (two && !port_parse(rest.s, rest.n, &p.outside))
		return no_pair(rest, why);
	*ret = p;
	return 0;
}

int proxy_parse(const char *word, struct net_policy *ret, struct err *why)
{
	struct span host = { word, strlen(word) };
	struct addr addr = { 0 };
	char name[NAME_SIZE] = "";
	const char *colon;
	uint16_t port;

	if (str_starts(word, "http://")) {
		host.s += 7;
		host.n -= 7;
	}
	if (strstr(host.s, "://"))
		return because(why, "only HTTP proxies can be used, http://HOST:PORT");
	if (span_has(host, '@'))
		return because(why, "a proxy that asks for a password cannot be used");
	host.n -= host.n && host.s[host.n - 1] == '/';
	colon = memrchr(host.s, ':', host.n);
	if (!colon || !port_parse(colon + 1, host.n - (size_t)(colon + 1 - host.s), &port))
		return because(why, "not http://HOST:PORT");
	host.n = (size_t)(colon - host.s);
	if (host.n > 2 && host.s[0] == '[' && host.s[host.n - 1] == ']') {
		if (!span_addr((struct span){ host.s + 1, host.n - 2 }, &addr) || addr.family != 6)
			return because(why, "not an IPv6 address in brackets");
	} else if (!span_addr(host, &addr) && name_canonical(host.s, host.n, name) < 0) {
		return because(why, "not the name or the address of a host");
	}
	ret->proxy_addr = addr;
	ret->proxy_port = port;
	memcpy(ret->proxy_name, name, sizeof(name));
	ret->use_proxy = true;
	return 0;
}
