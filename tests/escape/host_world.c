// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The world, for rows about the network; runs outside, in a network namespace of its own in which every
 * address is here. What a sandbox that is started in that namespace sends, arrives and is logged:
 *
 *   packet PROTOCOL ADDRESS PORT   the first packet of a connection, or any other
 *   heard ADDRESS PORT b'...'      the first bytes of a connection
 *   query NAME TYPE                a question to any name server
 *
 * Connections and datagrams are answered with the word "world", whatever they say. A name's address
 * is 1.2.3.4, or the one that it begins with: ip-10-0-0-1.x.test; flip-10-0-0-1.x.test says both in
 * turn; ip6-N.x.test has an IPv6 address from the list below. Their time to live is 0. Records of
 * other types are four bytes, too.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip6.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "tests/escape/host.h"

#define K_IPV6_FREEBIND 78 /* not in every libc */

static const uint16_t tcp_ports[] = { 2, 22, 53, 80, 443, 853, 1080, 3128, 5432, 8443, 65535 };
static const uint16_t udp_ports[] = { 53, 123, 443, 5353, 5355 };
static const char *const v6_answers[] = { "::1", "fd00:ec2::254", "fe80::1", "64:ff9b::a00:1",
					  "2600::1" };
enum { SOCKETS = ARRAY_SIZE(tcp_ports) + ARRAY_SIZE(udp_ports) + 1 };

static FILE *log_file;
static volatile sig_atomic_t ending;

static void on_end(int sig)
{
	(void)sig;
	ending = 1;
}

/* `ip route add TYPE NET/BITS dev lo table local`; of the net, only the first byte is not 0. */
static int add_route(int family, unsigned char type, uint8_t net, unsigned char bits)
{
	own_fd fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	struct {
		struct nlmsghdr head;
		struct rtmsg route;
		struct rtattr out;
		int32_t device;
		struct rtattr to;
		uint8_t net[16];
	} q = {
		.head = { .nlmsg_type = RTM_NEWROUTE,
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE },
		.route = { .rtm_family = (unsigned char)family,
			   .rtm_dst_len = bits,
			   .rtm_table = RT_TABLE_LOCAL,
			   .rtm_protocol = RTPROT_STATIC,
			   .rtm_scope = type == RTN_LOCAL ? RT_SCOPE_HOST : RT_SCOPE_UNIVERSE,
			   .rtm_type = type },
		.out = { .rta_len = RTA_LENGTH(sizeof(int32_t)), .rta_type = RTA_OIF },
		.device = 1,
		.to = { .rta_type = RTA_DST },
		.net = { net },
	};
	struct {
		struct nlmsghdr head;
		struct nlmsgerr err;
		char more[512];
	} a = { 0 };
	size_t size = family == AF_INET ? 4 : 16;

	q.to.rta_len = (unsigned short)RTA_LENGTH(size);
	q.head.nlmsg_len = (uint32_t)(offsetof(typeof(q), net) + size);
	if (fd < 0 || send(fd, &q, q.head.nlmsg_len, 0) < 0 || recv(fd, &a, sizeof(a), 0) < 0)
		return -1;
	errno = -a.err.error;
	return errno ? -1 : 0;
}

/* Everything is local, and what is sent to a group is sent. IPv6 may be switched off. */
static int bring_up(void)
{
	own_fd fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq r = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_MULTICAST };

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &r) < 0 || add_route(AF_INET, RTN_LOCAL, 0, 0) < 0 ||
	    add_route(AF_INET, RTN_MULTICAST, 224, 4) < 0)
		return -1;
	(void)add_route(AF_INET6, RTN_LOCAL, 0, 0);
	return 0;
}

/* Both families; IPv4 alone where there is no other. */
static int open_port(int type, uint16_t port)
{
	own_fd fd = socket(AF_INET6, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons(port) };
	int yes = 1, no = 0;

	if (fd >= 0) {
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &yes, sizeof(yes));
		(void)setsockopt(fd, IPPROTO_IPV6, K_IPV6_FREEBIND, &yes, sizeof(yes));
	}
	if (fd < 0 || bind(fd, (struct sockaddr *)&six, sizeof(six)) < 0) {
		fd_release(&fd);
		fd = socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (fd < 0 || bind(fd, (struct sockaddr *)&four, sizeof(four)) < 0)
			return -1;
	}
	if (type == SOCK_STREAM && listen(fd, 256) < 0)
		return -1;
	return fd_take(&fd);
}

static void log_address(const struct sockaddr_storage *a)
{
	struct sockaddr_in6 six = { 0 };
	struct sockaddr_in four = { 0 };
	char text[INET6_ADDRSTRLEN] = "?";

	memcpy(&six, a, sizeof(six));
	memcpy(&four, a, sizeof(four));
	if (a->ss_family == AF_INET)
		(void)inet_ntop(AF_INET, &four.sin_addr, text, sizeof(text));
	else if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr))
		(void)inet_ntop(AF_INET, &six.sin6_addr.s6_addr[12], text, sizeof(text));
	else
		(void)inet_ntop(AF_INET6, &six.sin6_addr, text, sizeof(text));
	/* The port is at the same place in both. */
	fprintf(log_file, " %s %u", text, (unsigned)ntohs(four.sin_port));
}

static void serve_tcp(int listener)
{
	static const char hi[] =
		"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nworld\n";
	const struct timeval patience = { .tv_usec = 300000 };
	own_fd peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	struct sockaddr_storage to = { 0 };
	socklen_t len = sizeof(to);
	unsigned char data[2048];
	ssize_t n;

	if (peer < 0)
		return;
	(void)setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	(void)getsockname(peer, (struct sockaddr *)&to, &len);
	n = recv(peer, data, sizeof(data), 0);
	fputs("heard", log_file);
	log_address(&to);
	fputc(' ', log_file);
	host_print_bytes(log_file, data, n > 0 ? (size_t)n : 0);
	fputc('\n', log_file);
	(void)fflush(log_file);
	(void)send(peer, hi, sizeof(hi) - 1, MSG_NOSIGNAL);
}

/* The address that a name begins with, as four numbers behind the prefix. */
static bool address_in(const char *name, const char *prefix, uint8_t ret[4])
{
	if (!str_starts(name, prefix))
		return false;
	name += strlen(prefix);
	for (int i = 0; i < 4; i++) {
		unsigned v = 0;

		if (*name < '0' || *name > '9')
			return false;
		while (*name >= '0' && *name <= '9')
			v = v * 10 + (unsigned)(*name++ - '0');
		ret[i] = (uint8_t)v;
		if (*name++ != (i < 3 ? '-' : '.'))
			return false;
	}
	return true;
}

/* The bytes of the answer's data; 0: none. */
static size_t look_up(const char *name, unsigned type, uint8_t *out)
{
	static bool flipped;
	uint8_t a[4] = { 1, 2, 3, 4 }, other[4];

	if (type == 28 && str_starts(name, "ip6-") && name[4] >= '0' &&
	    name[4] < '0' + (int)ARRAY_SIZE(v6_answers))
		return inet_pton(AF_INET6, v6_answers[name[4] - '0'], out) == 1 ? 16 : 0;
	if (type == 28 || str_starts(name, "ip6-"))
		return 0;
	if (!address_in(name, "ip-", a) && address_in(name, "flip-", other)) {
		if (flipped)
			memcpy(a, other, 4);
		flipped = !flipped;
	}
	memcpy(out, a, 4);
	return 4;
}

/* Turns a query into its answer where it stands; the new length. */
static size_t answer_query(uint8_t *m, size_t n, size_t size)
{
	static const uint8_t record[12] = { 0xc0, 12, 0, 0, 0, 1 }, counts[8] = { 0, 1 };
	char name[256];
	size_t pos = 12, used = 0, data;
	unsigned type;

	while (pos < n && m[pos] && pos + m[pos] < n && used + m[pos] + 2 < sizeof(name)) {
		for (size_t i = 1; i <= m[pos]; i++)
			name[used++] = m[pos + i] > ' ' && m[pos + i] < 0x7f ? (char)m[pos + i] : '?';
		name[used++] = '.';
		pos += 1u + m[pos];
	}
	name[used] = '\0';
	if (pos + 5 > n || m[pos] || pos + 5 + 12 + 16 > size)
		return 0;
	type = (unsigned)m[pos + 1] << 8 | m[pos + 2];
	fprintf(log_file, "query %s %u\n", name, type);
	(void)fflush(log_file);
	pos += 5;
	memcpy(m + pos, record, sizeof(record));
	m[pos + 3] = (uint8_t)type;
	data = look_up(name, type, m + pos + 12);
	m[pos + 11] = (uint8_t)data;
	m[2] = (uint8_t)(0x80 | (m[2] & 1));
	m[3] = 0x80;
	memcpy(m + 4, counts, sizeof(counts));
	m[7] = data > 0;
	return data ? pos + 12 + data : pos;
}

static void serve_udp(int fd, uint16_t port)
{
	union {
		char buf[256];
		struct cmsghdr align;
	} control;
	uint8_t data[2048] = "";
	struct sockaddr_storage from = { 0 };
	struct iovec iov = { data, sizeof(data) };
	struct msghdr msg = { .msg_name = &from,
			      .msg_namelen = sizeof(from),
			      .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(fd, &msg, 0);

	if (n < 0)
		return;
	iov.iov_len = port == 53 && n > 12 ? answer_query(data, (size_t)n, sizeof(data)) : 0;
	if (!iov.iov_len) {
		iov.iov_len = (size_t)snprintf((char *)data, sizeof(data), "world\n");
	}
	(void)sendmsg(fd, &msg, MSG_NOSIGNAL); /* the control part holds where it was sent to */
}

static bool is_ours(uint16_t port)
{
	for (size_t i = 0; i < ARRAY_SIZE(udp_ports); i++) {
		if (udp_ports[i] == port)
			return true;
	}
	return false;
}

/* p is behind the IP header, n bytes of it. Our own answers and all but first packets are left out. */
static void log_packet(unsigned protocol, const char *to, const uint8_t *p, size_t n)
{
	unsigned port = n >= 4 ? (unsigned)p[2] << 8 | p[3] : 0;

	if (protocol == IPPROTO_TCP && n >= 14) {
		if ((p[13] & 0x12) == 0x02) /* SYN and no ACK */
			fprintf(log_file, "packet tcp %s %u\n", to, port);
	} else if (protocol == IPPROTO_UDP && n >= 4) {
		if (!is_ours((uint16_t)(p[0] << 8 | p[1])))
			fprintf(log_file, "packet udp %s %u\n", to, port);
	} else if (protocol == IPPROTO_ICMP || protocol == IPPROTO_ICMPV6) {
		if (n && (p[0] == 8 || p[0] == 128)) /* an echo request; errors are ours */
			fprintf(log_file, "packet icmp %s 0\n", to);
	} else {
		fprintf(log_file, "packet %u %s 0\n", protocol, to);
	}
	(void)fflush(log_file);
}

static bool sniff(int fd)
{
	uint8_t p[256];
	char to[INET6_ADDRSTRLEN] = "?";
	struct sockaddr_ll from = { 0 };
	socklen_t len = sizeof(from);
	ssize_t n = recvfrom(fd, p, sizeof(p), MSG_DONTWAIT, (struct sockaddr *)&from, &len);
	size_t head = n > 0 ? (size_t)(p[0] & 15) * 4 : 0;

	if (n < 0)
		return false;
	if (from.sll_pkttype != PACKET_HOST)
		return true; /* loopback shows each of them twice */
	if (ntohs(from.sll_protocol) == ETH_P_IP && n >= 20 && (size_t)n >= head) {
		(void)inet_ntop(AF_INET, p + 16, to, sizeof(to));
		log_packet(p[9], to, p + head, (size_t)n - head);
	} else if (ntohs(from.sll_protocol) == ETH_P_IPV6 && n >= 40) {
		(void)inet_ntop(AF_INET6, p + 24, to, sizeof(to));
		log_packet(p[6], to, p + 40, (size_t)n - 40);
	}
	return true;
}

static int open_all(struct pollfd *fds)
{
	const struct sockaddr_ll lo = { .sll_family = AF_PACKET,
					.sll_protocol = htons(ETH_P_ALL),
					.sll_ifindex = 1 };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(tcp_ports); i++)
		fds[n++].fd = open_port(SOCK_STREAM, tcp_ports[i]);
	for (size_t i = 0; i < ARRAY_SIZE(udp_ports); i++)
		fds[n++].fd = open_port(SOCK_DGRAM, udp_ports[i]);
	fds[n].fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(ETH_P_ALL));
	if (fds[n].fd < 0 || bind(fds[n].fd, (const struct sockaddr *)&lo, sizeof(lo)) < 0)
		return -1;
	for (n = 0; n < SOCKETS; n++) {
		fds[n].events = POLLIN;
		if (fds[n].fd < 0)
			return -1;
	}
	return 0;
}

int host_world(char **argv)
{
	const struct sigaction act = { .sa_handler = on_end };
	struct pollfd fds[SOCKETS] = { 0 };

	log_file = fopen(argv[0], "ae");
	if (!log_file)
		return host_fail(argv[0]);
	if (bring_up() < 0 || open_all(fds) < 0 || sigaction(SIGTERM, &act, NULL) < 0)
		return host_fail("world");
	host_ready();
	/* A turn without anything to do after SIGTERM, and all that came before it is in the log. */
	for (int busy = 1; busy > 0 || !ending;) {
		busy = poll(fds, SOCKETS, ending ? 0 : 100);
		for (size_t i = 0; busy > 0 && i < SOCKETS; i++) {
			if (!fds[i].revents)
				continue;
			if (i < ARRAY_SIZE(tcp_ports))
				serve_tcp(fds[i].fd);
			else if (i < SOCKETS - 1)
				serve_udp(fds[i].fd, udp_ports[i - ARRAY_SIZE(tcp_ports)]);
			else
				while (sniff(fds[i].fd))
					;
		}
	}
	return 0;
}
