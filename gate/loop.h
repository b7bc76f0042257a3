/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One epoll loop and its timers; the gate's only thread. A watch lives inside the object that it
 * belongs to; the loop allocates nothing and keeps no more than a pointer to it.
 */
#ifndef JAIL_GATE_LOOP_H
#define JAIL_GATE_LOOP_H

#include <stdbool.h>
#include <stdint.h>

struct watch;
typedef void (*watch_fn)(struct watch *w, uint32_t events);

struct watch {
	watch_fn ready;
	int fd;
};

/* Timers are few kinds with one period each, so a list per kind in order of time is enough. */
struct timer;
typedef void (*timer_fn)(struct timer *t);

struct timer {
	timer_fn fire;
	int64_t at; /* loop_now() of its moment */
	struct timer *next, *prev;
	bool armed;
};

struct timer_list {
	struct timer *first, *last;
	int64_t period; /* ms; the same for all in one list, so that they stay in order */
	struct timer_list *next;
};

struct loop {
	int epoll;
	int64_t now; /* ms, CLOCK_MONOTONIC, as of this turn */
	struct timer_list *timers;
	bool ended;
	/* of this turn, so that a watch that goes away is not called any more */
	void *turn;
	int turn_n;
};

int loop_init(struct loop *l);
void loop_add_timers(struct loop *l, struct timer_list *list, int64_t period_ms);
void timer_arm(struct loop *l, struct timer_list *list, struct timer *t);
void timer_disarm(struct timer_list *list, struct timer *t);

/* 0 or -errno; events are EPOLL*. A watch must be dropped before its descriptor is closed. */
int loop_watch(struct loop *l, struct watch *w, uint32_t events);
int loop_change(struct loop *l, struct watch *w, uint32_t events);
void loop_drop(struct loop *l, struct watch *w);

/* Turns until l->ended. */
void loop_run(struct loop *l);

#endif
