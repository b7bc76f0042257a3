/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Landlock's rights as jail uses them: what each ABI knows, and what each kind of access needs.
 * Pure data.
 */
#ifndef JAIL_LANDLOCK_RIGHTS_H
#define JAIL_LANDLOCK_RIGHTS_H

#include <stdint.h>

/* How a tree may be used. Ordered: a later one never grants less than LIST. */
enum access {
	ACCESS_NONE,
	ACCESS_LIST,   /* see names only: the root directory */
	ACCESS_READ,   /* read and execute */
	ACCESS_PROC,   /* read, and write what /proc itself allows */
	ACCESS_DEVICE, /* read, write, ioctl: the harmless nodes and terminals */
	ACCESS_WRITE,  /* everything but making device nodes */
	ACCESS_LAYER,  /* fill a tree with an image's layer: write, and make overlay whiteouts */
};

/* One row of what a kernel can enforce, for explain and doctor. */
struct landlock_step {
	int abi;
	uint64_t fs, net, scoped; /* what this ABI added */
	const char *adds;	  /* in words */
	const char *without;	  /* what a kernel below it cannot hold */
};

extern const struct landlock_step landlock_steps[];
extern const unsigned landlock_steps_n;

/* Every right that ABIs 1 to `abi` know. */
uint64_t landlock_fs_rights(int abi);
uint64_t landlock_net_rights(int abi);
uint64_t landlock_scopes(int abi);

/*
 * The rights that `access` grants on a directory (or, with `file`, on anything else), limited to
 * what `abi` knows.
 */
uint64_t landlock_access_rights(enum access access, int abi, int file);

#endif
