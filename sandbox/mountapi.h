/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mounts by descriptor: made where nobody sees them, restricted, and only then attached. Runs in
 * P1; nothing here allocates.
 *
 * Behind it is the kernel's mount API by descriptor, or where that is refused (an outer sandbox
 * whose filter does not know it) mount(2) alone: one or the other for a whole run, with the same
 * mounts at the end.
 */
#ifndef JAIL_SANDBOX_MOUNTAPI_H
#define JAIL_SANDBOX_MOUNTAPI_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/kernel.h"
#include "sandbox/weak.h"

/* Zeroed: the new API. */
struct mount_api {
	bool old;
	int stage, proc; /* when old: see mountold.c */
};

/*
 * What a descriptor is open on, as a path for mount(2): self/fd/N, to be looked up from a procfs of
 * our own, on which we stand (stage_sysctls) and on which nobody can have laid anything. It leads to
 * the very object that was opened and checked, whatever happens to its name meanwhile.
 */
struct fd_path {
	char text[24];
};
struct fd_path mount_fd_path(int fd);

/* What the root is given; programs are run from an image's. */
#define ROOT_ATTRS  (K_MOUNT_ATTR_NOSUID | K_MOUNT_ATTR_NODEV | K_MOUNT_ATTR_NOEXEC)
#define IMAGE_ATTRS (K_MOUNT_ATTR_NOSUID | K_MOUNT_ATTR_NODEV)

/* What every mount is given. */
#define MOUNT_PROPAGATION (weakened(WEAK_PROPAGATION) ? MS_SLAVE : MS_PRIVATE)

/* Nothing we mount reaches the host, and nothing it mounts later reaches us. */
int mount_make_private(struct err *e);

/*
 * Was `rc`, from one of the calls below, the new API being refused (ENOSYS or EPERM)? Then the
 * whole run can still be done with the old one, as long as nothing was mounted that is to stay:
 * trees from before the change cannot be used after it.
 */
bool mount_refused(const struct mount_api *api, int rc);
int mount_use_old(struct mount_api *api, struct err *e);

/* nosuid and nodev always; `attrs` (K_MOUNT_ATTR_*) adds to them. */
int mount_open_tmpfs(const struct mount_api *api, uint64_t size, uint64_t inodes, mode_t mode,
		     unsigned attrs, int *ret_fd, struct err *e);
int mount_open_proc(const struct mount_api *api, bool pids_only, int *ret_fd, struct err *e);
int mount_open_devpts(const struct mount_api *api, int *ret_fd, struct err *e);

/*
 * A copy of the tree at `path` with all that is mounted beneath it, with these attributes set on
 * each mount. The descriptor is the copy's root: what it shows to fstat is what will be mounted.
 */
int mount_open_bind(const struct mount_api *api, int dirfd, const char *path, unsigned attrs,
		    int *ret_fd, struct err *e);

/*
 * Attach at `path` below dirfd, or at dirfd itself when path is empty. `target` is for the message.
 */
int mount_attach(const struct mount_api *api, int tree_fd, int dirfd, const char *path,
		 const char *target, struct err *e);

/*
 * Cover what `point` is open on with one more of a mount that was attached, with its attributes. One
 * call of mount(2), for whichever API: of these there are many at every start.
 */
int mount_cover(int tree_fd, int point, const char *target, struct err *e);

/*
 * Layers seen as one tree, the topmost first, each by a descriptor that was opened in this mount
 * namespace. Without `upper` and `work` it has nothing that could be written to. `spare` is an empty
 * directory below `base`, attached somewhere: older kernels need a place for it to begin.
 */
struct overlay_tree {
	const int *lowers;
	size_t n;
	int upper, work; /* FD_NONE */
	int base;
	const char *spare;
};
int mount_open_overlay(const struct mount_api *api, const struct overlay_tree *o, unsigned attrs,
		       int *ret_fd, struct err *e);

/* Attach over "/". Our own root directory stays what it was. */
int mount_attach_root(const struct mount_api *api, int tree_fd, struct err *e);

/*
 * Make an attached mount read-only; `attrs` are those it has already. What is mounted on it stays
 * as it is.
 */
int mount_set_readonly(const struct mount_api *api, int tree_fd, unsigned attrs, struct err *e);

/*
 * After pivot_root(".", "."), standing on the new root: the host's goes. Nothing can be mounted
 * after this.
 */
int mount_detach_host(struct mount_api *api, int root_fd, struct err *e);

#endif
