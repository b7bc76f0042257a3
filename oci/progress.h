/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far a pull has come: bars on a terminal, a line now and then elsewhere. In jail-image. */
#ifndef JAIL_OCI_PROGRESS_H
#define JAIL_OCI_PROGRESS_H

#include <stdint.h>

struct progress;

/*
 * Writes to `fd`; bars when that is a terminal that can move its cursor. NULL when there is no
 * memory, which every call here takes: progress is not worth a failure.
 */
struct progress *progress_new(int fd);
void progress_free(struct progress *p); /* the bars go, what was said stays */

/* A line of its own; control bytes are escaped. */
void progress_say(struct progress *p, const char *line);

/* `key` names a thing, shown by its first 19 bytes; a new key is a new thing. */
void progress_set(struct progress *p, const char *key, uint64_t done, uint64_t total);
/* All of it is there; `how` in one word: pulled, unpacked. */
void progress_done(struct progress *p, const char *key, const char *how);

#endif
