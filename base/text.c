// SPDX-License-Identifier: GPL-2.0-or-later
/* Bounded text building, parsing and cleaning; pure functions, any process. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_init(struct text *t, char *buf, size_t cap)
{
	*t = (struct text){ .buf = buf, .cap = cap };
	if (cap)
		buf[0] = '\0';
}

void text_addn(struct text *t, const char *s, size_t n)
{
	size_t room = t->cap > t->len ? t->cap - t->len - 1 : 0;

	if (n > room) {
		n = room;
		t->full = true;
	}
	if (!t->cap)
		return;
	memcpy(t->buf + t->len, s, n);
	t->len += n;
	t->buf[t->len] = '\0';
}

void text_add(struct text *t, const char *s)
{
	text_addn(t, s, strlen(s));
}

void text_addf(struct text *t, const char *fmt, ...)
{
	size_t room = t->cap > t->len ? t->cap - t->len : 0;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->len, room, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= room) {
		t->full = true;
		if (room)
			t->len += room - 1;
		return;
	}
	t->len += (size_t)n;
}

/* The length of the valid UTF-8 sequence at s (1 to 4), or 0; *ret_cp is its code point. */
static size_t utf8_next(const unsigned char *s, size_t n, uint32_t *ret_cp)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len;
	uint32_t cp;

	if (!n)
		return 0;
	if (s[0] < 0x80) {
		*ret_cp = s[0];
		return 1;
	}
	if ((s[0] & 0xe0) == 0xc0) {
		len = 2;
		cp = s[0] & 0x1f;
	} else if ((s[0] & 0xf0) == 0xe0) {
		len = 3;
		cp = s[0] & 0x0f;
	} else if ((s[0] & 0xf8) == 0xf0) {
		len = 4;
		cp = s[0] & 0x07;
	} else {
		return 0;
	}
	if (n < len)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		cp = cp << 6 | (s[i] & 0x3f);
	}
	if (cp < least[len] || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
		return 0;
	*ret_cp = cp;
	return len;
}

/* Control characters, and the bidi marks that make a line read as something else. */
static bool unsafe(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp <= 0x9f) || cp == 0x200e || cp == 0x200f ||
	       (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069);
}

void text_add_clean(struct text *t, const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t left = strlen(s);

	while (left) {
		uint32_t cp = 0;
		size_t len = utf8_next(p, left, &cp);

		if (len && !unsafe(cp)) {
			text_addn(t, (const char *)p, len);
		} else {
			len = len ? len : 1;
			for (size_t i = 0; i < len; i++)
				text_addf(t, "\\x%02x", p[i]);
		}
		p += len;
		left -= len;
	}
}

bool str_eq(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

bool str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_is_utf8(const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s;

	while (n) {
		uint32_t cp;
		size_t len = utf8_next(p, n, &cp);

		if (!len)
			return false;
		p += len;
		n -= len;
	}
	return true;
}

bool path_beneath(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (str_eq(dir, "/"))
		return path[0] == '/';
	return strncmp(path, dir, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

bool str_to_u64(const char *s, uint64_t max, uint64_t *ret)
{
	uint64_t v = 0;

	if (!*s)
		return false;
	for (; *s; s++) {
		unsigned d = (unsigned char)*s - '0';

		if (d > 9 || v > (UINT64_MAX - d) / 10)
			return false;
		v = v * 10 + d;
	}
	if (v > max)
		return false;
	*ret = v;
	return true;
}

unsigned str_distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b);
	unsigned row[64];

	if (la > 63 || lb > 63)
		return UINT32_MAX;
	for (size_t j = 0; j <= lb; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[lb];
}

const char *str_nearest(const char *word, const char *(*next)(void *arg, size_t i), void *arg)
{
	const char *best = NULL, *candidate;
	/* A third of the word may be wrong, and one letter always. */
	unsigned limit = (unsigned)(strlen(word) / 3) + 1;

	for (size_t i = 0; (candidate = next(arg, i)); i++) {
		unsigned d = str_distance(word, candidate);

		if (d <= limit) {
			best = candidate;
			limit = d ? d - 1 : 0;
			if (!d)
				break;
		}
	}
	return best;
}
