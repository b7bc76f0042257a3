// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The way to the server: which addresses, whether they may be, and one connection to the first that
 * answers. An address is tried for some seconds while there is another, and longer when it is the
 * last.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/own.h"
#include "gate/slot.h"

static const char *reason(const struct slot *s, int error)
{
	if (s->by_proxy)
		return "the proxy cannot be reached";
	switch (error) {
	case ENOENT:
		return "there is no such name";
	case ETIMEDOUT:
		return "no answer in time";
	case ECONNREFUSED:
		return "the server refused";
	case EHOSTUNREACH:
		return "no route, or no name server";
	case ENETUNREACH:
		return "no route";
	case EBUSY:
		return "too many look-ups at once";
	default:
		return "it cannot be connected";
	}
}

static int open_socket(const struct addr *a)
{
	static const int on = 1, idle = 60;
	own_fd fd = socket(a->family == 4 ? AF_INET : AF_INET6,
			   SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on)) < 0 ||
	    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle)) < 0)
		return -errno;
	return fd_take(&fd);
}

static void forget_far(struct slot *s)
{
	if (s->far.fd < 0)
		return;
	loop_drop(&s->gate->loop, &s->far);
	fd_release(&s->far.fd);
}

/*
 * Asked twice: the first call always says EINPROGRESS, the second that a server on this machine is
 * there already, and then no turn of the loop is lost.
 */
static int start(struct slot *s, const struct addr *a)
{
	struct sockaddr_storage ss;
	socklen_t len = addr_to_sockaddr(a, s->try_port, &ss);
	int fd = open_socket(a);

	if (fd < 0)
		return fd;
	s->far.fd = fd;
	if (connect(fd, (struct sockaddr *)&ss, len) == 0)
		return 0;
	if (errno == EINPROGRESS && connect(fd, (struct sockaddr *)&ss, len) == 0)
		return 0;
	return errno == EALREADY || errno == EINPROGRESS ? -EINPROGRESS : -errno;
}

static void connected(struct slot *s)
{
	slot_no_wait(s);
	if (s->by_proxy)
		proxy_ask(s);
	else
		far_reached(s);
}

/* True when it is connected, or will be told; false: another one. */
static bool try(struct slot *s, const struct addr *a, int *ret_error)
{
	int rc = start(s, a);

	if (rc < 0 && rc != -EINPROGRESS) {
		fd_release(&s->far.fd);
		*ret_error = -rc;
		return false;
	}
	if (slot_watch_far(s, rc == 0 ? 0 : EPOLLOUT) < 0) {
		fd_release(&s->far.fd);
		*ret_error = ENOMEM;
		return false;
	}
	if (!s->by_proxy)
		s->addr = *a;
	if (rc == 0)
		connected(s);
	else
		slot_wait(s, s->next_try < s->n_tries ? &s->gate->attempt : &s->gate->connect);
	return true;
}

void far_next(struct slot *s, int error)
{
	slot_no_wait(s);
	forget_far(s);
	s->state = SLOT_CONNECT;
	while (s->next_try < s->n_tries)
		if (try(s, &s->tries[s->next_try++], &error))
			return;
	slot_fail(s, reason(s, error));
}

void far_ready(struct slot *s)
{
	int error = 0;
	socklen_t len = sizeof(error);

	if (getsockopt(s->far.fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		error = errno;
	if (error)
		far_next(s, error);
	else
		connected(s);
}

void far_reached(struct slot *s)
{
	struct event ev = slot_event(s, "connect", "allow", s->why);

	ev.ms = s->gate->loop.now - s->since;
	event_write(&ev);
	s->state = SLOT_RELAY;
	relay_begin(s);
}

void far_connect_to(struct slot *s, const struct addr *a, uint16_t port)
{
	s->tries[0] = *a;
	s->n_tries = 1;
	s->try_port = port;
	far_next(s, 0);
}

void far_adopt(struct slot *s, int fd)
{
	s->far.fd = fd;
	s->state = SLOT_CONNECT;
	if (slot_watch_far(s, EPOLLOUT) < 0)
		slot_fail(s, reason(s, ENOMEM));
	else
		slot_wait(s, &s->gate->connect);
}

/* The proxy is the user's choice, wherever it is. Anything else must be public, or listed. */
static bool may_be(const struct slot *s, const struct addr *a)
{
	return s->by_proxy || addr_is_public(a) || policy_find_addr(s->gate->policy, a, s->try_port);
}

static void found(struct lookup *l, const struct addr *addr, size_t n, int error)
{
	struct slot *s = (struct slot *)(void *)((char *)l - offsetof(struct slot, lookup));

	s->state = SLOT_CONNECT; /* the look-up is over, whatever comes */
	slot_no_wait(s);
	if (error || !n) {
		slot_fail(s, reason(s, error ? error : ENOENT));
		return;
	}
	for (size_t i = 0; i < n && s->n_tries < ARRAY_SIZE(s->tries); i++)
		if (may_be(s, &addr[i]))
			s->tries[s->n_tries++] = addr[i];
	if (s->n_tries) {
		far_next(s, ENOENT);
		return;
	}
	s->addr = addr[0];
	slot_refuse(s, SCORE_PRIVATE, NULL, "its address is private");
}

static void look_up(struct slot *s, const char *name)
{
	struct text t;

	s->lookup.done = found;
	text_init(&t, s->lookup.name, sizeof(s->lookup.name));
	text_add(&t, name);
	s->state = SLOT_RESOLVE;
	resolver_ask(&s->lookup);
}

void far_begin(struct slot *s)
{
	const struct net_policy *p = s->gate->policy;
	const struct pin *pin = policy_find_pin(p, s->name);

	slot_no_wait(s);
	if (pin) {
		far_connect_to(s, &pin->addr, pin->port ? pin->port : s->port);
		return;
	}
	s->by_proxy = p->use_proxy;
	s->try_port = s->by_proxy ? p->proxy_port : s->port;
	if (!s->by_proxy)
		look_up(s, s->name);
	else if (p->proxy_addr.family)
		far_connect_to(s, &p->proxy_addr, p->proxy_port);
	else
		look_up(s, p->proxy_name);
}
