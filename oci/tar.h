/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tar, entry by entry, into a layer. The one door to libarchive: tar only, no filters. */
#ifndef JAIL_OCI_TAR_H
#define JAIL_OCI_TAR_H

#include <stddef.h>

#include "base/err.h"
#include "oci/layer.h"

/* The next piece of the tar, valid until the next call; 0 at its end. */
typedef size_t (*tar_input)(void *arg, const void **ret);

int tar_apply(tar_input input, void *arg, struct layer *l, struct err *e);

#endif
