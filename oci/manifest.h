/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Indexes, manifests and configs, of OCI and of Docker, as structures. What is returned points into
 * the document. `what` begins every error text: "manifest sha256:..". Runs in jail-image and
 * jail-pull.
 */
#ifndef JAIL_OCI_MANIFEST_H
#define JAIL_OCI_MANIFEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "oci/digest.h"
#include "oci/jsondoc.h"
#include "oci/platform.h"
#include "oci/record.h"

struct descriptor {
	const char *media_type; /* "" when it is not said */
	const char *ref_name;	/* org.opencontainers.image.ref.name, or NULL */
	struct digest digest;
	uint64_t size;
};

struct manifest {
	struct descriptor config;
	struct descriptor *layers;
	size_t n;
};

struct config {
	const char *os, *architecture, *variant, *created; /* NULL when it is not said */
	struct digest *diff_ids;
	size_t n;
	struct words env, entrypoint, cmd;
	const char *workdir, *user, *stop_signal;
};

/* The media types asked for, for Accept headers. */
#define MEDIA_OCI_INDEX	      "application/vnd.oci.image.index.v1+json"
#define MEDIA_OCI_MANIFEST    "application/vnd.oci.image.manifest.v1+json"
#define MEDIA_OCI_CONFIG      "application/vnd.oci.image.config.v1+json"
#define MEDIA_OCI_LAYER	      "application/vnd.oci.image.layer.v1.tar"
#define MEDIA_DOCKER_LIST     "application/vnd.docker.distribution.manifest.list.v2+json"
#define MEDIA_DOCKER_MANIFEST "application/vnd.docker.distribution.manifest.v2+json"

int descriptor_read(const struct doc *d, const char *what, struct descriptor *ret, struct err *e);

/*
 * Whether a document is an index (1) or a manifest (0). One that could be read as both, or whose own
 * mediaType is not the one it was announced with, is an error: two readers would see two images.
 */
int manifest_is_index(const struct doc *d, const char *announced, const char *what, struct err *e);

/*
 * The manifest of an index that fits best. With `name`, only those of that ref.name. Without, two
 * that fit equally well and have different names are an error that lists the names.
 */
int index_select(const struct doc *d, const char *what, const char *name,
		 const struct platform *want, struct descriptor *ret, struct err *e);

int manifest_read(const struct doc *d, const char *what, struct manifest *ret, struct err *e);
void manifest_release(struct manifest *m);
#define own_manifest __attribute__((cleanup(manifest_release))) struct manifest

int config_read(const struct doc *d, const char *what, struct config *ret, struct err *e);
void config_release(struct config *c);
#define own_config __attribute__((cleanup(config_release))) struct config

/* An array of strings, as words; not there or null is none. To be freed. */
int words_read(const struct doc *d, const char *what, struct words *ret, struct err *e);

#endif
