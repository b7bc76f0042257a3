/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What users call an image: parsed, and completed as they expect; pure. */
#ifndef JAIL_OCI_REF_H
#define JAIL_OCI_REF_H

#include "base/err.h"
#include "base/text.h"
#include "oci/digest.h"

#define REF_NAME_MAX 255 /* registry and repository together, as registries have it */
#define REF_TAG_MAX  128
#define REF_TEXT_MAX (REF_NAME_MAX + 1 + REF_TAG_MAX + 1 + DIGEST_TEXT_MAX)

struct ref {
	char registry[REF_NAME_MAX + 1];   /* host, or host:port */
	char repository[REF_NAME_MAX + 1]; /* a/b/c, lower case */
	char tag[REF_TAG_MAX + 1];	   /* "" when a digest was given without one */
	struct digest digest;		   /* "" unless pinned */
};

/*
 * [REGISTRY/]REPOSITORY[:TAG][@DIGEST]. A first component without a dot, without a colon and other
 * than "localhost" is no registry: it is docker.io then, where a repository of one component is in
 * library/. Without tag and digest the tag is latest.
 */
int ref_parse(const char *s, struct ref *ret, struct err *e);

/* The completed form, which parses to the same. buf has at least REF_TEXT_MAX bytes. */
void ref_format(const struct ref *r, char *buf, size_t size);

#endif
