// SPDX-License-Identifier: GPL-2.0-or-later
/* Fuzzes the command line: bad flags change nothing, and a command's own words never matter. */
#include "tests/fuzz/oracle.h"

#define WORDS_MAX 64

static void begin(struct draft *d, struct arena *a)
{
	struct err e = { 0 };

	MUST(arena_init(a, &e) == 0, e.what);
	MUST(draft_init(d, a, &oracle_home, &e) == 0, e.what);
	MUST(draft_set_flag(d, OPT_RW, "/before", &e) == 0, e.what);
}

/* One word a line, behind the program's name. */
static int split(char *text, char **argv)
{
	static char program[] = "jail";
	int argc = 0;

	argv[argc++] = program;
	while (*text && argc < WORDS_MAX) {
		size_t n = strcspn(text, "\n");
		bool last = !text[n];

		argv[argc++] = text;
		text[n] = '\0';
		if (last)
			break;
		text += n + 1;
	}
	argv[argc] = NULL;
	return argc;
}

/* The same flags without the command give the same draft. */
static void check_prefix(const struct draft *d, int first, char *const *argv)
{
	own_str before = oracle_dump(d, true);
	own_str after = NULL;
	struct err e = { 0 };
	struct arena arena;
	struct draft second;
	int again = -1;

	begin(&second, &arena);
	MUST(draft_from_argv(&second, first, argv, false, &again, &e) == 0, e.what);
	MUST(again == first, argv[first - 1]);
	after = oracle_dump(&second, true);
	MUST(str_eq(before, after), after);
	arena_free(&arena);
}

static void check_flags(const struct draft *d)
{
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		for (const struct value *v = d->values[i]; v; v = v->next) {
			MUST(*v->text, options[i].help);
			if (v->origin.kind != ORIGIN_FLAG)
				continue;
			MUST(options[i].flag != NULL, v->text);
			MUST(v->required == (options[i].type == TYPE_PATH), v->text);
		}
	}
	MUST(str_eq(d->values[OPT_RW]->text, "/before") || d->files, d->values[OPT_RW]->text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	own_str text = NULL;
	own_str before = NULL;
	own_str after = NULL;
	char *argv[WORDS_MAX + 1];
	struct err e = { 0 };
	struct arena arena;
	struct draft d;
	int argc, first = -1;

	if (size > 8192)
		return 0;
	text = strndup((const char *)data, size);
	MUST(text != NULL, "memory");
	argc = split(text, argv);
	begin(&d, &arena);
	before = oracle_dump(&d, true);
	if (draft_from_argv(&d, argc, argv, false, &first, &e) < 0) {
		after = oracle_dump(&d, true);
		MUST(str_eq(before, after), e.what);
		MUST(e.stage == ST_USAGE || e.stage == ST_PROFILE, e.what);
		MUST(e.what[0] && first == -1, e.what);
	} else {
		MUST(first >= 1 && first <= argc, "first word");
		/* Only "--" lets a word that looks like a flag be the command. */
		MUST(first == argc || argv[first][0] != '-' || !argv[first][1] ||
			     str_eq(argv[first - 1], "--"),
		     argv[first]);
		check_flags(&d);
		check_prefix(&d, first, argv);
	}
	arena_free(&arena);
	return 0;
}
