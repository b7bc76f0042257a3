// SPDX-License-Identifier: GPL-2.0-or-later
/* The option table and the questions asked of it; pure, in P0. */
#include "profiles/options.h"

#include <string.h>

#define LIST OPT_BIT_LIST
#define BANG OPT_BIT_BANG
#define ZERO OPT_BIT_ZERO
#define RARE OPT_BIT_RARE

/* clang-format off */
#define OPTION(id, s, k, f, a, t, b, d, c, h) \
	[OPT_##id] = { .section = (s), .key = (k), .flag = (f), .arg = (a), .type = TYPE_##t, \
		       .bits = (b), .fallback = (d), .choices = (c), .help = (h) },
/* clang-format on */

const struct option_def options[OPT_COUNT] = {
#include "profiles/options.def"
};

#undef OPTION
#undef LIST
#undef BANG
#undef ZERO
#undef RARE

/* Where help starts on a line; the longest flag with its argument fits before it. */
#define HELP_COLUMN 26

enum opt option_by_key(const char *section, const char *key)
{
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		if (options[i].section && str_eq(options[i].section, section) &&
		    str_eq(options[i].key, key))
			return (enum opt)i;
	}
	return OPT_COUNT;
}

enum opt option_by_flag(const char *flag)
{
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		if (options[i].flag && str_eq(options[i].flag, flag))
			return (enum opt)i;
	}
	return OPT_COUNT;
}

/* For rows that do not count: too long to be near to anything. */
static const char no_word[] = "................................................................";

static const char *next_key(void *arg, size_t i)
{
	const char *section = arg;

	if (i >= OPT_COUNT)
		return NULL;
	return options[i].section && str_eq(options[i].section, section) ? options[i].key : no_word;
}

static const char *next_section(void *arg, size_t i)
{
	(void)arg;
	if (i >= OPT_COUNT)
		return NULL;
	return options[i].section ? options[i].section : no_word;
}

static const char *next_flag(void *arg, size_t i)
{
	(void)arg;
	if (i >= OPT_COUNT)
		return NULL;
	/* nobody is led to what weakens a jail by a slip of the hand */
	return options[i].flag && !strstr(options[i].help, "(weak)") ? options[i].flag : no_word;
}

/* By spelling; failing that a name that the word begins with ("rw-path"), or begins ("work"). */
static const char *nearest(const char *word, const char *(*next)(void *arg, size_t i), void *arg)
{
	const char *best = str_nearest(word, next, arg), *candidate;

	for (size_t i = 0; !best && (candidate = next(arg, i)); i++) {
		size_t n = strlen(candidate);

		if (candidate == no_word)
			continue;
		if (str_starts(word, candidate) && (word[n] == '-' || word[n] == '_'))
			best = candidate;
		if (strlen(word) > 2 && str_starts(candidate, word))
			best = candidate;
	}
	return best;
}

const char *option_nearest_key(const char *section, const char *key)
{
	char copy[64];
	struct text t;

	text_init(&t, copy, sizeof(copy));
	text_add(&t, section);
	return nearest(key, next_key, copy);
}

const char *option_nearest_section(const char *section)
{
	return nearest(section, next_section, NULL);
}

const char *option_nearest_flag(const char *flag)
{
	return nearest(flag, next_flag, NULL);
}

static void help_line(const struct option_def *o, char letter, struct text *out)
{
	char line[80];
	struct text t;

	text_init(&t, line, sizeof(line));
	text_add(&t, "  ");
	if (letter)
		text_addf(&t, "-%c, ", letter);
	text_addf(&t, "--%s", o->flag);
	if (o->arg)
		text_addf(&t, "%s%s", o->type == TYPE_BOOL ? "=" : " ", o->arg);
	do
		text_add(&t, " ");
	while (t.len < HELP_COLUMN && !t.full);
	text_addf(out, "%s%s\n", line, o->help);
}

void options_help(struct text *out)
{
	/* The table stands in the order of its sections. */
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		char letter = 0;

		if (!options[i].flag || options[i].bits & OPT_BIT_RARE)
			continue;
		if (i == OPT_PROFILE)
			letter = 'p';
		if (i == OPT_HELP)
			letter = 'h';
		help_line(&options[i], letter, out);
	}
	text_add(out, "  jail(1) also has");
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		if (options[i].flag && options[i].bits & OPT_BIT_RARE)
			text_addf(out, " --%s", options[i].flag);
	}
	text_add(out, "\n");
}
