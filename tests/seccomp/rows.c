// SPDX-License-Identifier: GPL-2.0-or-later
/* Every row of table.txt, on every preset and architecture it names; part of test_table. */
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "tests/seccomp/suite.h"

#define WORDS 16

struct row {
	const char *presets, *arches, *call, *verdict;
	__u64 args[6];
};

/* Cut a line into words, in place. */
static size_t cut(char *line, char *words[WORDS])
{
	size_t n = 0;

	line[strcspn(line, "\n")] = '\0';
	for (char *at = line; *(at += strspn(at, " ")) && n < WORDS; n++) {
		words[n] = at;
		at += strcspn(at, " ");
		if (*at)
			*at++ = '\0';
	}
	return n;
}

/* Decimal, 0x hexadecimal, 0 octal. */
static bool read_number(const char *s, __u64 *ret)
{
	unsigned base = 10;
	__u64 v = 0;

	if (s[0] == '0' && s[1]) {
		base = s[1] == 'x' ? 16 : 8;
		s += s[1] == 'x' ? 2 : 1;
	}
	for (; *s; s++) {
		const char *digits = "0123456789abcdef", *d = strchr(digits, *s);

		if (!d || (unsigned)(d - digits) >= base)
			return false;
		v = v * base + (unsigned)(d - digits);
	}
	*ret = v;
	return true;
}

/* PRESETS ARCHES CALL [ARG...] = VERDICT */
static bool read_row(char *line, struct row *ret)
{
	char *words[WORDS];
	size_t n = cut(line, words);

	*ret = (struct row){ 0 };
	if (n < 5 || n > 11 || !str_eq(words[n - 2], "="))
		return false;
	ret->presets = str_eq(words[0], "all") ? "agent,strict,debug,browser" : words[0];
	ret->arches = words[1];
	ret->call = words[2];
	ret->verdict = words[n - 1];
	for (size_t i = 3; i < n - 2; i++)
		if (!read_number(words[i], &ret->args[i - 3]))
			return false;
	return true;
}

static bool names_preset(const char *list, const char *preset)
{
	size_t n = strlen(preset);

	for (const char *at = list; (at = strstr(at, preset)); at += n)
		if ((at == list || at[-1] == ',') && (at[n] == ',' || !at[n]))
			return true;
	return false;
}

static bool expect(const struct shipped *s, unsigned nr, const __u64 *args, const struct row *row)
{
	struct outcome o = shipped_run(s, nr, args);

	if (str_eq(interp_verdict(&o), row->verdict))
		return true;
	printf("# %s %s %s(%#llx, %#llx, %#llx, %#llx) is %s, %s wanted\n", s->preset,
	       arch_name(s->arch), row->call, args[0], args[1], args[2], args[3],
	       interp_verdict(&o), row->verdict);
	return false;
}

/* SYS-03: the kernel drops the upper half of these arguments, so it must not matter. */
static bool expect_high_bits(const struct shipped *s, unsigned nr, const struct row *row)
{
	static const __u64 high[] = { 1ull << 32, 1ull << 40, 1ull << 63, 0xffffffffull << 32 };
	bool good = true;

	for (size_t bits = 0; bits < ARRAY_SIZE(high); bits++) {
		for (size_t arg = 0; arg < 6; arg++) {
			__u64 args[6];

			memcpy(args, row->args, sizeof(args));
			args[arg] |= high[bits];
			good = expect(s, nr, args, row) && good;
		}
	}
	return good;
}

/* On all that the row names; there must be something. */
static bool run_row(const struct row *row)
{
	unsigned runs = 0;
	bool good = true;

	for (unsigned a = 0; a < ARCH_COUNT; a++) {
		enum arch arch = (enum arch)a;
		int by_name = calls_number(arch, row->call);
		__u64 nr = by_name >= 0 ? (__u64)by_name : 0;

		if (!str_eq(row->arches, "*") && !str_eq(row->arches, arch_name(arch)))
			continue;
		if (by_name < 0 && !read_number(row->call, &nr)) {
			printf("# %s has no call '%s'\n", arch_name(arch), row->call);
			return false;
		}
		for (size_t i = 0; i < PRESETS; i++) {
			struct shipped s = shipped_get(arch, i);

			if (!names_preset(row->presets, s.preset))
				continue;
			runs++;
			good = expect(&s, (unsigned)nr, row->args, row) && good;
			good = expect_high_bits(&s, (unsigned)nr, row) && good;
		}
	}
	return good && runs;
}

void rows_test(struct tap *t, const char *data)
{
	char path[4200], line[256], title[256];
	own_file f = NULL;
	struct text p;

	text_init(&p, path, sizeof(path));
	text_addf(&p, "%s/table.txt", data);
	f = fopen(path, "re");
	tap_is(t, f, "table.txt can be read");
	while (f && fgets(line, sizeof(line), f)) {
		struct row row;
		struct text w;

		if (line[0] == '#' || line[0] == '\n')
			continue;
		text_init(&w, title, sizeof(title));
		text_addn(&w, line, strcspn(line, "\n"));
		tap_is(t, read_row(line, &row) && run_row(&row), "%s", title);
	}
}
