// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes net/ruleset.inc: the nftables rules of a gated jail as finished netlink messages; at build
 * time only, so that jail itself links neither libmnl nor libnftnl.
 *
 * As nft would write it; a line with a set is there only when that set has elements:
 *
 *	table inet jail {
 *		set ports { type inet_service; flags interval; }
 *		set allowed4 { type ipv4_addr . inet_service; flags interval; }
 *		set allowed6 { type ipv6_addr . inet_service; flags interval; }
 *		chain output {
 *			type filter hook output priority -150; policy drop;
 *			ct state established,related accept
 *			udp dport 53 accept
 *			tcp dport 53 accept
 *			ip daddr 127.0.0.0/8 tcp dport 2 reject with tcp reset
 *			ip daddr 127.0.0.0/8 accept
 *			ip6 daddr ::1 tcp dport 2 reject with tcp reset
 *			ip6 daddr ::1 accept
 *			ip daddr 198.18.0.0/15 tcp dport @ports accept
 *			ip daddr . tcp dport @allowed4 accept
 *			ip6 daddr . tcp dport @allowed6 accept
 *			meta l4proto tcp counter log group 1 snaplen 96 reject with tcp reset
 *			counter log group 1 snaplen 96 reject with icmpx admin-prohibited
 *		}
 *		chain nat {
 *			type nat hook output priority -100; policy accept;
 *			udp dport 53 redirect to :53
 *			tcp dport 53 redirect to :53
 *			ip daddr != 127.0.0.0/8 meta l4proto tcp redirect to :2
 *			ip6 daddr != ::1 meta l4proto tcp redirect to :2
 *		}
 *	}
 *
 * The filter stands ahead of the redirection, where the destination is still the one that was asked
 * for. Nothing is filtered on input: the only interface is lo, so what comes in is what went out.
 */
#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <libnftnl/chain.h>
#include <libnftnl/common.h>
#include <libnftnl/expr.h>
#include <libnftnl/rule.h>
#include <libnftnl/set.h>
#include <libnftnl/table.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_nat.h>
#include <linux/netfilter/nf_tables.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/gate.h"
#include "net/ruleset.h"

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

/* What nft calls the types of a set's keys: shown by `nft list`, and nothing else. */
enum { TYPE_PORT = 13, TYPE_IP4 = 7, TYPE_IP6 = 8, TYPE_BITS = 6 };

static const uint8_t loopback6[16] = { [15] = 1 };

static const char *const when_names[] = {
	[PIECE_ALWAYS] = "PIECE_ALWAYS",     [PIECE_PORTS] = "PIECE_PORTS",
	[PIECE_SET4] = "PIECE_SET4",	     [PIECE_SET6] = "PIECE_SET6",
	[PIECE_ELEMENTS] = "PIECE_ELEMENTS",
};

static char pieces[16384];
static size_t pieces_len;
static size_t offset;
static bool filtering; /* what is written now is the filter's */

static void *must(void *p)
{
	if (!p) {
		(void)fputs("jail-nft: out of memory\n", stderr);
		exit(1);
	}
	return p;
}

static void note_piece(enum piece_when when, size_t length, const char *what)
{
	int n = snprintf(pieces + pieces_len, sizeof(pieces) - pieces_len,
			 "\t{ %s, %s, %zu, %zu, \"%s\" },\n", when_names[when],
			 filtering ? "true" : "false", offset, length, what);

	pieces_len += (size_t)n;
	if (n < 0 || pieces_len >= sizeof(pieces)) {
		(void)fputs("jail-nft: too many pieces\n", stderr);
		exit(1);
	}
	offset += length;
}

/* The sequence number is the sender's to fill in. */
static void emit(enum piece_when when, const struct nlmsghdr *h, const char *what)
{
	const uint8_t *p = (const uint8_t *)h;
	const size_t n = (h->nlmsg_len + 3) & ~(size_t)3;

	for (size_t i = 0; i < n; i++)
		(void)printf("%s0x%02x,", i % 20 ? "" : "\n\t", i < h->nlmsg_len ? p[i] : 0);
	(void)printf("\n");
	note_piece(when, n, what);
}

static struct nlmsghdr *begin(char *buf, uint16_t type, uint16_t flags)
{
	return nftnl_nlmsg_build_hdr(buf, type, NFPROTO_INET,
				     (uint16_t)(flags | NLM_F_CREATE | NLM_F_ACK), 0);
}

static void add_table(void)
{
	char buf[4096] = { 0 };
	struct nlmsghdr *h = begin(buf, NFT_MSG_NEWTABLE, NLM_F_EXCL);
	struct nftnl_table *t = must(nftnl_table_alloc());

	nftnl_table_set_str(t, NFTNL_TABLE_NAME, RULESET_TABLE);
	nftnl_table_nlmsg_build_payload(h, t);
	nftnl_table_free(t);
	emit(PIECE_ALWAYS, h, "the table");
}

/* fields: the lengths of a concatenated key's parts; one part is no concatenation. */
static void add_set(enum piece_when when, const char *name, uint32_t id, uint32_t type,
		    const uint8_t *fields, uint8_t n, const char *what)
{
	char buf[4096] = { 0 };
	struct nlmsghdr *h = begin(buf, NFT_MSG_NEWSET, NLM_F_EXCL);
	struct nftnl_set *s = must(nftnl_set_alloc());
	uint32_t length = 0;

	for (uint8_t i = 0; i < n; i++)
		length += n > 1 ? (fields[i] + 3u) & ~3u : fields[i];
	nftnl_set_set_str(s, NFTNL_SET_TABLE, RULESET_TABLE);
	nftnl_set_set_str(s, NFTNL_SET_NAME, name);
	nftnl_set_set_u32(s, NFTNL_SET_ID, id);
	nftnl_set_set_u32(s, NFTNL_SET_FAMILY, NFPROTO_INET);
	nftnl_set_set_u32(s, NFTNL_SET_KEY_TYPE, type);
	nftnl_set_set_u32(s, NFTNL_SET_KEY_LEN, length);
	nftnl_set_set_u32(s, NFTNL_SET_FLAGS,
			  NFT_SET_INTERVAL | NFT_SET_CONSTANT | (n > 1 ? NFT_SET_CONCAT : 0u));
	if (n > 1)
		(void)nftnl_set_set_data(s, NFTNL_SET_DESC_CONCAT, fields, n);
	nftnl_set_nlmsg_build_payload(h, s);
	nftnl_set_free(s);
	emit(when, h, what);
}

static void add_chain(const char *name, const char *type, int32_t priority, uint32_t policy,
		      const char *what)
{
	char buf[4096] = { 0 };
	struct nlmsghdr *h = begin(buf, NFT_MSG_NEWCHAIN, NLM_F_EXCL);
	struct nftnl_chain *c = must(nftnl_chain_alloc());

	nftnl_chain_set_str(c, NFTNL_CHAIN_TABLE, RULESET_TABLE);
	nftnl_chain_set_str(c, NFTNL_CHAIN_NAME, name);
	nftnl_chain_set_str(c, NFTNL_CHAIN_TYPE, type);
	nftnl_chain_set_u32(c, NFTNL_CHAIN_HOOKNUM, NF_INET_LOCAL_OUT);
	nftnl_chain_set_s32(c, NFTNL_CHAIN_PRIO, priority);
	nftnl_chain_set_u32(c, NFTNL_CHAIN_POLICY, policy);
	nftnl_chain_nlmsg_build_payload(h, c);
	nftnl_chain_free(c);
	emit(PIECE_ALWAYS, h, what);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static struct nftnl_expr *expr(struct nftnl_rule *r, const char *name)
{
	struct nftnl_expr *e = must(nftnl_expr_alloc(name));

	nftnl_rule_add_expr(r, e);
	return e;
}

static void load_meta(struct nftnl_rule *r, uint32_t key)
{
	struct nftnl_expr *e = expr(r, "meta");

	nftnl_expr_set_u32(e, NFTNL_EXPR_META_KEY, key);
	nftnl_expr_set_u32(e, NFTNL_EXPR_META_DREG, NFT_REG_1);
}

static void load(struct nftnl_rule *r, uint32_t base, uint32_t at, uint32_t length, uint32_t reg)
{
	struct nftnl_expr *e = expr(r, "payload");

	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_BASE, base);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_OFFSET, at);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_LEN, length);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_DREG, reg);
}

static void mask(struct nftnl_rule *r, uint32_t bits)
{
	const uint32_t nothing = 0;
	struct nftnl_expr *e = expr(r, "bitwise");

	nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_SREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_DREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_LEN, sizeof(bits));
	nftnl_expr_set(e, NFTNL_EXPR_BITWISE_MASK, &bits, sizeof(bits));
	nftnl_expr_set(e, NFTNL_EXPR_BITWISE_XOR, &nothing, sizeof(nothing));
}

static void compare(struct nftnl_rule *r, uint32_t op, const void *data, uint32_t length)
{
	struct nftnl_expr *e = expr(r, "cmp");

	nftnl_expr_set_u32(e, NFTNL_EXPR_CMP_SREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_CMP_OP, op);
	nftnl_expr_set(e, NFTNL_EXPR_CMP_DATA, data, length);
}

static void verdict(struct nftnl_rule *r, uint32_t v)
{
	struct nftnl_expr *e = expr(r, "immediate");

	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_DREG, NFT_REG_VERDICT);
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_VERDICT, v);
}

static void family(struct nftnl_rule *r, uint8_t proto)
{
	load_meta(r, NFT_META_NFPROTO);
	compare(r, NFT_CMP_EQ, &proto, sizeof(proto));
}

static void protocol(struct nftnl_rule *r, uint8_t proto)
{
	load_meta(r, NFT_META_L4PROTO);
	compare(r, NFT_CMP_EQ, &proto, sizeof(proto));
}

static void load_daddr4(struct nftnl_rule *r)
{
	load(r, NFT_PAYLOAD_NETWORK_HEADER, 16, 4, NFT_REG_1);
}

static void load_daddr6(struct nftnl_rule *r)
{
	load(r, NFT_PAYLOAD_NETWORK_HEADER, 24, 16, NFT_REG_1);
}

static void load_dport(struct nftnl_rule *r, uint32_t reg)
{
	load(r, NFT_PAYLOAD_TRANSPORT_HEADER, 2, 2, reg);
}

static void dport(struct nftnl_rule *r, uint16_t port)
{
	const uint16_t wire = htons(port);

	load_dport(r, NFT_REG_1);
	compare(r, NFT_CMP_EQ, &wire, sizeof(wire));
}

static void loopback(struct nftnl_rule *r, bool six, uint32_t op)
{
	const uint8_t first = 127;

	family(r, six ? NFPROTO_IPV6 : NFPROTO_IPV4);
	if (six) {
		load_daddr6(r);
		compare(r, op, loopback6, sizeof(loopback6));
	} else {
		load(r, NFT_PAYLOAD_NETWORK_HEADER, 16, 1, NFT_REG_1);
		compare(r, op, &first, sizeof(first));
	}
}

static void lookup(struct nftnl_rule *r, const char *set, uint32_t id)
{
	struct nftnl_expr *e = expr(r, "lookup");

	nftnl_expr_set_u32(e, NFTNL_EXPR_LOOKUP_SREG, NFT_REG_1);
	nftnl_expr_set_str(e, NFTNL_EXPR_LOOKUP_SET, set);
	nftnl_expr_set_u32(e, NFTNL_EXPR_LOOKUP_SET_ID, id);
}

static void reject(struct nftnl_rule *r, uint32_t type, uint8_t code)
{
	struct nftnl_expr *e = expr(r, "reject");

	nftnl_expr_set_u32(e, NFTNL_EXPR_REJECT_TYPE, type);
	nftnl_expr_set_u8(e, NFTNL_EXPR_REJECT_CODE, code);
}

static void count_and_log(struct nftnl_rule *r)
{
	struct nftnl_expr *e;

	(void)expr(r, "counter");
	e = expr(r, "log");
	nftnl_expr_set_u16(e, NFTNL_EXPR_LOG_GROUP, GATE_NFLOG);
	nftnl_expr_set_u32(e, NFTNL_EXPR_LOG_SNAPLEN, RULESET_SNAPLEN);
	nftnl_expr_set_u16(e, NFTNL_EXPR_LOG_QTHRESHOLD, 1);
}

static void redirect(struct nftnl_rule *r, uint16_t port)
{
	const uint16_t wire = htons(port);
	struct nftnl_expr *e = expr(r, "immediate");

	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_DREG, NFT_REG_1);
	nftnl_expr_set(e, NFTNL_EXPR_IMM_DATA, &wire, sizeof(wire));
	e = expr(r, "redir");
	nftnl_expr_set_u32(e, NFTNL_EXPR_REDIR_REG_PROTO_MIN, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_REDIR_FLAGS, NF_NAT_RANGE_PROTO_SPECIFIED);
}

/* ---- rules ------------------------------------------------------------------------------------ */

static struct nftnl_rule *rule(const char *chain)
{
	struct nftnl_rule *r = must(nftnl_rule_alloc());

	nftnl_rule_set_str(r, NFTNL_RULE_TABLE, RULESET_TABLE);
	nftnl_rule_set_str(r, NFTNL_RULE_CHAIN, chain);
	nftnl_rule_set_u32(r, NFTNL_RULE_FAMILY, NFPROTO_INET);
	return r;
}

static void add_rule(enum piece_when when, struct nftnl_rule *r, const char *what)
{
	char buf[8192] = { 0 };
	struct nlmsghdr *h = begin(buf, NFT_MSG_NEWRULE, NLM_F_APPEND);

	nftnl_rule_nlmsg_build_payload(h, r);
	nftnl_rule_free(r);
	emit(when, h, what);
}

static void add_established(void)
{
	const uint32_t none = 0;
	struct nftnl_rule *r = rule("output");
	struct nftnl_expr *e = expr(r, "ct");

	nftnl_expr_set_u32(e, NFTNL_EXPR_CT_KEY, NFT_CT_STATE);
	nftnl_expr_set_u32(e, NFTNL_EXPR_CT_DREG, NFT_REG_1);
	mask(r, 2 | 4); /* established, related; a number of the machine's own order */
	compare(r, NFT_CMP_NEQ, &none, sizeof(none));
	verdict(r, NF_ACCEPT);
	add_rule(PIECE_ALWAYS, r, "the rule for connections");
}

static void add_loopback(void)
{
	for (int six = 0; six < 2; six++) {
		struct nftnl_rule *r = rule("output");

		loopback(r, six, NFT_CMP_EQ);
		protocol(r, IPPROTO_TCP);
		dport(r, GATE_PORT);
		reject(r, NFT_REJECT_TCP_RST, 0);
		add_rule(PIECE_ALWAYS, r, "the rule for the gate's port");
		r = rule("output");
		loopback(r, six, NFT_CMP_EQ);
		verdict(r, NF_ACCEPT);
		add_rule(PIECE_ALWAYS, r, "the rule for loopback");
	}
}

static void add_allowed(void)
{
	const uint32_t range = htonl(GATE_RANGE), bits = htonl(~0u << (32 - GATE_RANGE_BITS));
	struct nftnl_rule *r = rule("output");

	family(r, NFPROTO_IPV4);
	load_daddr4(r);
	mask(r, bits);
	compare(r, NFT_CMP_EQ, &range, sizeof(range));
	protocol(r, IPPROTO_TCP);
	load_dport(r, NFT_REG_1);
	lookup(r, RULESET_PORTS, RULESET_PORTS_ID);
	verdict(r, NF_ACCEPT);
	add_rule(PIECE_PORTS, r, "the rule for names");

	r = rule("output");
	family(r, NFPROTO_IPV4);
	protocol(r, IPPROTO_TCP);
	load_daddr4(r);
	load_dport(r, NFT_REG32_01); /* four bytes behind NFT_REG_1, where the key goes on */
	lookup(r, RULESET_SET4, RULESET_SET4_ID);
	verdict(r, NF_ACCEPT);
	add_rule(PIECE_SET4, r, "the rule for addresses");

	r = rule("output");
	family(r, NFPROTO_IPV6);
	protocol(r, IPPROTO_TCP);
	load_daddr6(r);
	load_dport(r, NFT_REG_2);
	lookup(r, RULESET_SET6, RULESET_SET6_ID);
	verdict(r, NF_ACCEPT);
	add_rule(PIECE_SET6, r, "the rule for IPv6 addresses");
}

static void add_output(void)
{
	static const uint8_t dns[] = { IPPROTO_UDP, IPPROTO_TCP };
	struct nftnl_rule *r;

	add_established();
	for (size_t i = 0; i < LENGTH(dns); i++) {
		r = rule("output");
		protocol(r, dns[i]);
		dport(r, GATE_DNS_PORT);
		verdict(r, NF_ACCEPT);
		add_rule(PIECE_ALWAYS, r, "the rule for DNS");
	}
	add_loopback();
	add_allowed();
	r = rule("output");
	protocol(r, IPPROTO_TCP);
	count_and_log(r);
	reject(r, NFT_REJECT_TCP_RST, 0);
	add_rule(PIECE_ALWAYS, r, "the rule that logs and resets");
	r = rule("output");
	count_and_log(r);
	reject(r, NFT_REJECT_ICMPX_UNREACH, NFT_REJECT_ICMPX_ADMIN_PROHIBITED);
	add_rule(PIECE_ALWAYS, r, "the rule that logs and rejects");
}

static void add_nat(void)
{
	static const uint8_t dns[] = { IPPROTO_UDP, IPPROTO_TCP };
	struct nftnl_rule *r;

	for (size_t i = 0; i < LENGTH(dns); i++) {
		r = rule("nat");
		protocol(r, dns[i]);
		dport(r, GATE_DNS_PORT);
		redirect(r, GATE_DNS_PORT);
		add_rule(PIECE_ALWAYS, r, "the redirection of DNS");
	}
	for (int six = 0; six < 2; six++) {
		r = rule("nat");
		loopback(r, six, NFT_CMP_NEQ);
		protocol(r, IPPROTO_TCP);
		redirect(r, GATE_PORT);
		add_rule(PIECE_ALWAYS, r, "the redirection of TCP");
	}
}

static void add_batch(bool end)
{
	char buf[256] = { 0 };

	if (end)
		emit(PIECE_ALWAYS, nftnl_batch_end(buf, 0), "the end");
	else
		emit(PIECE_ALWAYS, nftnl_batch_begin(buf, 0), "the beginning");
}

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "netlink speaks in the machine's own byte order, and jail runs on little-endian ones"
#endif

int main(void)
{
	static const uint8_t port[] = { 2 }, key4[] = { 4, 2 }, key6[] = { 16, 2 };

	(void)printf("/* Written by jail-nft: see its comment for what this says. */\n"

		     "static const uint8_t ruleset_bytes[] = {");
	add_batch(false);
	add_table();
	add_set(PIECE_PORTS, RULESET_PORTS, RULESET_PORTS_ID, TYPE_PORT, port, 1, "the set of ports");
	add_set(PIECE_SET4, RULESET_SET4, RULESET_SET4_ID, TYPE_IP4 << TYPE_BITS | TYPE_PORT, key4,
		2, "the set of addresses");
	add_set(PIECE_SET6, RULESET_SET6, RULESET_SET6_ID, TYPE_IP6 << TYPE_BITS | TYPE_PORT, key6,
		2, "the set of IPv6 addresses");
	note_piece(PIECE_ELEMENTS, 0, "the elements of the sets");
	filtering = true;
	add_chain("output", "filter", -150, NF_DROP, "the chain that filters");
	add_output();
	filtering = false;
	add_chain("nat", "nat", -100, NF_ACCEPT, "the chain that redirects");
	add_nat();
	add_batch(true);
	(void)printf("};\n\nstatic const struct piece ruleset_pieces[] = {\n%s};\n", pieces);
	return fflush(stdout) || ferror(stdout);
}
