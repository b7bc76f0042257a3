/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan in words, and as JSON: what `jail explain` prints and what the command finds in /run/jail.
 * Runs in P0.
 */
#ifndef JAIL_SANDBOX_EXPLAIN_H
#define JAIL_SANDBOX_EXPLAIN_H

#include "sandbox/plan.h"

void explain_text(const struct plan *p, struct text *t);
void explain_json(const struct plan *p, struct text *t);

/* Both, into the arena. */
void explain_policy(struct arena *a, const struct plan *p, const char **ret_json,
		    const char **ret_text);

/* "2.0G", "512M", "100": for people. */
void explain_size(struct text *t, uint64_t bytes);

/* The settings as an INI file, each with its origin behind it; of one draft, planned or not. */
void explain_settings(const struct draft *d, struct text *t);

#endif
