/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jail-image's end of the talk with jail-pull (oci/pull.h): asks, waits, shows progress. */
#ifndef JAIL_OCI_PULLER_H
#define JAIL_OCI_PULLER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/own.h"
#include "oci/digest.h"
#include "oci/progress.h"

struct puller {
	pid_t pid;
	int ask, errors; /* its stdin, its stderr */
	FILE *answers;	 /* its stdout */
	struct progress *progress;
};

/* One thing that came, checked by jail-pull. */
struct pulled {
	bool manifest;
	struct digest digest;
	uint64_t size;
	char type[128]; /* of a manifest, as the registry says; "" when it does not */
	char *text; /* a manifest: `size` bytes, terminated, until `each` returns; it may take it */
};

/* Start jail-pull for `reference`; what it fetches goes into `dir`. */
int puller_start(struct puller *p, const char *dir, const char *reference, bool plain_http,
		 struct progress *progress, struct err *e);
/* Ask for the manifest that the reference names (NULL), or for what has this digest and size. */
int puller_ask(struct puller *p, bool manifest, const struct digest *d, uint64_t size, struct err *e);
/*
 * Fetch what was asked for. `each` is told of all that came, one by one, while the rest comes. A blob
 * is in the directory, by its digest_name().
 */
int puller_go(struct puller *p, int (*each)(void *arg, struct pulled *got, struct err *e),
	      void *arg, struct err *e);
/* Ends it, whatever it is doing. */
void puller_end(struct puller *p);
#define own_puller __attribute__((cleanup(puller_end))) struct puller

#endif
