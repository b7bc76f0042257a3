/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One region of memory for everything a run decides; sealed read-only before the first process is
 * made. Runs in P0 only.
 */
#ifndef JAIL_BASE_ARENA_H
#define JAIL_BASE_ARENA_H

#include <stddef.h>

#include "base/err.h"

struct arena {
	char *base;
	size_t used, size;
};

/* Reserve the region; pages cost nothing until touched. */
int arena_init(struct arena *a, struct err *e);

/*
 * Zeroed memory, aligned for any object; never NULL. A plan that does not fit in the region cannot
 * be carried out, and there is no state to unwind before the clone: the process says so and exits
 * 125 from here, the one place outside main that does.
 */
void *arena_alloc(struct arena *a, size_t n);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* No process can change the region from here on. */
int arena_seal(struct arena *a, struct err *e);
void arena_free(struct arena *a);

#define arena_new(a, type)	((type *)arena_alloc((a), sizeof(type)))
#define arena_array(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (n)))

#endif
