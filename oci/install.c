// SPDX-License-Identifier: GPL-2.0-or-later
/* Installing an image; jail-image. */
#include "oci/install.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/text.h"
#include "oci/chain.h"
#include "oci/hash.h"
#include "oci/record.h"

#define PARALLEL_MAX 4
#define ROUNDS_MAX   8 /* of a layer that leans on links below, which lead to links, .. */

struct slot {
	struct digest key; /* its name in layers/: the diffID, or one of its own */
	int lock, tree;
	struct job job; /* when it was unpacked by us */
	bool ours;	/* the job's tree is still to be moved into the store */
	bool first;	/* no layer before it has the same diffID */
	bool opaque;	/* nothing below it is seen */
};

struct install {
	struct store *store;
	struct image *im;
	struct slot *slots;
	int *trees; /* of all layers, for looking below */
	size_t n, running, next;
};

static size_t parallel(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > PARALLEL_MAX ? PARALLEL_MAX : (size_t)n;
}

static const struct digest *diff_id(const struct install *in, size_t i)
{
	return &in->im->settings.diff_ids[i];
}

static void describe(const struct install *in, size_t i)
{
	struct job *j = &in->slots[i].job;
	const struct digest *d = &in->im->layers[i].digest;

	(void)snprintf(j->what, sizeof(j->what), "layer %zu of %zu %s", i + 1, in->n,
		       d->text[0] ? d->text : diff_id(in, i)->text);
}

/* ---- locks: all at once and in order, so that two installs never wait for each other */

static int by_text(const void *a, const void *b)
{
	return strcmp((*(const struct digest *const *)a)->text,
		      (*(const struct digest *const *)b)->text);
}

static int lock_all(struct install *in, struct err *e)
{
	const struct digest **sorted = calloc(in->n, sizeof(const struct digest *));
	int rc = sorted ? 0 : err_set(e, ST_IMAGE, ENOMEM, "install");

	for (size_t i = 0; sorted && i < in->n; i++)
		sorted[i] = diff_id(in, i);
	if (sorted)
		qsort(sorted, in->n, sizeof(const struct digest *), by_text);
	for (size_t i = 0; rc == 0 && i < in->n; i++) {
		if (i == 0 || !digest_eq(sorted[i], sorted[i - 1]))
			rc = store_lock(in->store, digest_name(sorted[i]).text, &in->slots[i].lock, e);
	}
	free(sorted);
	return rc;
}

/* ---- unpacking */

static int start(struct install *in, size_t i, struct err *e)
{
	struct job *j = &in->slots[i].job;
	own_fd input = in->im->open_layer(in->im->arg, i, e);
	int rc;

	if (input < 0)
		return input;
	j->digest = in->im->layers[i].digest;
	j->size = in->im->layers[i].size;
	j->diff_id = *diff_id(in, i);
	describe(in, i);
	rc = j->dir < 0 ? job_prepare(j, in->store, e) : 0;
	if (rc == 0)
		rc = job_start(j, in->store, input, e);
	return rc;
}

static int finish_one(struct install *in, size_t i, struct err *e)
{
	struct slot *slot = &in->slots[i];
	int rc = job_wait(&slot->job, e);

	slot->ours = rc == 0;
	return rc;
}

/* A few at a time, each waited for in its turn: they are about equally old. */
static int unpack_missing(struct install *in, struct err *e)
{
	const size_t most = parallel();
	size_t oldest = 0, running = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < in->n; i++) {
		struct slot *slot = &in->slots[i];

		if (!slot->first || slot->ours || store_has_layer(in->store, diff_id(in, i)))
			continue;
		while (rc == 0 && running == most) {
			if (in->slots[oldest].job.pid > 0) {
				rc = finish_one(in, oldest, e);
				running--;
			}
			oldest++;
		}
		if (rc == 0)
			rc = start(in, i, e);
		running++;
	}
	for (; rc == 0 && oldest < in->n; oldest++) {
		if (in->slots[oldest].job.pid > 0)
			rc = finish_one(in, oldest, e);
	}
	return rc;
}

/* ---- what a layer needs of those below */

static int open_tree(struct install *in, size_t i, struct err *e)
{
	struct slot *slot = &in->slots[i];
	char path[DIGEST_TEXT_MAX + 8];

	(void)snprintf(path, sizeof(path), "layers/%s", digest_name(&slot->key).text);
	fd_release(&slot->tree);
	slot->tree = slot->ours ? openat(slot->job.dir, "tree", O_PATH | O_DIRECTORY | O_CLOEXEC)
				: openat(in->store->root, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (slot->tree < 0)
		return err_set(e, ST_IMAGE, errno, "open layer %s", slot->key.text);
	in->trees[i] = slot->tree;
	return 0;
}

/* What was noticed when a layer that is in the store was unpacked. */
static int recall(struct install *in, size_t i, struct err *e)
{
	struct job *j = &in->slots[i].job;
	char path[DIGEST_TEXT_MAX + 8];
	own_fd fd = FD_NONE;
	ssize_t n = -ENOMEM;

	(void)snprintf(path, sizeof(path), "meta/%s", digest_name(&in->slots[i].key).text);
	fd = openat(in->store->root, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	str_release(&j->notes);
	j->notes = malloc(NOTES_MAX);
	if (fd >= 0 && j->notes)
		n = fs_read_fd(fd, j->notes, NOTES_MAX);
	if (fd < 0 || n < 0 || !job_read_notes(j))
		return err_set(e, ST_IMAGE, n < 0 ? (int)-n : 0, "read '%s/%s'", in->store->path,
			       path);
	describe(in, i);
	return 0;
}

/* A name of its own: this layer, on top of just these. */
static int own_key(struct install *in, size_t i, struct err *e)
{
	struct digest like = { "sha256:" };
	struct hash *h = NULL;
	int rc = hash_start(&like, &h, e);

	if (rc < 0)
		return rc;
	hash_add(h, diff_id(in, i)->text, strlen(diff_id(in, i)->text));
	for (size_t k = 0; k < i; k++) {
		hash_add(h, " ", 1);
		hash_add(h, in->slots[k].key.text, strlen(in->slots[k].key.text));
	}
	return hash_finish(h, &in->slots[i].key, e);
}

static int unpack_again(struct install *in, size_t i, const struct below *b, struct err *e)
{
	struct job *j = &in->slots[i].job;
	struct job old = *j;
	int rc;

	job_init(j);
	memcpy(j->aliases, old.aliases, sizeof(j->aliases));
	j->n_aliases = old.n_aliases;
	old.n_aliases = 0;
	describe(in, i);
	in->slots[i].ours = false;
	rc = job_prepare(j, in->store, e);
	if (rc == 0)
		rc = chain_fill(j, old.notes, b, e);
	if (rc == 0)
		rc = start(in, i, e);
	if (rc == 0)
		rc = finish_one(in, i, e);
	job_drop(&old, in->store);
	return rc;
}

static int settle(struct install *in, size_t i, struct err *e)
{
	struct slot *slot = &in->slots[i];
	const struct below b = { in->trees, i };
	struct needs needs = { 0 };
	bool leans = false;
	int rc = slot->ours ? 0 : recall(in, i, e);

	for (unsigned round = 0; rc == 0; round++) {
		rc = chain_needs(&slot->job, &b, &needs, e);
		if (rc < 0 || !(needs.again || needs.looks))
			break;
		if (!leans) {
			leans = true;
			rc = own_key(in, i, e);
			if (rc == 0 && store_has_layer(in->store, &slot->key)) {
				slot->ours = false;
				job_drop(&slot->job, in->store);
				return recall(in, i, e);
			}
		}
		if (rc == 0 && !needs.again && slot->ours)
			break;
		if (rc == 0 && round == ROUNDS_MAX)
			rc = err_set(e, ST_IMAGE, 0, "%s: links below lead nowhere", slot->job.what);
		if (rc == 0)
			rc = unpack_again(in, i, &b, e);
	}
	if (rc == 0 && leans)
		rc = chain_dress(&slot->job, &b, e);
	return rc;
}

static int settle_all(struct install *in, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < in->n; i++) {
		struct slot *slot = &in->slots[i];

		slot->key = *diff_id(in, i);
		if (!slot->first) { /* the same as one before: a tree of its own only if it leans */
			for (size_t k = 0; k < i; k++) {
				if (digest_eq(diff_id(in, k), diff_id(in, i)))
					slot->key = in->slots[k].key;
			}
			in->trees[i] = in->trees[0];
			for (size_t k = 0; k < i; k++) {
				if (digest_eq(&in->slots[k].key, &slot->key))
					in->trees[i] = in->trees[k];
			}
			continue;
		}
		rc = settle(in, i, e);
		if (rc == 0)
			rc = open_tree(in, i, e);
		if (rc == 0)
			slot->opaque = str_starts(slot->job.notes, "opaque-root\n") ||
				       strstr(slot->job.notes, "\nopaque-root\n");
	}
	return rc;
}

/* ---- into the store */

/* A file of the job's directory goes to meta/. */
static int put_meta(struct install *in, struct slot *slot, const char *from, const char *suffix,
		    struct err *e)
{
	char path[DIGEST_TEXT_MAX + 32];

	(void)snprintf(path, sizeof(path), "meta/%s%s", digest_name(&slot->key).text, suffix);
	if (renameat(slot->job.dir, from, in->store->root, path) < 0)
		return err_set(e, ST_IMAGE, errno, "write '%s/%s'", in->store->path, path);
	return 0;
}

static int put_layer(struct install *in, struct slot *slot, struct err *e)
{
	/* Its notes first: a layer that is there has them. */
	int rc = put_meta(in, slot, "out", "", e);

	if (rc == 0)
		rc = put_meta(in, slot, "owners", ".owners", e);
	return rc < 0 ? rc : store_put_layer(in->store, &slot->key, slot->job.dir, "tree", e);
}

static int put_layers(struct install *in, struct err *e)
{
	bool any = false;
	int rc = 0;

	for (size_t i = 0; i < in->n; i++)
		any |= in->slots[i].ours;
	/* What is renamed is trusted from then on: it has to be on the disk before. */
	if (any && syncfs(in->store->tmp) < 0)
		return err_set(e, ST_IMAGE, errno, "write the layers to '%s'", in->store->path);
	for (size_t i = 0; rc == 0 && i < in->n; i++) {
		if (in->slots[i].ours)
			rc = put_layer(in, &in->slots[i], e);
	}
	return rc;
}

/*
 * The layers that the record names: from the topmost that hides all below, and each once: overlayfs
 * takes no layer twice, and of two equal ones the upper says it all.
 */
static size_t visible(const struct install *in, struct digest *keys)
{
	size_t from = 0, n = 0;

	for (size_t i = 0; i < in->n; i++)
		from = in->slots[i].opaque ? i : from;
	for (size_t i = from; i < in->n; i++) {
		bool again = false;

		for (size_t k = i + 1; k < in->n; k++)
			again |= digest_eq(&in->slots[k].key, &in->slots[i].key);
		if (!again)
			keys[n++] = in->slots[i].key;
	}
	return n;
}

static int put_image(struct install *in, struct err *e)
{
	const struct image *im = in->im;
	const struct config *c = &im->settings;
	struct digest keys[LAYERS_MAX];
	struct image_record r = {
		.reference = im->reference ? im->reference : im->manifest.text,
		.manifest = im->manifest,
		.layers = keys,
		.n_layers = visible(in, keys),
		.env = c->env,
		.entrypoint = c->entrypoint,
		.cmd = c->cmd,
		.workdir = c->workdir,
		.user = c->user,
		.stop_signal = c->stop_signal,
	};
	own_str text = NULL;
	size_t n = 0;
	int rc = record_write(&r, &text, &n, e);

	if (rc == 0)
		rc = put_layers(in, e);
	if (rc == 0)
		rc = store_put_blob(in->store, &im->config, im->config_text, im->config_n, e);
	if (rc == 0)
		rc = store_put_blob(in->store, &im->manifest, im->manifest_text, im->manifest_n, e);
	if (rc == 0)
		rc = store_put_record(in->store, &im->manifest, text, n, e);
	if (rc == 0 && im->reference)
		rc = store_put_ref(in->store, im->reference, &im->manifest, e);
	return rc;
}

static int install(struct install *in, struct err *e)
{
	int rc = lock_all(in, e);

	if (rc == 0 && in->im->ready) {
		in->slots[0].job = *in->im->ready;
		in->slots[0].ours = !store_has_layer(in->store, diff_id(in, 0));
		job_init(in->im->ready);
	}
	if (rc == 0)
		rc = unpack_missing(in, e);
	if (rc == 0)
		rc = settle_all(in, e);
	return rc < 0 ? rc : put_image(in, e);
}

int image_install(struct store *s, struct image *im, struct err *e)
{
	struct install in = { .store = s, .im = im, .n = im->settings.n };
	int rc;

	in.slots = calloc(in.n, sizeof(in.slots[0]));
	in.trees = calloc(in.n, sizeof(in.trees[0]));
	for (size_t i = 0; in.slots && i < in.n; i++) {
		in.slots[i] = (struct slot){ .lock = FD_NONE, .tree = FD_NONE, .first = true };
		job_init(&in.slots[i].job);
		for (size_t k = 0; k < i; k++)
			in.slots[i].first &= !digest_eq(diff_id(&in, k), diff_id(&in, i));
	}
	rc = in.slots && in.trees ? install(&in, e) : err_set(e, ST_IMAGE, ENOMEM, "install");
	for (size_t i = 0; in.slots && i < in.n; i++) {
		fd_release(&in.slots[i].tree);
		job_drop(&in.slots[i].job, s);
		fd_release(&in.slots[i].lock);
	}
	free(in.slots);
	free(in.trees);
	return rc;
}
