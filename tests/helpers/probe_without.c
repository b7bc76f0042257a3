// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A command on a kernel that refuses some system calls, as one without the feature would; runs
 * outside, around a sandbox.
 */

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/own.h"
#include "base/text.h"
#include "tests/helpers/probe.h"

#define CALLS_MAX 8

static const struct {
	const char *name;
	int nr;
} calls[] = {
	{ "capset", SYS_capset },
	{ "clone", SYS_clone },
	{ "clone3", K_NR_clone3 },
	{ "fsopen", K_NR_fsopen },
	{ "landlock_create_ruleset", K_NR_landlock_create },
	{ "landlock_add_rule", K_NR_landlock_add },
	{ "landlock_restrict_self", K_NR_landlock_self },
	{ "mount", SYS_mount },
	{ "pivot_root", SYS_pivot_root },
	{ "prlimit64", SYS_prlimit64 },
	{ "quotactl", SYS_quotactl }, /* which nobody misses */
	{ "seccomp", SYS_seccomp },
	{ "setsid", SYS_setsid },
	{ "unshare", SYS_unshare },
};

static int number_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (str_eq(name, calls[i].name))
			return calls[i].nr;
	return -1;
}

static long run_without(const struct call *c)
{
	struct sock_filter code[2 * CALLS_MAX + 2] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog program = { .filter = code, .len = 1 };
	const uint32_t action = SECCOMP_RET_ERRNO | (str_eq(c->argv[0], "ENOSYS") ? ENOSYS : EPERM);
	char *list = c->argv[1], *name;

	while ((name = strsep(&list, ","))) {
		int nr = number_of(name);

		if (nr < 0 || program.len > 2 * CALLS_MAX)
			return PROBE_USAGE;
		code[program.len++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1);
		code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	}
	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return PROBE_UNREADY;
	(void)execvp(c->argv[2], c->argv + 2);
	return PROBE_UNREADY;
}

const struct probe probes_without[] = {
	{ "without", "EPERM|ENOSYS CALL[,CALL...] COMMAND...", 3, 64, run_without, 0 },
	{ 0 },
};
