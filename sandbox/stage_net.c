// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The inside of a gated jail's network: routes, rules, sockets; P1's thread beside the mounts.
 *
 * The namespace has lo and nothing else. With `local default dev lo` every address there is lies
 * on it; nftables decides which of them are reached, and sends those to the gate's sockets. These
 * are made here and given away: who connects inside is served outside, and nobody inside has them.
 * The rules come first, and all of it is there before there is a command.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "base/pass.h"
#include "net/netlink.h"
#include "net/ruleset.h"
#include "sandbox/gateway.h"
#include "sandbox/setup.h"

#define LO_INDEX 1 /* in every network namespace */

_Static_assert(HANDED_MAX <= PASS_MAX, "one message takes them all");

/* Sockets on their way to the stub. */
struct hand {
	bool six;	 /* there is IPv6 */
	bool redirected; /* nftables has the rules */
	struct handed kinds[HANDED_MAX];
	int fds[HANDED_MAX];
	size_t n;
};

/* ---- routes ----------------------------------------------------------------------------------- */

static void put_route(struct netlink *nl, uint8_t family, uint32_t seq)
{
	const struct rtmsg route = { .rtm_family = family,
				     .rtm_table = RT_TABLE_LOCAL,
				     .rtm_protocol = RTPROT_STATIC,
				     .rtm_scope = RT_SCOPE_HOST,
				     .rtm_type = RTN_LOCAL };
	const uint32_t lo = LO_INDEX, source = htonl(INADDR_LOOPBACK);
	size_t at = netlink_begin(nl, RTM_NEWROUTE,
				  NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, seq,
				  &route, sizeof(route));

	netlink_put(nl, RTA_OIF, &lo, sizeof(lo));
	/* Else IPv4 would come from the very address that it goes to. */
	if (family == AF_INET)
		netlink_put(nl, RTA_PREFSRC, &source, sizeof(source));
	netlink_end(nl, at);
}

/* What the kernel says to a route of IPv6 where that is not built in, or switched off. */
static bool is_off(int rc)
{
	return rc == -EOPNOTSUPP || rc == -EAFNOSUPPORT || rc == -EACCES || rc == -ENODEV;
}

static int make_routes(struct hand *h, struct err *e)
{
	static const char *const what[] = { "bring lo up", "route IPv4 to lo", "route IPv6 to lo" };
	const struct ifinfomsg up = { .ifi_index = LO_INDEX, .ifi_flags = IFF_UP, .ifi_change = IFF_UP };
	own_fd fd = netlink_socket(NETLINK_ROUTE);
	uint8_t bytes[512] __attribute__((aligned(4)));
	struct netlink nl;
	uint32_t failed;
	int rc;

	if (fd < 0)
		return err_set(e, ST_NET, -fd, "open a socket for routes");
	netlink_init(&nl, bytes, sizeof(bytes));
	netlink_end(&nl,
		    netlink_begin(&nl, RTM_NEWLINK, NLM_F_REQUEST | NLM_F_ACK, 0, &up, sizeof(up)));
	put_route(&nl, AF_INET, 1);
	put_route(&nl, AF_INET6, 2);
	rc = netlink_talk(fd, bytes, nl.used, 0, ARRAY_SIZE(what), &failed);
	h->six = rc == 0;
	if (rc == 0 || (failed == 2 && is_off(rc)))
		return 0;
	return err_set(e, ST_NET, -rc, "%s",
		       failed < ARRAY_SIZE(what) ? what[failed] : "set the routes of lo");
}

/* ---- sockets ---------------------------------------------------------------------------------- */

static int hand_over(struct hand *h, int *fd, enum socket_kind kind, uint16_t port, struct err *e)
{
	if (h->n == HANDED_MAX)
		return err_set(e, ST_NET, EMFILE, "make the gate's sockets");
	h->kinds[h->n] = (struct handed){ .kind = (uint8_t)kind, .port = port };
	h->fds[h->n++] = fd_take(fd);
	return 0;
}

static int bind_to(int fd, int family, bool any, uint16_t port)
{
	const struct sockaddr_in four = { .sin_family = AF_INET,
					  .sin_port = htons(port),
					  .sin_addr.s_addr =
						  htonl(any ? INADDR_ANY : INADDR_LOOPBACK) };
	const struct sockaddr_in6 six = { .sin6_family = AF_INET6,
					  .sin6_port = htons(port),
					  .sin6_addr = any ? in6addr_any : in6addr_loopback };
	const int yes = 1;

	if (family == AF_INET)
		return bind(fd, (const struct sockaddr *)&four, sizeof(four));
	if (setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes)) < 0)
		return -1;
	return bind(fd, (const struct sockaddr *)&six, sizeof(six));
}

/*
 * What is accepted has its listener's options, also what comes before the gate runs. Urgent data
 * stays in line, or a byte would be there for one way of reading and not for another.
 */
static int listen_as_gate(int fd)
{
	const int yes = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &yes, sizeof(yes)) < 0)
		return -1;
	return listen(fd, 1 << 16);
}

/* The queue is as long as the kernel lets it be: it also waits for the gate to start. */
static int make_socket(struct hand *h, enum socket_kind kind, uint16_t port, struct err *e)
{
	const bool udp = kind == SOCKET_UDP4 || kind == SOCKET_UDP6;
	const bool six = kind == SOCKET_TCP6 || kind == SOCKET_UDP6 || kind == SOCKET_DNS6 ||
			 kind == SOCKET_AT6;
	const bool any = kind == SOCKET_AT || kind == SOCKET_AT6;
	const int family = six ? AF_INET6 : AF_INET;
	own_fd fd = FD_NONE;

	if (six && !h->six)
		return 0;
	fd = socket(family, (udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind_to(fd, family, any, port) < 0 || (!udp && listen_as_gate(fd) < 0))
		return err_set(e, ST_NET, errno, "listen at port %u inside", port);
	return hand_over(h, &fd, kind, port, e);
}

static int make_sockets(struct hand *h, const struct gateway *g, struct err *e)
{
	static const struct {
		uint8_t kind;
		uint16_t port;
		bool redirected;
	} own[] = {
		{ SOCKET_TCP4, GATE_PORT, true },      { SOCKET_TCP6, GATE_PORT, true },
		{ SOCKET_UDP4, GATE_DNS_PORT, false }, { SOCKET_UDP6, GATE_DNS_PORT, false },
		{ SOCKET_DNS4, GATE_DNS_PORT, false }, { SOCKET_DNS6, GATE_DNS_PORT, false },
	};
	const struct net_policy *p = g->policy;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(own); i++) {
		if (h->redirected || !own[i].redirected)
			rc = make_socket(h, own[i].kind, own[i].port, e);
	}
	for (uint32_t i = 0; rc == 0 && i < p->host_ports; i++)
		rc = make_socket(h, SOCKET_HOST, p->host_port[i].inside, e);
	for (unsigned i = 0; rc == 0 && !h->redirected && i < g->at.n; i++)
		rc = make_socket(h, SOCKET_AT, g->at.port[i], e);
	for (unsigned i = 0; rc == 0 && !h->redirected && i < g->at6.n; i++)
		rc = make_socket(h, SOCKET_AT6, g->at6.port[i], e);
	return rc;
}

/* ---- the log of refused packets --------------------------------------------------------------- */

static int make_log(struct hand *h, struct err *e)
{
	const struct nfgenmsg head = { .version = NFNETLINK_V0, .res_id = htons(GATE_NFLOG) };
	const struct nfulnl_msg_config_cmd bind = { .command = NFULNL_CFG_CMD_BIND };
	const struct nfulnl_msg_config_mode mode = { .copy_range = htonl(RULESET_SNAPLEN),
						     .copy_mode = NFULNL_COPY_PACKET };
	own_fd fd = netlink_socket(NETLINK_NETFILTER);
	uint8_t bytes[128] __attribute__((aligned(4)));
	struct netlink nl;
	uint32_t failed;
	size_t at;
	int rc;

	if (fd < 0)
		return err_set(e, ST_NET, -fd, "open a socket for refused packets");
	netlink_init(&nl, bytes, sizeof(bytes));
	at = netlink_begin(&nl, NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_CONFIG,
			   NLM_F_REQUEST | NLM_F_ACK, 0, &head, sizeof(head));
	netlink_put(&nl, NFULA_CFG_CMD, &bind, sizeof(bind));
	netlink_put(&nl, NFULA_CFG_MODE, &mode, sizeof(mode));
	netlink_end(&nl, at);
	rc = netlink_talk(fd, bytes, nl.used, 0, 1, &failed);
	if (rc == 0 && fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		rc = -errno;
	if (rc < 0)
		return err_set(e, ST_NET, -rc, "nftables: have refused packets logged");
	return hand_over(h, &fd, SOCKET_NFLOG, 0, e);
}

/* ---- all of it -------------------------------------------------------------------------------- */

/* A kernel that cannot do it gets the weaker way where a trusted profile says so, and else no jail. */
static int make_rules(struct hand *h, const struct gateway *g, struct err *e)
{
	int rc = batch_send(&g->batch, e);

	h->redirected = rc == 0;
	if (rc == 0)
		return make_log(h, e);
	if (!g->without_nft || !batch_is_missing(rc))
		return rc;
	*e = (struct err){ 0 };
	if (g->at.full || g->at6.full)
		return err_set(
			e, ST_NET, 0,
			"without nftables the rules may name %d ports at most: each has a listener",
			POLICY_PORTS_MAX);
	return 0;
}

static int give(const struct hand *h, int pair, struct err *e)
{
	int rc = pass_send(pair, h->kinds, h->n * sizeof(h->kinds[0]), h->fds, h->n);
	ssize_t n;
	char answer;

	if (rc < 0)
		return err_set(e, ST_NET, -rc, "give the gate its sockets");
	n = recv(pair, &answer, sizeof(answer), 0);
	if (n != 1)
		return err_set(e, ST_NET, n < 0 ? errno : EPIPE, "wait for the gate's process");
	return 0;
}

int net_make(const struct gateway *g, struct err *e)
{
	struct hand h = { 0 };
	int rc = make_routes(&h, e);

	if (rc == 0)
		rc = make_rules(&h, g, e);
	if (rc == 0)
		rc = make_sockets(&h, g, e);
	if (rc == 0)
		rc = give(&h, g->pair[0], e);
	for (size_t i = 0; i < h.n; i++)
		fd_release(&h.fds[i]);
	return rc;
}
