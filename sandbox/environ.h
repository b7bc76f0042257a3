/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command's environment: an allow-list, never what happens to be there. Runs in P0. */
#ifndef JAIL_SANDBOX_ENVIRON_H
#define JAIL_SANDBOX_ENVIRON_H

#include "sandbox/plan.h"

/* Fill p->envp and p->path from the draft, the caller and what the mounts show. */
int environ_build(struct arena *a, struct plan *p, struct err *e);

#endif
