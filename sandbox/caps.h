/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jail asks about its own capabilities. Dropping them is a stage: setup.h. */
#ifndef JAIL_SANDBOX_CAPS_H
#define JAIL_SANDBOX_CAPS_H

#include <stdbool.h>

/* May this process map other ids than its own and make idmapped mounts, as only real root may? */
bool caps_can_remap(void);

#endif
