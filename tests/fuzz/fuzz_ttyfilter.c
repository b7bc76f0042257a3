// SPDX-License-Identifier: GPL-2.0-or-later
/* Fuzzes the terminal filter: no cut changes it, it is idempotent, and what it lets out is safe. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "sandbox/ttyfilter.h"

#define IN_MAX	(3 * TTYFILTER_MAX)
#define OUT_MAX (IN_MAX + TTYFILTER_SLACK)
#define CUTS	64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what)
{
	fprintf(stderr, "ttyfilter: %s\n", what);
	abort();
}

static size_t filter(const char *in, size_t n, size_t cut, char *out)
{
	struct ttyfilter f;
	size_t used;

	ttyfilter_init(&f);
	used = ttyfilter_run(&f, in, cut, out);
	return used + ttyfilter_run(&f, in + cut, n - cut, out + used);
}

/* An oracle that shares nothing with the filter: looks for what must not be there. */
static void check_osc(const char *s, size_t n)
{
	static const char *const good[] = {
		"0;",  "1;",  "2;",  "4;",  "5;",  "7;file://", "8;",  "10;", "11;", "12;",
		"13;", "14;", "15;", "16;", "17;", "18;",	"19;", "104", "105", "110",
		"111", "112", "113", "114", "115", "116",	"117", "118", "119", "133;",
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (n >= strlen(good[i]) && !memcmp(s, good[i], strlen(good[i])))
			return;
	fail("an OSC that is not known");
}

static bool is_size_or_stack(const char *s, size_t n)
{
	static const char *const good[] = { "14", "16", "18", "19", "22", "23" };

	if (n && s[n - 1] == '$') /* attributes of a rectangle */
		return true;
	while (n > 2 && s[0] == '0') {
		s++;
		n--;
	}
	if (n < 2 || (n > 2 && s[2] != ';' && s[2] != ':'))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (!memcmp(s, good[i], 2))
			return true;
	return false;
}

static void check_csi(const char *s, size_t n)
{
	size_t end = 0;

	while (end < n && s[end] >= 0x20 && s[end] < 0x40)
		end++;
	if (end == n)
		fail("a CSI without an end");
	if (s[end] == 'i')
		fail("the printer");
	if (s[end] == 't' && !is_size_or_stack(s, end))
		fail("a window operation that is not known");
	if (s[end] == 'y' || s[end] == '[' || s[end] == ']' || s[end] == '~')
		if (end == 0 || s[end - 1] != '\'')
			fail("a CSI that is not known");
}

static void check_output(const char *s, size_t n)
{
	if (!str_is_utf8(s, n))
		fail("not UTF-8");
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i], next = i + 1 < n ? (unsigned char)s[i + 1] : 0;

		if ((c < 7 || (c > 15 && c < 32) || c == 127) && c != 27)
			fail("a control");
		if (c == 0xc2 && next < 0xa0)
			fail("a C1 control");
		if (c != 27)
			continue;
		if (!next || !strchr("[]\\6789<=>DEHMcno#()*+", next))
			fail("an ESC sequence that is not known");
		if (next == ']')
			check_osc(s + i + 2, n - i - 2);
		if (next == '[')
			check_csi(s + i + 2, n - i - 2);
	}
}

static void check_finish(const char *in, size_t n, char *out)
{
	struct ttyfilter f;
	char end[TTYFILTER_FINISH_MAX], again[TTYFILTER_FINISH_MAX + TTYFILTER_SLACK];
	size_t m;

	ttyfilter_init(&f);
	(void)ttyfilter_run(&f, in, n, out);
	m = ttyfilter_finish(&f, end);
	if (m > TTYFILTER_FINISH_MAX)
		fail("the end is too long");
	if (ttyfilter_run(&f, end, m, again) != m || memcmp(end, again, m) != 0)
		fail("the end would not pass");
	if (ttyfilter_finish(&f, end))
		fail("the end leaves something on");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char out[OUT_MAX], other[OUT_MAX];
	const char *in = (const char *)data;
	size_t n, m, stride;

	if (size > IN_MAX)
		return 0;
	n = filter(in, size, size, out);
	if (n > size)
		fail("longer than it was");
	check_output(out, n);
	stride = size / CUTS + 1;
	for (size_t cut = 0; cut < size; cut += stride) {
		m = filter(in, size, cut, other);
		if (m != n || memcmp(out, other, n) != 0)
			fail("a cut changes the output");
	}
	m = filter(out, n, n, other);
	if (m != n || memcmp(out, other, n) != 0)
		fail("not idempotent");
	check_finish(in, size, other);
	return 0;
}
