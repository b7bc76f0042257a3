/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Just enough TAP for the programs in this folder; runs in tests. */
#ifndef JAIL_TESTS_SECCOMP_TAP_H
#define JAIL_TESTS_SECCOMP_TAP_H

#include <stdbool.h>
#include <stdio.h>

struct tap {
	unsigned n, failed;
};

#define tap_is(t, good, ...)                                         \
	do {                                                         \
		bool good_ = (good);                                 \
                                                                     \
		(t)->n++;                                            \
		(t)->failed += !good_;                               \
		printf("%s %u - ", good_ ? "ok" : "not ok", (t)->n); \
		printf(__VA_ARGS__);                                 \
		putchar('\n');                                       \
	} while (0)

static inline int tap_done(const struct tap *t)
{
	printf("1..%u\n", t->n);
	return t->failed != 0;
}

#endif
