// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What must be for the right name: taken out of the socket, checked, and passed on from there.
 *
 * A look with MSG_PEEK tells only how much to take. Its bytes can be pages that the client still
 * has (sendfile, vmsplice) and changes between one look and the next, or between a look and a
 * splice; so what is checked is our own copy, and it is that copy which goes on.
 */
#include "gate/taken.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "gate/hello.h"
#include "net/gate.h"

enum {
	TLS_CHANGE = 20,
	TLS_ALERT = 21,
	TLS_HANDSHAKE = 22,
	TLS_DATA = 23,
	TLS_HEAD = 5,
	SERVER_HELLO = 2
};

struct look {
	uint8_t *seen, *taken; /* halves of the scratch buffer */
	size_t n;
};

enum { HALF = SCRATCH_SIZE / 2 };

_Static_assert(HALF > HELLO_MAX && HALF > HTTP_HEAD_MAX, "a whole one fits");

static enum moved look(struct slot *s, struct look *ret)
{
	ssize_t n = recv(s->near.fd, s->gate->scratch, HALF, MSG_PEEK | MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? MOVED_IDLE : MOVED_ERROR;
	*ret = (struct look){ s->gate->scratch, s->gate->scratch + HALF, (size_t)n };
	return n ? MOVED_MORE : MOVED_END;
}

static bool take(struct slot *s, const struct look *l, size_t n)
{
	return recv(s->near.fd, l->taken, n, MSG_DONTWAIT) == (ssize_t)n;
}

/* Into the pipe, as if it had been spliced. */
static enum moved pass_on(struct slot *s, struct way *w, const uint8_t *data, size_t n)
{
	if (!w->pipe)
		w->pipe = pipe_borrow(&s->gate->pipes);
	if (!w->pipe)
		return MOVED_ERROR;
	w->held = n; /* also when it fails: then the pipe is none to keep */
	return write(w->pipe->w, data, n) == (ssize_t)n ? MOVED_MORE : MOVED_ERROR;
}

static enum moved refuse_request(struct slot *s, const struct http *h)
{
	want_refuse_head(s, h);
	return MOVED_GONE;
}

enum moved taken_http(struct slot *s)
{
	struct http first = s->http;
	struct look l;
	size_t n = 0, again = 0;
	enum moved m = look(s, &l);

	if (m != MOVED_MORE)
		return m;
	if (http_step(&first, (const char *)l.seen, l.n, &n) == HTTP_BAD)
		return refuse_request(s, &first);
	if (!n)
		return s->near_ended ? MOVED_END : MOVED_IDLE; /* half a head is never passed on */
	if (!take(s, &l, n))
		return MOVED_ERROR;
	if (http_step(&s->http, (const char *)l.taken, n, &again) == HTTP_BAD)
		return refuse_request(s, &s->http);
	return again == n ? pass_on(s, &s->out, l.taken, n) : MOVED_ERROR;
}

/* A record that comes before the second hello and that the server skips. */
static bool is_skipped(const uint8_t *data, size_t n, size_t *ret_length)
{
	if (data[0] != TLS_CHANGE && data[0] != TLS_DATA)
		return false;
	*ret_length = n < TLS_HEAD ? 0 : TLS_HEAD + ((size_t)data[3] << 8 | data[4]);
	return true;
}

enum moved taken_tls(struct slot *s)
{
	struct hello h = { .why = NULL };
	struct look l;
	size_t n = 0, again = 0;
	enum moved m = look(s, &l);

	if (m != MOVED_MORE)
		return m;
	if (s->tls == TLS_ANSWER)
		return MOVED_IDLE;
	if (s->tls == TLS_SECOND && is_skipped(l.seen, l.n, &n)) {
		if (n > HALF)
			return MOVED_ERROR;
		if (!n || n > l.n)
			return s->near_ended ? MOVED_END : MOVED_IDLE;
		if (!take(s, &l, n) || !is_skipped(l.taken, n, &again) || again != n)
			return MOVED_ERROR;
		return pass_on(s, &s->out, l.taken, n);
	}
	if (s->tls == TLS_SECOND && l.seen[0] == TLS_ALERT)
		return MOVED_ERROR; /* an alert: it gives up */
	switch (hello_parse(l.seen, l.n, &h)) {
	case HELLO_MORE:
		return s->near_ended ? MOVED_END : MOVED_IDLE;
	case HELLO_WHOLE:
		n = h.length;
		break;
	case HELLO_BAD:
		slot_refuse(s, SCORE_OTHER, NULL, h.why);
		return MOVED_GONE;
	}
	if (!take(s, &l, n) || hello_parse(l.taken, n, &h) != HELLO_WHOLE || h.length != n)
		return MOVED_ERROR; /* changed while it was looked at */
	if (!str_eq(h.name, s->name)) {
		slot_refuse(s, SCORE_MISMATCH, h.name, "the server name is another");
		return MOVED_GONE;
	}
	s->tls = s->tls == TLS_FIRST ? TLS_ANSWER : TLS_OPEN;
	return pass_on(s, &s->out, l.taken, n);
}

bool taken_answer(struct slot *s)
{
	/* RFC 8446 4.1.3: the random of a ServerHello that is a HelloRetryRequest */
	static const uint8_t retry[32] = { 0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11,
					   0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
					   0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e,
					   0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c };
	uint8_t head[11 + sizeof(retry)];
	ssize_t n = recv(s->far.fd, head, sizeof(head), MSG_PEEK | MSG_DONTWAIT);

	if (n <= 0)
		return true; /* it ends, or is not there: splice will tell */
	if (head[0] == TLS_HANDSHAKE && n < (ssize_t)sizeof(head) && !s->far_ended)
		return false;
	s->tls = n == (ssize_t)sizeof(head) && head[0] == TLS_HANDSHAKE &&
				 head[TLS_HEAD] == SERVER_HELLO &&
				 memcmp(head + 11, retry, sizeof(retry)) == 0
			 ? TLS_SECOND
			 : TLS_OPEN;
	return true;
}
