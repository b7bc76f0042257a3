// SPDX-License-Identifier: GPL-2.0-or-later
/* The gate's loop: one turn is the events that are there, then the timers that are due. */
#include <errno.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <time.h>

#include "base/own.h"
#include "gate/loop.h"

enum { TURN_MAX = 64 };

static void look_at_clock(struct loop *l)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_MONOTONIC, &ts) == 0)
		l->now = (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int loop_init(struct loop *l)
{
	int fd = epoll_create1(EPOLL_CLOEXEC);

	if (fd < 0)
		return -errno;
	*l = (struct loop){ .epoll = fd };
	look_at_clock(l);
	return 0;
}

void loop_add_timers(struct loop *l, struct timer_list *list, int64_t period_ms)
{
	*list = (struct timer_list){ .period = period_ms, .next = l->timers };
	l->timers = list;
}

void timer_arm(struct loop *l, struct timer_list *list, struct timer *t)
{
	timer_disarm(list, t);
	t->at = l->now + list->period;
	t->next = NULL;
	t->prev = list->last;
	if (list->last)
		list->last->next = t;
	else
		list->first = t;
	list->last = t;
	t->armed = true;
}

void timer_disarm(struct timer_list *list, struct timer *t)
{
	if (!t->armed)
		return;
	if (t->prev)
		t->prev->next = t->next;
	else
		list->first = t->next;
	if (t->next)
		t->next->prev = t->prev;
	else
		list->last = t->prev;
	t->next = t->prev = NULL;
	t->armed = false;
}

static int control(struct loop *l, int op, struct watch *w, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.ptr = w };

	return epoll_ctl(l->epoll, op, w->fd, &ev) < 0 ? -errno : 0;
}

int loop_watch(struct loop *l, struct watch *w, uint32_t events)
{
	return control(l, EPOLL_CTL_ADD, w, events);
}

int loop_change(struct loop *l, struct watch *w, uint32_t events)
{
	return control(l, EPOLL_CTL_MOD, w, events);
}

void loop_drop(struct loop *l, struct watch *w)
{
	struct epoll_event *turn = l->turn;

	/* Fails only when it was not watched, and then there is nothing to do. */
	(void)control(l, EPOLL_CTL_DEL, w, 0);
	for (int i = 0; i < l->turn_n; i++) {
		if (turn[i].data.ptr == w)
			turn[i].data.ptr = NULL;
	}
}

/* Until the next timer, in ms; -1: there is none. */
static int time_to_wait(const struct loop *l)
{
	int64_t least = -1;

	for (const struct timer_list *list = l->timers; list; list = list->next) {
		int64_t left;

		if (!list->first)
			continue;
		left = list->first->at > l->now ? list->first->at - l->now : 0;
		if (least < 0 || left < least)
			least = left;
	}
	return least > 3600000 ? 3600000 : (int)least;
}

static void fire_timers(struct loop *l)
{
	for (struct timer_list *list = l->timers; list; list = list->next) {
		/* One that is armed again comes after now, so this ends. */
		while (list->first && list->first->at <= l->now && !l->ended) {
			struct timer *t = list->first;

			timer_disarm(list, t);
			t->fire(t);
		}
	}
}

void loop_run(struct loop *l)
{
	struct epoll_event turn[TURN_MAX];

	while (!l->ended) {
		int n = epoll_wait(l->epoll, turn, TURN_MAX, time_to_wait(l));

		if (n < 0 && errno != EINTR) {
			l->ended = true; /* cannot be; a gate that spins would be worse */
			return;
		}
		look_at_clock(l);
		l->turn = turn;
		l->turn_n = n < 0 ? 0 : n;
		for (int i = 0; i < l->turn_n && !l->ended; i++) {
			struct watch *w = turn[i].data.ptr;

			if (w)
				w->ready(w, turn[i].events);
		}
		l->turn = NULL;
		l->turn_n = 0;
		if (!l->ended)
			fire_timers(l);
	}
}
