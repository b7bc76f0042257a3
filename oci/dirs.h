/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directories of a layer: what each will look like once it is filled. A directory is 0700 until
 * then, and children are finished before their parents, which may be closed to their owner.
 */
#ifndef JAIL_OCI_DIRS_H
#define JAIL_OCI_DIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct dir {
	char *path; /* relative, without links; "" is the root */
	unsigned mode;
	bool implicit; /* no entry described it */
	int64_t sec;
	long nsec;
};

struct dirs {
	struct dir *v;
	size_t n, cap;
	uint32_t *slots; /* an index into v plus one; 0 = free */
	size_t slots_n;
	size_t bytes; /* of all paths */
};

/* The one of that path, made if need be; NULL when memory ends, or the limit on it is reached. */
struct dir *dirs_at(struct dirs *d, const char *path);
/* Every mode and time; 0 or -errno. Those that are directories no more are skipped. */
int dirs_finish(struct dirs *d, int root);
/* "implicit PATH" for each that no entry described. */
void dirs_tell(const struct dirs *d, FILE *out);
void dirs_free(struct dirs *d);

#endif
