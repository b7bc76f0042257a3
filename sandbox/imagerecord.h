/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record of one image in the store: what jail-image made of a manifest and a config, in lines.
 * Runs in P0, at every start; the text comes from a file that only the user can write, and its
 * values from strangers.
 */
#ifndef JAIL_SANDBOX_IMAGERECORD_H
#define JAIL_SANDBOX_IMAGERECORD_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

/* As jail-image writes them. */
#define IMAGE_RECORD_MAX ((size_t)1 << 20)
/* Overlay takes 500, and one is jail's own. */
#define IMAGE_LAYERS_MAX 499
/* Words of one list: variables, or of a command. */
#define IMAGE_WORDS_MAX 512

/* Lists end with NULL and are never NULL themselves; a single value that is not there is. */
struct image_config {
	const char *reference, *manifest; /* always there */
	const char **layers;		  /* digests, lowest first; at least one */
	char **env, **entrypoint, **cmd;
	const char *workdir, *user, *stop_signal;
};

/*
 * Parse n bytes of text, which is changed and must stay. Any line that is not as it must be refuses
 * the whole, with the line's number.
 */
int image_record_parse(struct arena *a, char *text, size_t n, struct image_config *ret, struct err *e);

#endif
