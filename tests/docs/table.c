// SPDX-License-Identifier: GPL-2.0-or-later
/* The option table in the words that the manuals use: `table flags` and `table keys`, one a line, fields by tab; a test's helper. */
#include <stdio.h>
#include <string.h>

#include "profiles/options.h"

#define LIST OPT_BIT_LIST
#define BANG OPT_BIT_BANG
#define ZERO OPT_BIT_ZERO
#define RARE 0

/* clang-format off */
#define OPTION(id, s, k, f, a, t, b, d, c, h) { (s), (k), (f), (a), TYPE_##t, (b), (d), (c), (h) },
static const struct option_def table[] = {
#include "profiles/options.def"
};
/* clang-format on */

static const char *const types[] = {
	[TYPE_BOOL] = "yes or no",    [TYPE_SIZE] = "size",	 [TYPE_COUNT] = "number",
	[TYPE_DURATION] = "duration", [TYPE_CPU] = "processors", [TYPE_TEXT] = "text",
	[TYPE_NAME] = "host name",    [TYPE_PATH] = "path",	 [TYPE_WORDS] = "words",
	[TYPE_ENVSET] = "assignment",
};

/* "agent, strict or debug", of words separated by spaces. */
static void print_choices(const char *s)
{
	for (;;) {
		size_t n = strcspn(s, " ");

		(void)printf("%.*s", (int)n, s);
		s += n;
		if (!*s)
			return;
		s++;
		(void)fputs(strchr(s, ' ') ? ", " : " or ", stdout);
	}
}

static void print_key(const struct option_def *o)
{
	(void)printf("%s\t%s\t%s\t", o->section, o->key, o->flag ? o->flag : "-");
	if (o->type == TYPE_CHOICE)
		print_choices(o->choices);
	else
		(void)fputs(types[o->type], stdout);
	if (o->bits & LIST)
		(void)fputs(", list", stdout);
	if (o->bits & BANG)
		(void)fputs(", may be required", stdout);
	if (o->fallback)
		(void)printf(", default %s", o->fallback);
	(void)puts("");
}

int main(int argc, char **argv)
{
	bool keys = argc == 2 && strcmp(argv[1], "keys") == 0;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (keys && table[i].section)
			print_key(&table[i]);
		if (!keys && table[i].flag)
			(void)printf("%s\t%s\n", table[i].flag, table[i].arg ? table[i].arg : "-");
	}
	return 0;
}
