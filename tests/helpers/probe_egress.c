// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attempts to get something out by a network, and to be answered; runs inside a jail. What answers is
 * host_world.c, with the word "world".
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "tests/helpers/probe.h"

#define PATIENCE 3000 /* ms; what is refused is refused at once */
#define SERVER	 "192.0.2.53"

struct peer {
	struct sockaddr_storage addr;
	socklen_t len;
};

static bool peer_at(const char *text, const char *port_text, struct peer *ret)
{
	struct sockaddr_in *four = (struct sockaddr_in *)&ret->addr;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&ret->addr;
	uint64_t port;

	memset(ret, 0, sizeof(*ret));
	if (!probe_number(port_text, UINT16_MAX, &port))
		return false;
	if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
		four->sin_family = AF_INET;
		four->sin_port = htons((uint16_t)port);
		ret->len = sizeof(*four);
		return true;
	}
	six->sin6_family = AF_INET6;
	six->sin6_port = htons((uint16_t)port);
	six->sin6_scope_id = str_starts(text, "fe80:") ? 1 : 0;
	ret->len = sizeof(*six);
	return inet_pton(AF_INET6, text, &six->sin6_addr) == 1;
}

/* Said by a probe itself: a word in the place of an error. */
static long say(const struct call *c, const char *word)
{
	printf("%s %d %s\n", c->name, str_eq(word, "OK") ? 0 : -1, word);
	return str_eq(word, "OK") ? PROBE_SAID : PROBE_DENIED;
}

/* 0, or -1 with errno. */
static int connect_to(int fd, const struct peer *p)
{
	struct pollfd poller = { .fd = fd, .events = POLLOUT };
	int error = 0;
	socklen_t len = sizeof(error);

	if (connect(fd, (const struct sockaddr *)&p->addr, p->len) == 0)
		return 0;
	if (errno != EINPROGRESS)
		return -1;
	if (poll(&poller, 1, PATIENCE) != 1) {
		errno = ETIMEDOUT;
		return -1;
	}
	(void)getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
	errno = error;
	return error ? -1 : 0;
}

/* A number of bytes, 0 at the end of file, -1 with errno. */
static ssize_t hear(int fd, void *buf, size_t size, int ms)
{
	struct pollfd poller = { .fd = fd, .events = POLLIN };

	if (poll(&poller, 1, ms) != 1) {
		errno = ETIMEDOUT;
		return -1;
	}
	return recv(fd, buf, size, 0);
}

/* argv is TYPE PROTOCOL ADDRESS PORT; something is sent, and a refusal may come later. */
static long send_as(const struct call *c)
{
	uint64_t type, protocol;
	struct peer p;
	char buf[512] = "x-probe-x-probe-"; /* for a raw socket: whatever it is there */
	own_fd fd = FD_NONE;
	ssize_t n;

	if (!probe_number(c->argv[0], INT32_MAX, &type) ||
	    !probe_number(c->argv[1], INT32_MAX, &protocol) || !peer_at(c->argv[2], c->argv[3], &p))
		return PROBE_USAGE;
	fd = socket(p.addr.ss_family, (int)type | SOCK_CLOEXEC | SOCK_NONBLOCK, (int)protocol);
	if (fd < 0 || connect_to(fd, &p) < 0)
		return -1;
	if (protocol == IPPROTO_ICMP)
		memcpy(buf, "\x08\0\xf7\xff\0\0\0\0", 8);
	if (send(fd, buf, 16, MSG_NOSIGNAL) < 0)
		return -1;
	if (type == SOCK_RAW)
		return 0;
	n = hear(fd, buf, sizeof(buf), 1000);
	return n < 0 ? -1 : 0;
}

static long tcp(const struct call *c)
{
	own_fd fd = FD_NONE;
	struct peer p;

	if (!peer_at(c->argv[0], c->argv[1], &p))
		return PROBE_USAGE;
	fd = socket(p.addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return fd < 0 ? PROBE_UNREADY : connect_to(fd, &p);
}

/* "\x00", "\r", "\n", "\\" in an argument, which cannot hold every byte. */
static size_t unescape(const char *s, uint8_t *out, size_t size)
{
	size_t n = 0;
	uint64_t v;

	while (*s && n < size) {
		char hex[5] = "0x";

		if (*s != '\\' || !s[1]) {
			out[n++] = (uint8_t)*s++;
			continue;
		}
		s += 2;
		if (s[-1] == 'x' && s[0] && s[1]) {
			memcpy(hex + 2, s, 2);
			out[n++] = probe_number(hex, UINT8_MAX, &v) ? (uint8_t)v : '?';
			s += 2;
		} else {
			out[n++] = (uint8_t)(s[-1] == 'r' ? '\r' : s[-1] == 'n' ? '\n' : s[-1]);
		}
	}
	return n;
}

static size_t build_query(const char *name, unsigned type, uint8_t *out)
{
	static const uint8_t head[] = { 0x4a, 0x4a, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0 };
	uint8_t bytes[256];
	size_t n = unescape(name, bytes, sizeof(bytes) - 1), at = sizeof(head), label = at;

	memcpy(out, head, sizeof(head));
	bytes[n] = '.';
	at++;
	for (size_t i = 0; i <= n; i++) {
		if (bytes[i] != '.') {
			out[at++] = bytes[i];
			continue;
		}
		if (at - label - 1 == 0)
			continue; /* the dot at the end */
		out[label] = (uint8_t)(at - label - 1);
		label = at++;
	}
	out[label] = 0;
	at = label + 1;
	out[at++] = (uint8_t)(type >> 8);
	out[at++] = (uint8_t)type;
	out[at++] = 0;
	out[at++] = 1;
	return at;
}

/* The first address of an answer, as text: the records before it are skipped. */
static const char *read_answer(const uint8_t *m, size_t n, size_t question, char *ret)
{
	static const char *const words[] = { "NODATA",	 "FORMERR", "SERVFAIL",
					     "NXDOMAIN", "NOTIMP",  "REFUSED" };
	unsigned rcode = n > 12 ? m[3] & 15u : 15;
	size_t at = question, records = n > 12 ? m[7] : 0;

	if (rcode >= ARRAY_SIZE(words))
		return "MALFORMED";
	while (!rcode && records--) {
		size_t length;

		while (at < n && m[at] && m[at] < 0xc0)
			at += 1u + m[at];
		at += at < n && m[at] >= 0xc0 ? 2 : 1;
		if (at + 10 > n)
			break;
		length = (size_t)m[at + 8] << 8 | m[at + 9];
		at += 10;
		if (at + length <= n && (length == 4 || length == 16)) {
			(void)inet_ntop(length == 4 ? AF_INET : AF_INET6, m + at, ret,
					INET6_ADDRSTRLEN);
			return "OK";
		}
		at += length;
	}
	return words[rcode];
}

/* NULL: errno says why there is no answer. */
static const char *ask_server(const char *name, unsigned type, const struct peer *server, int kind,
			      char *ret)
{
	own_fd fd = socket(server->addr.ss_family, kind | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	uint8_t m[2048 + 2];
	size_t n = build_query(name, type, m + 2), ahead = kind == SOCK_STREAM ? 0 : 2;
	ssize_t got;

	m[0] = (uint8_t)(n >> 8);
	m[1] = (uint8_t)n;
	if (fd < 0 || connect_to(fd, server) < 0 ||
	    send(fd, m + ahead, n + 2 - ahead, MSG_NOSIGNAL) < 0)
		return NULL;
	got = hear(fd, m + ahead, sizeof(m) - ahead, PATIENCE);
	if (got < 0)
		return NULL;
	if (memmem(m + ahead, (size_t)got, "world", 5))
		return "OK"; /* no name server, but somebody */
	got += (ssize_t)ahead;
	return got <= 2 ? "CLOSED" : read_answer(m + 2, (size_t)got - 2, n, ret);
}

/* argv is NAME [TYPE [SERVER [PORT]]] */
static long ask(const struct call *c)
{
	const char *server = SERVER, *port = "53", *word;
	char addr[INET6_ADDRSTRLEN];
	uint64_t type = 1;
	struct peer p;

	if (c->argv[1] && !probe_number(c->argv[1], UINT16_MAX, &type))
		return PROBE_USAGE;
	if (c->argv[1] && c->argv[2]) {
		server = c->argv[2];
		port = c->argv[3] ? c->argv[3] : port;
	}
	if (!peer_at(server, port, &p))
		return PROBE_USAGE;
	word = ask_server(c->argv[0], (unsigned)type, &p, (int)c->data, addr);
	return word ? say(c, word) : -1;
}

/* What somebody answered: OK is only the world itself. */
static const char *judge_reply(const char *reply, size_t n)
{
	if (memmem(reply, n, "world", 5))
		return "OK";
	if (n > 12 && !memcmp(reply, "HTTP/1.1 403", 12))
		return "403";
	if (n >= 7 && reply[0] == 21)
		return "ALERT";
	return n ? "SOMETHING" : "CLOSED";
}

static long talk(const struct call *c, const struct peer *p, const uint8_t *bytes, size_t n)
{
	own_fd fd = socket(p->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	char reply[4096];
	size_t used = 0;
	ssize_t got = 1;

	if (fd < 0)
		return PROBE_UNREADY;
	if (connect_to(fd, p) < 0 || send(fd, bytes, n, MSG_NOSIGNAL) < 0)
		return -1;
	while (got > 0 && used < sizeof(reply)) {
		got = hear(fd, reply + used, sizeof(reply) - used, PATIENCE);
		used += got > 0 ? (size_t)got : 0;
	}
	return got < 0 && !used ? -1 : say(c, judge_reply(reply, used));
}

/* HOST is an address, or a name that is asked for like any program would. */
static bool find_host(const char *host, const char *port, struct peer *ret, const char **ret_why)
{
	char addr[INET6_ADDRSTRLEN] = "";
	struct peer server;

	if (peer_at(host, port, ret))
		return true;
	(void)peer_at(SERVER, "53", &server);
	*ret_why = ask_server(host, 1, &server, SOCK_DGRAM, addr);
	if (*ret_why && str_eq(*ret_why, "NODATA"))
		*ret_why = ask_server(host, 28, &server, SOCK_DGRAM, addr);
	if (!*ret_why)
		*ret_why = probe_errno_name(errno);
	return peer_at(addr, port, ret);
}

/* argv is HOST PORT TEXT */
static long say_text(const struct call *c)
{
	uint8_t bytes[8192];
	size_t n = unescape(c->argv[2], bytes, sizeof(bytes));
	const char *why = NULL;
	struct peer p;

	if (!find_host(c->argv[0], c->argv[1], &p, &why))
		return why ? say(c, why) : PROBE_USAGE;
	return talk(c, &p, bytes, n);
}

/* A ClientHello, and with `ech` the extension that hides another one. */
static size_t build_hello(const uint8_t *name, size_t n, bool ech, uint8_t *out)
{
	const uint8_t head[] = { 1, 0, 0, 0, 3, 3 }, rest[] = { 0, 0, 2, 0x13, 1, 1, 0 };
	const uint8_t server[] = { 0, 0, 0, (uint8_t)(n + 5), 0, (uint8_t)(n + 3), 0, 0, (uint8_t)n };
	const uint8_t hidden[] = { 0xfe, 0x0d, 0, 10, 0, 0, 1, 0, 1, 7, 0, 0, 0, 0 };
	size_t at = 38, list;

	memset(out, 0, at);
	memcpy(out, head, sizeof(head));
	memcpy(out + at, rest, sizeof(rest));
	at += sizeof(rest) + 2;
	list = at;
	if (n) {
		memcpy(out + at, server, sizeof(server));
		memcpy(out + at + sizeof(server), name, n);
		at += sizeof(server) + n;
	}
	if (ech) {
		memcpy(out + at, hidden, sizeof(hidden));
		at += sizeof(hidden);
	}
	out[list - 2] = (uint8_t)((at - list) >> 8);
	out[list - 1] = (uint8_t)(at - list);
	out[2] = (uint8_t)((at - 4) >> 8);
	out[3] = (uint8_t)(at - 4);
	return at;
}

/* argv is HOST PORT SERVER-NAME [RECORD-SIZE [ech]]; "-" is no name. */
static long say_hello(const struct call *c)
{
	uint8_t msg[512], out[6 * sizeof(msg)], name[256];
	size_t n = str_eq(c->argv[2], "-") ? 0 : unescape(c->argv[2], name, sizeof(name) - 16);
	size_t used = 0, len = build_hello(name, n, c->argv[3] && c->argv[4], msg);
	uint64_t size = sizeof(msg);
	const char *why = NULL;
	struct peer p;

	if (c->argv[3] && (!probe_number(c->argv[3], sizeof(msg), &size) || !size))
		return PROBE_USAGE;
	for (size_t i = 0; i < len; i += size) {
		size_t here = len - i < size ? len - i : size;
		const uint8_t record[] = { 22, 3, 1, (uint8_t)(here >> 8), (uint8_t)here };

		memcpy(out + used, record, sizeof(record));
		memcpy(out + used + sizeof(record), msg + i, here);
		used += sizeof(record) + here;
	}
	if (!find_host(c->argv[0], c->argv[1], &p, &why))
		return why ? say(c, why) : PROBE_USAGE;
	return talk(c, &p, out, used);
}

/*
 * argv is SECONDS FILE PORT...: FILE is made when it listens at all of them, at every address; it
 * ends when somebody removes that.
 */
static long listen_at(const struct call *c)
{
	uint64_t seconds, port;
	own_fd up = FD_NONE;
	size_t n = 0;

	if (!probe_number(c->argv[0], 60, &seconds))
		return PROBE_USAGE;
	for (; c->argv[2 + n]; n++) {
		struct sockaddr_in a = { .sin_family = AF_INET };
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); /* until it ends */

		if (!probe_number(c->argv[2 + n], UINT16_MAX, &port))
			return PROBE_USAGE;
		a.sin_port = htons((uint16_t)port);
		if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 8) < 0)
			return -1;
	}
	up = open(c->argv[1], O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	for (n = 0; up >= 0 && n < seconds * 50 && access(c->argv[1], F_OK) == 0; n++)
		(void)usleep(20000);
	return up < 0 ? PROBE_UNREADY : 0;
}

/* Deletes every table of every family, if there are any. */
static long flush_tables(const struct call *c)
{
	own_fd fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	struct part {
		struct nlmsghdr head;
		struct nfgenmsg gen;
	} q[3] = { 0 };
	struct {
		struct nlmsghdr head;
		struct nlmsgerr err;
		char more[512];
	} a = { 0 };

	(void)c;
	if (fd < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(q); i++) {
		q[i].head.nlmsg_len = sizeof(q[i]);
		q[i].head.nlmsg_flags = NLM_F_REQUEST;
	}
	q[0].head.nlmsg_type = NFNL_MSG_BATCH_BEGIN;
	q[0].gen.res_id = htons(NFNL_SUBSYS_NFTABLES);
	q[1].head.nlmsg_type = NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_DELTABLE;
	q[1].head.nlmsg_flags |= NLM_F_ACK;
	q[2].head.nlmsg_type = NFNL_MSG_BATCH_END;
	q[2].gen.res_id = htons(NFNL_SUBSYS_NFTABLES);
	if (send(fd, q, sizeof(q), 0) < 0)
		return -1;
	if (hear(fd, &a, sizeof(a), PATIENCE) < 0 || a.head.nlmsg_type != NLMSG_ERROR)
		return PROBE_UNREADY;
	errno = -a.err.error;
	return errno ? -1 : 0;
}

const struct probe probes_egress[] = {
	{ "tcp", "ADDRESS PORT", 2, 2, tcp, 0 },
	{ "send-as", "TYPE PROTOCOL ADDRESS PORT", 4, 4, send_as, 0 },
	{ "ask", "NAME [TYPE [SERVER [PORT]]]", 1, 4, ask, SOCK_DGRAM },
	{ "ask-tcp", "NAME [TYPE [SERVER [PORT]]]", 1, 4, ask, SOCK_STREAM },
	{ "say", "HOST PORT TEXT", 3, 3, say_text, 0 },
	{ "hello", "HOST PORT SERVER-NAME [RECORD-SIZE [ech]]", 3, 5, say_hello, 0 },
	{ "listen", "SECONDS FILE PORT...", 3, 34, listen_at, 0 },
	{ "nftflush", "", 0, 0, flush_tables, 0 },
	{ 0 },
};
