/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns a policy into a seccomp program for one architecture; runs in jail-filter and in tests. */
#ifndef JAIL_SANDBOX_BPF_H
#define JAIL_SANDBOX_BPF_H

#include <linux/filter.h>
#include <stddef.h>

#include "base/err.h"
#include "sandbox/policy.h"

/* The kernel's own limit (BPF_MAXINSNS). */
#define PROGRAM_MAX 4096

struct program {
	struct sock_filter code[PROGRAM_MAX];
	size_t len;
};

int bpf_compile(const struct policy *p, enum arch arch, struct program *ret, struct err *e);

/*
 * True when the program is one the kernel takes and one that we write: every jump goes forward and
 * stays inside, loads are aligned words of struct seccomp_data, and no path runs off the end.
 */
bool bpf_is_sound(const struct sock_filter *code, size_t len);

#endif
