// SPDX-License-Identifier: GPL-2.0-or-later
/* The generated programs of every architecture; runs in tests. */
#include "tests/seccomp/shipped.h"

#include <string.h>

#include "base/own.h"

#define FILTERS_x86_64
#define FILTERS_aarch64
#include "sandbox/filters.inc"

_Static_assert(ARRAY_SIZE(filters_x86_64) == PRESETS, "a preset more: say so in shipped.h");
_Static_assert(ARRAY_SIZE(filters_aarch64) == PRESETS, "a preset more: say so in shipped.h");

struct shipped shipped_get(enum arch arch, size_t i)
{
	bool x86 = arch == ARCH_X86_64;
	const struct filter_named *f = x86 ? &filters_x86_64[i] : &filters_aarch64[i];

	return (struct shipped){ .preset = f->preset, .arch = arch, .filter = f->filter };
}

struct outcome shipped_run(const struct shipped *s, unsigned nr, const __u64 args[6])
{
	struct seccomp_data d = { .nr = (int)nr, .arch = arch_audit(s->arch) };

	memcpy(d.args, args, sizeof(d.args));
	return interp_run(s->filter.code, s->filter.len, &d);
}
