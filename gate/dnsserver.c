// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sockets on which questions come from inside; in the gate.
 *
 * UDP: each datagram is answered at once, from the address that it was sent to (without nftables
 * that is any server's). TCP: a fixed number of connections, each with room for one question that is
 * not whole yet and one answer that is not taken yet; as long as an answer waits nothing is read.
 */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/own.h"
#include "gate/dns.h"
#include "gate/dnsanswer.h"
#include "gate/dnsserver.h"

enum {
	SOCKETS_MAX = 8,
	CONNS_MAX = 32,
	CONN_MS = 10000, /* from one question of a connection to the next, and for the first */
	PAUSE_MS = 1000, /* before the next accept() when descriptors ran out */
	TURN_DATAGRAMS = 32,
};

struct listener {
	struct watch w;
	struct timer pause;
};

struct conn {
	struct watch w; /* fd < 0: free */
	struct timer timer;
	size_t in_n, out_n, out_at;
	uint8_t in[2 + DNS_QUERY_MAX], out[2 + DNS_QUERY_MAX];
};

/* One gate, one server. */
static struct server {
	struct loop *loop;
	struct answerer answerer;
	unsigned listeners;
	struct listener listener[SOCKETS_MAX];
	struct conn conn[CONNS_MAX];
	struct timer_list idle, pauses;
} server;

static void on_idle(struct timer *t);
static void on_pause_end(struct timer *t);

static int add_socket(struct loop *l, const struct net_policy *p, int fd, watch_fn ready)
{
	struct listener *s;

	if (!server.loop) {
		server.loop = l;
		answerer_init(&server.answerer, p, l->now);
		loop_add_timers(l, &server.idle, CONN_MS);
		loop_add_timers(l, &server.pauses, PAUSE_MS);
		for (unsigned i = 0; i < CONNS_MAX; i++) {
			server.conn[i].w.fd = FD_NONE;
			server.conn[i].timer.fire = on_idle;
		}
	}
	if (server.listeners == SOCKETS_MAX)
		return -ENOSPC;
	s = &server.listener[server.listeners];
	*s = (struct listener){ .w = { .ready = ready, .fd = fd }, .pause.fire = on_pause_end };
	server.listeners++;
	return loop_watch(l, &s->w, EPOLLIN);
}

/* ---- UDP ------------------------------------------------------------------------------------- */

/* What tells the address that a datagram was sent to is what sets the one that the answer is from. */
static void keep_destination(struct msghdr *msg)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);

	if (c && c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO &&
	    c->cmsg_len >= CMSG_LEN(sizeof(struct in_pktinfo))) {
		struct in_pktinfo info;

		memcpy(&info, CMSG_DATA(c), sizeof(info));
		info.ipi_spec_dst = info.ipi_addr;
		info.ipi_ifindex = 0;
		memcpy(CMSG_DATA(c), &info, sizeof(info));
		msg->msg_controllen = CMSG_SPACE(sizeof(info));
	} else if (c && c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO &&
		   c->cmsg_len >= CMSG_LEN(sizeof(struct in6_pktinfo))) {
		msg->msg_controllen = CMSG_SPACE(sizeof(struct in6_pktinfo));
	} else {
		msg->msg_control = NULL;
		msg->msg_controllen = 0;
	}
}

static void on_datagram(struct watch *w, uint32_t events)
{
	uint8_t in[DNS_QUERY_MAX + 1], out[DNS_MESSAGE_MAX];
	union {
		char buf[CMSG_SPACE(sizeof(struct in6_pktinfo))];
		struct cmsghdr align;
	} control;

	(void)events;
	for (int i = 0; i < TURN_DATAGRAMS; i++) {
		struct sockaddr_storage from;
		struct iovec iov = { .iov_base = in, .iov_len = sizeof(in) };
		struct msghdr msg = {
			.msg_name = &from,
			.msg_namelen = sizeof(from),
			.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = control.buf,
			.msg_controllen = sizeof(control.buf),
		};
		ssize_t n = recvmsg(w->fd, &msg, MSG_DONTWAIT);

		if (n < 0)
			return; /* nothing there; or an error of an answer before, now told */
		/* One byte over the limit is enough to see that it is. */
		iov.iov_len = answerer_reply(&server.answerer, server.loop->now, in, (size_t)n,
					     false, out, sizeof(out));
		if (!iov.iov_len)
			continue;
		iov.iov_base = out;
		keep_destination(&msg);
		/* Who does not take it asks again. */
		(void)sendmsg(w->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
}

int dnsserver_add_udp(struct loop *l, const struct net_policy *p, int fd)
{
	const int on = 1;
	struct sockaddr_storage ss = { 0 };
	socklen_t n = sizeof(ss);
	int rc;

	if (getsockname(fd, (struct sockaddr *)&ss, &n) < 0)
		return -errno;
	if (ss.ss_family == AF_INET) {
		rc = setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof(on));
	} else {
		rc = setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof(on));
		/* IPv6 does not take the route's word that an address is ours. */
		if (rc == 0)
			rc = setsockopt(fd, IPPROTO_IPV6, IPV6_FREEBIND, &on, sizeof(on));
	}
	if (rc < 0)
		return -errno;
	return add_socket(l, p, fd, on_datagram);
}

/* ---- TCP ------------------------------------------------------------------------------------- */

static void conn_close(struct conn *c)
{
	timer_disarm(&server.idle, &c->timer);
	loop_drop(server.loop, &c->w);
	fd_release(&c->w.fd);
}

static void on_idle(struct timer *t)
{
	conn_close((struct conn *)((char *)t - offsetof(struct conn, timer)));
}

/* Sends what waits. False: the connection is over. */
static bool flush(struct conn *c)
{
	while (c->out_at < c->out_n) {
		ssize_t n = send(c->w.fd, c->out + c->out_at, c->out_n - c->out_at,
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0)
			return errno == EAGAIN && loop_change(server.loop, &c->w, EPOLLOUT) == 0;
		c->out_at += (size_t)n;
	}
	c->out_n = c->out_at = 0;
	return true;
}

/* Answers the questions that are whole, one after the other. False: the connection is over. */
static bool serve(struct conn *c)
{
	while (!c->out_n && c->in_n >= 2) {
		size_t n = (size_t)c->in[0] << 8 | c->in[1], answer;

		if (n > DNS_QUERY_MAX)
			return false;
		if (c->in_n < 2 + n)
			break;
		answer = answerer_reply(&server.answerer, server.loop->now, c->in + 2, n, true,
					c->out + 2, sizeof(c->out) - 2);
		if (!answer)
			return false;
		c->out[0] = (uint8_t)(answer >> 8);
		c->out[1] = (uint8_t)answer;
		c->out_n = 2 + answer;
		c->in_n -= 2 + n;
		memmove(c->in, c->in + 2 + n, c->in_n);
		timer_arm(server.loop, &server.idle, &c->timer);
		if (!flush(c))
			return false;
	}
	return true;
}

static void on_conn(struct watch *w, uint32_t events)
{
	struct conn *c = (struct conn *)((char *)w - offsetof(struct conn, w));
	bool waited = c->out_n != 0;
	ssize_t n;

	if (events & EPOLLERR || (waited && !flush(c))) {
		conn_close(c);
		return;
	}
	if (c->out_n)
		return;
	if (waited && (!serve(c) || (!c->out_n && loop_change(server.loop, &c->w, EPOLLIN) < 0))) {
		conn_close(c);
		return;
	}
	if (waited)
		return;
	/* There is room: what is in there is less than the longest question. */
	n = recv(c->w.fd, c->in + c->in_n, sizeof(c->in) - c->in_n, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		c->in_n += (size_t)n;
	if (n <= 0 || !serve(c))
		conn_close(c);
}

static void on_pause_end(struct timer *t)
{
	struct listener *s = (struct listener *)((char *)t - offsetof(struct listener, pause));

	(void)loop_change(server.loop, &s->w, EPOLLIN);
}

static struct conn *free_conn(void)
{
	for (unsigned i = 0; i < CONNS_MAX; i++) {
		if (server.conn[i].w.fd < 0)
			return &server.conn[i];
	}
	return NULL;
}

static void on_accept(struct watch *w, uint32_t events)
{
	struct listener *s = (struct listener *)((char *)w - offsetof(struct listener, w));
	own_fd fd = accept4(w->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct conn *c;

	(void)events;
	if (fd < 0) {
		/* It stays readable; without a pause this would be a circle. */
		if ((errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) &&
		    loop_change(server.loop, w, 0) == 0)
			timer_arm(server.loop, &server.pauses, &s->pause);
		return;
	}
	c = free_conn();
	if (!c)
		return; /* closed: the client sees it at once */
	c->w = (struct watch){ .ready = on_conn, .fd = fd_take(&fd) };
	c->in_n = c->out_n = c->out_at = 0;
	timer_arm(server.loop, &server.idle, &c->timer);
	if (loop_watch(server.loop, &c->w, EPOLLIN) < 0)
		conn_close(c);
}

int dnsserver_add_tcp(struct loop *l, const struct net_policy *p, int fd)
{
	return add_socket(l, p, fd, on_accept);
}
