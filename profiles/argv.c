// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line read by the option table; in P0, no effects but reading the profiles named. */
#include <errno.h>
#include <string.h>

#include "profiles/batch.h"
#include "profiles/values.h"

/* One flag as it stands in argv. */
struct use {
	enum opt id;
	const char *value; /* NULL: none */
	int words;
};

static int unknown(const char *word, size_t len, const char *name, struct err *e)
{
	const char *near = option_nearest_flag(name);
	enum opt id = str_starts(name, "no-") ? option_by_flag(name + 3) : OPT_COUNT;

	if (id != OPT_COUNT && options[id].type == TYPE_BOOL)
		return err_set(e, ST_USAGE, 0, "%.*s: unknown option; did you mean '--%s=no'?",
			       (int)len, word, options[id].flag);
	if (str_eq(name, "gate"))
		near = "network gate";
	if (near)
		return err_set(e, ST_USAGE, 0, "%.*s: unknown option; did you mean '--%s'?",
			       (int)len, word, near);
	return err_set(e, ST_USAGE, 0, "%.*s: unknown option; `jail --help` lists them all",
		       (int)len, word);
}

/* --name, --name=value, -p, -pvalue or -h: which option, and the value within the same word. */
static int split(const char *word, struct use *ret, struct err *e)
{
	char name[64] = "";
	size_t len = strlen(word);
	struct text t;

	text_init(&t, name, sizeof(name));
	if (str_starts(word, "--")) {
		len = strcspn(word, "=");
		text_addn(&t, word + 2, len - 2);
		ret->value = word[len] ? word + len + 1 : NULL;
	} else if (word[1] == 'p') {
		text_add(&t, options[OPT_PROFILE].flag);
		ret->value = word[2] ? word + 2 : NULL;
	} else if (str_eq(word, "-h")) {
		text_add(&t, options[OPT_HELP].flag);
		ret->value = NULL;
	}
	ret->id = t.full ? OPT_COUNT : option_by_flag(name);
	if (ret->id == OPT_COUNT)
		return unknown(word, len < 100 ? len : 100, name, e);
	ret->words = 1;
	return 0;
}

static int read_flag(int left, char *const *argv, struct use *ret, struct err *e)
{
	const struct option_def *o;
	int r = split(argv[0], ret, e);

	if (r < 0)
		return r;
	o = &options[ret->id];
	/*
	 * A word for yes or no behind a flag that takes its value with '=' would be run as the
	 * command.
	 */
	if (!ret->value && o->type == TYPE_BOOL && o->arg && left > 1 &&
	    (str_eq(argv[1], "yes") || str_eq(argv[1], "no")))
		return err_set(e, ST_USAGE, 0, "--%s %s: join them: --%s=%s", o->flag, argv[1],
			       o->flag, argv[1]);
	if (ret->value || o->type == TYPE_BOOL)
		return 0;
	if (left < 2)
		return err_set(e, ST_USAGE, 0, "--%s: needs %s", o->flag, o->arg);
	/* The next flag is hardly meant as this one's value, and never the end of flags. */
	if (str_starts(argv[1], "--"))
		return err_set(e, ST_USAGE, 0,
			       "--%s: needs %s; if '%.60s' is meant, put '=' before it", o->flag,
			       o->arg, argv[1]);
	ret->value = argv[1];
	ret->words = 2;
	return 0;
}

static int read_flags(struct draft *d, int argc, char *const *argv, struct batch *flags,
		      int *ret_first_word, struct err *e)
{
	int i = 1;

	while (i < argc && argv[i][0] == '-' && argv[i][1]) {
		struct use use = { 0 };
		int r;

		if (str_eq(argv[i], "--")) {
			i++;
			break;
		}
		r = read_flag(argc - i, argv + i, &use, e);
		if (r < 0)
			return r;
		r = batch_add_flag(d, flags, use.id, use.value, e);
		if (r < 0)
			return r;
		i += use.words;
	}
	*ret_first_word = i;
	return 0;
}

bool argv_find(struct arena *a, int argc, char *const *argv, enum opt id, struct value *ret)
{
	bool found = false;
	int i = 1;

	while (i < argc && argv[i][0] == '-' && argv[i][1] && !str_eq(argv[i], "--")) {
		struct use use = { 0 };
		struct err ignored = { 0 };

		if (read_flag(argc - i, argv + i, &use, &ignored) == 0 && use.id == id &&
		    use.value && value_parse(&options[id], use.value, NULL, a, ret, &ignored) == 0)
			found = true;
		i += use.words ? use.words : 1;
	}
	return found;
}

/* --help must work on the day the profile does not. */
static bool wants_words_only(const struct batch *flags)
{
	bool help = false, version = false;

	for (const struct setting *s = flags->first; s; s = s->next) {
		if (s->id == OPT_HELP)
			help = s->value.number != 0;
		if (s->id == OPT_VERSION)
			version = s->value.number != 0;
	}
	return help || version;
}

int draft_from_argv(struct draft *d, int argc, char *const *argv, bool with_default,
		    int *ret_first_word, struct err *e)
{
	struct batch profiles, flags;
	bool named = false;
	int first_word = 1;
	int r;

	batch_init(&profiles);
	batch_init(&flags);
	r = read_flags(d, argc, argv, &flags, &first_word, e);
	if (r < 0)
		return r;
	if (!wants_words_only(&flags)) {
		for (const struct setting *s = flags.first; s && r >= 0; s = s->next) {
			if (s->id != OPT_PROFILE)
				continue;
			named = true;
			r = batch_add_profile(d, &profiles, s->value.text, e);
		}
		if (!named && with_default)
			r = batch_add_profile(d, &profiles, "default", e);
		if (r < 0)
			return r;
	}
	batch_commit(d, &profiles);
	batch_commit(d, &flags);
	*ret_first_word = first_word < argc ? first_word : argc;
	return 0;
}
