// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes the reader of image records: what it takes is what the record's own writer makes of it once more, so nothing is lost, added
 * or understood in another way; and what it refuses leaves no output.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "oci/record.h"
#include "sandbox/imagerecord.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what)
{
	fprintf(stderr, "imagerecord: %s\n", what);
	abort();
}

static struct words words_of(char **list)
{
	struct words w = { .v = (const char **)list };

	while (list[w.n])
		w.n++;
	return w;
}

static void same_words(char **a, char **b)
{
	while (*a && *b && strcmp(*a, *b) == 0) {
		a++;
		b++;
	}
	if (*a || *b)
		fail("other words the second time");
}

static void same_text(const char *a, const char *b)
{
	if (!a != !b || (a && strcmp(a, b) != 0))
		fail("another value the second time");
}

static void write_again(const struct image_config *r, char **ret, size_t *ret_n)
{
	static struct digest layers[IMAGE_LAYERS_MAX];
	struct image_record w = { .reference = r->reference,
				  .layers = layers,
				  .env = words_of(r->env),
				  .entrypoint = words_of(r->entrypoint),
				  .cmd = words_of(r->cmd),
				  .workdir = r->workdir,
				  .user = r->user,
				  .stop_signal = r->stop_signal };
	struct err e = { 0 };

	if (!digest_parse(r->manifest, &w.manifest))
		fail("a manifest that is no digest");
	for (; r->layers[w.n_layers]; w.n_layers++) {
		if (!digest_parse(r->layers[w.n_layers], &layers[w.n_layers]))
			fail("a layer that is no digest");
	}
	if (record_write(&w, ret, ret_n, &e) < 0)
		*ret = NULL; /* a line may be longer here than there */
}

static void check(struct arena *a, const struct image_config *r)
{
	struct image_config again = { 0 };
	struct err e = { 0 };
	own_str text = NULL;
	size_t n = 0;

	if (!r->reference || !*r->reference || !r->layers[0] || (r->workdir && *r->workdir != '/'))
		fail("a record without what it must have");
	write_again(r, &text, &n);
	if (!text)
		return;
	text[n] = '\0';
	if (image_record_parse(a, text, n, &again, &e) < 0)
		fail("what was read cannot be written and read again");
	same_text(r->reference, again.reference);
	same_text(r->manifest, again.manifest);
	same_text(r->workdir, again.workdir);
	same_text(r->user, again.user);
	same_text(r->stop_signal, again.stop_signal);
	same_words((char **)r->layers, (char **)again.layers);
	same_words(r->env, again.env);
	same_words(r->entrypoint, again.entrypoint);
	same_words(r->cmd, again.cmd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct image_config r = { 0 };
	struct arena a = { 0 };
	struct err e = { 0 };
	own_str text = malloc(size + 1);

	if (!text || arena_init(&a, &e) < 0)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	if (image_record_parse(&a, text, size, &r, &e) == 0)
		check(&a, &r);
	else if (r.reference || !e.stage)
		fail("an output of a failure, or no word about it");
	arena_free(&a);
	return 0;
}
