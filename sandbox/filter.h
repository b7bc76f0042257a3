/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seccomp programs by name. The shipped ones are compiled at build time (filters.inc, written by
 * jail-filter); a profile that changes the list gets its own from jail-filter on first use, kept in
 * the user's cache. Runs in P0.
 */
#ifndef JAIL_SANDBOX_FILTER_H
#define JAIL_SANDBOX_FILTER_H

#include <linux/filter.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct filter {
	const struct sock_filter *code;
	size_t len; /* instructions */
};

/*
 * The shipped program for "agent", "strict", "debug", "browser" or "init" on this architecture; len
 * 0 when there is none.
 */
struct filter filter_shipped(const char *preset);

/*
 * The preset with calls added and taken away: `allow` and `deny` are words separated by spaces, or
 * NULL. Compiled by jail-filter when cache_home/jail/filters has none for this very request and
 * this very jail-filter. An unknown call is an error that names the nearest.
 */
int filter_custom(struct arena *a, const char *cache_home, const char *preset, const char *allow,
		  const char *deny, struct filter *ret, struct err *e);

#endif
