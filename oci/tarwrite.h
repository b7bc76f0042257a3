/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory as a tar: the same bytes for the same tree. Runs in a child of jail-image. */
#ifndef JAIL_OCI_TARWRITE_H
#define JAIL_OCI_TARWRITE_H

#include "base/err.h"

/* In the order of names, all of it root's; devices and sockets are left out. */
int tar_write(const char *path, int out, struct err *e);

#endif
