// SPDX-License-Identifier: GPL-2.0-or-later
/* The profile grammar: what is read from a text, and the one line that is said about a bad one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "profiles/reader.h"

/* What the sink saw, as text: "3 ro! /x\n". */
static int note(void *arg, const struct entry *entry, struct err *e)
{
	(void)e;
	text_addf(arg, "%u %s%s %s\n", entry->line, options[entry->id].key,
		  entry->required ? "!" : "", entry->value);
	return 0;
}

static int read_text(const char *text, size_t n, struct text *seen, struct err *e)
{
	return profile_read("f.ini", text, n, note, seen, e);
}

static void expect(const char *text, const char *wanted)
{
	static char buf[4096];
	struct err e = { 0 };
	struct text seen;

	text_init(&seen, buf, sizeof(buf));
	if (read_text(text, strlen(text), &seen, &e) < 0)
		fail_msg("%s", e.what);
	assert_string_equal(buf, wanted);
}

static void expect_error_n(const char *text, size_t n, const char *wanted)
{
	static char buf[4096];
	struct err e = { 0 };
	struct text seen;

	text_init(&seen, buf, sizeof(buf));
	if (read_text(text, n, &seen, &e) >= 0)
		fail_msg("taken, though it is wrong: %s", text);
	assert_int_equal(e.stage, ST_PROFILE);
	if (strncmp(e.what, wanted, strlen(wanted)) != 0)
		fail_msg("says '%s', not '%s'", e.what, wanted);
}

static void expect_error(const char *text, const char *wanted)
{
	expect_error_n(text, strlen(text), wanted);
}

static void reads_the_example(void **state)
{
	(void)state;
	expect("", "");
	expect("\n\n  \t\n; comment\n# another\n;\n#\n", "");
	expect("[files]", "");
	expect("[files]\nro=/a", "2 ro /a\n");
	expect("; claude.ini\n[jail]\nextends = agent\n\n[files]\nworkspace = .    ; the tree\n"
	       "rw = ~/.claude\nro! = /b\nro = /c\n[env]\nset=A=b=c\n",
	       "3 extends agent\n6 workspace .\n7 rw ~/.claude\n8 ro! /b\n9 ro /c\n11 set A=b=c\n");
	expect("[files]\nro!=/a\nro \t=\t/b \t\n", "2 ro! /a\n3 ro /b\n");
}

static void ends_values_at_comments(void **state)
{
	(void)state;
	expect("[files]\nro = /a;b\n", "2 ro /a;b\n");
	expect("[files]\nro = /a ;b\n", "2 ro /a ;b\n");
	expect("[files]\nro = /a; b\n", "2 ro /a; b\n");
	expect("[files]\nro = /a ; b ; c\n", "2 ro /a\n");
	expect("[files]\nro = /a\t;\tb\n", "2 ro /a\n");
	expect("[files]\nro = /a ;\n", "2 ro /a\n");
	expect("[files]\nro = /a # b\n", "2 ro /a # b\n");
	expect("[files] ; here\nro = /a\n  ; indented\n", "2 ro /a\n");
	expect("[files]\nro=;b\n", "2 ro ;b\n");
	expect_error("[files]\nro = ; b\n", "f.ini:2: 'ro' has no value");
	expect_error("[files]\nro=; b\n", "f.ini:2: 'ro' has no value");
	expect_error("[files]\nro=;\n", "f.ini:2: 'ro' has no value");
	expect_error("[files]\nro ; = b\n", "f.ini:2: 'ro': missing '='");
}

/* What inih alone would have taken: trap 1 of the notes on libraries. */
static void is_stricter_than_inih(void **state)
{
	char line[1100] = "[files]\nro = /";
	char wanted[1100] = "2 ro /";
	size_t n = strlen(line);

	(void)state;
	/* At 199 bytes inih splits a line in two, and " rw=/home" would be a key. */
	memset(line + n, 'a', 1010);
	memcpy(line + 190, " rw=/home ", 10);
	memcpy(wanted + 5, line + n - 1, 1011);
	wanted[5 + 1011] = '\n';
	line[n + 1010] = '\0';
	expect(line, wanted);
	expect_error("[files]\nro = /a\n  rw = /b\n", "f.ini:3: indented line");
	expect_error("[files]\nro = /a\n\t/b\n", "f.ini:3: indented line");
	expect_error("[files]\nro:/a\n", "f.ini:2: 'ro:/a': missing '='");
	expect_error("[files]\na:b=c\n", "f.ini:2: unknown key 'a:b' in [files]; it has workspace");
	expect_error("[files]\nro = /a\nbroken\nrw = /b\n", "f.ini:3: 'broken': missing '='");
}

static void refuses_bytes(void **state)
{
	static const char nul[] = "[files]\nro = /a\0b\n";
	static const char nul_first[] = "\0";
	char line[1200] = "[files]\nro=";

	(void)state;
	expect_error_n(nul, sizeof(nul) - 1, "f.ini:2: NUL byte (0x00) at byte 8 of the line");
	expect_error_n(nul_first, 1, "f.ini:1: NUL byte");
	expect_error("[files]\r\nro = /a\r\n", "f.ini:1: has DOS line endings");
	expect_error("; a\rb\n", "f.ini:1: has DOS line endings");
	expect_error("\xef\xbb\xbf[files]\n", "f.ini:1: begins with a byte order mark");
	expect_error("[files]\n; \x1b[2J\n", "f.ini:2: control byte (0x1b) at byte 3");
	expect_error("[files]\nro = \x7f\n", "f.ini:2: control byte (0x7f)");
	expect_error("[files]\nro = /\xff\n", "f.ini:2: is not UTF-8");
	expect_error("; \xc0\x80\n", "f.ini:1: is not UTF-8");
	expect("[files]\nro = /\xc3\xa4\n", "2 ro /\xc3\xa4\n");
	memset(line + 11, 'a', 1022);
	expect_error(line, "f.ini:2: the line has 1025 bytes, more than 1024");
	memset(line, ';', 1025);
	line[1025] = '\0';
	expect_error(line, "f.ini:1: the line has 1025 bytes");
}

static void refuses_sections(void **state)
{
	(void)state;
	expect_error("[file]\n", "f.ini:1: unknown section [file]; did you mean [files]?");
	expect_error("[zzzzzz]\n", "f.ini:1: unknown section [zzzzzz]; there are [jail] [root]");
	expect_error("[]\n", "f.ini:1: unknown section []");
	expect_error("[files\n", "f.ini:1: '[files': missing ']'");
	expect_error("[files ; x]\n", "f.ini:1: '[files': missing ']'");
	expect_error("[files] x\n", "f.ini:1: ' x' behind the ']'");
	expect_error("[files]]\n", "f.ini:1: ']' behind the ']'");
	expect_error("[files]\n[env]\n[files]\n", "f.ini:3: section [files] for the second time");
	expect_error("ro = /a\n", "f.ini:1: key 'ro' belongs in section [files]");
	expect_error("what = /a\n", "f.ini:1: key 'what' stands before any [section]");
}

static void refuses_keys(void **state)
{
	(void)state;
	expect_error("[files]\nrw-path = /a\n",
		     "f.ini:2: unknown key 'rw-path' in section [files]; did you mean 'rw'?");
	expect_error("[limits]\nmemroy = 1G\n",
		     "f.ini:2: unknown key 'memroy' in section [limits]; did you mean 'memory'?");
	expect_error("[files]\nmemory = 1G\n", "f.ini:2: key 'memory' belongs in section");
	expect_error("[root]\nqqqq = 1\n", "f.ini:2: unknown key 'qqqq' in [root]; it has image");
	expect_error("[jail]\nprofile = a\n", "f.ini:2: unknown key 'profile'");
	expect_error("[files]\nRO = /a\n", "f.ini:2: unknown key 'RO'");
	expect_error("[files]\n= /a\n", "f.ini:2: no key before '='");
	expect_error("[files]\n! = /a\n", "f.ini:2: no key before '='");
	expect_error("[files]\nro!! = /a\n", "f.ini:2: unknown key 'ro!'");
	expect_error("[files]\nro\n", "f.ini:2: 'ro': missing '='");
	expect_error("[limits]\nmemory! = 1G\n", "f.ini:2: 'memory!': only a path in a list");
	expect_error("[limits]\nmemory = 1G\ntmp = 1G\nmemory = 1G\n",
		     "f.ini:4: 'memory' for the second time");
	expect_error("[limits]\nmemory =\n", "f.ini:2: 'memory' has no value");
	expect_error("[files]\nro =   \n", "f.ini:2: 'ro' has no value");
	expect_error("[files]\nro = \"/a\"\n", "f.ini:2: 'ro': a value is not quoted");
	expect_error("[files]\nro = '/a'\n", "f.ini:2: 'ro': a value is not quoted");
	expect("[files]\nro = \"\n", "2 ro \"\n");
}

static void refuses_large_files(void **state)
{
	own_str text = malloc(PROFILE_FILE_MAX + 1);

	(void)state;
	assert_non_null(text);
	memset(text, '\n', PROFILE_FILE_MAX + 1);
	expect_error_n(text, PROFILE_FILE_MAX + 1, "f.ini:1: the file is larger than 256 KiB");
	text[PROFILE_FILE_MAX - 1] = 'x';
	expect_error_n(text, PROFILE_FILE_MAX, "f.ini:262144: 'x': missing '='");
}

static int stop_at_second(void *arg, const struct entry *entry, struct err *e)
{
	unsigned *calls = arg;

	if (++*calls < 2)
		return 0;
	return err_set(e, ST_PROFILE, ERANGE, "line %u", entry->line);
}

static void stops_where_the_sink_says(void **state)
{
	static const char text[] = "[files]\nro = /a\nrw = /b\nbroken\nro = /c\n";
	struct err e = { 0 };
	unsigned calls = 0;
	int r;

	(void)state;
	r = profile_read("f", text, strlen(text), stop_at_second, &calls, &e);
	assert_int_equal(r, -ERANGE);
	assert_int_equal(calls, 2);
	assert_string_equal(e.what, "line 3");
}

static void long_file_names_keep_the_message(void **state)
{
	char name[3000], buf[64];
	struct err e = { 0 };
	struct text seen;

	(void)state;
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	text_init(&seen, buf, sizeof(buf));
	assert_true(profile_read(name, "x", 1, note, &seen, &e) < 0);
	assert_non_null(strstr(e.what, "n:1: 'x': missing '='"));
	assert_int_equal(strncmp(e.what, "...", 3), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_example),
		cmocka_unit_test(ends_values_at_comments),
		cmocka_unit_test(is_stricter_than_inih),
		cmocka_unit_test(refuses_bytes),
		cmocka_unit_test(refuses_sections),
		cmocka_unit_test(refuses_keys),
		cmocka_unit_test(refuses_large_files),
		cmocka_unit_test(stops_where_the_sink_says),
		cmocka_unit_test(long_file_names_keep_the_message),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
