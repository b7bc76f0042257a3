// SPDX-License-Identifier: GPL-2.0-or-later
/* Events as lines of JSON, one write each, and the scoreboard. */
#include "gate/event.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/json.h"
#include "base/now.h"
#include "base/own.h"
#include "base/text.h"

/* Less than PIPE_BUF, so that lines of two writers never mix in a pipe. */
#define LINE_SIZE 2048

static struct {
	int fd; /* FD_NONE: nobody listens */
	struct scoreboard *board;
	const struct net_policy *policy;
	uint64_t lost; /* lines that found no room, or were too long */
} out = { .fd = FD_NONE };

static bool is_null_device(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3);
}

void event_init(int fd, struct scoreboard *board, const struct net_policy *policy)
{
	out.fd = is_null_device(fd) ? FD_NONE : fd;
	out.board = board;
	out.policy = policy;
	out.lost = 0;
}

static void add_time(struct json *j)
{
	char now[NOW_SIZE];

	now_format(now);
	json_str(j, "time", now);
}

static void add_text(struct json *j, const char *key, const char *value)
{
	if (value && *value)
		json_str(j, key, value);
}

static void add_address(struct json *j, const struct addr *a)
{
	char buf[64];
	struct text t;

	if (!a->family)
		return;
	text_init(&t, buf, sizeof(buf));
	addr_format(a, &t);
	json_str(j, "addr", buf);
}

static void add_rule(struct json *j, const struct rule *r)
{
	if (!r)
		return;
	json_int(j, "rule", r - out.policy->rule);
	add_text(j, "allow", r->text);
	add_text(j, "origin", r->origin);
}

static void add_event(struct json *j, const struct event *ev)
{
	add_text(j, "event", ev->event);
	add_text(j, "verdict", ev->verdict);
	add_text(j, "name", ev->name);
	add_text(j, "asked", ev->asked);
	add_address(j, &ev->addr);
	if (ev->port)
		json_int(j, "port", ev->port);
	if (ev->addr_port)
		json_int(j, "addr_port", ev->addr_port);
	add_text(j, "protocol", ev->protocol);
	add_rule(j, ev->rule);
	add_text(j, "why", ev->why);
	if (ev->counted) {
		json_int(j, "sent", (int64_t)ev->sent);
		json_int(j, "received", (int64_t)ev->received);
	}
	if (ev->ms >= 0)
		json_int(j, "ms", ev->ms);
	if (ev->count)
		json_int(j, "count", (int64_t)ev->count);
	if (out.lost)
		json_int(j, "lost", (int64_t)out.lost);
}

static void count(const struct event *ev)
{
	struct scoreboard *b = out.board;

	if (!b)
		return;
	if (str_eq(ev->event, "query"))
		b->queries++;
	else if (str_eq(ev->event, "connect"))
		b->connections++;
	else if (ev->verdict && str_eq(ev->verdict, "deny"))
		b->refused += ev->count ? ev->count : 1;
}

void event_write(const struct event *ev)
{
	char line[LINE_SIZE];
	struct text t;
	struct json j;
	ssize_t n;

	count(ev);
	if (out.fd < 0)
		return;
	text_init(&t, line, sizeof(line));
	json_init(&j, &t);
	json_open(&j, NULL, '{');
	add_time(&j);
	add_text(&j, "jail", out.policy->jail);
	add_event(&j, ev);
	json_close(&j, '}');
	text_add(&t, "\n");
	n = t.full ? -1 : write(out.fd, line, t.len);
	out.lost = n == (ssize_t)t.len ? 0 : out.lost + 1;
}

/* False: it has none. */
static bool destination(const struct event *ev, char ret[NAME_SIZE])
{
	struct text t;

	text_init(&t, ret, NAME_SIZE);
	if (ev->asked || ev->name)
		text_add(&t, ev->asked ? ev->asked : ev->name);
	else if (ev->addr.family)
		addr_format(&ev->addr, &t);
	return t.len;
}

void event_score(enum score_why why, const struct event *ev)
{
	struct scoreboard *b = out.board;
	struct score new = { .port = ev->port, .why = (uint8_t)why, .count = 1 };
	uint32_t used;
	struct text t;

	if (!b || !destination(ev, new.what))
		return;
	used = b->used;
	for (uint32_t i = 0; i < used && i < SCORES_MAX; i++) {
		struct score *s = &b->score[i];

		if (s->why == why && s->port == new.port &&str_eq(s->what, new.what)) {
			s->count++;
			return;
		}
	}
	if (used >= SCORES_MAX) {
		b->dropped++;
		return;
	}
	text_init(&t, new.reason, sizeof(new.reason));
	text_add(&t, ev->why ? ev->why : "");
	b->score[used] = new;
	b->used = used + 1; /* last: a reader sees whole ones only */
}
