// SPDX-License-Identifier: GPL-2.0-or-later
/* One question to the host's name servers, by UDP and, where that does not do, by TCP; in the gate. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "base/own.h"
#include "gate/question.h"

enum { TURN_REPLIES = 8 };

static void on_udp(struct watch *w, uint32_t events);
static void on_tcp(struct watch *w, uint32_t events);
static void on_timeout(struct timer *t);

static struct question *of_watch(struct watch *w)
{
	return (struct question *)((char *)w - offsetof(struct question, w));
}

/* Ends a try: nothing of it is left, above all not its port. */
static void stop(struct question *q)
{
	timer_disarm(&q->by->timeouts, &q->timer);
	if (q->w.fd >= 0)
		loop_drop(q->by->loop, &q->w);
	fd_release(&q->w.fd);
}

static void finish(struct question *q, int error)
{
	stop(q);
	q->running = false;
	q->error = error;
	q->done(q);
}

static bool send_question(struct question *q)
{
	uint8_t m[2 + DNS_QUERY_MAX];
	size_t n = dns_build_query(q->id, q->name, q->type, m + 2, sizeof(m) - 2);
	ssize_t sent;

	m[0] = (uint8_t)(n >> 8);
	m[1] = (uint8_t)n;
	if (q->tcp)
		sent = send(q->w.fd, m, n + 2, MSG_DONTWAIT | MSG_NOSIGNAL) - 2;
	else
		sent = send(q->w.fd, m + 2, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	return n && sent == (ssize_t)n;
}

/* A try with the server whose turn it is. */
static bool start(struct question *q)
{
	const struct resolvconf *conf = &q->by->conf;
	const unsigned i = q->tries % conf->servers;
	const struct sockaddr *to = (const struct sockaddr *)&conf->server[i];
	int type = (q->tcp ? SOCK_STREAM : SOCK_DGRAM) | SOCK_NONBLOCK | SOCK_CLOEXEC;

	q->wrong = 0;
	q->n = 0;
	q->w.ready = q->tcp ? on_tcp : on_udp;
	q->w.fd = socket(to->sa_family, type, 0);
	if (q->w.fd < 0)
		q->w.fd = FD_NONE;
	/* Not an id that could be guessed, or no question at all. */
	if (q->w.fd < 0 || getrandom(&q->id, sizeof(q->id), GRND_NONBLOCK) != sizeof(q->id))
		return false;
	if (connect(q->w.fd, to, conf->server_n[i]) < 0 && errno != EINPROGRESS)
		return false;
	if (!q->tcp && !send_question(q))
		return false;
	if (loop_watch(q->by->loop, &q->w, q->tcp ? EPOLLOUT : EPOLLIN) < 0)
		return false;
	timer_arm(q->by->loop, &q->by->timeouts, &q->timer);
	return true;
}

static void try_servers(struct question *q)
{
	const struct resolvconf *conf = &q->by->conf;

	for (; q->tries < conf->servers * conf->attempts; q->tries++) {
		q->tcp = conf->tcp;
		if (start(q))
			return;
		stop(q);
	}
	finish(q, q->timed_out ? ETIMEDOUT : EHOSTUNREACH);
}

static void try_failed(struct question *q)
{
	stop(q);
	q->tries++;
	try_servers(q);
}

static void change_to_tcp(struct question *q)
{
	stop(q);
	q->tcp = true;
	if (!start(q))
		try_failed(q);
}

static void on_timeout(struct timer *t)
{
	struct question *q = (struct question *)((char *)t - offsetof(struct question, timer));

	q->timed_out = true;
	try_failed(q);
}

static void take_reply(struct question *q)
{
	if (q->reply.truncated && !q->tcp)
		change_to_tcp(q);
	else if (!q->reply.truncated && (q->reply.rcode == DNS_OK || q->reply.rcode == DNS_NXDOMAIN))
		finish(q, 0);
	else
		try_failed(q);
}

static void on_udp(struct watch *w, uint32_t events)
{
	struct question *q = of_watch(w);
	uint8_t m[DNS_MESSAGE_MAX];

	(void)events;
	for (int i = 0; i < TURN_REPLIES; i++) {
		ssize_t n = recv(w->fd, m, sizeof(m), MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n < 0) { /* nobody listens there */
			try_failed(q);
			return;
		}
		if (dns_parse_reply(m, (size_t)n, q->id, q->name, q->type, &q->reply) == 0) {
			take_reply(q);
			return;
		}
		if (++q->wrong > QUESTION_WRONG) {
			change_to_tcp(q);
			return;
		}
	}
}

/* 1: the answer is whole; 0: not yet; -1: this will not do. */
static int read_tcp(struct question *q)
{
	size_t want = 2;
	ssize_t n;

	if (q->n >= 2)
		want += (size_t)q->buf[0] << 8 | q->buf[1];
	if (want > sizeof(q->buf))
		return -1;
	n = recv(q->w.fd, q->buf + q->n, want - q->n, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return -1;
	q->n += (size_t)n;
	return want > 2 && q->n == want;
}

static void on_tcp(struct watch *w, uint32_t events)
{
	struct question *q = of_watch(w);
	int whole;

	if (events & EPOLLOUT) {
		/* When the connection was refused this is where it fails. */
		if (!send_question(q) || loop_change(q->by->loop, w, EPOLLIN) < 0)
			try_failed(q);
		return;
	}
	whole = read_tcp(q);
	if (whole == 0)
		return;
	if (whole < 0 || dns_parse_reply(q->buf + 2, q->n - 2, q->id, q->name, q->type, &q->reply) < 0)
		try_failed(q);
	else
		take_reply(q);
}

void question_ask(struct question *q)
{
	q->w.fd = FD_NONE;
	q->timer = (struct timer){ .fire = on_timeout };
	q->running = true;
	q->timed_out = false;
	q->tries = 0;
	try_servers(q);
}

void question_cancel(struct question *q)
{
	if (!q->running)
		return;
	stop(q);
	q->running = false;
}
