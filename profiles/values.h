/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values: the text of a setting checked and turned into what it means, by type. Runs in P0. */
#ifndef JAIL_PROFILES_VALUES_H
#define JAIL_PROFILES_VALUES_H

#include "profiles/draft.h"

/*
 * Check `text` against the option's type and fill the text and the number of *ret; the rest of *ret
 * is untouched. On failure why->what is the bare reason ("not a size (4096, 64K, 2G)"): the caller
 * knows where the text stood and says so.
 */
int value_parse(const struct option_def *def, const char *text, const struct expansion *x,
		struct arena *a, struct value *ret, struct err *why);

/* The number of a BOOL, CHOICE, SIZE, COUNT, DURATION or CPU as value_parse() reads it back. */
void value_format(const struct option_def *def, uint64_t number, struct text *t);

#endif
