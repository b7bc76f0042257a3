/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SHA-256 and SHA-512 over a stream; the one door to libcrypto. jail-image, jail-pull, jail-unpack. */
#ifndef JAIL_OCI_HASH_H
#define JAIL_OCI_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "oci/digest.h"

struct hash;

/* For the algorithm of `like`. libcrypto loads what it needs here: call it before confinement. */
int hash_start(const struct digest *like, struct hash **ret, struct err *e);
void hash_add(struct hash *h, const void *data, size_t n);
/* Ends it; an -EIO from anywhere in between shows here. `h` is freed in any case. */
int hash_finish(struct hash *h, struct digest *ret, struct err *e);

static inline void hash_release(struct hash **h)
{
	struct digest unused;
	struct err e = { 0 };

	if (*h)
		(void)hash_finish(*h, &unused, &e);
	*h = NULL;
}
#define own_hash __attribute__((cleanup(hash_release))) struct hash *

/* All of an open file, from its beginning, with its length. */
int hash_fd(int fd, const struct digest *like, struct digest *ret, uint64_t *ret_size, struct err *e);

#endif
