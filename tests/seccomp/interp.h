/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A classic-BPF interpreter for seccomp programs of any architecture; runs in tests. */
#ifndef JAIL_TESTS_SECCOMP_INTERP_H
#define JAIL_TESTS_SECCOMP_INTERP_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>

struct outcome {
	bool ok;	/* a RET was reached */
	bool saw_args;	/* an argument was looked at on the way */
	__u32 action;	/* SECCOMP_RET_* with its data */
	unsigned steps; /* instructions executed */
};

struct outcome interp_run(const struct sock_filter *code, size_t len, const struct seccomp_data *d);

/* "allow", "EPERM", "ENOSYS", "EINVAL", "kill"; "?" for anything else. */
const char *interp_verdict(const struct outcome *o);

#endif
