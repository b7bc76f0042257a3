/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System call names and their numbers on each architecture; runs in jail-filter and in tests. */
#ifndef JAIL_SANDBOX_CALLS_H
#define JAIL_SANDBOX_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum arch {
	ARCH_X86_64,
	ARCH_AARCH64,
	ARCH_COUNT,
};

/* "x86_64", "aarch64". */
const char *arch_name(enum arch arch);
/* False when there is none of that name. */
bool arch_find(const char *name, enum arch *ret);
/* The one this program was built for. */
enum arch arch_native(void);
/* AUDIT_ARCH_*, as it stands in struct seccomp_data. */
uint32_t arch_audit(enum arch arch);

/* The number of a call, or -1 when that architecture has no call of the name. */
int calls_number(enum arch arch, const char *name);
/* True when some architecture has it. */
bool calls_known(const char *name);

#endif
