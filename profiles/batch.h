/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings that were read but are not in force: all of a batch enters the draft, or none. In P0. */
#ifndef JAIL_PROFILES_BATCH_H
#define JAIL_PROFILES_BATCH_H

#include "profiles/draft.h"

struct setting {
	struct setting *next;
	enum opt id;
	struct value value;
};

/* Must not move once initialised: it points into itself. */
struct batch {
	struct setting *first, **end;
	struct profile_file *files, **files_end;
};

void batch_init(struct batch *b);

/* Make a setting of a checked text. `why` holds the bare reason, as value_parse() gives it. */
int batch_add(struct draft *d, struct batch *b, enum opt id, const char *text, bool required,
	      const struct origin *o, struct err *why);

/* As the flag --NAME would; errors name the flag. */
int batch_add_flag(struct draft *d, struct batch *b, enum opt id, const char *text, struct err *e);

/* A profile behind its parents. A file that is in the draft or the batch does not count twice. */
int batch_add_profile(struct draft *d, struct batch *b, const char *name, struct err *e);

/*
 * Put everything in force. What a flag said stays above what a file says, whichever came first; a
 * later file stands above an earlier one.
 */
void batch_commit(struct draft *d, struct batch *b);

#endif
