/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profile grammar: text in, one call for each setting out, or one error. Runs in P0. */
#ifndef JAIL_PROFILES_READER_H
#define JAIL_PROFILES_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "profiles/options.h"

#define PROFILE_FILE_MAX ((size_t)256 << 10)
#define PROFILE_LINE_MAX ((size_t)1024)

/*
 * The grammar, all of it:
 *   - UTF-8 without a byte order mark, lines ended by LF alone, no control bytes but tab; a line
 *     has at most PROFILE_LINE_MAX bytes, a file PROFILE_FILE_MAX;
 *   - a line is blank, a comment (; or # in column 1), a [section], or a key = value; it starts in
 *     column 1, so nothing is ever continued;
 *   - a section and a key are those of the option table; a section stands once, and so does a key
 *     that is no list; "key! = value" marks the value of a BANG option as required;
 *   - white space, ';' and white space or the end of the line begin a comment that ends the line;
 *     '#' behind a value, and a ';' without the white space, belong to the value;
 *   - a value is what is left between '=' and the end, trimmed; it is never empty or quoted.
 */
struct entry {
	enum opt id;
	const char *value;
	bool required;
	unsigned line;
};

/* Takes a setting; what it returns below 0 ends the reading, with e filled. */
typedef int (*entry_sink)(void *arg, const struct entry *entry, struct err *e);

/*
 * Read `n` bytes of the profile that messages call `file`. Settings reach the sink as they are
 * found: it must not put them in force before this has returned 0.
 */
int profile_read(const char *file, const char *text, size_t n, entry_sink sink, void *arg,
		 struct err *e);

/* "FILE:LINE: " and the rest, into *e; a very long file name loses its front, never the message. */
int profile_err(struct err *e, const char *file, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* For every file in this dialect: a blank, and a line less its comment and the blanks at its end. */
static inline bool line_blank(char c)
{
	return c == ' ' || c == '\t';
}
size_t line_without_comment(const char *s, size_t n);

#endif
