/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The [network] section as the gate's policy; P0. */
#ifndef JAIL_SANDBOX_NETWORK_H
#define JAIL_SANDBOX_NETWORK_H

#include "base/json.h"
#include "net/policy.h"
#include "sandbox/plan.h"

/* What mode says, in the order of the option table. */
enum network_mode { NETWORK_NONE, NETWORK_GATE, NETWORK_HOST };

/*
 * Fill p->network when mode is gate, and the note about lists that have no effect when it is not.
 * What is wrong in a list is an error in every mode, with the line it stands in, and so is an option
 * that only a gate uses.
 */
int network_plan(struct arena *a, struct plan *p, struct err *e);

/* The words and the groups alone: for `jail profile check`. */
int network_check(const struct draft *d, struct err *e);

/*
 * Does a profile set what only a gate uses, where nobody asks for a gate? What is wrong, into t. A
 * gate that was asked for and switched off again is no mistake.
 */
bool network_in_vain(const struct draft *d, struct text *t);

/* "claude.ini:12: allow = x: reason", "--allow=x: reason" */
int network_refuse(enum opt id, const struct value *v, const char *word, const char *reason,
		   struct err *e);

/* What explain says of it; nothing without a gate. */
void explain_network_text(const struct plan *p, struct text *t);
void explain_network_json(const struct plan *p, struct json *j);

#endif
