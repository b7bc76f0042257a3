/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A name is an address: each allowed name that was asked for has one of 198.18.0.0/15, for the life
 * of the jail, and no other name has it. A fixed table; when it is full, new names are refused.
 */
#ifndef JAIL_GATE_NAMES_H
#define JAIL_GATE_NAMES_H

#include "net/addr.h"
#include "net/name.h"

#define NAMES_MAX 4096

struct names; /* static in names.c: one gate, one table */

struct names *names_get(void);
/* The address of a canonical name, given to it now if need be; false when the table is full. */
bool names_address(struct names *t, const char *name, struct addr *ret);
/* The same, for a name that has one already; false: it has none. */
bool names_find(const struct names *t, const char *name, struct addr *ret);
/* How many names have one. */
unsigned names_used(const struct names *t);
/* The name behind an address; NULL: none was ever given. The text stays. */
const char *names_behind(const struct names *t, const struct addr *a);

#endif
