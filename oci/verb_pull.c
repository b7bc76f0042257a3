// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jail image pull: jail-pull fetches, jail-unpack unpacks, and the image appears. In jail-image.
 *
 * What is on its way lies in parts/ of the store: it outlives a crash, so that the next run goes on
 * with it, and goes when the image is there. Each blob there has a lock, taken in one order: the
 * config's first, then the layers' by digest, then those that image_install takes.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/text.h"
#include "oci/hash.h"
#include "oci/image_verbs.h"
#include "oci/install.h"
#include "oci/manifest.h"
#include "oci/platform.h"
#include "oci/puller.h"
#include "oci/store.h"

#define NESTED_MAX 8 /* indexes in indexes */

struct pulling {
	bool plain_http, quiet;
	struct platform platform;
	char reference[REF_TEXT_MAX];
	struct store store;
	struct progress *progress;
	struct puller puller;
	int parts;
	struct pulled last; /* what came last */
	int locks[LAYERS_MAX + 1];
	size_t n_locks;

	char *manifest_text, *config_text;
	struct doc *manifest_doc, *config_doc;
	struct manifest manifest;
	struct image image;
};

/* ---- parts -------------------------------------------------------------------------------------- */

static int open_parts(struct pulling *p, struct err *e)
{
	char path[PATH_MAX + 8];
	int rc;

	p->parts = openat(p->store.root, "parts", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (p->parts < 0)
		return err_set(e, ST_IMAGE, errno, "open '%s/parts'", p->store.path);
	(void)snprintf(path, sizeof(path), "%s/parts", p->store.path);
	rc = puller_start(&p->puller, path, p->reference, p->plain_http, p->progress, e);
	return rc;
}

static int lock_part(struct pulling *p, const struct digest *d, struct err *e)
{
	char name[DIGEST_TEXT_MAX + 8];
	int rc;

	(void)snprintf(name, sizeof(name), "pull-%s", digest_name(d).text);
	rc = store_lock(&p->store, name, &p->locks[p->n_locks], e);
	p->n_locks += rc == 0;
	return rc;
}

static int remember(void *arg, struct pulled *got, struct err *e)
{
	struct pulling *p = arg;

	(void)e;
	free(p->last.text);
	p->last = *got;
	got->text = NULL;
	return 0;
}

/* One that is whole is only a part that lacks nothing: jail-pull looks at it again. */
static int ask_blob(struct pulling *p, const struct digest *d, uint64_t size, struct err *e)
{
	char name[DIGEST_TEXT_MAX], part[DIGEST_TEXT_MAX + 8];

	(void)snprintf(name, sizeof(name), "%s", digest_name(d).text);
	(void)snprintf(part, sizeof(part), "%s.part", name);
	if (renameat(p->parts, name, p->parts, part) < 0 && errno != ENOENT)
		return err_set(e, ST_IMAGE, errno, "rename '%s/parts/%s'", p->store.path, name);
	return puller_ask(&p->puller, false, d, size, e);
}

static void drop_blob(struct pulling *p, const struct digest *d)
{
	(void)unlinkat(p->parts, digest_name(d).text, 0);
}

/* Checked once more: jail-pull read what strangers sent, we did not. */
static int check(const char *text, size_t n, const struct digest *d, uint64_t size, struct err *e)
{
	struct hash *h = NULL;
	struct digest got;
	int rc = hash_start(d, &h, e);

	if (rc < 0)
		return rc;
	hash_add(h, text, n);
	rc = hash_finish(h, &got, e);
	if (rc == 0 && (n != size || !digest_eq(&got, d)))
		rc = err_set(e, ST_IMAGE, 0, "%s: expected %llu bytes, got %zu with the digest %s",
			     d->text, (unsigned long long)size, n, got.text);
	return rc;
}

static int read_part(struct pulling *p, const struct descriptor *d, char **ret, size_t *ret_n,
		     struct err *e)
{
	const struct digest_name name = digest_name(&d->digest);
	own_str text = malloc(MANIFEST_MAX + 1);
	ssize_t n = text ? fs_read_file_at(p->parts, name.text, text, MANIFEST_MAX + 1, true)
			 : -ENOMEM;
	int rc;

	if (n < 0)
		return err_set(e, ST_IMAGE, (int)-n, "read '%s/parts/%s'", p->store.path, name.text);
	rc = check(text, (size_t)n, &d->digest, d->size, e);
	if (rc < 0)
		return rc;
	*ret = text;
	*ret_n = (size_t)n;
	text = NULL;
	return 0;
}

/* ---- the manifest ------------------------------------------------------------------------------- */

/* Into p->last. */
static int fetch_manifest(struct pulling *p, const struct descriptor *at, struct err *e)
{
	int rc = puller_ask(&p->puller, true, at ? &at->digest : NULL, at ? at->size : 0, e);

	free(p->last.text);
	p->last = (struct pulled){ .text = NULL };
	if (rc == 0)
		rc = puller_go(&p->puller, remember, p, e);
	if (rc < 0)
		return rc;
	if (!p->last.text ||
	    (at && (!digest_eq(&p->last.digest, &at->digest) || p->last.size != at->size)))
		return err_set(e, ST_IMAGE, 0, "jail-pull brought something else");
	return check(p->last.text, (size_t)p->last.size, &p->last.digest, p->last.size, e);
}

/* From what the reference names down to the manifest of one image. */
static int find_manifest(struct pulling *p, struct err *e)
{
	char what[DIGEST_TEXT_MAX + 16], type[128] = "";
	struct descriptor at = { .media_type = "" };

	for (unsigned depth = 0; depth < NESTED_MAX; depth++) {
		own_doc d = NULL;
		int rc = fetch_manifest(p, depth ? &at : NULL, e);

		if (rc < 0)
			return rc;
		/* An index says what it names; the registry has to say so only for the first. */
		if (!depth)
			(void)snprintf(type, sizeof(type), "%s", p->last.type);
		(void)snprintf(what, sizeof(what), "manifest %s", p->last.digest.text);
		rc = doc_parse(p->last.text, (size_t)p->last.size, what, &d, e);
		if (rc == 0)
			rc = manifest_is_index(d, type, what, e);
		if (rc == 1) {
			rc = index_select(d, what, NULL, &p->platform, &at, e);
			if (rc < 0)
				return rc;
			(void)snprintf(type, sizeof(type), "%s", at.media_type);
			continue;
		}
		if (rc == 0)
			rc = manifest_read(d, what, &p->manifest, e);
		if (rc < 0)
			return rc;
		p->image.manifest = p->last.digest;
		p->image.manifest_text = p->manifest_text = p->last.text;
		p->image.manifest_n = (size_t)p->last.size;
		p->last.text = NULL;
		p->manifest_doc = d;
		d = NULL;
		return 0;
	}
	return err_set(e, ST_IMAGE, 0, "%s: indexes: expected at most %d deep, got more", what,
		       NESTED_MAX);
}

static int fetch_config(struct pulling *p, struct err *e)
{
	const struct descriptor *c = &p->manifest.config;
	char what[DIGEST_TEXT_MAX + 16];
	int rc;

	(void)snprintf(what, sizeof(what), "config %s", c->digest.text);
	if (c->size > MANIFEST_MAX)
		return err_set(e, ST_IMAGE, 0, "%s: size: expected at most %zu bytes, got %llu",
			       what, MANIFEST_MAX, (unsigned long long)c->size);
	rc = lock_part(p, &c->digest, e);
	if (rc == 0)
		rc = ask_blob(p, &c->digest, c->size, e);
	if (rc == 0)
		rc = puller_go(&p->puller, remember, p, e);
	if (rc == 0)
		rc = read_part(p, c, &p->config_text, &p->image.config_n, e);
	if (rc == 0)
		rc = doc_parse(p->config_text, p->image.config_n, what, &p->config_doc, e);
	if (rc == 0)
		rc = config_read(p->config_doc, what, &p->image.settings, e);
	if (rc == 0 && p->image.settings.n != p->manifest.n)
		rc = err_set(e, ST_IMAGE, 0, "%s: diff_ids: expected %zu, as many as layers, got %zu",
			     what, p->manifest.n, p->image.settings.n);
	p->image.config = c->digest;
	p->image.config_text = p->config_text;
	return rc;
}

/* ---- the layers --------------------------------------------------------------------------------- */

static int by_digest(const void *a, const void *b)
{
	const struct descriptor *const *x = a, *const *y = b;

	return strcmp((*x)->digest.text, (*y)->digest.text);
}

/* Ask for each that is missing, once, in the order of their digests: so they are locked. */
static int ask_layers(struct pulling *p, const struct descriptor **sorted, struct err *e)
{
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < p->manifest.n; i++) {
		if (!store_has_layer(&p->store, &p->image.settings.diff_ids[i]))
			sorted[n++] = &p->manifest.layers[i];
	}
	qsort(sorted, n, sizeof(const struct descriptor *), by_digest);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const struct digest *d = &sorted[i]->digest;

		if ((i && digest_eq(d, &sorted[i - 1]->digest)) || digest_eq(d, &p->image.config))
			continue;
		rc = lock_part(p, d, e);
		if (rc == 0)
			rc = ask_blob(p, d, sorted[i]->size, e);
	}
	return rc;
}

static int fetch_layers(struct pulling *p, struct err *e)
{
	const struct descriptor **sorted =
		calloc(p->manifest.n + 1, sizeof(const struct descriptor *));
	int rc = sorted ? ask_layers(p, sorted, e) : err_set(e, ST_IMAGE, ENOMEM, "pull");

	free(sorted);
	return rc < 0 ? rc : puller_go(&p->puller, remember, p, e);
}

static int open_layer(void *arg, size_t i, struct err *e)
{
	struct pulling *p = arg;
	const struct descriptor *l = &p->manifest.layers[i];
	const struct digest_name name = digest_name(&l->digest);
	int fd = openat(p->parts, name.text, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	/* One that is in the store, and has to be unpacked again for what is below it here. */
	if (fd < 0 && errno == ENOENT) {
		int rc = puller_ask(&p->puller, false, &l->digest, l->size, e);

		if (rc == 0)
			rc = puller_go(&p->puller, remember, p, e);
		if (rc < 0)
			return rc;
		fd = openat(p->parts, name.text, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	}
	if (fd < 0)
		return err_set(e, ST_IMAGE, errno, "open '%s/parts/%s'", p->store.path, name.text);
	return fd;
}

/* A run that was killed when the image was there, and its parts were too. */
static void drop_forgotten(struct pulling *p)
{
	for (size_t i = 0; i <= p->manifest.n; i++) {
		const struct digest *d = i < p->manifest.n ? &p->manifest.layers[i].digest
							   : &p->manifest.config.digest;
		char path[DIGEST_TEXT_MAX + 16];
		own_fd lock = FD_NONE;

		(void)snprintf(path, sizeof(path), "locks/pull-%s", digest_name(d).text);
		lock = openat(p->store.root, path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
		/* Somebody may be fetching it for another image. */
		if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
			drop_blob(p, d);
	}
}

static int install(struct pulling *p, struct err *e)
{
	int rc;

	for (size_t i = 0; i < p->manifest.n; i++)
		p->image.layers[i] = (struct image_blob){ p->manifest.layers[i].digest,
							  p->manifest.layers[i].size };
	p->image.reference = p->reference;
	p->image.open_layer = open_layer;
	p->image.arg = p;
	rc = image_install(&p->store, &p->image, e);
	if (rc < 0)
		return rc;
	drop_blob(p, &p->image.config);
	for (size_t i = 0; i < p->manifest.n; i++)
		drop_blob(p, &p->manifest.layers[i].digest);
	return 0;
}

/* ---- the verb ----------------------------------------------------------------------------------- */

static int pull(struct pulling *p, struct err *e)
{
	char line[REF_TEXT_MAX + 64];
	int rc = open_parts(p, e);

	(void)snprintf(line, sizeof(line), "pulling %s", p->reference);
	progress_say(p->progress, line);
	if (rc == 0)
		rc = find_manifest(p, e);
	if (rc < 0)
		return rc;
	if (store_has_image(&p->store, &p->image.manifest)) {
		progress_say(p->progress, "it is here already");
		drop_forgotten(p);
		return store_put_ref(&p->store, p->reference, &p->image.manifest, e);
	}
	rc = fetch_config(p, e);
	if (rc == 0)
		rc = fetch_layers(p, e);
	if (rc < 0)
		return rc;
	progress_say(p->progress, "unpacking");
	return install(p, e);
}

static int take_call(const struct image_call *c, struct pulling *p, struct err *e)
{
	struct ref r;
	int rc = ref_parse(c->words[0], &r, e);

	if (rc < 0)
		return rc;
	ref_format(&r, p->reference, sizeof(p->reference));
	p->plain_http = c->plain_http;
	p->quiet = c->quiet;
	platform_native(&p->platform);
	if (c->platform && !platform_parse(c->platform, &p->platform))
		return err_set(e, ST_USAGE, 0,
			       "--platform: expected OS/ARCH[/VARIANT], got '%.60s'", c->platform);
	return 0;
}

static void release(struct pulling *p)
{
	puller_end(&p->puller);
	progress_free(p->progress);
	for (size_t i = 0; i < p->n_locks; i++)
		fd_release(&p->locks[i]);
	fd_release(&p->parts);
	store_close(&p->store);
	config_release(&p->image.settings);
	manifest_release(&p->manifest);
	doc_release(&p->manifest_doc);
	doc_release(&p->config_doc);
	free(p->last.text);
	free(p->manifest_text);
	free(p->config_text);
	free(p);
}

int image_pull(const struct image_call *c, struct err *e)
{
	struct pulling *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return err_set(e, ST_IMAGE, ENOMEM, "image pull");
	p->parts = p->puller.ask = p->puller.errors = FD_NONE;
	p->store =
		(struct store){ .root = FD_NONE, .tmp = FD_NONE, .lock = FD_NONE, .say = image_say };
	/* A jail-pull that is gone is an error of ours, not our end. */
	(void)signal(SIGPIPE, SIG_IGN);
	rc = take_call(c, p, e);
	if (rc == 0)
		rc = store_open(&p->store, STORE_ADD, e);
	if (rc == 0 && !p->quiet)
		p->progress = progress_new(STDERR_FILENO);
	if (rc == 0)
		rc = pull(p, e);
	if (rc == 0) {
		progress_free(p->progress); /* the bars go before the answer comes */
		p->progress = NULL;
		printf("%s %s\n", p->reference, p->image.manifest.text);
	}
	release(p);
	return rc;
}
