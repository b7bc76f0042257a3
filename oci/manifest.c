// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading indexes, manifests and configs; jail-image and jail-pull. */
#include "oci/manifest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"

#define INDEX_MAX ((size_t)1024) /* manifests in an index */

static int no_memory(struct err *e, const char *what)
{
	return err_set(e, ST_IMAGE, ENOMEM, "%s", what);
}

int descriptor_read(const struct doc *d, const char *what, struct descriptor *ret, struct err *e)
{
	const char *digest = doc_str(doc_get(d, "digest")), *type = doc_str(doc_get(d, "mediaType"));
	struct descriptor r = { .media_type = type ? type : "" };

	if (!digest || !digest_parse(digest, &r.digest))
		return err_set(e, ST_IMAGE, 0, "%s: digest: expected sha256:HEX, got '%.100s'",
			       what, digest ? digest : "");
	if (!doc_u64(doc_get(d, "size"), &r.size))
		return err_set(e, ST_IMAGE, 0, "%s: size: expected a number for %s, got none", what,
			       r.digest.text);
	r.ref_name = doc_str(doc_get(doc_get(d, "annotations"), "org.opencontainers.image.ref.name"));
	*ret = r;
	return 0;
}

static bool names_index(const char *type)
{
	return str_eq(type, MEDIA_OCI_INDEX) || str_eq(type, MEDIA_DOCKER_LIST);
}

static bool names_manifest(const char *type)
{
	return str_eq(type, MEDIA_OCI_MANIFEST) || str_eq(type, MEDIA_DOCKER_MANIFEST);
}

int manifest_is_index(const struct doc *d, const char *announced, const char *what, struct err *e)
{
	const char *own = doc_str(doc_get(d, "mediaType"));
	bool index = doc_get(d, "manifests"), manifest = doc_get(d, "layers") || doc_get(d, "config");
	uint64_t version = 0;

	if (index == manifest)
		return err_set(e, ST_IMAGE, 0, "%s: expected an index or a manifest, got %s", what,
			       index ? "both in one" : "neither");
	if (!doc_u64(doc_get(d, "schemaVersion"), &version) || version != 2)
		return err_set(e, ST_IMAGE, 0, "%s: schemaVersion: expected 2, got %llu", what,
			       (unsigned long long)version);
	if (own && *announced && !str_eq(own, announced))
		return err_set(e, ST_IMAGE, 0, "%s: mediaType: expected %.100s, got %.100s", what,
			       announced, own);
	own = own ? own : announced;
	if (*own && !(index ? names_index(own) : names_manifest(own)))
		return err_set(e, ST_IMAGE, 0, "%s: mediaType: expected that of %s, got %.100s",
			       what, index ? "an index" : "an image manifest", own);
	return index;
}

static int fit_of(const struct doc *d, const struct descriptor *desc, const char *name,
		  const struct platform *want)
{
	const struct doc *p = doc_get(d, "platform");

	if (name && (!desc->ref_name || !str_eq(desc->ref_name, name)))
		return 0;
	if (doc_get(doc_get(d, "annotations"), "vnd.docker.reference.type"))
		return 0; /* an attestation */
	if (*desc->media_type && !names_index(desc->media_type) && !names_manifest(desc->media_type))
		return 0;
	return platform_fit(want, doc_str(doc_get(p, "os")), doc_str(doc_get(p, "architecture")),
			    doc_str(doc_get(p, "variant")));
}

static int ambiguous(const struct doc *list, const char *what, struct err *e)
{
	char names[240];
	struct text t;

	text_init(&t, names, sizeof(names));
	for (size_t i = 0; i < doc_size(list); i++) {
		const char *name = doc_str(doc_get(doc_get(doc_at(list, i), "annotations"),
						   "org.opencontainers.image.ref.name"));

		text_addf(&t, " %s", name ? name : "(no name)");
	}
	return err_set(e, ST_IMAGE, 0, "%s: expected one image, got several: say which, of%s", what,
		       names);
}

static bool same_name(const struct descriptor *a, const struct descriptor *b)
{
	return a->ref_name && b->ref_name ? str_eq(a->ref_name, b->ref_name)
					  : a->ref_name == b->ref_name;
}

int index_select(const struct doc *d, const char *what, const char *name,
		 const struct platform *want, struct descriptor *ret, struct err *e)
{
	const struct doc *list = doc_get(d, "manifests");
	struct descriptor best = { 0 };
	int best_fit = 0;

	if (!doc_is_array(list) || doc_size(list) > INDEX_MAX)
		return err_set(e, ST_IMAGE, 0, "%s: manifests: expected at most %zu, got %zu", what,
			       INDEX_MAX, doc_size(list));
	for (size_t i = 0; i < doc_size(list); i++) {
		struct descriptor one;
		int fit, rc = descriptor_read(doc_at(list, i), what, &one, e);

		if (rc < 0)
			return rc;
		fit = fit_of(doc_at(list, i), &one, name, want);
		if (fit && fit == best_fit && !digest_eq(&one.digest, &best.digest) &&
		    !same_name(&one, &best))
			return ambiguous(list, what, e);
		if (fit > best_fit) {
			best_fit = fit;
			best = one;
		}
	}
	if (!best_fit && name)
		return err_set(e, ST_IMAGE, 0, "%s: no image called '%.100s' for %s/%s", what, name,
			       want->os, want->architecture);
	if (!best_fit)
		return err_set(e, ST_IMAGE, 0, "%s: no image for %s/%s%s%s among %zu", what,
			       want->os, want->architecture, *want->variant ? "/" : "",
			       want->variant, doc_size(list));
	*ret = best;
	return 0;
}

/* Layers that a registry may not pass on: nobody has them but their maker. */
static bool foreign(const char *type)
{
	return strstr(type, "nondistributable") || strstr(type, ".foreign.");
}

static int layer_type(const struct descriptor *d, const char *what, struct err *e)
{
	static const char *const known[] = {
		"",
		MEDIA_OCI_LAYER,
		MEDIA_OCI_LAYER "+gzip",
		MEDIA_OCI_LAYER "+zstd",
		"application/vnd.docker.image.rootfs.diff.tar",
		"application/vnd.docker.image.rootfs.diff.tar.gzip",
		"application/vnd.docker.image.rootfs.diff.tar.zstd",
	};

	if (foreign(d->media_type))
		return err_set(e, ST_IMAGE, 0,
			       "%s: layer %s: expected one that can be had, got a foreign one (%.80s)",
			       what, d->digest.text, d->media_type);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (str_eq(known[i], d->media_type))
			return 0;
	}
	return err_set(e, ST_IMAGE, 0, "%s: layer %s: mediaType: expected a layer's, got %.80s",
		       what, d->digest.text, d->media_type);
}

int manifest_read(const struct doc *d, const char *what, struct manifest *ret, struct err *e)
{
	const struct doc *list = doc_get(d, "layers");
	own_manifest m = { .n = doc_size(list) };
	int rc = descriptor_read(doc_get(d, "config"), what, &m.config, e);

	if (rc < 0)
		return rc;
	if (!doc_is_array(list) || !m.n || m.n > LAYERS_MAX)
		return err_set(e, ST_IMAGE, 0, "%s: layers: expected 1 to %zu, got %zu", what,
			       LAYERS_MAX, m.n);
	m.layers = calloc(m.n, sizeof(m.layers[0]));
	if (!m.layers)
		return no_memory(e, what);
	for (size_t i = 0; rc == 0 && i < m.n; i++) {
		rc = descriptor_read(doc_at(list, i), what, &m.layers[i], e);
		if (rc == 0)
			rc = layer_type(&m.layers[i], what, e);
	}
	if (rc < 0)
		return rc;
	*ret = m;
	m.layers = NULL;
	return 0;
}

void manifest_release(struct manifest *m)
{
	free(m->layers);
	m->layers = NULL;
}

int words_read(const struct doc *d, const char *what, struct words *ret, struct err *e)
{
	struct words w = { .n = doc_size(d) };

	if (d && !doc_is_array(d))
		return err_set(e, ST_IMAGE, 0, "%s: expected a list of strings", what);
	if (!w.n) {
		*ret = w;
		return 0;
	}
	w.v = calloc(w.n, sizeof(w.v[0]));
	if (!w.v)
		return no_memory(e, what);
	for (size_t i = 0; i < w.n; i++) {
		w.v[i] = doc_str(doc_at(d, i));
		if (!w.v[i]) {
			free(w.v);
			return err_set(e, ST_IMAGE, 0, "%s: expected a list of strings", what);
		}
	}
	*ret = w;
	return 0;
}

static int diff_ids(const struct doc *list, const char *what, struct config *c, struct err *e)
{
	c->n = doc_size(list);
	if (!doc_is_array(list) || !c->n || c->n > LAYERS_MAX)
		return err_set(e, ST_IMAGE, 0, "%s: diff_ids: expected 1 to %zu, got %zu", what,
			       LAYERS_MAX, c->n);
	c->diff_ids = calloc(c->n, sizeof(c->diff_ids[0]));
	if (!c->diff_ids)
		return no_memory(e, what);
	for (size_t i = 0; i < c->n; i++) {
		const char *id = doc_str(doc_at(list, i));

		if (!id || !digest_parse(id, &c->diff_ids[i]))
			return err_set(e, ST_IMAGE, 0,
				       "%s: diff_ids: expected sha256:HEX, got '%.100s'", what,
				       id ? id : "");
	}
	return 0;
}

/* Environment entries without a name or without '=' would change what others mean. */
static int check_env(const struct words *env, const char *what, struct err *e)
{
	for (size_t i = 0; i < env->n; i++) {
		if (!strchr(env->v[i], '=') || env->v[i][0] == '=')
			return err_set(e, ST_IMAGE, 0, "%s: Env: expected NAME=VALUE, got '%.100s'",
				       what, env->v[i]);
	}
	return 0;
}

int config_read(const struct doc *d, const char *what, struct config *ret, struct err *e)
{
	const struct doc *run = doc_get(d, "config"), *rootfs = doc_get(d, "rootfs");
	own_config c = {
		.os = doc_str(doc_get(d, "os")),
		.architecture = doc_str(doc_get(d, "architecture")),
		.variant = doc_str(doc_get(d, "variant")),
		.created = doc_str(doc_get(d, "created")),
		.workdir = doc_str(doc_get(run, "WorkingDir")),
		.user = doc_str(doc_get(run, "User")),
		.stop_signal = doc_str(doc_get(run, "StopSignal")),
	};
	const char *type = doc_str(doc_get(rootfs, "type"));
	int rc;

	if (!type || !str_eq(type, "layers"))
		return err_set(e, ST_IMAGE, 0, "%s: rootfs.type: expected layers, got '%.60s'",
			       what, type ? type : "");
	if (c.os && !str_eq(c.os, "linux"))
		return err_set(e, ST_IMAGE, 0, "%s: os: expected linux, got '%.60s'", what, c.os);
	rc = diff_ids(doc_get(rootfs, "diff_ids"), what, &c, e);
	if (rc == 0)
		rc = words_read(doc_get(run, "Env"), what, &c.env, e);
	if (rc == 0)
		rc = words_read(doc_get(run, "Entrypoint"), what, &c.entrypoint, e);
	if (rc == 0)
		rc = words_read(doc_get(run, "Cmd"), what, &c.cmd, e);
	if (rc == 0)
		rc = check_env(&c.env, what, e);
	if (rc < 0)
		return rc;
	*ret = c;
	c = (struct config){ 0 };
	return 0;
}

void config_release(struct config *c)
{
	free(c->diff_ids);
	free(c->env.v);
	free(c->entrypoint.v);
	free(c->cmd.v);
	*c = (struct config){ 0 };
}
