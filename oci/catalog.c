// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading the store as a whole; jail-image. */
#include "oci/catalog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/text.h"
#include "oci/job.h"
#include "oci/record.h"
#include "oci/ref.h"

struct reading {
	struct catalog *c;
	const struct store *s;
};

static int no_memory(struct err *e)
{
	return err_set(e, ST_IMAGE, ENOMEM, "read the store");
}

/* One more element at the end of an array; false when memory ends. */
static void *more(void *array, size_t n, size_t size)
{
	return reallocarray(array, n + 1, size);
}

static uint64_t layer_bytes(const struct store *s, const struct digest *key)
{
	char path[DIGEST_TEXT_MAX + 8];
	struct job j;
	uint64_t bytes = 0;
	ssize_t n = -1;

	job_init(&j);
	(void)snprintf(path, sizeof(path), "meta/%s", digest_name(key).text);
	j.notes = malloc(NOTES_MAX);
	if (j.notes)
		n = fs_read_file_at(s->root, path, j.notes, NOTES_MAX, true);
	if (n > 0 && job_read_notes(&j))
		bytes = j.bytes;
	free(j.notes);
	return bytes;
}

/* The index of a layer, known from now on; -errno. */
static int64_t layer_index(struct reading *r, const struct digest *key)
{
	struct catalog *c = r->c;
	struct cat_layer *v;

	for (size_t i = 0; i < c->n_layers; i++) {
		if (digest_eq(&c->layers[i].key, key))
			return (int64_t)i;
	}
	v = more(c->layers, c->n_layers, sizeof(*v));
	if (!v)
		return -ENOMEM;
	c->layers = v;
	v[c->n_layers] = (struct cat_layer){ .key = *key, .bytes = layer_bytes(r->s, key) };
	return (int64_t)c->n_layers++;
}

static int read_layers(struct reading *r, struct cat_image *im, char *text, struct err *e)
{
	for (char *line = text, *next; line && *line; line = next) {
		struct digest key;
		size_t *v;
		int64_t i;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!str_starts(line, "layer ") || !digest_parse(line + 6, &key))
			continue;
		i = layer_index(r, &key);
		v = more(im->layers, im->n_layers, sizeof(*v));
		if (v)
			im->layers = v;
		if (i < 0 || !v)
			return no_memory(e);
		im->layers[im->n_layers++] = (size_t)i;
		r->c->layers[i].images++;
	}
	return 0;
}

static int on_image(void *arg, const char *name, struct err *e)
{
	struct reading *r = arg;
	char path[NAME_MAX + 32];
	own_str text = malloc(RECORD_MAX + 1);
	struct cat_image im = { 0 }, *v;
	ssize_t n;

	if (!text)
		return no_memory(e);
	(void)snprintf(path, sizeof(path), "images/%s/record", name);
	n = fs_read_file_at(r->s->root, path, text, RECORD_MAX + 1, true);
	if (n < 0 || !store_name_digest(name, &im.manifest))
		return 0; /* a directory without a record is no image */
	v = more(r->c->images, r->c->n_images, sizeof(*v));
	if (!v)
		return no_memory(e);
	r->c->images = v;
	v[r->c->n_images++] = im;
	return read_layers(r, &v[r->c->n_images - 1], text, e);
}

static int on_ref(void *arg, const char *name, struct err *e)
{
	struct reading *r = arg;
	own_str reference = strdup(name);
	struct digest d;

	if (!reference)
		return no_memory(e);
	if (!record_unescape(reference) || !store_get_ref(r->s, reference, &d))
		return 0;
	for (size_t i = 0; i < r->c->n_images; i++) {
		struct cat_image *im = &r->c->images[i];
		char **v;

		if (!digest_eq(&im->manifest, &d))
			continue;
		v = more(im->refs, im->n_refs, sizeof(*v));
		if (!v)
			return no_memory(e);
		im->refs = v;
		v[im->n_refs++] = reference;
		reference = NULL;
		break;
	}
	return 0;
}

int catalog_read(struct catalog *c, const struct store *s, struct err *e)
{
	struct reading r = { c, s };
	int rc;

	*c = (struct catalog){ 0 };
	rc = store_list(s, "images", on_image, &r, e);
	if (rc == 0)
		rc = store_list(s, "refs", on_ref, &r, e);
	for (size_t i = 0; rc == 0 && i < c->n_images; i++) {
		struct cat_image *im = &c->images[i];

		for (size_t k = 0; k < im->n_layers; k++) {
			const struct cat_layer *l = &c->layers[im->layers[k]];

			im->size += l->bytes;
			im->own += l->images == 1 ? l->bytes : 0;
		}
	}
	return rc;
}

void catalog_release(struct catalog *c)
{
	for (size_t i = 0; i < c->n_images; i++) {
		for (size_t k = 0; k < c->images[i].n_refs; k++)
			free(c->images[i].refs[k]);
		free(c->images[i].refs);
		free(c->images[i].layers);
	}
	free(c->images);
	free(c->layers);
	*c = (struct catalog){ 0 };
}

/* sha256:HEX, or the first digits of HEX. */
static bool by_digest(const struct cat_image *im, const char *word)
{
	size_t n = strlen(word);

	if (str_eq(im->manifest.text, word))
		return true;
	return n >= 6 && n <= 64 && strspn(word, "0123456789abcdef") == n &&
	       strncmp(digest_hex(&im->manifest), word, n) == 0;
}

static const struct cat_image *by_ref(const struct catalog *c, const char *word, const char **ret_ref)
{
	char full[REF_TEXT_MAX];
	struct err unused = { 0 };
	struct ref r;

	if (ref_parse(word, &r, &unused) < 0)
		return NULL;
	ref_format(&r, full, sizeof(full));
	for (size_t i = 0; i < c->n_images; i++) {
		for (size_t k = 0; k < c->images[i].n_refs; k++) {
			if (!str_eq(c->images[i].refs[k], full))
				continue;
			*ret_ref = c->images[i].refs[k];
			return &c->images[i];
		}
	}
	return NULL;
}

int catalog_find(const struct catalog *c, const char *word, const struct cat_image **ret,
		 const char **ret_ref, struct err *e)
{
	const char *ref = NULL;
	const struct cat_image *found = by_ref(c, word, &ref);

	for (size_t i = 0; !ref && i < c->n_images; i++) {
		if (!by_digest(&c->images[i], word))
			continue;
		if (found)
			return err_set(e, ST_IMAGE, 0,
				       "'%.100s' is the beginning of several images", word);
		found = &c->images[i];
	}
	if (!found)
		return err_set(e, ST_IMAGE, 0, "no image '%.200s'; `jail image ls` lists them", word);
	*ret = found;
	*ret_ref = ref;
	return 0;
}

void size_format(uint64_t bytes, char *buf, size_t size)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
	double v = (double)bytes;
	size_t i = 0;

	while (v >= 999.5 && i + 1 < ARRAY_SIZE(units)) {
		v /= 1000;
		i++;
	}
	(void)snprintf(buf, size, i && v < 99.95 ? "%.1f %s" : "%.0f %s", v, units[i]);
}
