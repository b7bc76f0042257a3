// SPDX-License-Identifier: GPL-2.0-or-later
/* What a jailed program left switched on in the user's terminal, and its undoing. Runs in P0. */

#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "sandbox/ttypolicy.h"

/* The alternate screens stand first: they are left before anything else is undone. */
static const struct mode {
	bool dec;   /* CSI ? n h, else CSI n h */
	bool start; /* on in a fresh terminal */
	uint16_t number;
} modes[] = {
	{ true, false, 47 },   /* alternate screen */
	{ true, false, 1047 }, /* alternate screen */
	{ true, false, 1049 }, /* alternate screen and saved cursor */
	{ true, false, 1 },    /* application cursor keys */
	{ true, false, 5 },    /* reverse screen */
	{ true, true, 7 },     /* wrap around */
	{ true, false, 9 },    /* mouse */
	{ true, true, 25 },    /* cursor */
	{ true, false, 45 },   /* reverse wrap */
	{ true, false, 66 },   /* keypad */
	{ true, false, 69 },   /* left and right margins */
	{ true, false, 1000 }, /* mouse */
	{ true, false, 1002 }, /* mouse */
	{ true, false, 1003 }, /* mouse */
	{ true, false, 1004 }, /* focus */
	{ true, false, 1005 }, /* mouse */
	{ true, false, 1006 }, /* mouse */
	{ true, false, 1015 }, /* mouse */
	{ true, false, 1016 }, /* mouse */
	{ true, false, 2004 }, /* bracketed paste */
	{ true, false, 2026 }, /* frozen while drawing */
	{ true, false, 2031 }, /* reports of the colour scheme */
	{ true, false, 2048 }, /* reports of the size */
	{ true, false, 5522 }, /* paste events */
	{ true, false, 9001 }, /* win32 keys */
	{ false, false, 4 },   /* insert */
	{ false, false, 20 },  /* newline */
	{ false, true, 34 },   /* cursor of screen(1) */
};
#define ALT_MODES 3u
#define ALT_MASK  ((1u << ALT_MODES) - 1)

_Static_assert(ARRAY_SIZE(modes) <= 32, "one bit of ttymodes.modes per row");

/* 'h' sets, 'l' resets, 'r' restores what was saved, which may be either. */
static void note_modes(struct ttymodes *m, const struct tty_csi *c)
{
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(modes); k++) {
			uint32_t bit = 1u << k;

			if (modes[k].number != c->params[i] || modes[k].dec != (c->prefix == '?'))
				continue;
			if (c->final == 'r' || (c->final == 'h') != modes[k].start)
				m->modes |= bit;
			else
				m->modes &= ~bit;
		}
	m->alt = m->modes & ALT_MASK;
}

static bool any_param(const struct tty_csi *c)
{
	for (size_t i = 0; i < c->n && i < TTY_PARAMS_MAX; i++)
		if (c->params[i])
			return true;
	return c->n > TTY_PARAMS_MAX;
}

/* The kitty keyboard protocol: push and pop, of which each screen has its own stack, and set. */
static void note_keyboard(struct ttymodes *m, const struct tty_csi *c)
{
	uint8_t *depth = &m->kitty_push[m->alt];
	uint32_t pops = c->params[0] ? c->params[0] : 1;

	if (c->prefix == '>' && *depth < UINT8_MAX)
		(*depth)++;
	else if (c->prefix == '<')
		*depth = pops < *depth ? (uint8_t)(*depth - pops) : 0;
	else if (c->prefix == '=')
		m->kitty_set = c->params[0];
}

void tty_note_csi(struct ttymodes *m, const struct tty_csi *c)
{
	bool plain = !c->prefix && !c->inter;

	if (c->inter == ' ' && c->final == 'q')
		m->cursor_style = any_param(c);
	if (c->inter)
		return;
	switch (c->final) {
	case 'h':
	case 'l':
		note_modes(m, c);
		break;
	case 'r':
		if (c->prefix)
			note_modes(m, c);
		else
			m->region = any_param(c);
		break;
	case 'm':
		if (plain)
			m->sgr = any_param(c);
		else if (c->prefix == '>' && c->params[0] == 4)
			m->other_keys = c->n > 1;
		break;
	case 'f':
		if (c->prefix == '>' && c->params[0] == 4)
			m->format_keys = c->n > 1;
		break;
	case 'u':
		note_keyboard(m, c);
		break;
	default:
		break;
	}
}

void tty_note_esc(struct ttymodes *m, const uint8_t *s, size_t n)
{
	if (s[0] == 'c' && n == 1)
		*m = (struct ttymodes){ 0 };
	else if (s[0] == '=' || s[0] == '>')
		m->keypad = s[0] == '=';
	else if (s[0] == 'n' || s[0] == 'o')
		m->shifted = true;
	else if (s[0] == '(' && n == 2)
		m->g0 = s[1] != 'B';
}

/* s is cleaned: 8;parameters;uri */
void tty_note_osc(struct ttymodes *m, const uint8_t *s, size_t n)
{
	if (n >= 3 && s[0] == '8' && s[1] == ';')
		m->link = s[n - 1] != ';' || memchr(s + 2, ';', n - 3);
}

static void undo_modes(const struct ttymodes *m, uint32_t mask, struct text *t)
{
	for (size_t k = 0; k < ARRAY_SIZE(modes); k++)
		if (m->modes & mask & 1u << k)
			text_addf(t, "\033[%s%u%c", modes[k].dec ? "?" : "",
				  (unsigned)modes[k].number, modes[k].start ? 'h' : 'l');
}

static void undo_keyboard(const struct ttymodes *m, bool alt, struct text *t)
{
	if (m->kitty_push[alt])
		text_addf(t, "\033[<%uu", (unsigned)m->kitty_push[alt]);
}

size_t tty_undo(const struct ttymodes *m, char *out)
{
	/*
	 * setting the region moves the cursor, and leaving the alternate screen brings back
	 * attributes
	 */
	const struct {
		bool on;
		const char *undo;
	} rest[] = {
		{ m->region, "\0337\033[r\0338" },
		{ m->shifted, "\017" },
		{ m->g0, "\033(B" },
		{ m->sgr, "\033[m" },
		{ m->keypad, "\033>" },
		{ m->cursor_style, "\033[0 q" },
		{ m->other_keys, "\033[>4m" },
		{ m->format_keys, "\033[>4f" },
		{ m->kitty_set, "\033[=0u" },
	};
	struct text t;

	text_init(&t, out, TTYFILTER_FINISH_MAX - 4);
	if (m->link)
		text_add(&t, "\033]8;;\033\\");
	if (m->alt) {
		undo_keyboard(m, true, &t);
		undo_modes(m, ALT_MASK, &t);
	}
	undo_keyboard(m, false, &t);
	for (size_t i = 0; i < ARRAY_SIZE(rest); i++)
		if (rest[i].on)
			text_add(&t, rest[i].undo);
	undo_modes(m, ~ALT_MASK, &t);
	return t.len;
}
