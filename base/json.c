// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON writer; pure, any process. */
#include "base/json.h"

#include <inttypes.h>
#include <string.h>

void json_init(struct json *j, struct text *out)
{
	*j = (struct json){ .out = out };
}

static void quoted(struct text *t, const char *s)
{
	text_add(t, "\"");
	while (*s) {
		/* The longest run that needs no escape, ASCII only, goes out in one piece. */
		size_t n = 0;
		unsigned char c;

		while ((c = (unsigned char)s[n]) >= 0x20 && c < 0x7f && c != '"' && c != '\\')
			n++;
		text_addn(t, s, n);
		s += n;
		c = (unsigned char)*s;
		if (!c)
			break;
		n = 1;
		if (c == '"' || c == '\\') {
			text_addf(t, "\\%c", c);
		} else if (c < 0x80) {
			text_addf(t, "\\u%04x", c);
		} else {
			n = 2;
			while (n < 5 && !str_is_utf8(s, n) && s[n - 1])
				n++;
			/* C2 80..9F are C1 controls */
			if (n < 5 && str_is_utf8(s, n) && c != 0xc2) {
				text_addn(t, s, n);
			} else if (n < 5 && str_is_utf8(s, n)) {
				text_addf(t, "\\u00%02x", (unsigned char)s[1]);
			} else {
				text_add(t, "\\ufffd");
				n = 1;
			}
		}
		s += n;
	}
	text_add(t, "\"");
}

static void lead(struct json *j, const char *key)
{
	if (j->comma)
		text_add(j->out, ",");
	j->comma = true;
	if (key) {
		quoted(j->out, key);
		text_add(j->out, ":");
	}
}

void json_open(struct json *j, const char *key, char bracket)
{
	lead(j, key);
	text_addn(j->out, &bracket, 1);
	j->comma = false;
}

void json_close(struct json *j, char bracket)
{
	text_addn(j->out, &bracket, 1);
	j->comma = true;
}

void json_str(struct json *j, const char *key, const char *value)
{
	lead(j, key);
	if (value)
		quoted(j->out, value);
	else
		text_add(j->out, "null");
}

void json_int(struct json *j, const char *key, int64_t value)
{
	lead(j, key);
	text_addf(j->out, "%" PRId64, value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	lead(j, key);
	text_add(j->out, value ? "true" : "false");
}
