// SPDX-License-Identifier: GPL-2.0-or-later
/* Strict JSON by jansson; jail-image and jail-pull. */
#include "oci/jsondoc.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

/* struct doc is json_t under another name: nobody else includes jansson. */
static json_t *node(const struct doc *d)
{
	return (json_t *)(uintptr_t)d;
}

static struct doc *wrap(json_t *j)
{
	return (struct doc *)j;
}

int doc_parse(const char *text, size_t n, const char *what, struct doc **ret, struct err *e)
{
	json_error_t why;
	json_t *j = json_loadb(text, n, JSON_REJECT_DUPLICATES, &why);

	if (!j)
		return err_set(e, ST_IMAGE, 0, "%s: not valid JSON: %.120s (line %d, column %d)",
			       what, why.text, why.line, why.column);
	*ret = wrap(j);
	return 0;
}

void doc_free(struct doc *d)
{
	json_decref(node(d));
}

const struct doc *doc_get(const struct doc *d, const char *key)
{
	json_t *j = d ? json_object_get(node(d), key) : NULL;

	return json_is_null(j) ? NULL : wrap(j);
}

const char *doc_str(const struct doc *d)
{
	return d ? json_string_value(node(d)) : NULL;
}

bool doc_u64(const struct doc *d, uint64_t *ret)
{
	if (!d || !json_is_integer(node(d)) || json_integer_value(node(d)) < 0)
		return false;
	*ret = (uint64_t)json_integer_value(node(d));
	return true;
}

bool doc_is_true(const struct doc *d)
{
	return d && json_is_true(node(d));
}

bool doc_is_object(const struct doc *d)
{
	return d && json_is_object(node(d));
}

bool doc_is_array(const struct doc *d)
{
	return d && json_is_array(node(d));
}

size_t doc_size(const struct doc *d)
{
	if (!d)
		return 0;
	return json_is_array(node(d)) ? json_array_size(node(d)) : json_object_size(node(d));
}

const struct doc *doc_at(const struct doc *d, size_t i)
{
	json_t *j = d ? json_array_get(node(d), i) : NULL;

	return json_is_null(j) ? NULL : wrap(j);
}

bool doc_each(const struct doc *d,
	      bool (*each)(void *arg, const char *key, const struct doc *value), void *arg)
{
	const char *key;
	json_t *value;

	if (!doc_is_object(d))
		return true;
	json_object_foreach(node(d), key, value)
	{
		if (!each(arg, key, wrap(value)))
			return false;
	}
	return true;
}
