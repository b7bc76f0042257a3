/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that is in the store, at one look: images, their names, layers and sizes. Runs in jail-image. */
#ifndef JAIL_OCI_CATALOG_H
#define JAIL_OCI_CATALOG_H

#include <stdint.h>

#include "base/err.h"
#include "oci/store.h"

struct cat_layer {
	struct digest key;
	uint64_t bytes;
	unsigned images; /* how many have it */
};

struct cat_image {
	struct digest manifest;
	char **refs;
	size_t n_refs;
	size_t *layers; /* indexes, lowest first */
	size_t n_layers;
	uint64_t size, own; /* of all its layers, and of those that no other image has */
};

struct catalog {
	struct cat_image *images;
	size_t n_images;
	struct cat_layer *layers;
	size_t n_layers;
};

int catalog_read(struct catalog *c, const struct store *s, struct err *e);
void catalog_release(struct catalog *c);
#define own_catalog __attribute__((cleanup(catalog_release))) struct catalog

/*
 * The image that a user means: a reference, completed, or a digest, or its first digits (6 at
 * least). *ret_ref is the name that was used, or NULL.
 */
int catalog_find(const struct catalog *c, const char *word, const struct cat_image **ret,
		 const char **ret_ref, struct err *e);

/* 12.3 MB */
void size_format(uint64_t bytes, char *buf, size_t size);

#endif
