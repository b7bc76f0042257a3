// SPDX-License-Identifier: GPL-2.0-or-later
/* Attempts at sockets and at System V and POSIX IPC; runs inside a jail. */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/helpers/probe.h"

#define FAMILIES	  64
#define NETLINK_PROTOCOLS 32

static long try_socket(const struct call *c)
{
	uint64_t family, type, protocol;

	if (!probe_number(c->argv[0], INT_MAX, &family) || !probe_number(c->argv[1], INT_MAX, &type) ||
	    !probe_number(c->argv[2], INT_MAX, &protocol))
		return PROBE_USAGE;
	return socket((int)family, (int)type, (int)protocol);
}

/* The kernel looks at 32 bits of each: a filter that compares all 64 is passed by setting another. */
static long try_socket_wide(const struct call *c)
{
	uint64_t family, type, protocol;

	if (!probe_number(c->argv[0], UINT64_MAX, &family) ||
	    !probe_number(c->argv[1], UINT64_MAX, &type) ||
	    !probe_number(c->argv[2], UINT64_MAX, &protocol))
		return PROBE_USAGE;
	return syscall(SYS_socket, family, type, protocol);
}

/* Prints a line unless it is EPERM; true when it did. */
static bool sweep_one(const char *name, int family, int type, int protocol)
{
	own_fd fd = socket(family, type | SOCK_CLOEXEC, protocol);

	if (fd < 0 && errno == EPERM)
		return false;
	printf("%s %d %d %d %s\n", name, family, type, protocol, probe_errno_name(fd < 0 ? errno : 0));
	return true;
}

static long sweep_families(const struct call *c)
{
	static const int types[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET };
	size_t found = 0;

	for (int family = 0; family < FAMILIES; family++)
		for (size_t t = 0; t < ARRAY_SIZE(types); t++)
			found += sweep_one(c->name, family, types[t], 0);
	printf("%s %zu not refused\n", c->name, found);
	return PROBE_SAID;
}

static long sweep_netlink(const struct call *c)
{
	size_t found = 0;

	for (int protocol = 0; protocol < NETLINK_PROTOCOLS; protocol++)
		found += sweep_one(c->name, AF_NETLINK, SOCK_RAW, protocol);
	printf("%s %zu not refused\n", c->name, found);
	return PROBE_SAID;
}

/* Gives the loopback device another address, which ends with the network namespace. */
static long add_address(const struct call *c)
{
	own_fd fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	struct {
		struct nlmsghdr head;
		struct ifaddrmsg addr;
		struct rtattr attr;
		struct in_addr local;
	} q = {
		.head = { .nlmsg_len = sizeof(q),
			  .nlmsg_type = RTM_NEWADDR,
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE },
		.addr = { .ifa_family = AF_INET, .ifa_prefixlen = 32, .ifa_index = 1 },
		.attr = { .rta_len = RTA_LENGTH(sizeof(struct in_addr)), .rta_type = IFA_LOCAL },
		.local = { htonl(0x7f4d4d4d) },
	};
	struct {
		struct nlmsghdr head;
		struct nlmsgerr err;
		char more[512];
	} answer = { 0 };

	(void)c;
	if (fd < 0 || send(fd, &q, sizeof(q), 0) < 0 || recv(fd, &answer, sizeof(answer), 0) < 0 ||
	    answer.head.nlmsg_type != NLMSG_ERROR)
		return PROBE_UNREADY;
	errno = -answer.err.error;
	return errno ? -1 : 0;
}

/*
 * The value is text, or what an empty table of iptables would be: EINVAL and its like say that the
 * caller was allowed to set it.
 */
static long set_option(const struct call *c)
{
	uint64_t family, type, level, name;
	char value[512] = { 0 };
	own_fd fd = FD_NONE;

	if (!probe_number(c->argv[0], INT_MAX, &family) || !probe_number(c->argv[1], INT_MAX, &type) ||
	    !probe_number(c->argv[2], INT_MAX, &level) || !probe_number(c->argv[3], INT_MAX, &name))
		return PROBE_USAGE;
	fd = socket((int)family, (int)type | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return PROBE_UNREADY;
	if (c->argv[4])
		(void)snprintf(value, sizeof(value), "%s", c->argv[4]);
	return setsockopt(fd, (int)level, (int)name, value,
			  c->argv[4] ? (socklen_t)strlen(value) + 1 : sizeof(value));
}

/* argv is ADDRESS PORT. */
static bool inet_address(const struct call *c, struct sockaddr_in *ret)
{
	uint64_t port;

	*ret = (struct sockaddr_in){ .sin_family = AF_INET };
	if (inet_pton(AF_INET, c->argv[0], &ret->sin_addr) != 1 ||
	    !probe_number(c->argv[1], UINT16_MAX, &port))
		return false;
	ret->sin_port = htons((uint16_t)port);
	return true;
}

static long fast_open(const struct call *c)
{
	own_fd fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_in a;

	if (!inet_address(c, &a))
		return PROBE_USAGE;
	if (fd < 0)
		return PROBE_UNREADY;
	return sendto(fd, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL, (const struct sockaddr *)&a, sizeof(a));
}

static long tcp_connect(const struct call *c)
{
	own_fd fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in a;

	if (!inet_address(c, &a))
		return PROBE_USAGE;
	if (fd < 0)
		return PROBE_UNREADY;
	return connect(fd, (const struct sockaddr *)&a, sizeof(a));
}

/* An abstract name has a NUL in front and none behind. */
static bool unix_address(const char *name, bool abstract, struct sockaddr_un *ret, socklen_t *len)
{
	size_t n = strlen(name);

	if (!n || n + 1 > sizeof(ret->sun_path))
		return false;
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(ret->sun_path + abstract, name, n);
	*len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n + 1);
	return true;
}

static long unix_connect(const struct call *c)
{
	own_fd fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un a;
	socklen_t len;

	if (!unix_address(c->argv[0], c->data, &a, &len))
		return PROBE_USAGE;
	if (fd < 0)
		return PROBE_UNREADY;
	return connect(fd, (const struct sockaddr *)&a, len);
}

/* From a socket pair: a filter that refuses socket(AF_UNIX) does not see this one being made. */
static long unix_send(const struct call *c)
{
	int pair[2] = { FD_NONE, FD_NONE };
	struct sockaddr_un a;
	socklen_t len;

	if (!unix_address(c->argv[0], false, &a, &len))
		return PROBE_USAGE;
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return PROBE_UNREADY;
	return sendto(pair[0], "x", 1, MSG_NOSIGNAL, (const struct sockaddr *)&a, len);
}

static long find_shm(const struct call *c)
{
	uint64_t key;

	if (!probe_number(c->argv[0], INT_MAX, &key))
		return PROBE_USAGE;
	return shmget((key_t)key, 0, 0);
}

static long open_queue(const struct call *c)
{
	return mq_open(c->argv[0], O_RDONLY | O_CLOEXEC);
}

static long open_shm(const struct call *c)
{
	return shm_open(c->argv[0], O_RDONLY | O_CLOEXEC, 0);
}

const struct probe probes_net[] = {
	{ "socket", "FAMILY TYPE PROTOCOL", 3, 3, try_socket, 0 },
	{ "socket-wide", "FAMILY TYPE PROTOCOL", 3, 3, try_socket_wide, 0 },
	{ "newaddr", "", 0, 0, add_address, 0 },
	{ "socket-sweep", "", 0, 0, sweep_families, 0 },
	{ "netlink-sweep", "", 0, 0, sweep_netlink, 0 },
	{ "setsockopt", "FAMILY TYPE LEVEL NAME [TEXT]", 4, 5, set_option, 0 },
	{ "fastopen", "ADDRESS PORT", 2, 2, fast_open, 0 },
	{ "tcpconnect", "ADDRESS PORT", 2, 2, tcp_connect, 0 },
	{ "abstract", "NAME", 1, 1, unix_connect, true },
	{ "unixconnect", "PATH", 1, 1, unix_connect, false },
	{ "unixsend", "PATH", 1, 1, unix_send, 0 },
	{ "shmget", "KEY", 1, 1, find_shm, 0 },
	{ "mqopen", "/NAME", 1, 1, open_queue, 0 },
	{ "shm_open", "/NAME", 1, 1, open_shm, 0 },
	{ 0 },
};
