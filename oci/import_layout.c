// SPDX-License-Identifier: GPL-2.0-or-later
/* An OCI layout: index to manifest to config to layers, each checked; jail-image. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "oci/import.h"

#define NESTED_MAX 8 /* indexes in indexes */

struct layout {
	int dir;
	const struct manifest *manifest;
};

static void blob_path(const struct digest *d, char *buf, size_t size)
{
	(void)snprintf(buf, size, "blobs/%s/%s", digest_algorithm(d), digest_hex(d));
}

/* A manifest, an index or a config: its size and digest are what was said. */
static int read_checked(int dir, const struct descriptor *d, const char *what, char **ret,
			size_t *ret_n, struct err *e)
{
	char path[DIGEST_TEXT_MAX + 8];
	struct digest got;
	own_str text = NULL;
	size_t n = 0;
	int rc;

	blob_path(&d->digest, path, sizeof(path));
	rc = import_read(dir, path, &text, &n, e);
	if (rc < 0)
		return rc;
	if (n != d->size)
		return err_set(e, ST_IMAGE, 0, "%s: size: expected %llu bytes, got %zu", what,
			       (unsigned long long)d->size, n);
	if (str_starts(d->digest.text, "sha512:"))
		return err_set(e, ST_IMAGE, 0, "%s: expected sha256, got sha512", what);
	import_hash(text, n, &got);
	if (!digest_eq(&got, &d->digest))
		return err_set(e, ST_IMAGE, 0, "%s: digest: expected that, got %s", what, got.text);
	*ret = text;
	text = NULL;
	*ret_n = n;
	return 0;
}

static int check_version(int dir, struct err *e)
{
	own_str text = NULL;
	own_doc d = NULL;
	const char *version;
	size_t n = 0;
	int rc = import_read(dir, "oci-layout", &text, &n, e);

	if (rc == 0)
		rc = doc_parse(text, n, "oci-layout", &d, e);
	if (rc < 0)
		return rc;
	version = doc_str(doc_get(d, "imageLayoutVersion"));
	if (!version || !str_starts(version, "1."))
		return err_set(e, ST_IMAGE, 0,
			       "oci-layout: imageLayoutVersion: expected 1.0.0, got '%.60s'",
			       version ? version : "");
	return 0;
}

/* Down from index.json to the manifest of one image; *ret_doc and *ret_text are the caller's. */
static int find_manifest(struct import *im, int dir, struct image *image, struct doc **ret_doc,
			 char **ret_text, char *found, struct err *e)
{
	char what[DIGEST_TEXT_MAX + 24] = "index.json";
	own_str text = NULL; /* the type outlives the document that said it */
	own_str type = NULL;
	own_doc d = NULL;
	struct descriptor at = { .media_type = "" };
	size_t n = 0;
	int rc = import_read(dir, "index.json", &text, &n, e);

	if (rc == 0)
		rc = doc_parse(text, n, what, &d, e);
	for (unsigned depth = 0; rc == 0; depth++) {
		rc = manifest_is_index(d, at.media_type, what, e);
		if (rc == 0 && depth == 0)
			rc = err_set(e, ST_IMAGE, 0, "index.json: expected an index, got a manifest");
		if (rc == 0) {
			image->manifest = at.digest;
			image->manifest_text = text;
			image->manifest_n = n;
			*ret_text = text;
			text = NULL;
			*ret_doc = d;
			d = NULL;
			return 0;
		}
		if (rc == 1)
			rc = depth < NESTED_MAX
				     ? index_select(d, what, depth ? NULL : im->name, &im->platform,
						    &at, e)
				     : err_set(e, ST_IMAGE, 0,
					       "%s: indexes: expected at most %d deep, got more",
					       what, NESTED_MAX);
		if (rc == 0 && depth == 0 && at.ref_name)
			(void)snprintf(found, REF_TEXT_MAX, "%s", at.ref_name);
		(void)snprintf(what, sizeof(what), "manifest %s", at.digest.text);
		str_release(&text);
		if (rc == 0)
			rc = read_checked(dir, &at, what, &text, &n, e);
		if (rc == 0) {
			str_release(&type);
			type = strdup(at.media_type);
			at.media_type = type;
		}
		doc_release(&d);
		if (rc == 0)
			rc = type ? doc_parse(text, n, what, &d, e)
				  : err_set(e, ST_IMAGE, ENOMEM, "%s", what);
	}
	return rc;
}

static int open_layer(void *arg, size_t i, struct err *e)
{
	const struct layout *l = arg;
	char path[DIGEST_TEXT_MAX + 8];

	blob_path(&l->manifest->layers[i].digest, path, sizeof(path));
	return import_open(l->dir, path, e);
}

int import_layout(struct import *im, int dir, struct err *e)
{
	char what[DIGEST_TEXT_MAX + 24], found[REF_TEXT_MAX] = "";
	own_str text = NULL;
	own_str config_text = NULL;
	own_doc d = NULL;
	own_doc config = NULL;
	own_manifest m = { 0 };
	struct layout l = { dir, &m };
	struct image *image = calloc(1, sizeof(*image));
	int rc = image ? check_version(dir, e) : err_set(e, ST_IMAGE, ENOMEM, "import");

	if (rc == 0)
		rc = find_manifest(im, dir, image, &d, &text, found, e);
	if (rc == 0) {
		(void)snprintf(what, sizeof(what), "manifest %s", image->manifest.text);
		rc = manifest_read(d, what, &m, e);
	}
	if (rc == 0) {
		(void)snprintf(what, sizeof(what), "config %s", m.config.digest.text);
		rc = read_checked(dir, &m.config, what, &config_text, &image->config_n, e);
	}
	if (rc == 0)
		rc = doc_parse(config_text, image->config_n, what, &config, e);
	if (rc == 0)
		rc = config_read(config, what, &image->settings, e);
	if (rc == 0 && image->settings.n != m.n)
		rc = err_set(e, ST_IMAGE, 0, "%s: diff_ids: expected %zu, as many as layers, got %zu",
			     what, m.n, image->settings.n);
	if (rc == 0) {
		image->config = m.config.digest;
		image->config_text = config_text;
		for (size_t i = 0; i < m.n; i++)
			image->layers[i] = (struct image_blob){ m.layers[i].digest, m.layers[i].size };
		image->open_layer = open_layer;
		image->arg = &l;
		rc = import_finish(im, image, found, e);
	}
	if (image)
		config_release(&image->settings);
	free(image);
	return rc;
}
