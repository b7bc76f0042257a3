// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rights table: Landlock by ABI; pure data, read by P0 for explain and by P1 when it confines
 * itself.
 */
#include "landlock/rights.h"

#include "base/own.h"

/* Debian 12's header stops at ABI 2, so the bits are spelled out here. */
#define FS_EXECUTE	(1ull << 0)
#define FS_WRITE_FILE	(1ull << 1)
#define FS_READ_FILE	(1ull << 2)
#define FS_READ_DIR	(1ull << 3)
#define FS_REMOVE_DIR	(1ull << 4)
#define FS_REMOVE_FILE	(1ull << 5)
#define FS_MAKE_CHAR	(1ull << 6)
#define FS_MAKE_DIR	(1ull << 7)
#define FS_MAKE_REG	(1ull << 8)
#define FS_MAKE_SOCK	(1ull << 9)
#define FS_MAKE_FIFO	(1ull << 10)
#define FS_MAKE_BLOCK	(1ull << 11)
#define FS_MAKE_SYM	(1ull << 12)
#define FS_REFER	(1ull << 13)
#define FS_TRUNCATE	(1ull << 14)
#define FS_IOCTL_DEV	(1ull << 15)
#define FS_RESOLVE_UNIX (1ull << 16)

#define NET_BIND_TCP	(1ull << 0)
#define NET_CONNECT_TCP (1ull << 1)

#define SCOPE_ABSTRACT_UNIX (1ull << 0)
#define SCOPE_SIGNAL	    (1ull << 1)

#define FS_ABI_1 (FS_REFER - 1)

const struct landlock_step landlock_steps[] = {
	{ 1, FS_ABI_1, 0, 0, "reading, writing and executing by tree", "nothing at all" },
	{ 2, FS_REFER, 0, 0, "moving files between directories",
	  "renames across directories are refused" },
	{ 3, FS_TRUNCATE, 0, 0, "truncating files",
	  "truncate(2) is held by the read-only mounts alone" },
	{ 4, 0, NET_BIND_TCP | NET_CONNECT_TCP, 0, "TCP ports",
	  "TCP is held by the network namespace alone" },
	{ 5, FS_IOCTL_DEV, 0, 0, "ioctl on devices",
	  "device ioctls are held by seccomp and the small /dev alone" },
	{ 6, 0, 0, SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL, "signals and abstract sockets",
	  "signals and abstract sockets are held by the namespaces alone" },
	{ 9, FS_RESOLVE_UNIX, 0, 0, "sockets that have a path",
	  "a socket that a host program makes in a shared tree after the start can be reached" },
};
const unsigned landlock_steps_n = ARRAY_SIZE(landlock_steps);

uint64_t landlock_fs_rights(int abi)
{
	uint64_t rights = 0;

	for (unsigned i = 0; i < landlock_steps_n; i++)
		rights |= landlock_steps[i].abi <= abi ? landlock_steps[i].fs : 0;
	return rights;
}

uint64_t landlock_net_rights(int abi)
{
	uint64_t rights = 0;

	for (unsigned i = 0; i < landlock_steps_n; i++)
		rights |= landlock_steps[i].abi <= abi ? landlock_steps[i].net : 0;
	return rights;
}

uint64_t landlock_scopes(int abi)
{
	uint64_t scopes = 0;

	for (unsigned i = 0; i < landlock_steps_n; i++)
		scopes |= landlock_steps[i].abi <= abi ? landlock_steps[i].scoped : 0;
	return scopes;
}

uint64_t landlock_access_rights(enum access access, int abi, int file)
{
	static const uint64_t of_file = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE |
					FS_IOCTL_DEV | FS_RESOLVE_UNIX;
	static const uint64_t granted[] = {
		[ACCESS_NONE] = 0,
		[ACCESS_LIST] = FS_READ_DIR,
		[ACCESS_READ] = FS_EXECUTE | FS_READ_FILE | FS_READ_DIR,
		[ACCESS_PROC] = FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE,
		[ACCESS_DEVICE] = FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE | FS_TRUNCATE |
				  FS_IOCTL_DEV,
		/*
		 * RESOLVE_UNIX is left out on purpose: sockets made inside are in the domain and
		 * stay reachable.
		 */
		[ACCESS_WRITE] = ~(FS_MAKE_CHAR | FS_MAKE_BLOCK | FS_IOCTL_DEV | FS_RESOLVE_UNIX),
		/* A whiteout is a character device, 0:0, to Landlock too. Nothing is ever run. */
		[ACCESS_LAYER] = ~(FS_EXECUTE | FS_MAKE_SOCK | FS_MAKE_BLOCK | FS_IOCTL_DEV |
				   FS_RESOLVE_UNIX),
	};
	uint64_t rights = granted[access] & landlock_fs_rights(abi);

	return file ? rights & of_file : rights;
}
