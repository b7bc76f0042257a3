/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The draft: every setting that argv and profiles gave, with its origin, and nothing else. Making
 * one has no effects beyond reading the profile files it is told to read. Runs in P0 before
 * anything is planned.
 */
#ifndef JAIL_PROFILES_DRAFT_H
#define JAIL_PROFILES_DRAFT_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "profiles/options.h"

enum origin_kind { ORIGIN_DEFAULT, ORIGIN_FILE, ORIGIN_FLAG };

struct origin {
	enum origin_kind kind;
	const char *file; /* ORIGIN_FILE: as the user would write it */
	unsigned line;
};

struct value {
	struct value *next; /* in the order given; scalars have one */
	/* checked; expanded for paths, normalised for words, as written otherwise */
	const char *text;
	/* BOOL 0/1, CHOICE index, SIZE bytes, COUNT, DURATION milliseconds, CPU thousandths */
	uint64_t number;
	bool required; /* "key! =", or any path given by a flag */
	struct origin origin;
	struct value *replaced; /* of a scalar: what it took the place of */
};

/* A profile file that was read, oldest ancestor first. */
struct profile_file {
	struct profile_file *next;
	const char *name; /* as named: "agent", "./my.ini" */
	const char *path; /* absolute path of what was read */
	bool by_path;	  /* named with a slash: the user pointed at this very file */
};

/*
 * The variables that profiles may use as ${NAME}, and the home behind ~. All absolute and set by
 * the caller; never read from env here.
 */
struct expansion {
	const char *home, *user, *config_home, *data_home, *cache_home, *state_home;
};

struct draft {
	struct arena *arena;
	const struct expansion *expand;
	struct value *values[OPT_COUNT]; /* always at least the fallback where there is one */
	struct profile_file *files;
};

/* Every option at its fallback. */
int draft_init(struct draft *d, struct arena *arena, const struct expansion *x, struct err *e);

/*
 * Add a profile: a name ("claude", "claude.ini") is looked up in config_home/jail/profiles,
 * sysconfdir/jail/profiles, datadir/jail/profiles and never in the current directory; an argument
 * with a slash is that file. Parents named by `extends` come first. A file that was read before
 * does not count again, so two profiles may share a parent. What a flag has set stays above it. On
 * failure the draft is as it was before the call.
 */
int draft_add_profile(struct draft *d, const char *name, struct err *e);

/* Set an option as the flag --NAME would. For booleans, text NULL means yes. */
int draft_set_flag(struct draft *d, enum opt id, const char *text, struct err *e);

/* The value of a scalar, NULL when unset; the head of a list. */
static inline const struct value *draft_get(const struct draft *d, enum opt id)
{
	return d->values[id];
}

/* "claude.ini:12", "--ro", "default": into t. */
void origin_format(const struct origin *o, enum opt id, struct text *t);

/*
 * The command line: flags, then the words that are not flags. Stops at the first word that is no
 * flag, or behind "--"; a command's own flags are never touched. `--flag value` and `--flag=value`;
 * a BOOL flag takes its value only with '='. Short forms: -p --profile, -h --help. Flags are
 * applied after all profiles, wherever they stand; with no --profile, "default" is read when
 * `with_default`. argv[0] is the program or the verb and is skipped; *ret_first_word is argc when
 * no word is left. With --help or --version no profile is read. On failure the draft is as it was
 * before the call.
 */
int draft_from_argv(struct draft *d, int argc, char *const *argv, bool with_default,
		    int *ret_first_word, struct err *e);

/*
 * The last good value that a flag of the command line gives to `id`, as far as it can be told when
 * other flags are wrong; false when there is none. *ret is the value's text and number.
 */
bool argv_find(struct arena *a, int argc, char *const *argv, enum opt id, struct value *ret);

#endif
