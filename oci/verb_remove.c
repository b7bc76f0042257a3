// SPDX-License-Identifier: GPL-2.0-or-later
/* jail image rm and prune: what nobody needs any more; jail-image, alone in the store. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/own.h"
#include "base/text.h"
#include "oci/catalog.h"
#include "oci/image_verbs.h"
#include "oci/manifest.h"
#include "oci/record.h"

struct sweep {
	struct store *s;
	const struct catalog *c;
	struct digest *configs; /* of the images that stay */
	size_t n_configs;
	bool parts; /* what pulls left, too */
	unsigned images, layers;
	uint64_t bytes;
};

/* A jail that runs the image holds its record locked. */
static bool in_use(const struct store *s, const struct digest *manifest)
{
	char path[DIGEST_TEXT_MAX + 24];
	own_fd fd = FD_NONE;

	(void)snprintf(path, sizeof(path), "images/%s/record", digest_name(manifest).text);
	fd = openat(s->root, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

static int remove_in(struct store *s, const char *dir, const char *name, struct err *e)
{
	char path[2 * NAME_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return store_remove(s, path, e);
}

static bool has_image(const struct catalog *c, const struct digest *d)
{
	for (size_t i = 0; i < c->n_images; i++) {
		if (digest_eq(&c->images[i].manifest, d))
			return true;
	}
	return false;
}

static bool has_layer(const struct catalog *c, const struct digest *d)
{
	for (size_t i = 0; i < c->n_layers; i++) {
		if (digest_eq(&c->layers[i].key, d))
			return true;
	}
	return false;
}

static int on_image(void *arg, const char *name, struct err *e)
{
	struct sweep *w = arg;
	struct digest d;

	if (store_name_digest(name, &d) && has_image(w->c, &d))
		return 0;
	return remove_in(w->s, "images", name, e);
}

static int on_layer(void *arg, const char *name, struct err *e)
{
	struct sweep *w = arg;
	struct digest d;

	if (store_name_digest(name, &d) && has_layer(w->c, &d))
		return 0;
	w->layers++;
	return remove_in(w->s, "layers", name, e);
}

/* Notes and owners, "NAME" and "NAME.owners". */
static int on_meta(void *arg, const char *name, struct err *e)
{
	struct sweep *w = arg;
	char base[NAME_MAX + 1];
	struct digest d;
	struct text t;

	text_init(&t, base, sizeof(base));
	text_addn(&t, name, strcspn(name, "."));
	if (store_name_digest(base, &d) && has_layer(w->c, &d))
		return 0;
	return remove_in(w->s, "meta", name, e);
}

static int on_ref(void *arg, const char *name, struct err *e)
{
	struct sweep *w = arg;
	own_str reference = strdup(name);
	struct digest d;

	if (reference && record_unescape(reference) && store_get_ref(w->s, reference, &d) &&
	    has_image(w->c, &d))
		return 0;
	return remove_in(w->s, "refs", name, e);
}

static int on_blob(void *arg, const char *name, struct err *e)
{
	struct sweep *w = arg;
	char path[NAME_MAX + 32], text[NAME_MAX + 16];
	struct digest d;
	struct stat st;

	(void)snprintf(text, sizeof(text), "%s:%s", strlen(name) == 64 ? "sha256" : "sha512", name);
	if (digest_parse(text, &d)) {
		bool kept = has_image(w->c, &d);

		for (size_t i = 0; i < w->n_configs; i++)
			kept |= digest_eq(&w->configs[i], &d);
		if (kept)
			return 0;
	}
	(void)snprintf(path, sizeof(path), "blobs/%s/%s",
		       digest_parse(text, &d) ? digest_algorithm(&d) : "sha256", name);
	if (fstatat(w->s->root, path, &st, AT_SYMLINK_NOFOLLOW) == 0)
		w->bytes += (uint64_t)st.st_size;
	return store_remove(w->s, path, e);
}

static int on_part(void *arg, const char *name, struct err *e)
{
	struct sweep *w = arg;
	char path[NAME_MAX + 8];
	struct stat st;

	if (!w->parts)
		return 0;
	(void)snprintf(path, sizeof(path), "parts/%s", name);
	if (fstatat(w->s->root, path, &st, AT_SYMLINK_NOFOLLOW) == 0)
		w->bytes += (uint64_t)st.st_size;
	return store_remove(w->s, path, e);
}

static int on_lock(void *arg, const char *name, struct err *e)
{
	struct sweep *w = arg;

	return str_eq(name, "store") ? 0 : remove_in(w->s, "locks", name, e);
}

/* The configs that the manifests of what stays name. */
static int find_configs(struct sweep *w, struct err *e)
{
	w->configs = calloc(w->c->n_images + 1, sizeof(w->configs[0]));
	if (!w->configs)
		return err_set(e, ST_IMAGE, ENOMEM, "prune");
	for (size_t i = 0; i < w->c->n_images; i++) {
		own_str text = NULL;
		own_doc d = NULL;
		struct descriptor config;
		struct err why = { 0 };
		size_t n = 0;

		/* One that cannot be read keeps nothing but itself. */
		if (store_read_blob(w->s, &w->c->images[i].manifest, &text, &n, &why) == 0 &&
		    doc_parse(text, n, "manifest", &d, &why) == 0 &&
		    descriptor_read(doc_get(d, "config"), "manifest", &config, &why) == 0)
			w->configs[w->n_configs++] = config.digest;
	}
	return 0;
}

/* Everything that the images in the catalog do not need. */
static int sweep(struct sweep *w, struct err *e)
{
	static const struct {
		const char *dir;
		int (*each)(void *arg, const char *name, struct err *e);
	} steps[] = { { "refs", on_ref },	   { "images", on_image },
		      { "layers", on_layer },	   { "meta", on_meta },
		      { "blobs/sha256", on_blob }, { "blobs/sha512", on_blob },
		      { "parts", on_part },	   { "locks", on_lock } };
	int rc = find_configs(w, e);

	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(steps); i++)
		rc = store_list(w->s, steps[i].dir, steps[i].each, w, e);
	free(w->configs);
	w->configs = NULL;
	return rc;
}

/* After images were removed: sweep by a fresh look, and count what went with them. */
static int sweep_after(struct store *s, const struct catalog *before, struct sweep *w, struct err *e)
{
	own_catalog now = { 0 };
	int rc = catalog_read(&now, s, e);

	w->s = s;
	w->c = &now;
	for (size_t i = 0; rc == 0 && i < before->n_layers; i++) {
		if (!has_layer(&now, &before->layers[i].key))
			w->bytes += before->layers[i].bytes;
	}
	if (rc == 0)
		rc = sweep(w, e);
	w->c = NULL;
	return rc;
}

static int drop_image(struct store *s, const struct cat_image *im, struct err *e)
{
	if (in_use(s, &im->manifest))
		return err_set(e, ST_IMAGE, 0, "image %s is in use by a running jail",
			       im->manifest.text);
	for (size_t i = 0; i < im->n_refs; i++) {
		int rc = store_remove_ref(s, im->refs[i], e);

		if (rc < 0)
			return rc;
	}
	return remove_in(s, "images", digest_name(&im->manifest).text, e);
}

int image_rm(const struct image_call *c, struct err *e)
{
	own_store s = { .root = FD_NONE, .tmp = FD_NONE, .lock = FD_NONE, .say = image_say };
	own_catalog all = { 0 };
	const struct cat_image *im = NULL;
	const char *ref = NULL;
	struct sweep w = { .images = 1 };
	char size[32];
	int rc = store_open(&s, STORE_ALONE, e);

	if (rc == 0)
		rc = catalog_read(&all, &s, e);
	if (rc == 0)
		rc = catalog_find(&all, c->words[0], &im, &ref, e);
	if (rc < 0 || !im)
		return rc;
	if (ref && im->n_refs > 1) {
		rc = store_remove_ref(&s, ref, e);
		if (rc == 0)
			printf("%s: the name is gone, the image has others\n", ref);
		return rc;
	}
	rc = drop_image(&s, im, e);
	if (rc == 0)
		rc = sweep_after(&s, &all, &w, e);
	if (rc < 0)
		return rc;
	size_format(w.bytes, size, sizeof(size));
	printf("%s: removed, %u layers, %s\n", im->n_refs ? im->refs[0] : im->manifest.text,
	       w.layers, size);
	return 0;
}

static void tell(const struct sweep *w, bool as_json)
{
	char buf[256];
	struct text t;
	struct json j;

	text_init(&t, buf, sizeof(buf));
	if (as_json) {
		json_init(&j, &t);
		json_open(&j, NULL, '{');
		json_int(&j, "images", w->images);
		json_int(&j, "layers", w->layers);
		json_int(&j, "bytes", (int64_t)w->bytes);
		json_close(&j, '}');
	} else {
		char size[32];

		size_format(w->bytes, size, sizeof(size));
		text_addf(&t, "removed %u images, %u layers, %s", w->images, w->layers, size);
	}
	puts(buf);
}

int image_prune(const struct image_call *c, struct err *e)
{
	own_store s = { .root = FD_NONE, .tmp = FD_NONE, .lock = FD_NONE, .say = image_say };
	own_catalog all = { 0 };
	struct sweep w = { .parts = true };
	int rc = store_open(&s, STORE_ALONE, e);

	if (rc == 0)
		rc = catalog_read(&all, &s, e);
	for (size_t i = 0; rc == 0 && i < all.n_images; i++) {
		if (all.images[i].n_refs || in_use(&s, &all.images[i].manifest))
			continue;
		w.images++;
		rc = drop_image(&s, &all.images[i], e);
	}
	if (rc == 0)
		rc = sweep_after(&s, &all, &w, e);
	if (rc == 0)
		tell(&w, c->json);
	return rc;
}
