// SPDX-License-Identifier: GPL-2.0-or-later
/* The value parsers, one for each type of option; pure but for the arena, in P0. */
#include "profiles/values.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "base/own.h"

/* Fits an int: a descriptor number is a count too. */
#define COUNT_MAX ((uint64_t)INT32_MAX)
/* Fits an off_t. */
#define SIZE_VALUE_MAX ((uint64_t)INT64_MAX)
/* Milliseconds that still fit an int64_t of nanoseconds. */
#define DURATION_MAX ((uint64_t)INT64_MAX / 1000000)
#define CPU_MAX	     ((uint64_t)65536 * 1000)

struct unit {
	const char *suffix;
	uint64_t factor;
};

/* The formatter walks from the end, so what it should never write stands at the front. */
static const struct unit sizes[] = {
	{ "k", 1ull << 10 }, { "m", 1ull << 20 }, { "g", 1ull << 30 },
	{ "t", 1ull << 40 }, { "", 1 },		  { "K", 1ull << 10 },
	{ "M", 1ull << 20 }, { "G", 1ull << 30 }, { "T", 1ull << 40 },
};

static const struct unit durations[] = {
	{ "", 1000 },	{ "ms", 1 },	     { "s", 1000 },
	{ "m", 60000 }, { "h", 3600000ull }, { "d", 86400000ull },
};

static const char *const truths[] = { "no", "yes", "false", "true", "off", "on", "0", "1" };

static int refuse(struct err *why, const char *reason)
{
	return err_set(why, ST_PROFILE, 0, "%s", reason);
}

static bool has_control(const char *s)
{
	for (; *s; s++) {
		if (((unsigned char)*s < 0x20 && *s != '\t') || *s == 0x7f)
			return true;
	}
	return false;
}

/* Digits and one suffix. 0, -EINVAL for something else, -ERANGE above max. */
static int scaled(const char *text, const struct unit *units, size_t n, uint64_t max, uint64_t *ret)
{
	size_t digits = strspn(text, "0123456789");
	char number[24];
	uint64_t v;

	if (!digits)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (!str_eq(text + digits, units[i].suffix))
			continue;
		if (digits >= sizeof(number))
			return -ERANGE;
		memcpy(number, text, digits);
		number[digits] = '\0';
		if (!str_to_u64(number, max / units[i].factor, &v))
			return -ERANGE;
		*ret = v * units[i].factor;
		return 0;
	}
	return -EINVAL;
}

static int parse_scaled(const struct option_def *o, const char *s, uint64_t *ret, struct err *why)
{
	static const struct unit plain[] = { { "", 1 } };
	uint64_t v = 0;
	const char *hint;
	int r;

	if (o->type == TYPE_SIZE) {
		hint = "not a size (4096, 64K, 2G)";
		r = scaled(s, sizes, ARRAY_SIZE(sizes), SIZE_VALUE_MAX, &v);
	} else if (o->type == TYPE_DURATION) {
		hint = "not a duration (90, 30s, 5m, 4h, 1d, 500ms)";
		r = scaled(s, durations, ARRAY_SIZE(durations), DURATION_MAX, &v);
	} else {
		hint = "not a whole number";
		r = scaled(s, plain, 1, COUNT_MAX, &v);
	}
	if (r == -ERANGE)
		return refuse(why, "too large");
	if (r < 0)
		return refuse(why, hint);
	*ret = v;
	return 0;
}

/* N or N.N, three decimals at most. */
static int parse_cpu(const char *text, uint64_t *ret, struct err *why)
{
	static const char hint[] = "not a number of processors (2, 0.5, 1.25)";
	size_t whole = strspn(text, "0123456789");
	size_t decimals = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
	uint64_t v = 0;

	if (!whole || decimals > 3 || (text[whole] == '.' && !decimals))
		return refuse(why, hint);
	if (text[whole + (decimals ? 1 + decimals : 0)] != '\0')
		return refuse(why, hint);
	for (size_t i = 0; i < whole; i++) {
		v = v * 10 + (unsigned)(text[i] - '0');
		if (v > CPU_MAX / 1000)
			return refuse(why, "too large");
	}
	for (size_t i = 0; i < 3; i++)
		v = v * 10 + (i < decimals ? (unsigned)(text[whole + 1 + i] - '0') : 0);
	*ret = v;
	return 0;
}

static int parse_bool(const char *text, uint64_t *ret, struct err *why)
{
	for (size_t i = 0; i < ARRAY_SIZE(truths); i++) {
		if (str_eq(text, truths[i])) {
			*ret = i & 1;
			return 0;
		}
	}
	return refuse(why, "not yes or no");
}

/* The i-th of the words in `choices`; its length, 0 when there is none. */
static size_t choice_at(const char *choices, size_t i, const char **ret)
{
	for (;;) {
		size_t n = strcspn(choices, " ");

		if (!i--) {
			*ret = choices;
			return n;
		}
		choices += n;
		if (!*choices)
			return 0;
		choices++;
	}
}

static int parse_choice(const struct option_def *o, const char *s, uint64_t *ret, struct err *why)
{
	const char *word;
	size_t n;

	for (size_t i = 0; (n = choice_at(o->choices, i, &word)); i++) {
		if (strlen(s) == n && memcmp(word, s, n) == 0) {
			*ret = i;
			return 0;
		}
	}
	return err_set(why, ST_PROFILE, 0, "not one of: %s", o->choices);
}

/* A label of RFC 1123: what every tool takes for a host name. */
static int parse_name(const char *text, struct err *why)
{
	size_t n = strlen(text);
	size_t good = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789-");

	if (!n || n > 63 || good != n || text[0] == '-' || text[n - 1] == '-')
		return refuse(why, "not a host name (letters, digits, inner hyphens; 1 to 63)");
	return 0;
}

static int parse_envset(const char *text, struct err *why)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				"0123456789_");

	if (!n || (text[0] >= '0' && text[0] <= '9') || text[n] != '=')
		return refuse(why, "not NAME=VALUE (a name has letters, digits and _)");
	return 0;
}

static int parse_words(const char *text, struct arena *a, const char **ret, struct err *why)
{
	char *out = arena_alloc(a, strlen(text) + 1);
	size_t len = 0;

	/* Without this `sh -c "a b"` would quietly be three odd words. */
	if (strpbrk(text, "\"'\\"))
		return refuse(why, "words end at spaces; quotes and \\ have no meaning here");
	for (;;) {
		size_t n;

		text += strspn(text, " \t");
		n = strcspn(text, " \t");
		if (!n)
			break;
		if (len)
			out[len++] = ' ';
		memcpy(out + len, text, n);
		len += n;
		text += n;
	}
	if (!len)
		return refuse(why, "is empty");
	*ret = out;
	return 0;
}

/* "HOME}..." behind "${": add its value to t; *ret_len counts the name. */
static int expand_variable(const char *s, const struct expansion *x, struct text *t,
			   size_t *ret_len, struct err *why)
{
	const struct {
		const char *name, *value;
	} known[] = {
		{ "HOME", x->home },
		{ "USER", x->user },
		{ "XDG_CONFIG_HOME", x->config_home },
		{ "XDG_DATA_HOME", x->data_home },
		{ "XDG_CACHE_HOME", x->cache_home },
		{ "XDG_STATE_HOME", x->state_home },
	};
	static const char names[] = "HOME USER XDG_{CONFIG,DATA,CACHE,STATE}_HOME";
	size_t n = strcspn(s, "}");

	if (!s[n])
		return refuse(why, "'${' without '}'");
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (strlen(known[i].name) != n || memcmp(known[i].name, s, n) != 0)
			continue;
		if (!known[i].value || !*known[i].value)
			return err_set(why, ST_PROFILE, 0, "${%s} has no value", known[i].name);
		text_add(t, known[i].value);
		*ret_len = n;
		return 0;
	}
	return err_set(why, ST_PROFILE, 0, "unknown variable '${%.*s}'; known are %s",
		       (int)(n < 64 ? n : 64), s, names);
}

static int parse_path(const char *text, const struct expansion *x, struct arena *a,
		      const char **ret, struct err *why)
{
	char buf[PATH_MAX];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	if (*text == '~') {
		if (text[1] && text[1] != '/')
			return refuse(why, "'~' stands for your home only as '~' or '~/...'");
		if (!x->home || !*x->home)
			return refuse(why, "the home directory is not known");
		text_add(&t, x->home);
		text++;
	}
	while (*text) {
		size_t n = strcspn(text, "$");

		text_addn(&t, text, n);
		text += n;
		if (str_starts(text, "${")) {
			int r = expand_variable(text + 2, x, &t, &n, why);

			if (r < 0)
				return r;
			text += n + 3;
		} else if (*text) {
			text_add(&t, "$");
			text++;
		}
	}
	if (t.full)
		return refuse(why, "the path is too long");
	/* Once more, for what the variables brought; a tab in a path is a mistake too. */
	if (has_control(buf) || strchr(buf, '\t'))
		return refuse(why, "the path holds a control character");
	*ret = arena_strndup(a, buf, t.len);
	return 0;
}

static int parse_number(const struct option_def *o, const char *s, uint64_t *ret, struct err *why)
{
	uint64_t v = 0;
	int r;

	if (o->type == TYPE_BOOL)
		return parse_bool(s, ret, why);
	if (o->type == TYPE_CHOICE)
		return parse_choice(o, s, ret, why);
	r = o->type == TYPE_CPU ? parse_cpu(s, &v, why) : parse_scaled(o, s, &v, why);
	if (r < 0)
		return r;
	/* tmpfs and rlimits read 0 as "no limit": a limit must not vanish that way. */
	if (!v && !(o->bits & OPT_BIT_ZERO))
		return refuse(why, "must be more than 0");
	*ret = v;
	return 0;
}

int value_parse(const struct option_def *def, const char *text, const struct expansion *x,
		struct arena *a, struct value *ret, struct err *why)
{
	const char *out = NULL;
	uint64_t number = 0;
	int r = 0;

	if (!*text)
		return refuse(why, "is empty");
	/* An environment variable may hold any byte; nothing else has a use for control bytes. */
	if (def->type != TYPE_ENVSET && has_control(text))
		return refuse(why, "holds a control character");
	switch (def->type) {
	case TYPE_BOOL:
	case TYPE_CHOICE:
	case TYPE_SIZE:
	case TYPE_COUNT:
	case TYPE_DURATION:
	case TYPE_CPU:
		r = parse_number(def, text, &number, why);
		break;
	case TYPE_TEXT:
		break;
	case TYPE_NAME:
		r = parse_name(text, why);
		break;
	case TYPE_PATH:
		r = parse_path(text, x, a, &out, why);
		break;
	case TYPE_WORDS:
		r = parse_words(text, a, &out, why);
		break;
	case TYPE_ENVSET:
		r = parse_envset(text, why);
		break;
	}
	if (r < 0)
		return r;
	ret->text = out ? out : arena_strdup(a, text);
	ret->number = number;
	return 0;
}

static void format_scaled(const struct unit *units, size_t n, uint64_t number, struct text *t)
{
	size_t i = n - 1;

	if (!number) {
		text_add(t, "0");
		return;
	}
	while (number % units[i].factor != 0)
		i--;
	text_addf(t, "%" PRIu64 "%s", number / units[i].factor, units[i].suffix);
}

static void format_cpu(uint64_t number, struct text *t)
{
	char decimals[8];
	struct text d;

	text_init(&d, decimals, sizeof(decimals));
	text_addf(&d, ".%03u", (unsigned)(number % 1000));
	while (d.len && (decimals[d.len - 1] == '0' || decimals[d.len - 1] == '.')) {
		bool point = decimals[d.len - 1] == '.';

		decimals[--d.len] = '\0';
		if (point)
			break;
	}
	text_addf(t, "%" PRIu64 "%s", number / 1000, decimals);
}

void value_format(const struct option_def *def, uint64_t number, struct text *t)
{
	const char *word = "";
	size_t n;

	if (def->type == TYPE_BOOL) {
		text_add(t, number ? "yes" : "no");
	} else if (def->type == TYPE_CHOICE) {
		n = choice_at(def->choices, number, &word);
		text_addn(t, word, n);
	} else if (def->type == TYPE_SIZE) {
		format_scaled(sizes, ARRAY_SIZE(sizes), number, t);
	} else if (def->type == TYPE_DURATION) {
		format_scaled(durations, ARRAY_SIZE(durations), number, t);
	} else if (def->type == TYPE_CPU) {
		format_cpu(number, t);
	} else {
		text_addf(t, "%" PRIu64, number);
	}
}
