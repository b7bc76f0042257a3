/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Failures that a user is likely to meet, and what jail says to them; tests only. */
#ifndef JAIL_TESTS_FAULT_SPECIAL_H
#define JAIL_TESTS_FAULT_SPECIAL_H

#include "tests/fault/judge.h"
#include "tests/seccomp/tap.h"

/* The rows that are about this way of running jail; `seen` are its n calls when nothing fails. */
void special_faults(struct tap *t, const struct room *r, const struct config *c,
		    const struct seen *seen, size_t n);

/* No fault, but a jail that cannot be had: file systems too small for what must be on them. */
void special_small(struct tap *t, const struct room *r);

#endif
