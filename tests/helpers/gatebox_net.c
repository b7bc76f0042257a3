// SPDX-License-Identifier: GPL-2.0-or-later
/* The network inside gatebox: routes, nftables by their tools, and the gate's sockets. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/netlink.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/text.h"
#include "tests/helpers/gatebox.h"

#define BATCH 200 /* descriptors in one message; the kernel takes 253 */

static void fail(const char *what)
{
	fprintf(stderr, "gatebox: inside: %s: %s\n", what, strerror(errno));
	_exit(125);
}

static void run_script(const char *script)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		(void)execl("/bin/sh", "sh", "-ec", script, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		fail("set the network up");
}

static void add_rule(struct text *t, const struct rule *r)
{
	char addr[64];
	struct text a;

	if (!r->addr.family)
		return;
	text_init(&a, addr, sizeof(addr));
	addr_format(&r->addr, &a);
	text_addf(t, "  %s daddr %s/%u tcp dport %u-%u accept\n",
		  r->addr.family == 4 ? "ip" : "ip6", addr, r->bits, r->first, r->last);
}

/* As net/ has them, but that every port of the names' range comes to the gate, which must refuse. */
static void set_up(const struct net_policy *p)
{
	static char script[65536];
	struct text t;

	text_init(&t, script, sizeof(script));
	text_add(&t, "PATH=$PATH:/usr/sbin:/sbin\nip link set lo up\n"
		     "ip route add local default dev lo src 127.0.0.1 table local\n"
		     "ip -6 route add local default dev lo table local || :\n");
	if (p->redirected) {
		text_add(&t, "nft -f - <<'END'\ntable inet box {\n"
			     " chain out { type filter hook output priority -150; policy drop;\n"
			     "  ct direction reply accept\n"
			     "  meta l4proto { tcp, udp } th dport 53 accept\n"
			     "  ip daddr 127.0.0.0/8 accept\n  ip6 daddr ::1 accept\n"
			     "  ip daddr 198.18.0.0/15 meta l4proto tcp accept\n");
		for (uint32_t i = 0; i < p->rules; i++)
			add_rule(&t, &p->rule[i]);
		text_add(&t, "  log group 1 snaplen 128\n"
			     "  meta l4proto tcp reject with tcp reset\n"
			     "  reject with icmpx type admin-prohibited\n }\n"
			     " chain nat { type nat hook output priority -100;\n"
			     "  meta l4proto { tcp, udp } th dport 53 redirect to :53\n"
			     "  ip daddr 127.0.0.0/8 accept\n  ip6 daddr ::1 accept\n"
			     "  meta l4proto tcp redirect to :2\n }\n}\nEND\n");
	}
	if (t.full)
		fail("too many rules");
	run_script(script);
}

static void keep(struct box *b, int fd, const char *kind, unsigned port)
{
	size_t used = strlen(b->list);
	struct text t;

	if (b->n_sockets == GATE_SOCKETS_MAX)
		fail("too many sockets");
	text_init(&t, b->list + used, sizeof(b->list) - used);
	text_addf(&t, b->n_sockets ? ",%s" : "%s", kind);
	if (port)
		text_addf(&t, "%u", port);
	b->sockets[b->n_sockets++] = fd;
}

static void add_socket(struct box *b, const char *kind, const char *at, uint16_t port, bool named,
		       bool udp)
{
	static const int on = 1;
	struct sockaddr_storage ss;
	struct addr a;
	socklen_t len;
	int fd;

	if (!addr_parse(at, &a))
		fail(at);
	len = addr_to_sockaddr(&a, port, &ss);
	fd = socket(ss.ss_family, (udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (a.family == 6)
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&ss, len) < 0 || (!udp && listen(fd, 128) < 0))
		fail(kind);
	keep(b, fd, kind, named ? port : 0);
}

static void add_attribute(struct nlmsghdr *h, uint16_t type, const void *data, size_t n)
{
	struct nlattr *a = (struct nlattr *)(void *)((char *)h + h->nlmsg_len);

	a->nla_type = type;
	a->nla_len = (uint16_t)(sizeof(*a) + n);
	memcpy(a + 1, data, n);
	h->nlmsg_len += (uint32_t)(sizeof(*a) + (n + 3) / 4 * 4);
}

static void add_nflog(struct box *b)
{
	const struct nfulnl_msg_config_cmd bind_group = { .command = NFULNL_CFG_CMD_BIND };
	const struct nfulnl_msg_config_mode mode = { .copy_mode = NFULNL_COPY_PACKET,
						     .copy_range = htonl(128) };
	const uint32_t soon = htonl(1);
	union {
		struct nlmsghdr h;
		char buf[256];
	} m = { .buf = { 0 } };
	struct nfgenmsg *g = (struct nfgenmsg *)(void *)(m.buf + sizeof(m.h));
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	const struct sockaddr_nl to = { .nl_family = AF_NETLINK };

	m.h.nlmsg_len = sizeof(m.h) + sizeof(*g);
	m.h.nlmsg_type = NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_CONFIG;
	m.h.nlmsg_flags = NLM_F_REQUEST;
	g->res_id = htons(GATE_NFLOG);
	add_attribute(&m.h, NFULA_CFG_CMD, &bind_group, sizeof(bind_group));
	add_attribute(&m.h, NFULA_CFG_MODE, &mode, sizeof(mode));
	add_attribute(&m.h, NFULA_CFG_TIMEOUT, &soon, sizeof(soon));
	if (sendto(fd, m.buf, m.h.nlmsg_len, 0, (const struct sockaddr *)&to, sizeof(to)) < 0)
		fail("bind nflog");
	keep(b, fd, "nflog", 0);
}

static void add_sockets(struct box *b)
{
	const struct net_policy *p = b->policy;

	if (p->redirected) {
		add_socket(b, "tcp4", "127.0.0.1", GATE_PORT, false, false);
		add_socket(b, "tcp6", "::1", GATE_PORT, false, false);
		add_nflog(b);
	} else {
		for (uint32_t i = 0; i < p->rules; i++)
			add_socket(b, p->rule[i].addr.family == 6 ? "at6:" : "at:",
				   p->rule[i].addr.family == 6 ? "::" : "0.0.0.0", p->rule[i].first,
				   true, false);
	}
	add_socket(b, "udp4", p->redirected ? "127.0.0.1" : "0.0.0.0", GATE_DNS_PORT, false, true);
	add_socket(b, "dns4", p->redirected ? "127.0.0.1" : "0.0.0.0", GATE_DNS_PORT, false, false);
	for (uint32_t i = 0; i < p->host_ports; i++)
		add_socket(b, "host:", "127.0.0.1", p->host_port[i].inside, true, false);
}

static void write_map(const char *path, const char *line)
{
	if (fs_write_file_at(AT_FDCWD, path, line) < 0)
		fail(path);
}

static void enter_new_network(void)
{
	char uid[32], gid[32];

	(void)snprintf(uid, sizeof(uid), "0 %u 1\n", getuid());
	(void)snprintf(gid, sizeof(gid), "0 %u 1\n", getgid());
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
		fail("unshare");
	write_map("/proc/self/setgroups", "deny");
	write_map("/proc/self/gid_map", gid);
	write_map("/proc/self/uid_map", uid);
}

static void hand_over(struct box *b, int *fds, bool sending)
{
	union {
		char buf[CMSG_SPACE(BATCH * sizeof(int))];
		struct cmsghdr align;
	} control = { .buf = { 0 } };
	const size_t bytes = b->n_sockets * sizeof(int);
	struct iovec iov = { .iov_base = b, .iov_len = sizeof(*b) };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = control.buf,
			    .msg_controllen = sending ? CMSG_SPACE(bytes) : sizeof(control.buf) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	if (sending) {
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(bytes);
		memcpy(CMSG_DATA(c), fds, bytes);
		if (sendmsg(b->wire, &m, 0) < 0)
			fail("hand over");
		return;
	}
	if (recvmsg(b->wire, &m, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof(*b) || !CMSG_FIRSTHDR(&m))
		fail("take over");
	memcpy(b->sockets, CMSG_DATA(CMSG_FIRSTHDR(&m)), b->n_sockets * sizeof(int));
}

static void be_inside(struct box *b, char **command)
{
	char pid[32] = "";

	enter_new_network();
	set_up(b->policy);
	add_sockets(b);
	hand_over(b, b->sockets, true);
	for (size_t i = 0; i < b->n_sockets; i++)
		(void)close(b->sockets[i]);
	if (recv(b->wire, pid, sizeof(pid) - 1, 0) <= 0)
		_exit(125);
	(void)setenv("GATE_PID", pid, 1);
	(void)execvp(command[0], command);
	fail(command[0]);
}

pid_t box_make_inside(struct box *b, char **command)
{
	const struct net_policy *p = b->policy;
	int wire[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, wire) < 0)
		return -1;
	pid = fork();
	b->wire = wire[pid == 0];
	if (pid == 0) {
		(void)close(wire[0]);
		be_inside(b, command);
	}
	(void)close(wire[1]);
	hand_over(b, b->sockets, false);
	b->wire = wire[0];
	for (uint32_t i = 0; i < p->publish; i++)
		add_socket(b, "pub:", "127.0.0.1", p->published[i].outside, true, false);
	return pid;
}

void box_let_go(struct box *b, pid_t gate)
{
	char pid[32];
	int n = snprintf(pid, sizeof(pid), "%d", (int)gate);

	if (send(b->wire, pid, (size_t)n, 0) != n)
		fail("let go");
}
