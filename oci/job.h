/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run of jail-unpack, as jail-image sees it: a directory in tmp/, a child, and what it said. */
#ifndef JAIL_OCI_JOB_H
#define JAIL_OCI_JOB_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "oci/digest.h"
#include "oci/store.h"

#define ALIASES_PER_JOB 64
#define NOTES_MAX	((size_t)16 << 20)

struct job {
	/* what is asked; digests "" and a size of UINT64_MAX: unknown, to be told */
	struct digest digest, diff_id;
	uint64_t size;
	char *aliases[ALIASES_PER_JOB]; /* FROM=TO, escaped; owned */
	size_t n_aliases;
	char *filled;	/* paths that chain_fill put there, a line each; owned */
	char what[200]; /* begins every error: "layer 2 of 3 sha256:.." */

	/* how it goes */
	char tmp[40];
	int dir;    /* tmp/NAME: tree/ is the layer, owners the owners */
	int errors; /* what it wrote to stderr */
	pid_t pid;

	/* what came of it */
	char *notes; /* "implicit ..", "missing ..", "ok .." */
	uint64_t bytes, entries, skipped;
};

void job_init(struct job *j);
/* Make the directory, with an empty tree/ in it. */
int job_prepare(struct job *j, struct store *s, struct err *e);
/* Start jail-unpack on `input`, which stays the caller's. */
int job_start(struct job *j, const struct store *s, int input, struct err *e);
/* Wait for it; digest, diff_id and size are known afterwards. */
int job_wait(struct job *j, struct err *e);
/* End it if it runs, and remove what it left. */
void job_drop(struct job *j, struct store *s);

/* Take the numbers out of the last line of notes; false when they are not as jail-unpack writes them. */
bool job_read_notes(struct job *j);

#endif
