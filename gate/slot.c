// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of connections: where one begins, and every way in which it ends. */
#include "gate/slot.h"

#include <errno.h>
#include <sys/socket.h>

#include "base/own.h"
#include "base/text.h"
#include "gate/door.h"
#include "gate/names.h"
#include "gate/ports.h"
#include "gate/refuse.h"

/* Kept for the gate's own: what main.c holds, name servers, DNS over TCP. */
#define FDS_RESERVED (GATE_SOCKETS + GATE_SOCKETS_MAX + 256)

enum {
	HELLO_MS = 10000,
	ATTEMPT_MS = 3000,
	CONNECT_MS = 10000,
	FAREWELL_MS = 1000,
	SECOND_MS = 1000,
	PAUSE_MS = 100,
	LAST_MS = 700,
	FAREWELL_BYTES = 1 << 20,
};

static const char *const protocols[] = { [RULE_TLS] = "tls", [RULE_HTTP] = "http", [RULE_TCP] = "tcp" };

static struct slot *of_near(struct watch *w)
{
	return (struct slot *)(void *)((char *)w - offsetof(struct slot, near));
}

static struct slot *of_far(struct watch *w)
{
	return (struct slot *)(void *)((char *)w - offsetof(struct slot, far));
}

static struct slot *of_timer(struct timer *t)
{
	return (struct slot *)(void *)((char *)t - offsetof(struct slot, timer));
}

static const char no_slot[] = "no slot was free";

/* However many were turned away within a second, that is one event. */
static void report_crowd(struct timer *t)
{
	struct gate *g = (struct gate *)(void *)((char *)t - offsetof(struct gate, crowded));

	event_write(&(struct event){ .event = "refuse",
				     .verdict = "deny",
				     .why = no_slot,
				     .ms = -1,
				     .count = g->turned_away });
	g->turned_away = 0;
}

void slots_init(struct gate *g, size_t files)
{
	size_t most = files > FDS_RESERVED ? (files - FDS_RESERVED) / SLOT_FDS : 0;

	g->most = most < SLOTS_MAX ? most : SLOTS_MAX;
	if (g->most < 16)
		g->most = 16; /* a pipe that cannot be made ends its connection, no more */
	g->crowded.fire = report_crowd;
	loop_add_timers(&g->loop, &g->hello, HELLO_MS);
	loop_add_timers(&g->loop, &g->attempt, ATTEMPT_MS);
	loop_add_timers(&g->loop, &g->connect, CONNECT_MS);
	loop_add_timers(&g->loop, &g->farewell, FAREWELL_MS);
	loop_add_timers(&g->loop, &g->second, SECOND_MS);
	loop_add_timers(&g->loop, &g->pause, PAUSE_MS);
	loop_add_timers(&g->loop, &g->last, LAST_MS);
}

void slot_wait(struct slot *s, struct timer_list *list)
{
	slot_no_wait(s);
	s->in = list;
	timer_arm(&s->gate->loop, list, &s->timer);
}

void slot_no_wait(struct slot *s)
{
	if (s->in)
		timer_disarm(s->in, &s->timer);
	s->in = NULL;
}

static void on_time(struct timer *t)
{
	struct slot *s = of_timer(t);

	s->in = NULL;
	switch (s->state) {
	case SLOT_HELLO:
		slot_refuse(s, SCORE_OTHER, NULL, "nothing was asked for in time");
		break;
	case SLOT_CONNECT:
		far_next(s, ETIMEDOUT);
		break;
	case SLOT_FAREWELL:
		slot_reset(s);
		break;
	default:
		slot_fail(s, "no answer in time");
		break;
	}
}

/* What near still sends is thrown away unread, so that no reset overtakes the refusal. */
static void read_off(struct slot *s)
{
	ssize_t n;

	for (;;) {
		n = recv(s->near.fd, NULL, FAREWELL_BYTES, MSG_TRUNC | MSG_DONTWAIT);
		if (n <= 0)
			break;
		s->out.bytes += (uint64_t)n;
		if (s->out.bytes > FAREWELL_BYTES) {
			slot_reset(s);
			return;
		}
	}
	if (n == 0 || errno != EAGAIN)
		slot_close(s);
}

static void near_ready(struct watch *w, uint32_t events)
{
	struct slot *s = of_near(w);

	if (events & EPOLLRDHUP)
		s->near_ended = true;
	if (s->state == SLOT_FAREWELL)
		read_off(s);
	else if (events & EPOLLPRI)
		slot_refuse(s, SCORE_OTHER, NULL, "urgent data");
	else if (s->state == SLOT_RELAY)
		relay_near(s, events);
	else if (events & (EPOLLERR | EPOLLHUP))
		slot_lose(s);
	else if (s->state == SLOT_HELLO)
		want_look(s);
}

static void far_is_ready(struct watch *w, uint32_t events)
{
	struct slot *s = of_far(w);

	if (s->state == SLOT_RELAY)
		relay_far(s, events);
	else if (s->state == SLOT_CONNECT)
		far_ready(s);
	else if (s->state == SLOT_PROXY)
		proxy_look(s);
}

int slot_watch_far(struct slot *s, uint32_t more)
{
	s->far_out = more & EPOLLOUT;
	return loop_watch(&s->gate->loop, &s->far, SLOT_EVENTS | more);
}

static void reset_on_close(int fd)
{
	const struct linger now = { .l_onoff = 1, .l_linger = 0 };

	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

static struct slot *take(struct gate *g)
{
	struct slot *s = g->free;

	if (g->used == g->most)
		return NULL;
	if (s)
		g->free = s->next;
	else
		s = &g->slot[g->touched++];
	g->used++;
	return s;
}

static void turn_away(struct gate *g, const struct door *d, int fd)
{
	struct event ev = { .why = no_slot };

	if (want_destination(fd, d, &ev.addr, &ev.port)) {
		ev.name = names_behind(names_get(), &ev.addr);
		event_score(SCORE_OTHER, &ev);
	}
	reset_on_close(fd);
	fd_release(&fd);
	if (!g->turned_away++)
		timer_arm(&g->loop, &g->second, &g->crowded);
}

void slot_begin(struct gate *g, const struct door *d, int fd)
{
	struct slot *s = take(g);

	if (!s) {
		turn_away(g, d, fd);
		return;
	}
	*s = (struct slot){
		.near = { .ready = near_ready, .fd = fd },
		.far = { .ready = far_is_ready, .fd = FD_NONE },
		.gate = g,
		.state = SLOT_HELLO,
		.kind = RULE_TCP,
		.timer.fire = on_time,
		.since = g->loop.now,
		.serial = ++g->serial,
	};
	if (loop_watch(&g->loop, &s->near, SLOT_EVENTS) < 0)
		slot_fail(s, "it cannot be watched");
	else if (d->kind == DOOR_HOST || d->kind == DOOR_PUBLISHED)
		ports_begin(s, d);
	else
		want_begin(s, d);
}

static void close_end(struct slot *s, struct watch *w, bool reset)
{
	if (w->fd < 0)
		return;
	loop_drop(&s->gate->loop, w);
	if (reset)
		reset_on_close(w->fd);
	fd_release(&w->fd);
}

static void end(struct slot *s, bool reset)
{
	struct gate *g = s->gate;

	slot_no_wait(s);
	if (s->state == SLOT_RESOLVE)
		resolver_cancel(&s->lookup);
	close_end(s, &s->near, reset);
	close_end(s, &s->far, reset);
	way_release(&g->pipes, &s->out);
	way_release(&g->pipes, &s->back);
	s->state = SLOT_FREE;
	s->next = g->free;
	g->free = s;
	g->used--;
	if (g->finishing && !g->used)
		g->loop.ended = true;
}

struct event slot_event(const struct slot *s, const char *event, const char *verdict, const char *why)
{
	bool moved = s->try_port && s->try_port != s->port && !s->by_proxy;

	return (struct event){
		.event = event,
		.verdict = verdict,
		.name = s->name,
		.addr = s->addr,
		.port = s->port,
		.addr_port = moved ? s->try_port : 0,
		.protocol = protocols[s->kind],
		.rule = s->rule,
		.why = why,
		.ms = -1,
	};
}

static void say_closed(const struct slot *s, const char *why)
{
	struct event ev = slot_event(s, "close", NULL, why);

	ev.counted = true;
	ev.sent = slot_way_out(s)->bytes;
	ev.received = s->published ? s->out.bytes : s->back.bytes;
	ev.ms = s->gate->loop.now - s->since;
	event_write(&ev);
}

void slot_close(struct slot *s)
{
	if (s->state == SLOT_RELAY)
		say_closed(s, NULL);
	end(s, false);
}

void slot_reset(struct slot *s)
{
	if (s->state == SLOT_RELAY)
		say_closed(s, "reset");
	end(s, true);
}

/*
 * The refusal in near's own words; false when it has none for this, or when far's answer has begun
 * already.
 */
static bool tell(struct slot *s, const struct refusal *r)
{
	char text[REFUSE_HTTP_MAX];
	size_t n = 0;

	if (s->back.bytes)
		return false;
	if (s->kind == RULE_HTTP) {
		n = refuse_http(r, text);
	} else if (s->kind == RULE_TLS && s->state != SLOT_RELAY && !r->failed) {
		refuse_tls(r->asked ? ALERT_UNRECOGNIZED_NAME : ALERT_ACCESS_DENIED, (uint8_t *)text);
		n = REFUSE_TLS_SIZE;
	}
	return n && send(s->near.fd, text, n, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)n;
}

static void say_farewell(struct slot *s, const struct refusal *r)
{
	if (!tell(s, r)) {
		s->state = s->state == SLOT_RELAY ? SLOT_HELLO : s->state; /* it was told */
		end(s, true);
		return;
	}
	if (s->state == SLOT_RESOLVE)
		resolver_cancel(&s->lookup);
	close_end(s, &s->far, true);
	way_release(&s->gate->pipes, &s->out);
	way_release(&s->gate->pipes, &s->back);
	s->out = (struct way){ 0 };
	s->state = SLOT_FAREWELL;
	slot_wait(s, &s->gate->farewell);
	(void)shutdown(s->near.fd, SHUT_WR);
	read_off(s);
}

static enum refuse_advice advice(const struct slot *s, enum score_why score, const char *asked)
{
	switch (score) {
	case SCORE_NOT_LISTED:
		return ADVICE_ALLOW;
	case SCORE_MISMATCH:
		return policy_find(s->gate->policy, asked, s->port) ? ADVICE_CONNECT : ADVICE_ALLOW;
	case SCORE_PRIVATE:
		return ADVICE_ADDRESS;
	default:
		return ADVICE_NONE;
	}
}

void slot_refuse(struct slot *s, enum score_why score, const char *asked, const char *why)
{
	struct event ev = slot_event(s, "refuse", "deny", why);
	const struct refusal r = {
		.why = why,
		.host = asked ? asked : s->name,
		.port = s->port,
		.asked = asked ? s->name : NULL,
		.rule = s->rule,
		.advice = advice(s, score, asked),
	};

	if (s->state == SLOT_RELAY)
		say_closed(s, why); /* what went through before is told, too */
	ev.asked = asked;
	event_write(&ev);
	event_score(score, &ev);
	say_farewell(s, &r);
}

void slot_fail(struct slot *s, const char *why)
{
	const struct event ev = slot_event(s, "refuse", "allow", why);
	const struct refusal r = {
		.why = why, .host = s->name, .port = s->port, .rule = s->rule, .failed = true
	};

	event_write(&ev);
	if (!s->published) /* that one is asked for outside, where one sees it */
		event_score(SCORE_NOT_REACHED, &ev);
	say_farewell(s, &r);
}

/* Is it the server that is waited for, and longer than one that is there takes? */
static bool has_waited(const struct slot *s)
{
	return s->state >= SLOT_RESOLVE && s->state <= SLOT_PROXY &&
	       s->gate->loop.now - s->since >= SECOND_MS;
}

void slot_lose(struct slot *s)
{
	bool waited = has_waited(s) && !s->published;
	const struct event ev =
		slot_event(s, "refuse", "allow", waited ? "no answer so far" : "the client is gone");

	event_write(&ev);
	if (waited)
		event_score(SCORE_NOT_REACHED, &ev);
	end(s, true);
}

void slots_finish(struct gate *g)
{
	g->finishing = true;
	for (size_t i = 0; i < g->touched; i++) {
		struct slot *s = &g->slot[i];

		if (s->state == SLOT_RELAY && slot_way_out(s)->shut)
			slot_close(s);
		else if (has_waited(s))
			slot_lose(s);
		else if (s->state != SLOT_RELAY && s->state != SLOT_FREE)
			slot_reset(s);
	}
	if (!g->used)
		g->loop.ended = true;
}

void slots_end(struct gate *g)
{
	for (size_t i = 0; i < g->touched; i++)
		if (g->slot[i].state != SLOT_FREE)
			slot_reset(&g->slot[i]);
	if (g->turned_away)
		report_crowd(&g->crowded);
}
