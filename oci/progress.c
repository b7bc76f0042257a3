// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Progress of several things at once. On a terminal the unfinished ones are a block of bars at the
 * end of the output which is drawn over itself; elsewhere each says when it is done, and every ten
 * seconds how far it is.
 */
#include "oci/progress.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/text.h"
#include "oci/catalog.h"

#define THINGS	  1024u
#define ROWS	  8u
#define KEY_SHOWN 19
#define DRAW_MS	  100u
#define PLAIN_MS  10000u

struct thing {
	char key[144];
	uint64_t done, total, said; /* said: when, by now() */
	bool ended;
};

struct progress {
	int fd;
	bool bars;
	unsigned columns, drawn; /* lines of the block that is on the screen */
	uint64_t drawn_at;
	size_t n;
	struct thing list[THINGS];
};

static uint64_t now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void add_size(struct text *t, uint64_t bytes)
{
	char size[32];

	size_format(bytes, size, sizeof(size));
	text_add(t, size);
}

static void look_at_terminal(struct progress *p)
{
	const char *term = getenv("TERM");
	struct winsize w = { 0 };

	p->bars = isatty(p->fd) && term && term[0] && !str_eq(term, "dumb");
	p->columns = 80;
	if (p->bars && ioctl(p->fd, TIOCGWINSZ, &w) == 0 && w.ws_col)
		p->columns = w.ws_col;
}

struct progress *progress_new(int fd)
{
	struct progress *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->fd = fd;
	look_at_terminal(p);
	return p;
}

static void put(struct progress *p, const struct text *t)
{
	(void)fs_write_all(p->fd, t->buf, t->len);
}

/* Where the block begins, and nothing after it. */
static void go_up(struct progress *p, struct text *t)
{
	if (p->drawn)
		text_addf(t, "\r\033[%uA\033[J", p->drawn);
	p->drawn = 0;
}

void progress_free(struct progress *p)
{
	char buf[64];
	struct text t;

	if (!p)
		return;
	text_init(&t, buf, sizeof(buf));
	go_up(p, &t);
	put(p, &t);
	free(p);
}

/* sha256:0123456789ab  12 of 40 MB [####......] within the width, or less of it. */
static void add_bar(const struct progress *p, struct text *t, const struct thing *th)
{
	unsigned room, full;
	size_t from = t->len;

	text_addf(t, "%.*s ", KEY_SHOWN, th->key);
	add_size(t, th->done);
	text_add(t, " of ");
	add_size(t, th->total);
	if (t->len - from < 44)
		text_addf(t, "%*s", (int)(44 - (t->len - from)), "");
	if (p->columns > 44 + 12) {
		room = p->columns - 44 - 3 > 60 ? 60 : p->columns - 44 - 3;
		full = th->total ? (unsigned)((double)th->done / (double)th->total * room) : room;
		text_add(t, "[");
		for (unsigned i = 0; i < room; i++)
			text_add(t, i < full ? "#" : ".");
		text_add(t, "]");
	}
	/* A line that wraps would not be drawn over. */
	if (t->len - from >= p->columns) {
		t->len = from + p->columns - 1;
		t->buf[t->len] = '\0';
	}
	text_add(t, "\n");
}

static void draw(struct progress *p, struct text *t)
{
	unsigned rows = 0, hidden = 0;

	go_up(p, t);
	for (size_t i = 0; i < p->n; i++) {
		if (p->list[i].ended)
			continue;
		if (rows == ROWS) {
			hidden++;
			continue;
		}
		add_bar(p, t, &p->list[i]);
		rows++;
	}
	if (hidden) {
		text_addf(t, "and %u more\n", hidden);
		rows++;
	}
	p->drawn = rows;
	p->drawn_at = now();
}

static void redraw(struct progress *p)
{
	char buf[(ROWS + 1) * 512];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	draw(p, &t);
	put(p, &t);
}

void progress_say(struct progress *p, const char *line)
{
	char buf[2048];
	struct text t;

	if (!p)
		return;
	text_init(&t, buf, sizeof(buf) - 1);
	go_up(p, &t);
	text_add_clean(&t, line);
	t.cap++;
	text_add(&t, "\n");
	put(p, &t);
	if (p->bars)
		redraw(p);
}

static struct thing *find(struct progress *p, const char *key)
{
	struct text t;

	for (size_t i = 0; i < p->n; i++) {
		if (str_eq(p->list[i].key, key))
			return &p->list[i];
	}
	if (p->n == THINGS)
		return NULL;
	text_init(&t, p->list[p->n].key, sizeof(p->list[p->n].key));
	text_add_clean(&t, key);
	p->list[p->n].said = now();
	return &p->list[p->n++];
}

static void say_how_far(struct progress *p, const struct thing *th)
{
	char buf[128];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_addf(&t, "%.*s: ", KEY_SHOWN, th->key);
	add_size(&t, th->done);
	text_add(&t, " of ");
	add_size(&t, th->total);
	progress_say(p, buf);
}

void progress_set(struct progress *p, const char *key, uint64_t done, uint64_t total)
{
	struct thing *th = p ? find(p, key) : NULL;

	if (!th)
		return;
	th->done = done > total ? total : done;
	th->total = total;
	th->ended = false;
	if (p->bars) {
		if (now() - p->drawn_at >= DRAW_MS)
			redraw(p);
	} else if (now() - th->said >= PLAIN_MS) {
		th->said = now();
		say_how_far(p, th);
	}
}

void progress_done(struct progress *p, const char *key, const char *how)
{
	struct thing *th = p ? find(p, key) : NULL;
	char buf[128];
	struct text t;

	if (!th)
		return;
	th->ended = true;
	text_init(&t, buf, sizeof(buf));
	text_addf(&t, "%.*s: ", KEY_SHOWN, th->key);
	if (th->total) {
		add_size(&t, th->total);
		text_add(&t, " ");
	}
	text_add(&t, how);
	progress_say(p, buf);
}
