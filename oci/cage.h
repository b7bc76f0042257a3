/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jail-unpack does to itself before it reads a byte. */
#ifndef JAIL_OCI_CAGE_H
#define JAIL_OCI_CAGE_H

#include "base/err.h"

/*
 * Namespaces of our own with `dir` as the root and nothing else in sight, no capabilities, Landlock
 * on that root, no network, and a list of system calls without exec, sockets, set-user-ID bits and
 * devices. For good, and for threads that are started afterwards.
 */
int cage_enter(const char *dir, struct err *e);

#endif
