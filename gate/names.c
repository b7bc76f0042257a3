// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of names and their addresses; in the gate. Nothing ever leaves it. */
#include <string.h>

#include "gate/names.h"
#include "net/gate.h"

enum {
	SLOTS = 2 * NAMES_MAX,
	PER_BLOCK = 254 /* addresses of a /24: not .0 and .255, which some programs take amiss */
};

_Static_assert(NAMES_MAX <= PER_BLOCK << (24 - GATE_RANGE_BITS), "the range has room for all");

struct names {
	unsigned used;
	uint16_t slot[SLOTS]; /* an index and 1, by hash, the next free one after a clash */
	char name[NAMES_MAX][NAME_SIZE];
};

struct names *names_get(void)
{
	static struct names table;

	return &table;
}

/* FNV-1a. Whoever finds names that clash has 4096 comparisons from it, and no more. */
static unsigned hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (uint8_t)*s) * 16777619u;
	return h % SLOTS;
}

/* Where it is, or where it would be; half of the slots are always free. */
static unsigned find_slot(const struct names *t, const char *name)
{
	unsigned i = hash(name);

	while (t->slot[i] && strcmp(t->name[t->slot[i] - 1], name) != 0)
		i = (i + 1) % SLOTS;
	return i;
}

unsigned names_used(const struct names *t)
{
	return t->used;
}

static void address_of(unsigned index, struct addr *ret)
{
	uint32_t a = GATE_RANGE + (index / PER_BLOCK << 8) + index % PER_BLOCK + 1;

	*ret = (struct addr){ .family = 4 };
	for (unsigned i = 0; i < 4; i++)
		ret->bytes[i] = (uint8_t)(a >> (24 - 8 * i));
}

bool names_find(const struct names *t, const char *name, struct addr *ret)
{
	unsigned i = find_slot(t, name);

	if (!t->slot[i])
		return false;
	address_of(t->slot[i] - 1u, ret);
	return true;
}

bool names_address(struct names *t, const char *name, struct addr *ret)
{
	size_t n = strlen(name);
	unsigned i;

	if (names_find(t, name, ret))
		return true;
	if (t->used == NAMES_MAX || n == 0 || n >= NAME_SIZE)
		return false;
	i = find_slot(t, name);
	memcpy(t->name[t->used], name, n + 1);
	t->slot[i] = (uint16_t)++t->used;
	address_of(t->used - 1, ret);
	return true;
}

const char *names_behind(const struct names *t, const struct addr *a)
{
	struct addr is;
	uint32_t off;
	unsigned index;

	if (a->family != 4)
		return NULL;
	off = ((uint32_t)a->bytes[0] << 24 | (uint32_t)a->bytes[1] << 16 |
	       (uint32_t)a->bytes[2] << 8 | a->bytes[3]) -
	      GATE_RANGE;
	index = (off >> 8) * PER_BLOCK + (off & 0xff) - 1;
	if (off >> (32 - GATE_RANGE_BITS) || index >= t->used)
		return NULL;
	address_of(index, &is); /* .0 and .255 are nobody's */
	return addr_eq(&is, a) ? t->name[index] : NULL;
}
