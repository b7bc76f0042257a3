/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One layer becomes a tree that overlayfs takes as a lower: whiteouts are character devices 0:0 made
 * by us, opaque directories carry user.overlay.opaque. Runs in jail-unpack, inside the cage, but
 * trusts nothing to it: every path is resolved beneath one directory, link by link.
 *
 * A layer is unpacked alone. Where it leans on what lies below it, the caller is told:
 *	implicit PATH	a directory that no entry described; a layer below may have it, with
 *			another mode, or as a link
 *	missing PATH	the target of a hard link that is not in this layer
 *	opaque-root	nothing below this layer is seen
 */
#ifndef JAIL_OCI_LAYER_H
#define JAIL_OCI_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"

enum entry_kind { ENTRY_FILE, ENTRY_DIR, ENTRY_SYMLINK, ENTRY_HARDLINK, ENTRY_FIFO, ENTRY_SKIP };

struct entry {
	enum entry_kind kind;
	const char *path; /* as the archive has it */
	const char *link; /* of symlinks and hard links */
	unsigned mode;
	uint64_t size;
	int64_t sec;
	long nsec;
	uint64_t uid, gid;
};

/* Where the bytes and attributes of an entry come from; 1 = there is one, 0 = no more. */
struct entry_source {
	void *arg;
	int (*data)(void *arg, const void **ret, size_t *ret_n, int64_t *ret_offset, struct err *e);
	int (*xattr)(void *arg, const char **ret_name, const void **ret_value, size_t *ret_n);
};

struct layer_limits {
	uint64_t entries, bytes;
};

struct layer_counts {
	uint64_t entries, bytes, skipped;
};

struct layer;

/* `root` stays the caller's. `owners` may be NULL: "UID GID PATH" of what is not root's goes there. */
int layer_new(int root, const struct layer_limits *limits, FILE *owners, struct layer **ret,
	      struct err *e);
void layer_free(struct layer *l);
/* A directory that is a link in a layer below: entries beneath `from` go beneath `to`. */
int layer_add_alias(struct layer *l, const char *from, const char *to, struct err *e);
int layer_add(struct layer *l, const struct entry *en, const struct entry_source *src, struct err *e);
/* Modes and times of directories, deepest first. Then what is to be told goes to `out`. */
int layer_finish(struct layer *l, FILE *out, struct layer_counts *ret, struct err *e);

#endif
