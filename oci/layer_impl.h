/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What layer.c and layer_path.c share. */
#ifndef JAIL_OCI_LAYER_IMPL_H
#define JAIL_OCI_LAYER_IMPL_H

#include <limits.h>

#include "oci/dirs.h"
#include "oci/layer.h"

#define DEPTH_MAX   512 /* components of a path */
#define ALIASES_MAX 64

/* An entry's path, cleaned: without leading '/' and './', without '.' and '//'. */
struct where {
	char path[PATH_MAX];
	char *base; /* the last component, in path; parent ends before it */
	char parent[PATH_MAX];
};

struct alias {
	char *from, *to;
};

struct layer {
	int root;
	struct layer_limits limits;
	struct layer_counts counts;
	struct dirs dirs;
	struct alias aliases[ALIASES_MAX];
	size_t n_aliases;
	FILE *owners;
	char *missing; /* lines, in memory */
	size_t missing_n;
	FILE *missing_out;
	bool opaque_root;

	/* the directory of the last entry, as it was called, and where that led */
	char parent_name[PATH_MAX], parent_path[PATH_MAX];
	int parent;
};

/* 0; 1 when it names the root itself; or an error: '..', too long, too deep, a marker inside. */
int layer_clean_path(const char *raw, struct where *ret, struct err *e);

/*
 * Make l->parent and l->parent_path the directory that `name` leads to. Links are followed beneath the
 * root; what is missing is made when `make`, else -ENOENT without an error text.
 */
int layer_enter(struct layer *l, const char *name, bool make, struct err *e);
/* Something that was there is gone: no path is known any more. */
void layer_forget(struct layer *l);
/* parent_path/base; "base" alone in the root. */
int layer_full_path(const struct layer *l, const char *base, char ret[PATH_MAX], struct err *e);

/* The directory hides what layers below have in it. */
int layer_set_opaque(struct layer *l, int dirfd, const char *name, struct err *e);

#endif
