/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The option table: what settings exist. Generated from options.def; pure data. */
#ifndef JAIL_PROFILES_OPTIONS_H
#define JAIL_PROFILES_OPTIONS_H

#include <stdbool.h>

#include "base/text.h"

enum opt {
#define OPTION(id, section, key, flag, arg, type, bits, fallback, choices, help) OPT_##id,
#include "profiles/options.def"
#undef OPTION
	OPT_COUNT,
};

enum opt_type {
	TYPE_BOOL,     /* yes, no, true, false, on, off, 1, 0 */
	TYPE_CHOICE,   /* one of the words in `choices` */
	TYPE_SIZE,     /* bytes: 4096, 64K, 2G (powers of 1024) */
	TYPE_COUNT,    /* a whole number */
	TYPE_DURATION, /* 90, 30s, 5m, 4h, 1d; milliseconds as 500ms */
	TYPE_CPU,      /* thousandths of a processor: 1.5 is 1500 */
	TYPE_TEXT,     /* any line of text */
	TYPE_NAME,     /* a host name: letters, digits, hyphens, 1 to 63 */
	TYPE_PATH,     /* expanded; absolute or relative to the current directory */
	/* words separated by spaces; the value's text is normalised to single spaces */
	TYPE_WORDS,
	TYPE_ENVSET, /* NAME=VALUE, NAME in [A-Za-z_][A-Za-z0-9_]* */
};

#define OPT_BIT_LIST 1u
#define OPT_BIT_BANG 2u
#define OPT_BIT_ZERO 4u
#define OPT_BIT_RARE 8u

struct option_def {
	const char *section, *key, *flag, *arg;
	enum opt_type type;
	unsigned bits;
	const char *fallback, *choices, *help;
};

extern const struct option_def options[OPT_COUNT];

/* OPT_COUNT when there is none. */
enum opt option_by_key(const char *section, const char *key);
enum opt option_by_flag(const char *flag);

/* The nearest known name, or NULL; never a flag that is weak. */
const char *option_nearest_key(const char *section, const char *key);
const char *option_nearest_section(const char *section);
const char *option_nearest_flag(const char *flag);

/* The OPTIONS part of --help: one line each, sorted by section, at most 80 columns. */
void options_help(struct text *out);

/* A completion script for "bash", "zsh" or "fish"; false for another shell. */
bool options_completion(const char *shell, struct text *out);

#endif
