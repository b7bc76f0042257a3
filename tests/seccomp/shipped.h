/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The generated programs of every architecture, and the calls by name; runs in tests. */
#ifndef JAIL_TESTS_SECCOMP_SHIPPED_H
#define JAIL_TESTS_SECCOMP_SHIPPED_H

#include "sandbox/calls.h"
#include "sandbox/filter.h"
#include "tests/seccomp/interp.h"

#define PRESETS 7
#define PRESETS_INSIDE \
	4 /* the first of them are for commands, the others for jail's own processes */

struct shipped {
	const char *preset;
	enum arch arch;
	struct filter filter;
};

/* The i-th preset of an architecture, in the order of filters.inc. */
struct shipped shipped_get(enum arch arch, size_t i);

/* Run a call through it. */
struct outcome shipped_run(const struct shipped *s, unsigned nr, const __u64 args[6]);

#endif
