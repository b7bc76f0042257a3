/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A layer and those below it. Layers are unpacked alone and shared by diffID, which is right as long
 * as a layer describes all that it touches. One that does not, takes from below: the mode and time of
 * a directory, the link that a directory really is, the file that a hard link names. Such a tree is
 * kept under a name of its own, made of its diffID and of all below. Runs in jail-image, on trees
 * that jail-unpack made.
 */
#ifndef JAIL_OCI_CHAIN_H
#define JAIL_OCI_CHAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "oci/job.h"

struct below {
	const int *trees; /* lowest first */
	size_t n;
};

/* What the notes of a job ask of the layers below. */
struct needs {
	bool looks; /* directories that look different there: chain_dress sets them right */
	bool again; /* links or files: job->aliases has grown; fill the new tree and unpack again */
};

int chain_needs(struct job *j, const struct below *b, struct needs *ret, struct err *e);
/* Put the files that hard links will want into j's new, empty tree. `notes` are the old job's. */
int chain_fill(struct job *j, const char *notes, const struct below *b, struct err *e);
/* Give the directories that no entry described the mode and time that they have below. */
int chain_dress(struct job *j, const struct below *b, struct err *e);

#endif
