/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The gate shuts itself in, and so does its connector: before either reads a byte from inside. */
#ifndef JAIL_GATE_CONFINE_H
#define JAIL_GATE_CONFINE_H

#include "base/err.h"

enum confined { CONFINE_GATE, CONFINE_CONNECTOR };

/*
 * No new privileges, no capabilities, no core, no way to be traced, no file (Landlock), and of the
 * system calls what the loop needs (seccomp): anything else ends the process. For good.
 */
int confine(enum confined what, struct err *e);

/*
 * exit_group, and nothing before it. Not marked noreturn: before a call of such a function a
 * sanitizer makes system calls that the filter would kill us for.
 */
void leave(int code);

#endif
