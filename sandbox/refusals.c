// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the gate refused, and what it did not reach, in a line each at the end; P0.
 *
 * The scoreboard was written by the gate, which has read what came from inside: lengths are looked
 * at, text is cleaned.
 */
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "net/addr.h"
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

/*
 * Would a line of `allow =` let it through, and should it be offered? The command chose what it asked
 * for, so nothing near the host is: only public addresses, and names that a public one can have.
 */
static bool can_be_allowed(const struct score *s)
{
	char what[NAME_SIZE + 1] = { 0 }, name[NAME_SIZE];
	struct addr a;

	memcpy(what, s->what, sizeof(s->what));
	switch (s->why) {
	case SCORE_ADDRESS:
		return s->port && addr_parse(what, &a) && addr_is_public(&a);
	case SCORE_NOT_LISTED:
	case SCORE_PORT:
		return strchr(what, '.') && name_canonical(what, strlen(what), name) == 0;
	default:
		return false;
	}
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

/* What helps those that were shown. */
static void add_cures(struct text *t, const struct score *const *shown, size_t n)
{
	bool any = false, bare = false, private = false;

	for (size_t i = 0; i < n; i++) {
		private |= shown[i]->why == SCORE_PRIVATE;
		if (!can_be_allowed(shown[i]))
			continue;
		text_add(t, any ? " " : "; to allow: allow = ");
		add_target(t, shown[i], true);
		any = true;
		bare |= !shown[i]->port;
	}
	if (bare) /* only a question for its address was seen */
		text_add(t, " (a name alone is TLS on port 443; NAME:PORT for others)");
	if (private)
		text_add(t,
			 "; for a private address: resolve = NAME=ADDRESS, allow = ADDRESS:PORT, or host-port = PORT");
}

static void add_why(struct text *t, const struct score *s)
{
	char reason[SCORE_REASON_SIZE + 1] = { 0 };

	memcpy(reason, s->reason, sizeof(s->reason));
	text_add(t, " (");
	if (s->why != SCORE_NOT_REACHED || s->count > 1)
		text_addf(t, "%ux", s->count);
	if (s->why == SCORE_NOT_REACHED || s->why == SCORE_OTHER) {
		text_add(t, s->why == SCORE_OTHER || s->count > 1 ? ", " : "");
		text_add_clean(t, reason);
	} else if (s->why < ARRAY_SIZE(whys)) {
		text_add(t, whys[s->why]);
	}
	text_add(t, ")");
}

/* A line about those that were refused, or about those that were not reached. */
static void add_line(struct text *t, const struct scoreboard *board, bool refused)
{
	size_t used = board->used < SCORES_MAX ? board->used : SCORES_MAX, n = 0, k = 0;
	const struct score *shown[SHOWN_MAX];
	bool done[SCORES_MAX];

	for (size_t i = 0; i < used; i++) {
		done[i] = (board->score[i].why == SCORE_NOT_REACHED) == refused;
		n += !done[i];
	}
	if (!n)
		return;
	text_addf(t, "jail: %zu%s %s %s: ", n, board->dropped ? " or more" : "",
		  n == 1 && !board->dropped ? "host" : "hosts", refused ? "refused" : "not reached");
	for (size_t i; k < SHOWN_MAX && (i = next_one(board, used, done)) < used; k++) {
		done[i] = true;
		shown[k] = &board->score[i];
		text_add(t, k ? ", " : "");
		add_target(t, shown[k], false);
		add_why(t, shown[k]);
	}
	if (n > k)
		text_addf(t, " and %zu more", n - k);
	add_cures(t, shown, k);
	text_add(t, "\n");
}

void refusals_format(const struct scoreboard *board, char *buf, size_t size)
{
	struct text t;

	text_init(&t, buf, size);
	add_line(&t, board, true);
	add_line(&t, board, false);
	if (t.full && t.len)
		t.buf[t.len - 1] = '\n';
}
