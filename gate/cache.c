// SPDX-License-Identifier: GPL-2.0-or-later
/* The resolver's memory: sets of four by a hash with a secret, so that nobody picks who goes. */
#include <string.h>
#include <sys/random.h>

#include "gate/cache.h"

enum { WAYS = 4, SETS = CACHE_NAMES / WAYS };

static struct cached table[SETS][WAYS];

static struct cached *set_of(const char *name)
{
	static uint64_t secret;
	uint64_t h;

	/* Without randomness it is a hash like any other. */
	if (!secret && (getrandom(&secret, sizeof(secret), GRND_NONBLOCK) < 0 || !secret))
		secret = 1;
	h = 14695981039346656037u ^ secret;
	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * 1099511628211u;
	h ^= h >> 32;
	return table[(h * secret >> 32) % SETS];
}

const struct cached *cache_find(const char *name, int64_t now)
{
	const struct cached *set = set_of(name);

	for (unsigned i = 0; i < WAYS; i++) {
		if (set[i].until > now && strcmp(set[i].name, name) == 0)
			return &set[i];
	}
	return NULL;
}

void cache_store(const char *name, const struct addr *addr, size_t n, uint32_t ttl, int64_t now)
{
	struct cached *set = set_of(name), *c = &set[0];
	size_t name_n = strlen(name);

	if (name_n >= NAME_SIZE || n > DNS_ADDRS_MAX)
		return;
	for (unsigned i = 0; i < WAYS; i++) {
		if (strcmp(set[i].name, name) == 0) {
			c = &set[i];
			break;
		}
		if (set[i].until < c->until)
			c = &set[i];
	}
	if (!n)
		ttl = CACHE_NONE;
	ttl = ttl < CACHE_LEAST ? CACHE_LEAST : ttl;
	ttl = ttl > CACHE_MOST ? CACHE_MOST : ttl;
	memcpy(c->name, name, name_n + 1);
	if (n)
		memcpy(c->addr, addr, n * sizeof(*addr));
	c->n = n;
	c->until = now + (int64_t)ttl * 1000;
}
