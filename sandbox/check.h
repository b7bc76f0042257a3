/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must hold between settings: a table of rules, each with its message. Runs in P0. */
#ifndef JAIL_SANDBOX_CHECK_H
#define JAIL_SANDBOX_CHECK_H

#include "sandbox/plan.h"

/* Before anything is resolved: settings that contradict each other. */
int check_draft(const struct plan *p, struct err *e);

/*
 * After everything is: what `require` asks for, and the notes on what is weaker than it could be.
 */
int check_plan(struct arena *a, struct plan *p, struct err *e);

#endif
