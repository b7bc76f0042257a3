// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * System call names and their numbers on each architecture; the only user of libseccomp. Runs in
 * jail-filter and in tests.
 */
#include "sandbox/calls.h"

#include <linux/audit.h>
#include <seccomp.h>

#include "base/own.h"
#include "base/text.h"

static const struct {
	const char *name;
	uint32_t audit, scmp;
} arches[ARCH_COUNT] = {
	[ARCH_X86_64] = { "x86_64", AUDIT_ARCH_X86_64, SCMP_ARCH_X86_64 },
	[ARCH_AARCH64] = { "aarch64", AUDIT_ARCH_AARCH64, SCMP_ARCH_AARCH64 },
};

/* The rows of syscalls.def that give a number; the others belong to policy.c. */
#define NUMBER(name, nr) { #name, nr },
#define ALLOW(presets, names)
#define DENY(presets, names)
#define ABSENT(presets, names)
#define CHECKED(presets, name, check)
#define VITAL(names)
static const struct {
	const char *name;
	int nr;
} numbered[] = {
#include "sandbox/syscalls.def"
};

const char *arch_name(enum arch arch)
{
	return arches[arch].name;
}

bool arch_find(const char *name, enum arch *ret)
{
	for (unsigned i = 0; i < ARCH_COUNT; i++) {
		if (str_eq(arches[i].name, name)) {
			*ret = (enum arch)i;
			return true;
		}
	}
	return false;
}

enum arch arch_native(void)
{
#if defined(__x86_64__)
	return ARCH_X86_64;
#elif defined(__aarch64__)
	return ARCH_AARCH64;
#else
#error "no system call tables for this architecture: see sandbox/calls.c"
#endif
}

uint32_t arch_audit(enum arch arch)
{
	return arches[arch].audit;
}

int calls_number(enum arch arch, const char *name)
{
	int nr;

	for (size_t i = 0; i < ARRAY_SIZE(numbered); i++)
		if (str_eq(numbered[i].name, name))
			return numbered[i].nr;
	/* Negative numbers are libseccomp's own, for calls that only other architectures have. */
	nr = seccomp_syscall_resolve_name_arch(arches[arch].scmp, name);
	return nr >= 0 ? nr : -1;
}

bool calls_known(const char *name)
{
	for (unsigned i = 0; i < ARCH_COUNT; i++)
		if (calls_number((enum arch)i, name) >= 0)
			return true;
	return false;
}
