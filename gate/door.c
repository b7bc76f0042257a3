// SPDX-License-Identifier: GPL-2.0-or-later
/* The gate's listening sockets: what they are, and accepting from them in batches. */
#include "gate/door.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "base/own.h"
#include "base/text.h"
#include "gate/dnsserver.h"
#include "gate/nflog.h"
#include "gate/slot.h"

/* Accepted in one go, before others have their turn. */
#define BATCH 64

static const struct {
	const char *word; /* with a colon: a port follows */
	enum door_kind kind;
	uint8_t family;
	int type;
} kinds[] = {
	{ "tcp4", DOOR_TCP, 4, SOCK_STREAM },	    { "tcp6", DOOR_TCP, 6, SOCK_STREAM },
	{ "udp4", DOOR_UDP, 4, SOCK_DGRAM },	    { "udp6", DOOR_UDP, 6, SOCK_DGRAM },
	{ "dns4", DOOR_DNS, 4, SOCK_STREAM },	    { "dns6", DOOR_DNS, 6, SOCK_STREAM },
	{ "nflog", DOOR_NFLOG, 0, SOCK_RAW },	    { "host:", DOOR_HOST, 4, SOCK_STREAM },
	{ "pub:", DOOR_PUBLISHED, 4, SOCK_STREAM }, { "at:", DOOR_AT, 4, SOCK_STREAM },
	{ "at6:", DOOR_AT, 6, SOCK_STREAM },
};

static bool parse_one(const char *word, struct door *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const char *kind = kinds[i].word;
		bool by_port = kind[strlen(kind) - 1] == ':';
		uint64_t port = 0;

		if (by_port ? !str_starts(word, kind) : !str_eq(word, kind))
			continue;
		if (by_port && (!str_to_u64(word + strlen(kind), UINT16_MAX, &port) || !port))
			return false;
		*ret = (struct door){ .kind = kinds[i].kind,
				      .family = kinds[i].family,
				      .port = (uint16_t)port,
				      .watch.fd = FD_NONE };
		return true;
	}
	return false;
}

int doors_parse(const char *list, struct door ret[GATE_SOCKETS_MAX], size_t *ret_n)
{
	size_t n = 0;

	for (const char *at = list;; at++) {
		char word[16] = "";
		size_t len = strcspn(at, ",");

		if (!len || len >= sizeof(word) || n == GATE_SOCKETS_MAX)
			return -EINVAL;
		memcpy(word, at, len);
		if (!parse_one(word, &ret[n]))
			return -EINVAL;
		ret[n].watch.fd = GATE_SOCKETS + (int)n;
		n++;
		at += len;
		if (!*at)
			break;
	}
	*ret_n = n;
	return 0;
}

static int socket_is(int fd, int option)
{
	int value = -1;
	socklen_t len = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, option, &value, &len) < 0 ? -errno : value;
}

static bool is_of_its_kind(const struct door *d)
{
	int family = socket_is(d->watch.fd, SO_DOMAIN), type = socket_is(d->watch.fd, SO_TYPE);

	if (d->kind == DOOR_NFLOG)
		return family == AF_NETLINK;
	if (family != (d->family == 4 ? AF_INET : AF_INET6))
		return false;
	return type == (d->kind == DOOR_UDP ? SOCK_DGRAM : SOCK_STREAM);
}

/*
 * What is accepted has the options of what listens, so that they cost nothing for each connection.
 * Urgent data stays in line: the kernel would else take a byte out of the stream for one way of
 * reading and not for another.
 */
static int set_options(int fd)
{
	static const struct {
		int level, name, value;
	} options[] = {
		{ SOL_SOCKET, SO_KEEPALIVE, 1 },
		{ SOL_SOCKET, SO_OOBINLINE, 1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE, 60 },
		{ IPPROTO_TCP, TCP_NODELAY, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (setsockopt(fd, options[i].level, options[i].name, &options[i].value,
			       sizeof(options[i].value)) < 0)
			return -errno;
	return listen(fd, SLOTS_MAX) < 0 ? -errno : 0; /* only the length of its queue changes */
}

int door_prepare(struct door *d)
{
	int fd = d->watch.fd, flags = fcntl(fd, F_GETFL);

	if (flags < 0 || !is_of_its_kind(d))
		return -EBADF;
	if (fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return -errno;
	if (d->kind == DOOR_NFLOG || d->kind == DOOR_UDP)
		return 0;
	return set_options(fd);
}

static void end_pause(struct timer *t)
{
	struct door *d = (struct door *)(void *)((char *)t - offsetof(struct door, pause));

	(void)loop_change(&d->gate->loop, &d->watch, EPOLLIN);
}

/* Level-triggered: what the batch leaves comes with the next turn. */
static void on_connections(struct watch *w, uint32_t events)
{
	struct door *d = (struct door *)w;

	(void)events;
	for (int i = 0; i < BATCH; i++) {
		int fd = accept4(w->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			slot_begin(d->gate, d, fd);
			continue;
		}
		if (errno == ECONNABORTED || errno == EINTR)
			continue;
		/* It stays readable; without a pause this would be a circle. */
		if (errno != EAGAIN && loop_change(&d->gate->loop, w, 0) == 0)
			timer_arm(&d->gate->loop, &d->gate->pause, &d->pause);
		return;
	}
}

_Static_assert(offsetof(struct door, watch) == 0, "on_connections takes one for the other");

int door_open(struct gate *g, struct door *d)
{
	d->gate = g;
	switch (d->kind) {
	case DOOR_UDP:
		return dnsserver_add_udp(&g->loop, g->policy, d->watch.fd);
	case DOOR_DNS:
		return dnsserver_add_tcp(&g->loop, g->policy, d->watch.fd);
	case DOOR_NFLOG:
		return nflog_open(&g->loop, d->watch.fd);
	default:
		d->watch.ready = on_connections;
		d->pause.fire = end_pause;
		return loop_watch(&g->loop, &d->watch, EPOLLIN);
	}
}

void doors_close(struct gate *g, struct door *doors, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (doors[i].kind == DOOR_NFLOG || doors[i].kind == DOOR_UDP ||
		    doors[i].kind == DOOR_DNS)
			continue; /* harmless, and nflog is read to its end */
		timer_disarm(&g->pause, &doors[i].pause);
		loop_drop(&g->loop, &doors[i].watch);
	}
}
