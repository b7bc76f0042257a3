/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bounded text building, parsing and cleaning without allocation; used by every process. */
#ifndef JAIL_BASE_TEXT_H
#define JAIL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A bounded string under construction. What does not fit sets `full` and is dropped; the buffer is
 * always terminated.
 */
struct text {
	char *buf;
	size_t len, cap;
	bool full;
};

void text_init(struct text *t, char *buf, size_t cap);
void text_add(struct text *t, const char *s);
void text_addn(struct text *t, const char *s, size_t n);
void text_addf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Add s with C0, C1, DEL, invalid UTF-8 and bidi controls written as \xNN, so that it is safe on a
 * terminal and in a log.
 */
void text_add_clean(struct text *t, const char *s);

bool str_eq(const char *a, const char *b);
bool str_starts(const char *s, const char *prefix);
/* True for valid UTF-8 without overlong forms or surrogates. */
bool str_is_utf8(const char *s, size_t n);
/*
 * True when `path` is `dir` itself or lies beneath it; both canonical. "/a/bc" is not beneath
 * "/a/b".
 */
bool path_beneath(const char *path, const char *dir);

/*
 * Whole-string decimal; false on sign, spaces, overflow past max, or anything else. *ret is
 * untouched on failure.
 */
bool str_to_u64(const char *s, uint64_t max, uint64_t *ret);

/*
 * The edit distance of two short strings, for "did you mean"; strings over 63 bytes are infinitely
 * far.
 */
unsigned str_distance(const char *a, const char *b);

/*
 * The candidate nearest to `word`, or NULL when none is near enough to be worth naming. `next`
 * yields candidates until NULL.
 */
const char *str_nearest(const char *word, const char *(*next)(void *arg, size_t i), void *arg);

#endif
