// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every system call number against a golden census, one file per architecture with a column for
 * each preset, so that nothing becomes reachable unseen (SYS-01). Part of test_table.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "sandbox/policy.h"
#include "tests/seccomp/suite.h"

#define NUMBERS	   1024
#define CENSUS_MAX 65536
#define LINE_MAX   128

/* What a preset does with a number: its verdict, or "args" when the arguments decide. */
static const char *state(enum arch arch, size_t preset, unsigned nr)
{
	const __u64 none[6] = { 0 };
	struct shipped s = shipped_get(arch, preset);
	struct outcome o = shipped_run(&s, nr, none);

	return o.saw_args ? "args" : interp_verdict(&o);
}

static const char *call_name(const struct policy *all, enum arch arch, unsigned nr)
{
	for (size_t i = 0; i < all->n; i++)
		if (calls_number(arch, all->settings[i].name) == (int)nr)
			return all->settings[i].name;
	return "-";
}

/* Numbers that no call has and that all presets treat as absent are left out. */
static void take_census(const struct policy *all, enum arch arch, struct text *t)
{
	text_add(t, "# nr call");
	for (size_t i = 0; i < PRESETS; i++)
		text_addf(t, " %s", shipped_get(arch, i).preset);
	text_add(t, "\n");
	for (unsigned nr = 0; nr < NUMBERS; nr++) {
		const char *name = call_name(all, arch, nr);
		bool reachable = false;

		for (size_t i = 0; i < PRESETS; i++)
			reachable = reachable || str_eq(state(arch, i, nr), "allow") ||
				    str_eq(state(arch, i, nr), "args");
		if (str_eq(name, "-") && !reachable)
			continue;
		text_addf(t, "%u %s", nr, name);
		for (size_t i = 0; i < PRESETS; i++)
			text_addf(t, " %s", state(arch, i, nr));
		text_add(t, "\n");
	}
}

/* The line at *at, without its end; false when there is none. */
static bool next_line(const char **at, char ret[LINE_MAX])
{
	size_t n = strcspn(*at, "\n"), keep = n < LINE_MAX ? n : LINE_MAX - 1;

	if (!**at)
		return false;
	memcpy(ret, *at, keep);
	ret[keep] = '\0';
	*at += n + ((*at)[n] == '\n');
	return true;
}

static bool holds_line(const char *text, const char *line)
{
	char other[LINE_MAX];

	while (next_line(&text, other))
		if (str_eq(other, line))
			return true;
	return false;
}

static size_t count_open(const char *line)
{
	size_t n = 0;

	for (const char *at = line; (at = strchr(at, ' ')); at++)
		n += str_starts(at, " allow") || str_starts(at, " args");
	return n;
}

/* How many presets let the number of this line through, in the other text. */
static size_t open_in(const char *text, const char *line)
{
	size_t n = strcspn(line, " ") + 1;
	char other[LINE_MAX];

	while (next_line(&text, other))
		if (strncmp(other, line, n) == 0)
			return count_open(other);
	return 0;
}

static void print_diff(const char *old, const char *new)
{
	const char *at = old;
	char line[LINE_MAX];

	while (next_line(&at, line))
		if (!holds_line(new, line))
			printf("# - %s\n", line);
	at = new;
	while (next_line(&at, line)) {
		if (holds_line(old, line))
			continue;
		printf("# + %s%s\n", line,
		       count_open(line) > open_in(old, line) ? "   <- newly reachable" : "");
	}
}

static bool compare(const char *path, const char *now, bool update)
{
	own_str golden = calloc(1, CENSUS_MAX);
	own_file f = fopen(path, update ? "we" : "re");

	if (!f || !golden) {
		printf("# %s: %s\n", path, strerror(errno));
		return false;
	}
	if (update)
		return fputs(now, f) >= 0;
	(void)!fread(golden, 1, CENSUS_MAX - 1, f);
	if (str_eq(golden, now))
		return true;
	print_diff(golden, now);
	printf("# if this is meant: tests/seccomp/test_table --update, and review the diff\n");
	return false;
}

void census_test(struct tap *t, const char *data, bool update)
{
	struct err e = { 0 };
	struct policy all;

	if (policy_load(&all, "agent", &e) < 0)
		printf("# %s\n", e.what);
	for (unsigned a = 0; a < ARCH_COUNT; a++) {
		own_str now = calloc(1, CENSUS_MAX);
		char path[4200];
		struct text p, text;

		text_init(&p, path, sizeof(path));
		text_addf(&p, "%s/census-%s.txt", data, arch_name((enum arch)a));
		text_init(&text, now, now ? CENSUS_MAX : 0);
		if (now)
			take_census(&all, (enum arch)a, &text);
		tap_is(t, now && !text.full && compare(path, now, update),
		       "census of %s: every number is as reviewed", arch_name((enum arch)a));
	}
}
