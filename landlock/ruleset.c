// SPDX-License-Identifier: GPL-2.0-or-later
/* Making, filling and applying a Landlock ruleset; P1, after the pivot and before seccomp. */
#include "landlock/ruleset.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/kernel.h"
#include "base/own.h"

#define CREATE_VERSION 1u
#define RULE_PATH      1

struct ruleset_attr {
	uint64_t fs, net, scoped;
};

struct path_beneath_attr {
	uint64_t access;
	int32_t parent_fd;
} __attribute__((packed));

/*
 * A kernel refuses (E2BIG) members it does not know unless they are zero, and one older still wants
 * the short form.
 */
static size_t attr_size(int abi)
{
	if (abi >= 6)
		return sizeof(struct ruleset_attr);
	return abi >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
}

int landlock_abi(int *ret_errno)
{
	long abi = syscall(K_NR_landlock_create, NULL, 0, CREATE_VERSION);

	*ret_errno = abi < 0 ? errno : 0;
	return abi < 0 ? 0 : (int)abi;
}

int ruleset_create(int abi, bool net, int *ret_fd, struct err *e)
{
	struct ruleset_attr attr = {
		.fs = landlock_fs_rights(abi),
		.net = net ? landlock_net_rights(abi) : 0,
		.scoped = landlock_scopes(abi),
	};
	long fd = syscall(K_NR_landlock_create, &attr, attr_size(abi), 0);

	if (fd < 0)
		return err_set(e, ST_LANDLOCK, errno, "create a Landlock ruleset");
	*ret_fd = (int)fd;
	return 0;
}

int ruleset_add(int ruleset, int path_fd, const char *path, enum access access, int abi, struct err *e)
{
	struct path_beneath_attr rule = { .parent_fd = path_fd };
	struct stat st;

	if (fstat(path_fd, &st) < 0)
		return err_set(e, ST_LANDLOCK, errno, "stat '%s'", path);
	rule.access = landlock_access_rights(access, abi, !S_ISDIR(st.st_mode));
	if (!rule.access)
		return 0;
	if (syscall(K_NR_landlock_add, ruleset, RULE_PATH, &rule, 0) < 0)
		return err_set(e, ST_LANDLOCK, errno, "add a Landlock rule for '%s'", path);
	return 0;
}

int ruleset_apply(int ruleset, struct err *e)
{
	if (syscall(K_NR_landlock_self, ruleset, 0) < 0)
		return err_set(e, ST_LANDLOCK, errno, "apply the Landlock ruleset");
	return 0;
}
