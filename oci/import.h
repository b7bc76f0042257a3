/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Images from files and directories: what is where, in each of the forms. Runs in jail-image. */
#ifndef JAIL_OCI_IMPORT_H
#define JAIL_OCI_IMPORT_H

#include <stdbool.h>

#include "base/err.h"
#include "oci/install.h"
#include "oci/platform.h"
#include "oci/store.h"

struct import {
	struct store *store;
	const char *reference; /* completed; NULL: as the image says, else by the file's name */
	const char *name;      /* which image of a layout; NULL: the only one */
	char fallback[REF_TEXT_MAX]; /* localhost/FILE, without a tag */
	struct platform platform;

	/* what came of it */
	char called[REF_TEXT_MAX];
	struct digest manifest;
};

/* A directory with oci-layout and index.json. Whatever a blob is, its digest is checked. */
int import_layout(struct import *im, int dir, struct err *e);
/* A directory with manifest.json, as `docker save` writes it. */
int import_docker(struct import *im, int dir, struct err *e);
/* A layer that jail-unpack has made of a tar: an image of this one layer. */
int import_tree(struct import *im, struct job *ready, struct err *e);
/* All of a directory, as such an image. */
int import_directory(struct import *im, const char *path, struct err *e);

/* ---- shared by them */

/* A small file beneath dir, without leaving it; terminated, to be freed. */
int import_read(int dir, const char *path, char **ret, size_t *ret_n, struct err *e);
int import_open(int dir, const char *path, struct err *e);
/* Install, and remember what it was called: `found` is the image's own name, or a tag, or NULL. */
int import_finish(struct import *im, struct image *image, const char *found, struct err *e);
/* What a manifest says, for images that have none. Digests and sizes of all layers are known. */
int import_make_manifest(struct image *image, char **ret, struct err *e);
void import_hash(const char *text, size_t n, struct digest *ret);

#endif
