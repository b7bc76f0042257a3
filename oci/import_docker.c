// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What `docker save` writes: manifest.json names a config and layers by their files. There are no
 * digests of the layers but the config's diffIDs; those are checked. Runs in jail-image.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "oci/hash.h"
#include "oci/import.h"

struct archive {
	int dir;
	struct words layers;
};

static int open_layer(void *arg, size_t i, struct err *e)
{
	const struct archive *a = arg;

	return import_open(a->dir, a->layers.v[i], e);
}

/* A config's file is called after its digest, in the old form and in the new one. */
static int check_config(const char *path, const struct digest *got, struct err *e)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	size_t n = strspn(name, "0123456789abcdef");

	if (n == 64 && (!name[n] || str_eq(name + n, ".json")) &&
	    strncmp(name, digest_hex(got), n) != 0)
		return err_set(e, ST_IMAGE, 0, "config '%.150s': digest: expected that, got %s",
			       path, got->text);
	return 0;
}

static bool is_compressed(int fd)
{
	unsigned char b[4] = { 0 };

	return pread(fd, b, sizeof(b), 0) == (ssize_t)sizeof(b) &&
	       ((b[0] == 0x1f && b[1] == 0x8b) || (b[0] == 0x28 && b[1] == 0xb5) ||
		((b[0] & 0xf0) == 0x50 && b[1] == 0x2a && b[2] == 0x4d && b[3] == 0x18));
}

/* A plain layer's digest is its diffID; jail-unpack will check it. Others are hashed now. */
static int describe_layers(const struct archive *a, struct image *image, struct err *e)
{
	int rc = 0;

	if (a->layers.n != image->settings.n)
		return err_set(e, ST_IMAGE, 0,
			       "manifest.json: Layers: expected %zu, as many as diff_ids, got %zu",
			       image->settings.n, a->layers.n);
	for (size_t i = 0; rc == 0 && i < a->layers.n; i++) {
		struct image_blob *b = &image->layers[i];
		own_fd fd = import_open(a->dir, a->layers.v[i], e);
		struct stat st;

		if (fd < 0)
			return fd;
		if (fstat(fd, &st) < 0)
			return err_set(e, ST_IMAGE, errno, "look at '%.200s'", a->layers.v[i]);
		*b = (struct image_blob){ image->settings.diff_ids[i], (uint64_t)st.st_size };
		if (is_compressed(fd))
			rc = hash_fd(fd, &b->digest, &b->digest, &b->size, e);
	}
	return rc;
}

static const struct doc *pick(const struct doc *list, const char *name, struct err *e)
{
	const struct doc *one = doc_at(list, 0);

	if (!doc_is_array(list) || !doc_size(list)) {
		(void)err_set(e, ST_IMAGE, 0, "manifest.json: expected a list of images, got none");
		return NULL;
	}
	for (size_t i = 0; name && i < doc_size(list); i++) {
		const struct doc *tags = doc_get(doc_at(list, i), "RepoTags");

		for (size_t k = 0; k < doc_size(tags); k++) {
			const char *tag = doc_str(doc_at(tags, k));

			if (tag && str_eq(tag, name))
				return doc_at(list, i);
		}
	}
	if (name || doc_size(list) > 1) {
		(void)err_set(e, ST_IMAGE, 0, "manifest.json: %s '%.100s' among %zu images",
			      name ? "no" : "say which: FILE:NAME, as in",
			      name ? name : doc_str(doc_at(doc_get(one, "RepoTags"), 0)) ?: "?",
			      doc_size(list));
		return NULL;
	}
	return one;
}

/* RepoTags are short names: completed, they hold a '/'. */
static void full_name(const struct doc *one, char *buf, size_t size)
{
	const char *tag = doc_str(doc_at(doc_get(one, "RepoTags"), 0));
	struct err unused = { 0 };
	struct ref r;

	buf[0] = '\0';
	if (tag && ref_parse(tag, &r, &unused) == 0)
		ref_format(&r, buf, size);
}

static int read_config(struct image *image, int dir, const char *path, char **text,
		       struct doc **doc, struct err *e)
{
	int rc = import_read(dir, path, text, &image->config_n, e);

	if (rc < 0)
		return rc;
	image->config_text = *text;
	import_hash(*text, image->config_n, &image->config);
	rc = check_config(path, &image->config, e);
	if (rc == 0)
		rc = doc_parse(*text, image->config_n, "config", doc, e);
	return rc < 0 ? rc : config_read(*doc, "config", &image->settings, e);
}

static int import_one(struct import *im, struct archive *a, const struct doc *one,
		      struct image *image, struct err *e)
{
	own_str config_text = NULL;
	own_str manifest_text = NULL;
	char name[REF_TEXT_MAX];
	own_doc config = NULL;
	const char *path = doc_str(doc_get(one, "Config"));
	int rc;

	if (!path)
		return err_set(e, ST_IMAGE, 0, "manifest.json: Config: expected a path, got none");
	rc = words_read(doc_get(one, "Layers"), "manifest.json: Layers", &a->layers, e);
	if (rc == 0)
		rc = read_config(image, a->dir, path, &config_text, &config, e);
	if (rc == 0)
		rc = describe_layers(a, image, e);
	if (rc == 0)
		rc = import_make_manifest(image, &manifest_text, e);
	if (rc < 0)
		return rc;
	image->open_layer = open_layer;
	image->arg = a;
	full_name(one, name, sizeof(name));
	return import_finish(im, image, name, e);
}

int import_docker(struct import *im, int dir, struct err *e)
{
	struct archive a = { .dir = dir };
	struct image *image = calloc(1, sizeof(*image));
	const struct doc *one = NULL;
	own_str text = NULL;
	own_doc list = NULL;
	size_t n = 0;
	int rc = image ? import_read(dir, "manifest.json", &text, &n, e)
		       : err_set(e, ST_IMAGE, ENOMEM, "import");

	if (rc == 0)
		rc = doc_parse(text, n, "manifest.json", &list, e);
	if (rc == 0)
		one = pick(list, im->name, e);
	if (rc == 0)
		rc = one ? import_one(im, &a, one, image, e) : -EINVAL;
	free(a.layers.v);
	if (image)
		config_release(&image->settings);
	free(image);
	return rc;
}
