/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What name servers said, for as long as they said; a fixed table in which the soonest to end goes. */
#ifndef JAIL_GATE_CACHE_H
#define JAIL_GATE_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "gate/dns.h"

enum {
	CACHE_NAMES = 512,
	CACHE_LEAST = 1,   /* s, also for a time to live of 0: one connection is often many */
	CACHE_MOST = 3600, /* s */
	CACHE_NONE = 5,	   /* s, that there is no such name */
};

struct cached {
	char name[NAME_SIZE];
	int64_t until; /* ms; 0: free */
	size_t n;      /* 0: there is no such name */
	struct addr addr[DNS_ADDRS_MAX];
};

/* NULL: not known, or not any more. Stays until the next cache_store(). */
const struct cached *cache_find(const char *name, int64_t now);
/* ttl in s; not looked at when n is 0. */
void cache_store(const char *name, const struct addr *addr, size_t n, uint32_t ttl, int64_t now);

#endif
