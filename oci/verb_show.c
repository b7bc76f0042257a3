// SPDX-License-Identifier: GPL-2.0-or-later
/* jail image ls and inspect; jail-image, which only reads here. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/own.h"
#include "base/text.h"
#include "oci/catalog.h"
#include "oci/image_verbs.h"
#include "oci/manifest.h"

#define OUT_MAX ((size_t)16 << 20)

/* An image's own words, out of the blobs of the store. */
struct details {
	struct doc *manifest, *config;
	struct config settings;
	struct digest config_digest;
};

static void details_release(struct details *d)
{
	config_release(&d->settings);
	doc_release(&d->config);
	doc_release(&d->manifest);
}
#define own_details __attribute__((cleanup(details_release))) struct details

static int load(const struct store *s, const struct digest *manifest, struct details *d, struct err *e)
{
	own_str text = NULL;
	own_str config = NULL;
	struct descriptor of_config;
	size_t n = 0;
	int rc = store_read_blob(s, manifest, &text, &n, e);

	if (rc == 0)
		rc = doc_parse(text, n, "manifest", &d->manifest, e);
	if (rc == 0)
		rc = descriptor_read(doc_get(d->manifest, "config"), "manifest", &of_config, e);
	if (rc == 0)
		rc = store_read_blob(s, &of_config.digest, &config, &n, e);
	if (rc == 0)
		rc = doc_parse(config, n, "config", &d->config, e);
	if (rc == 0)
		rc = config_read(d->config, "config", &d->settings, e);
	if (rc == 0)
		d->config_digest = of_config.digest;
	return rc;
}

/* What an image says about itself, safe on a terminal; then `end`. */
static void show(const char *text, const char *end)
{
	char buf[1024];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_add_clean(&t, text ? text : "");
	printf("%s%s", buf, end);
}

/* ---- ls */

static void ls_line(const struct cat_image *im, const char *ref, const char *created, int width)
{
	char size[32], own[32], date[11];

	size_format(im->size, size, sizeof(size));
	size_format(im->own, own, sizeof(own));
	(void)snprintf(date, sizeof(date), "%.10s", created ? created : "-");
	printf("%-*s  %.12s  %8s  %8s  ", width, ref, digest_hex(&im->manifest), size, own);
	show(date, "\n");
}

/* What both verbs begin with. */
static void open_image(struct json *j, const struct cat_image *im)
{
	json_open(j, NULL, '{');
	json_open(j, "references", '[');
	for (size_t i = 0; i < im->n_refs; i++)
		json_str(j, NULL, im->refs[i]);
	json_close(j, ']');
	json_str(j, "manifest", im->manifest.text);
}

static void ls_json(struct json *j, const struct cat_image *im, const struct config *c)
{
	open_image(j, im);
	json_int(j, "size", (int64_t)im->size);
	json_int(j, "own_size", (int64_t)im->own);
	json_int(j, "shared_size", (int64_t)(im->size - im->own));
	json_int(j, "layers", (int64_t)im->n_layers);
	json_str(j, "os", c->os);
	json_str(j, "architecture", c->architecture);
	json_str(j, "created", c->created);
	json_close(j, '}');
}

static int ls_each(const struct store *s, const struct catalog *c, struct json *j, int width)
{
	for (size_t i = 0; i < c->n_images; i++) {
		const struct cat_image *im = &c->images[i];
		own_details d = { 0 };
		struct err unused = { 0 };

		/* one damaged image does not hide the others */
		(void)load(s, &im->manifest, &d, &unused);
		if (j)
			ls_json(j, im, &d.settings);
		for (size_t k = 0; !j && k < im->n_refs; k++)
			ls_line(im, im->refs[k], d.settings.created, width);
		if (!j && !im->n_refs)
			ls_line(im, "(no name)", d.settings.created, width);
	}
	return 0;
}

int image_ls(const struct image_call *c, struct err *e)
{
	own_store s = { .root = FD_NONE, .tmp = FD_NONE, .lock = FD_NONE };
	own_catalog all = { 0 };
	own_str out = c->json ? malloc(OUT_MAX) : NULL;
	int width = 9, rc = store_open(&s, STORE_LOOK, e);
	struct text t;
	struct json j;

	if (rc == 0)
		rc = catalog_read(&all, &s, e);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < all.n_images; i++) {
		for (size_t k = 0; k < all.images[i].n_refs; k++) {
			int n = (int)strlen(all.images[i].refs[k]);

			width = n > width ? n : width;
		}
	}
	if (!c->json) {
		if (all.n_images)
			printf("%-*s  %-12s  %8s  %8s  %s\n", width, "REFERENCE", "IMAGE", "SIZE",
			       "OWN", "CREATED");
		return ls_each(&s, &all, NULL, width);
	}
	if (!out)
		return err_set(e, ST_IMAGE, ENOMEM, "ls");
	text_init(&t, out, OUT_MAX);
	json_init(&j, &t);
	json_open(&j, NULL, '[');
	rc = ls_each(&s, &all, &j, 0);
	json_close(&j, ']');
	puts(out);
	return t.full ? err_set(e, ST_IMAGE, EFBIG, "ls") : rc;
}

/* ---- inspect */

static void words_json(struct json *j, const char *key, const struct words *w)
{
	json_open(j, key, '[');
	for (size_t i = 0; i < w->n; i++)
		json_str(j, NULL, w->v[i]);
	json_close(j, ']');
}

static void history_json(struct json *j, const struct doc *history)
{
	json_open(j, "history", '[');
	for (size_t i = 0; i < doc_size(history); i++) {
		const struct doc *h = doc_at(history, i);

		json_open(j, NULL, '{');
		json_str(j, "created", doc_str(doc_get(h, "created")));
		json_str(j, "created_by", doc_str(doc_get(h, "created_by")));
		json_bool(j, "empty_layer", doc_is_true(doc_get(h, "empty_layer")));
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void inspect_json(struct json *j, const struct catalog *all, const struct cat_image *im,
			 const struct details *d)
{
	const struct config *c = &d->settings;

	open_image(j, im);
	json_str(j, "config_digest", d->config_digest.text);
	json_str(j, "os", c->os);
	json_str(j, "architecture", c->architecture);
	json_str(j, "variant", c->variant);
	json_str(j, "created", c->created);
	json_int(j, "size", (int64_t)im->size);
	json_int(j, "own_size", (int64_t)im->own);
	json_int(j, "shared_size", (int64_t)(im->size - im->own));
	words_json(j, "env", &c->env);
	words_json(j, "entrypoint", &c->entrypoint);
	words_json(j, "cmd", &c->cmd);
	json_str(j, "workdir", c->workdir);
	json_str(j, "user", c->user);
	json_str(j, "stop_signal", c->stop_signal);
	json_open(j, "layers", '[');
	for (size_t i = 0; i < im->n_layers; i++) {
		const struct cat_layer *l = &all->layers[im->layers[i]];

		json_open(j, NULL, '{');
		json_str(j, "layer", l->key.text);
		json_int(j, "size", (int64_t)l->bytes);
		json_int(j, "images", l->images);
		json_close(j, '}');
	}
	json_close(j, ']');
	history_json(j, doc_get(d->config, "history"));
	json_close(j, '}');
}

static void show_words(const char *label, const struct words *w)
{
	for (size_t i = 0; i < w->n; i++) {
		printf("%-12s", i ? "" : label);
		show(w->v[i], "\n");
	}
}

static void show_one(const char *label, const char *value)
{
	if (!value || !*value)
		return;
	printf("%-12s", label);
	show(value, "\n");
}

static void inspect_text(const struct catalog *all, const struct cat_image *im,
			 const struct details *d)
{
	const struct words refs = { (const char **)im->refs, im->n_refs };
	const struct doc *history = doc_get(d->config, "history");
	const struct config *c = &d->settings;
	char size[32], own[32];

	show_words("reference", &refs);
	show_one("manifest", im->manifest.text);
	show_one("config", d->config_digest.text);
	printf("%-12s", "platform");
	show(c->os ? c->os : "?", "/");
	show(c->architecture ? c->architecture : "?", "\n");
	show_one("created", c->created);
	size_format(im->size, size, sizeof(size));
	size_format(im->own, own, sizeof(own));
	printf("%-12s%s, %s of it not shared\n", "size", size, own);
	show_words("env", &c->env);
	show_words("entrypoint", &c->entrypoint);
	show_words("cmd", &c->cmd);
	show_one("workdir", c->workdir);
	show_one("user", c->user);
	show_one("stop-signal", c->stop_signal);
	for (size_t i = 0; i < im->n_layers; i++) {
		const struct cat_layer *l = &all->layers[im->layers[i]];

		size_format(l->bytes, size, sizeof(size));
		printf("%-12s%s %s%s\n", i ? "" : "layers", l->key.text, size,
		       l->images > 1 ? ", shared" : "");
	}
	for (size_t i = 0; i < doc_size(history); i++) {
		printf("%-12s", i ? "" : "history");
		show(doc_str(doc_get(doc_at(history, i), "created_by")), "\n");
	}
}

int image_inspect(const struct image_call *c, struct err *e)
{
	own_store s = { .root = FD_NONE, .tmp = FD_NONE, .lock = FD_NONE };
	own_catalog all = { 0 };
	own_details d = { 0 };
	const struct cat_image *im = NULL;
	own_str out = c->json ? malloc(OUT_MAX) : NULL;
	const char *ref;
	struct text t;
	struct json j;
	int rc = store_open(&s, STORE_LOOK, e);

	if (rc == 0)
		rc = catalog_read(&all, &s, e);
	if (rc == 0)
		rc = catalog_find(&all, c->words[0], &im, &ref, e);
	if (rc == 0)
		rc = load(&s, &im->manifest, &d, e);
	if (rc < 0 || !im)
		return rc;
	if (!c->json) {
		inspect_text(&all, im, &d);
		return 0;
	}
	if (!out)
		return err_set(e, ST_IMAGE, ENOMEM, "inspect");
	text_init(&t, out, OUT_MAX);
	json_init(&j, &t);
	inspect_json(&j, &all, im, &d);
	puts(out);
	return t.full ? err_set(e, ST_IMAGE, EFBIG, "inspect") : 0;
}
