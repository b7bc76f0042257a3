/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `jail image` can be told to do, one function each. */
#ifndef JAIL_OCI_IMAGE_VERBS_H
#define JAIL_OCI_IMAGE_VERBS_H

#include <stdbool.h>

#include "base/err.h"

struct image_call {
	const char *words[3]; /* operands; NULL behind the last */
	unsigned n;
	bool json, plain_http, quiet;
	const char *platform; /* NULL: this machine's */
};

int image_import(const struct image_call *c, struct err *e);
int image_pull(const struct image_call *c, struct err *e);
int image_ls(const struct image_call *c, struct err *e);
int image_inspect(const struct image_call *c, struct err *e);
int image_rm(const struct image_call *c, struct err *e);
int image_prune(const struct image_call *c, struct err *e);

/* A remark on stderr, for waiting and the like. */
void image_say(const char *line);

#endif
