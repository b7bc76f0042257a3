/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A JSON writer onto a struct text: commas and escapes in one place, no allocation. */
#ifndef JAIL_BASE_JSON_H
#define JAIL_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct json {
	struct text *out;
	bool comma; /* the next member needs one */
};

void json_init(struct json *j, struct text *out);
/* key is NULL inside arrays and at the top. */
void json_open(struct json *j, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *j, char bracket);		       /* '}' or ']' */
/* NULL value is null; invalid UTF-8 becomes U+FFFD */
void json_str(struct json *j, const char *key, const char *value);
void json_int(struct json *j, const char *key, int64_t value);
void json_bool(struct json *j, const char *key, bool value);

#endif
