// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Both ways between two sockets, by splice through pipes: no byte is copied into this process.
 *
 * Edge-triggered: a way is moved until its source is empty or its target is full. A pipe is borrowed
 * for as long as it holds bytes, which mostly is one turn, so that many idle connections need none.
 * An end is passed on once everything before it was (half-close). An error on either side resets
 * both, after what could still be delivered was.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

#include "gate/slot.h"
#include "gate/taken.h"

enum {
	ROUNDS = 16,	    /* of one way, before others have their turn */
	CHUNK = 512 * 1024, /* more than a pipe takes */
};

static enum moved fill(struct slot *s, struct way *w, int from)
{
	size_t most = CHUNK;
	ssize_t n;

	if (w == &s->back && s->tls == TLS_ANSWER && !taken_answer(s))
		return MOVED_IDLE;
	if (w == &s->out && s->tls)
		return taken_tls(s);
	if (w == &s->out && s->kind == RULE_HTTP) {
		uint64_t body = http_body(&s->http);

		if (!body)
			return taken_http(s);
		most = body < CHUNK ? (size_t)body : CHUNK;
	}
	if (!w->pipe)
		w->pipe = pipe_borrow(&s->gate->pipes);
	if (!w->pipe)
		return MOVED_ERROR;
	n = splice(from, NULL, w->pipe->w, NULL, most, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
	if (n > 0) {
		w->held = (size_t)n;
		if (w == &s->out && s->kind == RULE_HTTP)
			http_skip(&s->http, (uint64_t)n);
		return MOVED_MORE;
	}
	way_release(&s->gate->pipes, w);
	if (n == 0)
		return MOVED_END;
	return errno == EAGAIN || errno == EINTR ? MOVED_IDLE : MOVED_ERROR;
}

static enum moved drain(struct slot *s, struct way *w, int to)
{
	while (w->held) {
		ssize_t n = splice(w->pipe->r, NULL, to, NULL, w->held,
				   SPLICE_F_MOVE | SPLICE_F_NONBLOCK);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 && errno == EAGAIN ? MOVED_FULL : MOVED_ERROR;
		w->held -= (size_t)n;
		w->bytes += (uint64_t)n;
	}
	way_release(&s->gate->pipes, w);
	return MOVED_MORE;
}

static enum moved move(struct slot *s, struct way *w, int from, int to)
{
	for (int i = 0; i < ROUNDS; i++) {
		enum moved m = w->held ? MOVED_MORE : w->ended ? MOVED_END : fill(s, w, from);

		if (m == MOVED_MORE)
			m = drain(s, w, to);
		if (m == MOVED_END && !w->shut) {
			w->ended = w->shut = true;
			if (!(s->out.shut && s->back.shut)) /* else both are closed now */
				(void)shutdown(to, SHUT_WR);
		}
		if (m != MOVED_MORE)
			return m;
	}
	return MOVED_MORE;
}

/* From now on, tell when this end has room. */
static bool ask_for_room(struct slot *s, struct watch *end, bool *asked)
{
	if (*asked)
		return true;
	*asked = true;
	return loop_change(&s->gate->loop, end, SLOT_EVENTS | EPOLLOUT) == 0;
}

/* Events of this end are told once: where we stopped of our own will, ask for them again. */
static bool ask_again(struct slot *s, struct watch *end, bool out)
{
	return loop_change(&s->gate->loop, end, SLOT_EVENTS | (out ? EPOLLOUT : 0)) == 0;
}

/* Returns false when the slot is gone. */
static bool run(struct slot *s, struct way *w)
{
	bool outward = w == &s->out, ok = true;
	struct watch *from = outward ? &s->near : &s->far, *to = outward ? &s->far : &s->near;
	bool *from_out = outward ? &s->near_out : &s->far_out;
	bool *to_out = outward ? &s->far_out : &s->near_out;

	switch (move(s, w, from->fd, to->fd)) {
	case MOVED_GONE:
		return false;
	case MOVED_ERROR:
		slot_reset(s);
		return false;
	case MOVED_FULL:
		ok = ask_for_room(s, to, to_out);
		break;
	case MOVED_MORE:
		ok = ask_again(s, from, *from_out);
		break;
	case MOVED_END:
		if ((s->out.shut && s->back.shut) || (s->gate->finishing && slot_way_out(s)->shut)) {
			slot_close(s);
			return false;
		}
		break;
	case MOVED_IDLE:
		break;
	}
	if (!ok)
		slot_reset(s);
	return ok;
}

void relay_begin(struct slot *s)
{
	/*
	 * Near may have spoken before far was there, and its edge is past. So is far's, when it came
	 * with the one that told of the connection: a server that speaks first.
	 */
	const bool waited = s->tls != TLS_OPEN;

	if (run(s, &s->out) && run(s, &s->back) && waited && s->tls != TLS_ANSWER)
		(void)run(s, &s->out);
}

void relay_near(struct slot *s, uint32_t events)
{
	if (events & (EPOLLIN | EPOLLRDHUP | EPOLLERR | EPOLLHUP) && !run(s, &s->out))
		return;
	if (events & EPOLLOUT && s->back.held && !run(s, &s->back))
		return;
	if (events & EPOLLERR)
		slot_reset(s);
}

void relay_far(struct slot *s, uint32_t events)
{
	const bool waited = s->tls == TLS_ANSWER;

	if (events & EPOLLPRI) {
		slot_reset(s);
		return;
	}
	if (events & EPOLLRDHUP)
		s->far_ended = true;
	if (events & (EPOLLIN | EPOLLRDHUP | EPOLLERR | EPOLLHUP) && !run(s, &s->back))
		return;
	/* What near said meanwhile was held back. */
	if (waited && s->tls != TLS_ANSWER && !run(s, &s->out))
		return;
	if (events & EPOLLOUT && s->out.held && !run(s, &s->out))
		return;
	if (events & EPOLLERR)
		slot_reset(s);
}
