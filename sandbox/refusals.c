// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the gate refused, in one line at the end; P0.
 *
 * The scoreboard was written by the gate, which has read what came from inside: lengths are looked
 * at, text is cleaned.
 */
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "sandbox/gateway.h"

enum { SHOWN_MAX = 4 };

static const char *const whys[] = {
	[SCORE_NOT_LISTED] = "",
	[SCORE_PORT] = "",
	[SCORE_ADDRESS] = "",
	[SCORE_PRIVATE] = ", its address is private",
	[SCORE_MISMATCH] = ", another name was asked for",
	[SCORE_PROTOCOL] = ", not TCP",
};

/* "x.test:22", "[2001:db8::1]:22"; the port that goes without saying is left out of a rule. */
static void add_target(struct text *t, const struct score *s, bool rule)
{
	char what[NAME_SIZE + 1] = { 0 };
	bool six;

	memcpy(what, s->what, sizeof(s->what)); /* whose end nobody promises */
	six = strchr(what, ':') != NULL;
	text_add(t, six ? "[" : "");
	text_add_clean(t, what);
	text_add(t, six ? "]" : "");
	if (s->port && !(rule && s->port == 443 && s->why != SCORE_ADDRESS))
		text_addf(t, ":%u", s->port);
}

/* Would a line of `allow =` let it through? */
static bool can_be_allowed(const struct score *s)
{
	return s->why == SCORE_NOT_LISTED || s->why == SCORE_PORT ||
	       (s->why == SCORE_ADDRESS && s->port);
}

/* The most frequent one that is not in `done` yet. */
static size_t next_one(const struct scoreboard *board, size_t n, const bool *done)
{
	size_t best = n;

	for (size_t i = 0; i < n; i++) {
		if (!done[i] && (best == n || board->score[i].count > board->score[best].count))
			best = i;
	}
	return best;
}

static void add_rules(struct text *t, const struct scoreboard *board, const size_t *shown, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		const struct score *s = &board->score[shown[i]];

		if (!can_be_allowed(s))
			continue;
		text_add(t, any ? " " : "; to allow: allow = ");
		add_target(t, s, true);
		any = true;
	}
}

void refusals_format(const struct scoreboard *board, char *buf, size_t size)
{
	size_t n = board->used < SCORES_MAX ? board->used : SCORES_MAX, shown[SHOWN_MAX], k = 0;
	bool done[SCORES_MAX] = { 0 };
	struct text t;

	text_init(&t, buf, size);
	if (!n)
		return;
	text_addf(&t, "jail: %zu%s %s refused: ", n, board->dropped ? " or more" : "",
		  n == 1 ? "host" : "hosts");
	for (size_t i; k < SHOWN_MAX && (i = next_one(board, n, done)) < n; k++) {
		const struct score *s = &board->score[i];

		done[i] = true;
		shown[k] = i;
		text_add(&t, k ? ", " : "");
		add_target(&t, s, false);
		text_addf(&t, " (%ux%s)", s->count, s->why < ARRAY_SIZE(whys) ? whys[s->why] : "");
	}
	if (n > k)
		text_addf(&t, " and %zu more", n - k);
	add_rules(&t, board, shown, k);
	text_add(&t, "\n");
}
