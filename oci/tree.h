/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trees of files on descriptors: removing and measuring, whatever their modes and however deep. */
#ifndef JAIL_OCI_TREE_H
#define JAIL_OCI_TREE_H

/*
 * Remove dirfd/name, which may be anything, and all beneath it; never through a link, never into
 * another file system's mount. 0, also when it is not there, or -errno.
 */
int tree_remove(int dirfd, const char *name);

/* mkdir -p of an absolute path, new directories with `mode`; 0 or -errno. */
int tree_make_path(const char *path, unsigned mode);

#endif
