// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of the terminal filter: a corpus, cut at every place, and what its end undoes. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/own.h"
#include "sandbox/ttyfilter.h"

#define ST	"\033\\"
#define KEPT	NULL
#define IN_MAX	16384
#define OUT_MAX (IN_MAX + TTYFILTER_SLACK)

static const struct row {
	const char *name, *in, *out; /* KEPT: as it came */
} rows[] = {
	/* text */
	{ "plain text", "hello, world", KEPT },
	{ "UTF-8", "h\xc3\xa9 \xe2\x9c\x93 \xe6\xbc\xa2 \xf0\x9f\x98\x80.", KEPT },
	{ "UTF-8 with the bytes of C1 inside", "\xe2\x9b\xb0\xc5\x9b\xe6\x9d\x90", KEPT },
	{ "C0 that draw", "a\a\b\t\n\v\f\r\016\017", KEPT },
	{ "C0 that do not", "a\001\002\004\020\021\022\023\024\025\034\037z", "az" },
	{ "ENQ asks for the answerback", "a\005b", "ab" },
	{ "CAN begins a Zmodem transfer", "**\030B00", "**B00" },
	{ "DEL", "abcdefg\177hijklmno", "abcdefghijklmno" },
	{ "raw C1", "a\x80\x84\x90\x98\x9b\x9c\x9d\x9e\x9f.", "a." },
	{ "raw CSI",
	  "\x9b"
	  "21t",
	  "21t" },
	{ "raw OSC",
	  "\x9d"
	  "52;c;aGk=\a",
	  "52;c;aGk=\a" },
	{ "C1 as characters", "a\xc2\x9b\xc2\x9d\xc2\x90\xc2\x85\xc2\xa0.", "a\xc2\xa0." },
	{ "Latin-1", "caf\xe9!", "caf?!" },
	{ "overlong ESC", "\xc0\x9b[m\xe0\x80\x9b[m", "?[m?[m" },
	{ "surrogate", "\xed\xa0\x80.", "??." },
	{ "past the last plane", "\xf4\x90\x80\x80\xf5\x80.", "??." },
	{ "character cut by a sequence", "\xe2\x9c\033[m\x93", "?\033[m" },
	{ "parts that removal would join",
	  "\xc2\033]52;c;\a\x9b"
	  "1m",
	  "?1m" },
	/* sequences that draw */
	{ "SGR", "\033[1;38;2;1;2;3mx\033[4:3;58:2::1:2:3m\033[m", KEPT },
	{ "cursor and erase", "\033[H\033[2J\033[3J\033[10;20H\033[5A\033[K\033[?J", KEPT },
	{ "modes", "\033[?1049h\033[?1;25;2004l\033[4h\033[34l", KEPT },
	{ "region, insert, delete", "\033[2;5r\033[3L\033[4M\033[@\033[2P\033[3S\033[9X", KEPT },
	{ "saved cursor", "\0337\0338\033[s\033[u", KEPT },
	{ "index and reset", "\033D\033E\033M\033H\033c\033=\033>", KEPT },
	{ "line drawing", "\033(0lqk\033(B\033)0\033#8", KEPT },
	{ "cursor style", "\033[5 q", KEPT },
	{ "soft reset", "\033[!p", KEPT },
	{ "kitty keyboard", "\033[>1u\033[=5;1u\033[?u\033[<u", KEPT },
	{ "modified keys", "\033[>4;2m\033[>4m\033[?4m", KEPT },
	{ "rectangles", "\033[1;1;2;2$z\033[1;1;2;2;1;3;3;1$v", KEPT },
	{ "title stack and sizes", "\033[22;0t\033[23;0t\033[14t\033[16t\033[18t", KEPT },
	{ "ESC before ESC", "\033\033[m", "\033[m" },
	{ "control inside CSI", "\033[3\n1m\033[\0051m", "\n\033[31m\033[1m" },
	{ "CSI cut by CAN, SUB", "\033[3\0301m\033[3\0321m", "1m1m" },
	{ "CSI cut by a character", "\033[3\xc3\xa9m", "\xc3\xa9m" },
	{ "CSI cut by CSI", "\033[3\033[4m", "\033[4m" },
	{ "malformed CSI", "\033[1?2m\033[ 1m\033[!!p\033[?>h.", "." },
	{ "huge number", "\033[1000000000b\033[99999b", "\033[99999b" },
	/* queries whose reply is a number */
	{ "cursor position", "\033[6n\033[?6n\033[5n\033[?996n", KEPT },
	{ "device attributes", "\033[c\033[0c\033[>c\033[=c\033[>0q", KEPT },
	{ "mode query", "\033[?2026$p\033[4$p", KEPT },
	{ "colour query", "\033]4;1;?\a\033]10;?\a\033]11;?" ST "\033]12;?\a", KEPT },
	/* sequences that report or do more */
	{ "title report", "\033[21t\033[20t\033[021t\033[21;0t.", "." },
	{ "window", "\033[2t\033[3;9999;9999t\033[8;1;1t\033[9;1t\033[24t\033[t\033[>2t.", "." },
	{ "checksum of the screen", "\033[1;1;1;1;1;1*y.", "." },
	{ "state reports", "\033[1$w\033[2$w\033[1$u\033[x\033[#|\033[\"v.", "." },
	{ "macro", "\033[1*z.", "." },
	{ "printer", "\033[5i\033[?5i\033[i\033[?18h.", "." },
	{ "keyboard lock, local echo", "\033[2h\033[12l\033[4;2h.", "." },
	{ "VT52 and Tektronix", "\033[?2l\033[?38h\033[?1;38h\033[?38r.", "." },
	{ "more modes than are looked at",
	  "\033[?1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;38h.", "." },
	{ "other encodings, 8-bit replies", "\033%@\033%G\033 G\033 F\033[62;0\"p.", "." },
	{ "answerback, lone ST", "\033Z" ST ".", "." },
	{ "console keys, switch", "\033[[A\033[12;3].", "A." },
	{ "end of paste", "\033[201~\033[200~.", "." },
	/* OSC */
	{ "title", "\033]0;vim\a\033]2;a \xe2\x9c\x93" ST "\033]1;\a", KEPT },
	{ "controls in a title",
	  "\033]0;a\nb\r\t\005c\x9b"
	  "d\xc2\x9b"
	  "e\xff\a",
	  "\033]0;abcde\a" },
	{ "title cut by ESC", "\033]0;a\033[31mb\a", "\033[31mb\a" },
	{ "title cut by CAN", "\033]0;a\030b", "b" },
	{ "clipboard", "\033]52;c;aGk=\a\033]52;c;?" ST "\033]052;c;x\a\033]5\0012;c;x\a.", "." },
	{ "notifications", "\033]9;hi\a\033]99;;hi" ST "\033]777;notify;a;b\a.", "." },
	{ "iTerm2 file", "\033]1337;File=name=eA==;inline=0:AAAA\a.", "." },
	{ "other OSC",
	  "\033]3;x=y\a\033]46;f\a\033]50;?\a\033]51;Ex\a\033]22;x\a\033]633;E;x\a\033]5522;x\a"
	  "\033]lx\a\033]\a\033];x\a\033]10000;x\a\033]0\a\033]00;x\a\033]8\a\033]8;x\a.",
	  "." },
	{ "colours",
	  "\033]4;1;rgb:ff/00/00;2;#fff\a\033]10;light blue\a\033]104\a\033]104;1" ST
	  "\033]110\a\033]112\a",
	  KEPT },
	{ "other queries, odd colours", "\033]17;?\a\033]5;0;?\a\033]4;1;`id`\a\033]104;?\a.", "." },
	{ "directory", "\033]7;file://host/a%20b\a", KEPT },
	{ "odd directory", "\033]7;ssh://host/\a\033]7;\a\033]7;file:///\xff\a.", "." },
	{ "prompt marks", "\033]133;A\a\033]133;D;0" ST, KEPT },
	{ "links",
	  "\033]8;id=1;https://a.b/?c;d\ax\033]8;;\a\033]8;;HTTP://a" ST "\033]8;;mailto:a@b\a",
	  KEPT },
	{ "link to a file ends the one before",
	  "\033]8;;http://a\ax\033]8;id=1;file:///etc\ay\033]8;;\a",
	  "\033]8;;http://a\ax\033]8;;\ay\033]8;;\a" },
	{ "odd links", "\033]8;;javascript:x\a\033]8;;x" ST "\033]8;;http://\xc3\xa9\a",
	  "\033]8;;\a\033]8;;" ST "\033]8;;\a" },
	{ "console palette", "\033]P0123456a\033]Rb", "ab" },
	/* strings */
	{ "DCS", "\033P$qm" ST "\033P+q544e" ST ".", "." },
	{ "sixel", "\033P0;1q\"1;1;9;9#0~~@@vv$-\n\a" ST ".", "." },
	{ "tmux passthrough", "\033Ptmux;\033\033]52;c;aGk=\a" ST ".", "." },
	{ "APC, PM, SOS", "\033_Gf=24;AAAA" ST "\033^x" ST "\033Xy\a" ST ".", "." },
	{ "title of screen", "\033kname" ST ".", "." },
	{ "DCS that is a character", "\xc2\x90$qm\xc2\x9c.", "$qm." },
	{ "string cut by CAN", "\033Pabc\030d\033_x\032e", "de" },
	{ "string cut by CSI", "\033Pabc\033[mx", "\033[mx" },
	/* unfinished */
	{ "lone ESC", "a\033", "a" },
	{ "unfinished CSI", "a\033[31", "a" },
	{ "unfinished OSC", "a\033]0;b", "a" },
	{ "unfinished ST", "a\033]0;b\033", "a" },
	{ "unfinished DCS", "a\033Pbcd", "a" },
	{ "unfinished character", "a\xe2\x9c", "a" },
};

/* The stream in one piece, cut once at `cut`. */
static size_t filter(const char *in, size_t n, size_t cut, char *out)
{
	struct ttyfilter f;
	size_t used;

	ttyfilter_init(&f);
	used = ttyfilter_run(&f, in, cut, out);
	return used + ttyfilter_run(&f, in + cut, n - cut, out + used);
}

static size_t filter_bytes(const char *in, size_t n, char *out)
{
	struct ttyfilter f;
	size_t used = 0;

	ttyfilter_init(&f);
	for (size_t i = 0; i < n; i++)
		used += ttyfilter_run(&f, in + i, 1, out + used);
	return used;
}

static bool same(const char *name, const char *how, const char *got, size_t n, const char *want,
		 size_t want_n)
{
	if (n == want_n && !memcmp(got, want, n))
		return true;
	print_message("# %s, %s:\n#  got:", name, how);
	for (size_t i = 0; i < n; i++)
		print_message(" %02x", (unsigned char)got[i]);
	print_message("\n# want:");
	for (size_t i = 0; i < want_n; i++)
		print_message(" %02x", (unsigned char)want[i]);
	print_message("\n");
	return false;
}

static bool check(const char *name, const char *in, size_t n, const char *want, size_t want_n)
{
	static char out[OUT_MAX], again[OUT_MAX];
	size_t used = 0;

	for (size_t cut = 0; cut <= n; cut++) {
		used = filter(in, n, cut, out);
		if (!same(name, "cut", out, used, want, want_n))
			return false;
	}
	if (!same(name, "byte by byte", again, filter_bytes(in, n, again), want, want_n))
		return false;
	return same(name, "again", again, filter(out, used, 0, again), want, want_n);
}

static void test_corpus(void **state)
{
	size_t bad = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *want = rows[i].out ? rows[i].out : rows[i].in;

		bad += !check(rows[i].name, rows[i].in, strlen(rows[i].in), want, strlen(want));
	}
	assert_int_equal(bad, 0);
}

static void test_nul(void **state)
{
	(void)state;
	assert_true(check("NUL", "a\0b\033[\0m\033]5\0002;x\a", 16, "ab\033[m", 5));
}

/* A row in the middle of a line, at every distance from the fast path's words. */
static void test_surrounded(void **state)
{
	static char in[512], want[512], out[512 + TTYFILTER_SLACK];

	(void)state;
	for (size_t pad = 0; pad < 20; pad++) {
		int n = snprintf(in, sizeof(in), "%.*s\005\033[1m\x9b\177\xc3\xa9%.*s", (int)pad,
				 "abcdefghijklmnopqrstu", (int)pad, "ABCDEFGHIJKLMNOPQRSTU");
		int m = snprintf(want, sizeof(want), "%.*s\033[1m\xc3\xa9%.*s", (int)pad,
				 "abcdefghijklmnopqrstu", (int)pad, "ABCDEFGHIJKLMNOPQRSTU");
		size_t used = filter(in, (size_t)n, 0, out);

		assert_true(same("surrounded", "whole", out, used, want, (size_t)m));
	}
}

/* head, count times fill, tail */
static size_t compose(char *in, const char *head, char fill, size_t count, const char *tail)
{
	size_t n = (size_t)snprintf(in, IN_MAX, "%s", head);

	memset(in + n, fill, count);
	n += count;
	return n + (size_t)snprintf(in + n, IN_MAX - n, "%s", tail);
}

static void test_long(void **state)
{
	static char in[IN_MAX], out[OUT_MAX], want[OUT_MAX];
	const struct {
		const char *head;
		char fill;
		size_t count;
		const char *tail, *out;
	} cases[] = {
		{ "\033]8;;http://", 'a', 5000, "\ax", "x" },
		{ "\033]8;;http://", 'a', 5000, "\033\\x", "x" },
		{ "\033]8;;http://", 'a', 5000, "\033[mx", "\033[mx" },
		{ "\033]8;;http://", 'a', 5000, "\030x", "x" },
		{ "\033]52;c;", 'a', 10000, "\ax", "x" },
		{ "\033[", ';', 5000, "mx", "x" },
		{ "\033[", '0', 5000, "\030x", "x" },
		{ "\033[", '0', TTYFILTER_MAX - 2, "mx", "x" },
		{ "\033P", 'a', 10000, "\033\\x", "x" },
		{ "\033", '#', 5000, "8x", "x" },
		{ "\033]0;", 'a', 0, "\ax", "\033]0;\ax" },
	};
	size_t n, m;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		n = compose(in, cases[i].head, cases[i].fill, cases[i].count, cases[i].tail);
		m = filter(in, n, n / 2, out);
		assert_true(same(cases[i].head, "long", out, m, cases[i].out, strlen(cases[i].out)));
	}
	/* a title is shortened, a link that fits is not, nor is a sequence that just fits */
	n = compose(in, "\033]0;", 'a', 1000, "\a");
	m = compose(want, "\033]0;", 'a', 256, "\a");
	assert_true(same("title", "long", out, filter(in, n, 300, out), want, m));
	n = compose(in, "\033]8;;http://", 'a', TTYFILTER_MAX - 12, "\033\\");
	assert_true(same("link", "long", out, filter(in, n, n - 1, out), in, n));
	n = compose(in, "\033[", '0', TTYFILTER_MAX - 3, "m");
	assert_true(same("CSI", "long", out, filter(in, n, n - 1, out), in, n));
}

static const struct row finish_rows[] = {
	{ "nothing on", "hello\033[1mx\033[m\033[?25l\033[?25h", "" },
	{ "alternate screen", "\033[?1049h", "\033[?1049l" },
	{ "old alternate screen", "\033[?47h\033[?1047h", "\033[?47l\033[?1047l" },
	{ "paste", "\033[?2004h", "\033[?2004l" },
	{ "mouse", "\033[?1000;1006h\033[?1002h\033[?1002l", "\033[?1000l\033[?1006l" },
	{ "cursor keys, keypad", "\033[?1h\033=", "\033>\033[?1l" },
	{ "cursor", "\033[?25l", "\033[?25h" },
	{ "attributes", "\033[1m\033[31m", "\033[m" },
	{ "attributes, many", "\033[0;0;38;5;0m", "\033[m" },
	{ "attributes off", "\033[1m\033[0m", "" },
	{ "region", "\033[2;5r", "\0337\033[r\0338" },
	{ "region off", "\033[2;5r\033[r", "" },
	{ "line drawing", "\033(0", "\033(B" },
	{ "line drawing off", "\033(0\033(B", "" },
	{ "shifted", "\033)0\016", "\017" },
	{ "link", "\033]8;;http://a;\ax", "\033]8;;" ST },
	{ "link off", "\033]8;;http://a\ax\033]8;id=1;\a", "" },
	{ "refused link", "\033]8;;file:///\ax", "" },
	{ "insert, wrap", "\033[4h\033[?7l", "\033[?7h\033[4l" },
	{ "restored mode", "\033[?1003s\033[?1003r", "\033[?1003l" },
	{ "keys of kitty", "\033[>1u\033[>2u\033[>3u\033[<u", "\033[<2u" },
	{ "keys of kitty, both screens", "\033[>1u\033[?1049h\033[>1u\033[>1u",
	  "\033[<2u\033[?1049l\033[<1u" },
	{ "keys of kitty, set", "\033[=5u", "\033[=0u" },
	{ "keys of xterm", "\033[>4;2m\033[>4;1f", "\033[>4m\033[>4f" },
	{ "cursor style", "\033[5 q", "\033[0 q" },
	{ "reset", "\033[?1049h\033[1m\033(0\033c", "" },
	{ "refused mode list", "\033[?38;1000h", "" },
	{ "in a sequence", "\033]52;c;", "" },
	{ "in a character", "\xf0\x9f\x98", "?" },
	{ "all", "\033[?1049;25;1000;2004h\033[?25l\033[1m",
	  "\033[?1049l\033[m\033[?25h\033[?1000l\033[?2004l" },
};

static void test_finish(void **state)
{
	static char out[OUT_MAX], end[TTYFILTER_FINISH_MAX], again[TTYFILTER_FINISH_MAX];
	struct ttyfilter f;
	size_t n, bad = 0;

	(void)state;
	ttyfilter_init(&f);
	for (size_t i = 0; i < ARRAY_SIZE(finish_rows); i++) {
		const struct row *r = &finish_rows[i];

		(void)ttyfilter_run(&f, r->in, strlen(r->in), out);
		n = ttyfilter_finish(&f, end);
		bad += !same(r->name, "finish", end, n, r->out, strlen(r->out));
		bad += !same(r->name, "twice", again, ttyfilter_finish(&f, again), "", 0);
		/* what is written at the end would itself pass, and leaves nothing on */
		bad += !same(r->name, "filtered", out, ttyfilter_run(&f, end, n, out), end, n);
		n = ttyfilter_finish(&f, again);
		bad += !same(r->name, "undone", again, n, "", 0);
	}
	assert_int_equal(bad, 0);
}

/* Everything at once fits. */
static void test_finish_bound(void **state)
{
	static char out[OUT_MAX], end[TTYFILTER_FINISH_MAX];
	struct ttyfilter f;
	char set[32];
	size_t n;

	(void)state;
	ttyfilter_init(&f);
	for (unsigned mode = 0; mode < 10000; mode++) {
		n = (size_t)snprintf(set, sizeof(set), "\033[?%ur\033[%uh", mode, mode);
		(void)ttyfilter_run(&f, set, n, out);
	}
	for (unsigned i = 0; i < 300; i++)
		(void)ttyfilter_run(&f, "\033[>1u", 5, out);
	n = ttyfilter_finish(&f, end);
	assert_in_range(n, 150, TTYFILTER_FINISH_MAX - 8);
	assert_non_null(memmem(end, n, "\033[<255u", 7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_corpus),	   cmocka_unit_test(test_nul),
		cmocka_unit_test(test_surrounded), cmocka_unit_test(test_long),
		cmocka_unit_test(test_finish),	   cmocka_unit_test(test_finish_bound),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
