// SPDX-License-Identifier: GPL-2.0-or-later
/* The lists of sequences a jailed program may send to the user's terminal. Runs in P0. */

/*
 * Kept is what programs draw and edit with, and the queries whose reply holds nothing but numbers
 * and the terminal's own name. Left out, besides what no one uses: replies that carry text the
 * program chose (titles, DECRQSS) or what others have on the screen (DECRQCRA), the clipboard,
 * files, notifications and the printer, moving and hiding the window, and whatever changes how the
 * terminal reads the bytes that follow (VT52 and Tektronix modes, other encodings, 8-bit replies).
 */

#include "sandbox/ttypolicy.h"

#include <string.h>

#include "base/own.h"

#define PARAM_MAX 99999u /* terminals were hung by asking for a thousand million repetitions */
#define TITLE_MAX 256

static const struct csi_rule {
	uint8_t prefix, inter;
	const char *finals;
} csi_rules[] = {
	{ 0, 0, "@ABCDEFGHIJKLMPSTXZ^`abcdefghjklmnqrstu" },
	{ '?', 0, "JKSWcghlmnrsu" },
	{ '>', 0, "cfmnpqu" },
	{ '<', 0, "u" },
	{ '=', 0, "cu" },
	{ 0, ' ', "@Aq" },     /* scroll left and right, cursor style */
	{ 0, '!', "p" },       /* soft reset */
	{ 0, '"', "q" },       /* protected characters */
	{ 0, '#', "PQpq{}" },  /* push and pop colours and attributes */
	{ 0, '$', "prtvxz{" }, /* mode query, rectangles; not $w and $u, which report state */
	{ '?', '$', "p" },
	{ 0, '\'', "}~" }, /* insert and delete columns */
	{ 0, '*', "x" },   /* not *y, which reads the screen, nor *z, which runs a macro */
};

static bool number_in(uint32_t n, const uint16_t *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (n == list[i])
			return true;
	return false;
}

bool tty_csi_parse(const uint8_t *s, size_t n, struct tty_csi *ret)
{
	struct tty_csi c = { 0 };
	uint32_t value = 0;
	size_t i = 0;

	if (!n)
		return false;
	if (s[0] >= '<' && s[0] <= '?')
		c.prefix = s[i++];
	for (; i < n && s[i] >= '0' && s[i] <= ';'; i++) {
		if (!c.n)
			c.n = 1;
		if (s[i] >= ':') {
			c.n++;
			value = 0;
			continue;
		}
		value = value * 10 + (s[i] - '0');
		if (value > PARAM_MAX)
			return false;
		if (c.n <= TTY_PARAMS_MAX)
			c.params[c.n - 1] = value;
	}
	if (i < n && s[i] >= 0x20 && s[i] < 0x30)
		c.inter = s[i++];
	if (i != n - 1 || s[i] < 0x40 || s[i] > 0x7e)
		return false;
	c.final = s[i];
	*ret = c;
	return true;
}

static bool modes_allowed(const struct tty_csi *c)
{
	/* keyboard lock, local echo */
	static const uint16_t ansi[] = { 2, 12 };
	/* VT52, printer, Tektronix, log file, a mouse mode that hangs until the program answers */
	static const uint16_t dec[] = { 2, 18, 19, 38, 46, 1001 };

	if (c->n > TTY_PARAMS_MAX)
		return false;
	for (size_t i = 0; i < c->n; i++)
		if (c->prefix ? number_in(c->params[i], dec, ARRAY_SIZE(dec))
			      : number_in(c->params[i], ansi, ARRAY_SIZE(ansi)))
			return false;
	return true;
}

bool tty_csi_allowed(const struct tty_csi *c)
{
	/*
	 * sizes in pixels and cells, title stack; 20 and 21 report the title, the rest moves the
	 * window
	 */
	static const uint16_t window_ops[] = { 14, 16, 18, 19, 22, 23 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(csi_rules); i++)
		if (c->prefix == csi_rules[i].prefix && c->inter == csi_rules[i].inter)
			break;
	if (i == ARRAY_SIZE(csi_rules) || !strchr(csi_rules[i].finals, c->final))
		return false;
	if (c->inter)
		return true;
	if (c->final == 't')
		return number_in(c->params[0], window_ops, ARRAY_SIZE(window_ops));
	if (c->final == 'h' || c->final == 'l' || (c->prefix == '?' && c->final == 'r'))
		return modes_allowed(c);
	return true;
}

bool tty_esc_allowed(const uint8_t *s, size_t n)
{
	if (n == 1)
		return strchr("6789<=>DEHMcno", s[0]);
	if (n != 2)
		return false;
	switch (s[0]) {
	case '#':
		return strchr("34568", s[1]);
	case '(':
	case ')':
	case '*':
	case '+':
		return strchr("0ABU", s[1]);
	default:
		return false;
	}
}

int tty_utf8_length(const uint8_t *s, size_t n)
{
	size_t len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	uint8_t low = 0x80, high = 0xbf;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	if (n < 2)
		return -1;
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++) {
		if (i == n)
			return -1;
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	return (int)len;
}

/*
 * The handlers clean the text after "code;" in place and return its length, DROP to drop the
 * sequence.
 */
#define DROP SIZE_MAX

static bool only_ascii(const uint8_t *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] < 0x20 || s[i] > 0x7e)
			return false;
	return true;
}

static size_t clean_text(uint8_t *s, size_t n, size_t max)
{
	size_t i = 0, kept = 0;

	while (i < n) {
		int len = tty_utf8_length(s + i, n - i);
		size_t step = len > 0 ? (size_t)len : 1;

		if (len > 0 && s[i] >= 0x20 && s[i] != 0x7f && !tty_utf8_is_c1(s + i)) {
			if (kept + step > max)
				break;
			memmove(s + kept, s + i, step);
			kept += step;
		}
		i += step;
	}
	return kept;
}

static size_t osc_title(uint32_t code, uint8_t *s, size_t n)
{
	(void)code;
	return clean_text(s, n, TITLE_MAX);
}

static size_t osc_colour(uint32_t code, uint8_t *s, size_t n)
{
	static const uint16_t may_ask[] = { 4, 10, 11, 12 };
	static const char names[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ#:/;,.- ";

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '?' && number_in(code, may_ask, ARRAY_SIZE(may_ask)))
			continue;
		if (!memchr(names, s[i], sizeof(names) - 1))
			return DROP;
	}
	return n;
}

static bool has_scheme(const uint8_t *s, size_t n, const char *scheme)
{
	size_t len = strlen(scheme);

	if (n < len)
		return false;
	for (size_t i = 0; i < len; i++) {
		uint8_t c = s[i] >= 'A' && s[i] <= 'Z' ? (uint8_t)(s[i] | 0x20) : s[i];

		if (c != (uint8_t)scheme[i])
			return false;
	}
	return true;
}

static size_t osc_directory(uint32_t code, uint8_t *s, size_t n)
{
	(void)code;
	return only_ascii(s, n) && has_scheme(s, n, "file://") ? n : DROP;
}

/* A link that is refused ends the one before it, or its text would belong to that. */
static size_t osc_link(uint32_t code, uint8_t *s, size_t n)
{
	uint8_t *uri = memchr(s, ';', n);
	size_t left;

	(void)code;
	if (!uri)
		return DROP;
	uri++;
	left = n - (size_t)(uri - s);
	if (only_ascii(s, n) && (!left || has_scheme(uri, left, "https://") ||
				 has_scheme(uri, left, "http://") || has_scheme(uri, left, "mailto:")))
		return n;
	s[0] = ';';
	return 1;
}

static size_t osc_mark(uint32_t code, uint8_t *s, size_t n)
{
	(void)code;
	return n > 0 && only_ascii(s, n) ? n : DROP;
}

static const struct osc_rule {
	uint32_t first, last;
	bool bare; /* may come without text */
	size_t (*clean)(uint32_t code, uint8_t *s, size_t n);
} osc_rules[] = {
	{ 0, 2, false, osc_title },	{ 4, 5, false, osc_colour },
	{ 7, 7, false, osc_directory }, { 8, 8, false, osc_link },
	{ 10, 19, false, osc_colour },	{ 104, 105, true, osc_colour },
	{ 110, 119, true, osc_colour }, { 133, 133, false, osc_mark },
};

size_t tty_osc_clean(uint8_t *s, size_t n)
{
	size_t digits = 0, left;
	uint32_t code = 0;

	while (digits < n && digits < 4 && s[digits] >= '0' && s[digits] <= '9')
		code = code * 10 + (s[digits++] - '0');
	if (!digits || (s[0] == '0' && digits > 1) || (digits < n && s[digits] != ';'))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(osc_rules); i++) {
		const struct osc_rule *r = &osc_rules[i];

		if (code < r->first || code > r->last)
			continue;
		if (digits == n)
			return r->bare ? n : 0;
		left = r->clean(code, s + digits + 1, n - digits - 1);
		return left == DROP ? 0 : digits + 1 + left;
	}
	return 0;
}
