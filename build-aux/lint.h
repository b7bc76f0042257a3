/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Put in front of every file by `make lint`, and by nothing else. */
#include <alloca.h>
#include <linux/bpf.h> /* has members of those names */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What style.md bans is an error by name. build-aux/check-layers has the same list. */
#undef alloca
#undef strtok
#pragma GCC poison atoi atol atoll strtol strtoul strtoll strtoull
#pragma GCC poison sprintf vsprintf strcpy strncpy strcat stpcpy strtok strtok_r gets
#pragma GCC poison system popen alloca strdupa strndupa

/* The analyzer sees one file at a time and cannot know that err_set() never returns success. */
#ifndef LINT_ERR_C
#include "base/err.h"
#define err_set(...)                               \
	({                                         \
		int lint_r = err_set(__VA_ARGS__); \
		if (lint_r >= 0)                   \
			__builtin_unreachable();   \
		lint_r;                            \
	})
#endif
