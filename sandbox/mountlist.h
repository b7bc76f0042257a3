/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of mounts while it is being made: added in any order, then put in the one order that
 * works. Runs in P0.
 */
#ifndef JAIL_SANDBOX_MOUNTLIST_H
#define JAIL_SANDBOX_MOUNTLIST_H

#include "sandbox/plan.h"
#include "sandbox/resolve.h"

#define MOUNTS_MAX 512

struct mount_draft {
	struct arena *arena;
	struct mount_op *ops; /* room for MOUNTS_MAX */
	size_t n;
};

void mounts_init(struct mount_draft *m, struct arena *a);

/*
 * A zeroed op for `target`; fails only when there are more than MOUNTS_MAX. A later op for the same
 * target replaces an earlier one.
 */
int mounts_add(struct mount_draft *m, enum mount_kind kind, const char *target,
	       struct mount_op **ret, struct err *e);

/* A file of our own with these contents. */
int mounts_add_file(struct mount_draft *m, const char *at, const char *contents, struct err *e);

/* What `r` holds, at its own path, and the links that led there. */
int mounts_add_host(struct mount_draft *m, const struct resolved *r, bool readonly,
		    enum access access, struct mount_op **ret, struct err *e);

/* What a bound tree is restricted to: K_MOUNT_ATTR_*. */
unsigned mounts_attrs(const struct mount_op *op);

/* Sort, drop what another op already shows, and decide who makes the mount points. */
struct mount_list mounts_finish(struct mount_draft *m);

/*
 * True when the directory `path` (canonical) will exist inside: shown from the host, made, or on
 * the way to something that is.
 */
bool mounts_have(const struct mount_list *l, const char *path);

/* True when `path` (canonical) is shown inside by a bind of the host's tree. */
bool mounts_show(const struct mount_list *l, const char *path);

#endif
