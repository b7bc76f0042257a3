/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An image whose manifest and config are at hand becomes one in the store: its layers are unpacked,
 * in parallel, then all appears at once. Until then the store is as it was. Runs in jail-image.
 */
#ifndef JAIL_OCI_INSTALL_H
#define JAIL_OCI_INSTALL_H

#include <stdint.h>

#include "base/err.h"
#include "oci/digest.h"
#include "oci/job.h"
#include "oci/manifest.h"
#include "oci/store.h"

struct image_blob {
	struct digest digest; /* "" when it is not known yet */
	uint64_t size;	      /* UINT64_MAX likewise */
};

struct image {
	const char *reference; /* completed; what it will be called. NULL: only by its digest */
	const char *manifest_text, *config_text;
	size_t manifest_n, config_n;
	struct digest manifest, config;
	struct config settings;
	struct image_blob layers[LAYERS_MAX]; /* as many as settings.n */

	/* The blob of layer i for reading, or -errno with *e filled. */
	int (*open_layer)(void *arg, size_t i, struct err *e);
	void *arg;
	struct job *ready; /* the one layer that was unpacked already, or NULL; it is moved */
};

int image_install(struct store *s, struct image *im, struct err *e);

#endif
