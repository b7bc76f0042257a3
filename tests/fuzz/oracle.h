/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the fuzzers of the profile parsers share: a draft as text, and a loud end. Tests only. */
#ifndef JAIL_TESTS_FUZZ_ORACLE_H
#define JAIL_TESTS_FUZZ_ORACLE_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "profiles/draft.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition, what) must((condition), #condition, (what))

static inline void must(bool holds, const char *condition, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "oracle: %s fails: '%s'\n", condition, what);
	abort();
}

static const struct expansion oracle_home = {
	.home = "/home/me",
	.user = "me",
	.config_home = "/nonexistent/config",
	.data_home = "/nonexistent/data",
	.cache_home = "/nonexistent/cache",
	.state_home = "/nonexistent/state",
};

/* Everything that a draft says, in a string of its own; two drafts are the same when these are. */
static inline char *oracle_dump(const struct draft *d, bool origins)
{
	char *out = NULL;
	size_t n = 0;
	own_file f = open_memstream(&out, &n);

	MUST(f != NULL, "memory");
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		for (const struct value *v = d->values[i]; v; v = v->next) {
			fprintf(f, "%u %s %" PRIu64 " %d", i, v->text, v->number, v->required);
			if (origins)
				fprintf(f, " %d %s %u", (int)v->origin.kind,
					v->origin.file ? v->origin.file : "-", v->origin.line);
			fputc('\n', f);
		}
	}
	for (const struct profile_file *p = d->files; origins && p; p = p->next)
		fprintf(f, "file %s %s %d\n", p->name, p->path, p->by_path);
	file_release(&f);
	return out;
}

#endif
