/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading JSON, strictly: duplicate keys, trailing bytes, NUL and comments are errors. The one door
 * to jansson. Every getter takes NULL for a node and then says that there is nothing, so that a path
 * can be asked for in one line. What is returned lives as long as the document.
 */
#ifndef JAIL_OCI_JSONDOC_H
#define JAIL_OCI_JSONDOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct doc; /* a document, and any node of it */

/* `what` is for the message: "manifest sha256:..". */
int doc_parse(const char *text, size_t n, const char *what, struct doc **ret, struct err *e);
void doc_free(struct doc *d);

static inline void doc_release(struct doc **d)
{
	doc_free(*d);
	*d = NULL;
}
#define own_doc __attribute__((cleanup(doc_release))) struct doc *

/* A member of an object; NULL when there is none, or when it is null. */
const struct doc *doc_get(const struct doc *d, const char *key);
/* The text of a string; NULL for anything else. */
const char *doc_str(const struct doc *d);
/* False for anything but an integer that is not negative. */
bool doc_u64(const struct doc *d, uint64_t *ret);
bool doc_is_true(const struct doc *d);
bool doc_is_object(const struct doc *d);
bool doc_is_array(const struct doc *d);
/* Members of an object or elements of an array; 0 for anything else. */
size_t doc_size(const struct doc *d);
const struct doc *doc_at(const struct doc *d, size_t i);

/* Each member of an object, in the order of the file; false ends it. */
bool doc_each(const struct doc *d,
	      bool (*each)(void *arg, const char *key, const struct doc *value), void *arg);

#endif
