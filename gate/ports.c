// SPDX-License-Identifier: GPL-2.0-or-later
/* Ports that need no rule: the host's own inside, and published ones, through the connector. */
#include "gate/ports.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/own.h"
#include "gate/door.h"

static const struct addr loopback = { .family = 4, .bytes = { 127, 0, 0, 1 } };

/* The other side of a pair; 0: there is none. */
static uint16_t inside_of(const struct net_policy *p, uint16_t outside)
{
	for (uint32_t i = 0; i < p->publish; i++)
		if (p->published[i].outside == outside)
			return p->published[i].inside;
	return 0;
}

static uint16_t outside_of(const struct net_policy *p, uint16_t inside)
{
	for (uint32_t i = 0; i < p->host_ports; i++)
		if (p->host_port[i].inside == inside)
			return p->host_port[i].outside;
	return 0;
}

static void ask_connector(struct slot *s, uint16_t port)
{
	struct connector_record r = { .slot = (uint32_t)(s - s->gate->slot),
				      .port = port,
				      .serial = s->serial };

	s->published = true;
	s->state = SLOT_CONNECTOR;
	if (send(s->gate->connector.watch.fd, &r, sizeof(r), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		slot_fail(s, "nobody connects inside");
	else
		slot_wait(s, &s->gate->connect);
}

void ports_begin(struct slot *s, const struct door *d)
{
	const struct net_policy *p = s->gate->policy;
	uint16_t port;

	s->addr = loopback;
	s->port = d->port;
	if (d->kind == DOOR_HOST) {
		s->why = "host-port";
		port = outside_of(p, d->port);
		if (port)
			far_connect_to(s, &loopback, port);
	} else {
		s->why = "publish";
		port = inside_of(p, d->port);
		if (port)
			ask_connector(s, port);
	}
	if (!port)
		slot_refuse(s, SCORE_OTHER, NULL, "the policy has no such port");
}

/* One answer; -errno when there is none. *ret_fd is the caller's. */
static int receive(int from, struct connector_record *ret, int *ret_fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .buf = { 0 } };
	struct iovec iov = { .iov_base = ret, .iov_len = sizeof(*ret) };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = control.buf,
			    .msg_controllen = sizeof(control.buf) };
	ssize_t n = recvmsg(from, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *c;

	if (n < 0)
		return -errno;
	if (n == 0)
		return -EPIPE;
	c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(ret_fd, CMSG_DATA(c), sizeof(int));
	return n == (ssize_t)sizeof(*ret) ? 0 : -EBADMSG;
}

static void deliver(struct gate *g, const struct connector_record *r, int *fd)
{
	struct slot *s = r->slot < g->touched ? &g->slot[r->slot] : NULL;

	/* Its slot may have been given up, and even be another's by now. */
	if (!s || s->state != SLOT_CONNECTOR || s->serial != r->serial)
		return;
	if (*fd < 0)
		slot_fail(s, "nobody listens inside");
	else
		far_adopt(s, fd_take(fd));
}

static void on_answer(struct watch *w, uint32_t events)
{
	struct connector *c = (struct connector *)w;

	(void)events;
	for (;;) {
		struct connector_record r = { 0 };
		own_fd fd = FD_NONE;
		int rc = receive(w->fd, &r, &fd);

		if (rc == 0) {
			deliver(c->gate, &r, &fd);
			continue;
		}
		if (rc == -EAGAIN)
			return;
		loop_drop(&c->gate->loop, w); /* it is gone: later connections are told */
		fd_release(&w->fd);
		return;
	}
}

_Static_assert(offsetof(struct connector, watch) == 0, "on_answer takes one for the other");

int connector_open(struct gate *g, int fd)
{
	g->connector = (struct connector){ .watch = { .ready = on_answer, .fd = fd }, .gate = g };
	return loop_watch(&g->loop, &g->connector.watch, EPOLLIN);
}
