/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The network's policy as the gate reads it: one flat piece of memory of fixed records, made by P0
 * from the profile, sealed in a memfd, mapped read-only by the gate. No pointers.
 *
 * Text of a rule, as in `allow =`:
 *	NAME			TLS on port 443 to that name
 *	NAME:PORT[-PORT]	443 is TLS, 80 is HTTP, any other and a range plain TCP, by the name alone
 *	NAME:PORT/tls|http|tcp	as said
 *	*.NAME[...]		every name beneath NAME, not NAME itself
 *	ADDR[/BITS]:PORT[-PORT]	plain TCP to an address; IPv6 in brackets: [2001:db8::1]:22, [2001:db8::/32]:22
 */
#ifndef JAIL_NET_POLICY_H
#define JAIL_NET_POLICY_H

#include "base/err.h"
#include "net/addr.h"
#include "net/name.h"

enum {
	POLICY_MAGIC = 0x6a6e6501,
	POLICY_RULES_MAX = 2048,
	POLICY_PINS_MAX = 256,
	POLICY_PORTS_MAX = 64, /* of host-port and publish, each */
	POLICY_ORIGIN_SIZE = 96,
};

enum rule_kind { RULE_TLS, RULE_HTTP, RULE_TCP };

struct rule {
	uint8_t kind;
	bool wildcard;
	uint8_t bits;			 /* of an address rule */
	uint16_t first, last;		 /* ports */
	struct addr addr;		 /* family 0: a rule by name */
	char name[NAME_SIZE];		 /* canonical, without "*." */
	char text[NAME_SIZE + 24];	 /* as the user wrote it: "*.github.com:22" */
	char origin[POLICY_ORIGIN_SIZE]; /* "claude.ini:12" */
};

/* `resolve = NAME=ADDR[:PORT]`: that name is there, whatever a resolver would say. */
struct pin {
	char name[NAME_SIZE];
	struct addr addr;
	uint16_t port; /* 0: the port that was asked for */
};

/* host-port: 127.0.0.1:inside is the host's 127.0.0.1:outside. publish: the other way round. */
struct port_pair {
	uint16_t inside, outside;
};

struct net_policy {
	uint32_t magic;
	uint32_t size; /* of all of it */
	uint32_t rules, pins, host_ports, publish;
	bool redirected; /* nftables redirect to one listener; else one listens at each port */
	bool use_proxy;
	char proxy_name[NAME_SIZE]; /* an HTTP proxy of the host's, by CONNECT; or by address: */
	struct addr proxy_addr;
	uint16_t proxy_port;
	char jail[64]; /* what events call this jail: its hostname inside and the supervisor's pid */
	struct port_pair host_port[POLICY_PORTS_MAX], published[POLICY_PORTS_MAX];
	struct pin pin[POLICY_PINS_MAX];
	struct rule rule[]; /* in the order of the profile; an index is a rule's id */
};

/* One word of `allow =`. Groups (@npm) are the caller's to expand. why->what is the bare reason. */
int rule_parse(const char *word, struct rule *ret, struct err *why);
/* A port, 1 to 65535, as all of s[0..n). */
bool port_parse(const char *s, size_t n, uint16_t *ret);
/* One `resolve =`, one `host-port =` or `publish =` ("5432", "5432:15432": inside first). */
int pin_parse(const char *word, struct pin *ret, struct err *why);
int port_pair_parse(const char *word, struct port_pair *ret, struct err *why);
/* [http://]HOST:PORT[/], the forms in which https_proxy is written, into the fields of the proxy. */
int proxy_parse(const char *word, struct net_policy *ret, struct err *why);

/* The bytes of a policy with so many rules. */
size_t policy_size(uint32_t rules);

/* Is this memory a policy, whole and with every string ended? The gate asks once. */
bool policy_valid(const void *memory, size_t size);

/*
 * The rule for a canonical name and a port; NULL: refused. port 0: for any port. Of several the most
 * specific: a name before a wildcard, the longer wildcard, the narrower ports; else the last.
 */
const struct rule *policy_find(const struct net_policy *p, const char *name, uint16_t port);
/*
 * The address rule that has this address and port; NULL: none. port 0: for any port. Of several the
 * one with the longest prefix, then the narrower ports, then the last. No rule has the host's
 * loopback (host-port is for that), and a special address is in those rules only that lie wholly in
 * its special range.
 */
const struct rule *policy_find_addr(const struct net_policy *p, const struct addr *a, uint16_t port);
/* A rule because of which `r`, one of p's, can never be found; NULL: it can. */
const struct rule *policy_shadow(const struct net_policy *p, const struct rule *r);
const struct pin *policy_find_pin(const struct net_policy *p, const char *name);

#endif
