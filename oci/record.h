/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record: all that `jail` reads of an image when it starts one, as lines "KEY VALUE" between
 * "jail-image 1" and "end". Written here, in jail-image; jail has a strict parser of its own and no
 * JSON. In a value, bytes below 0x20, 0x7f and '%' are %XX.
 *
 *	reference, manifest	one each
 *	layer			a name in layers/, lowest first; at least one
 *	env, entrypoint, cmd	any number, in order
 *	workdir, user, stop-signal	one at most
 */
#ifndef JAIL_OCI_RECORD_H
#define JAIL_OCI_RECORD_H

#include <stddef.h>

#include "base/err.h"
#include "base/text.h"
#include "oci/digest.h"

#define RECORD_MAX	((size_t)1 << 20) /* bytes of a record; jail reads no larger one */
#define RECORD_LINE_MAX ((size_t)128 << 10)
#define LAYERS_MAX	((size_t)500) /* overlay's own limit */

struct words {
	const char **v;
	size_t n;
};

struct image_record {
	const char *reference;
	struct digest manifest;
	const struct digest *layers;
	size_t n_layers;
	struct words env, entrypoint, cmd;
	const char *workdir, *user, *stop_signal; /* NULL or "" = none */
};

/* The text of a record; what does not fit in RECORD_MAX is an error. *ret is to be freed. */
int record_write(const struct image_record *r, char **ret, size_t *ret_n, struct err *e);

/* s with what a line cannot hold as %XX; `safe` are the bytes that stay, NULL: all but controls. */
void record_escape(struct text *t, const char *s, const char *safe);
/* The other way, in place; false when a '%' is not followed by two hexadecimal digits, or by 00. */
bool record_unescape(char *s);

#endif
