// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of host names: one form, whatever is tried. The rows of NET-06. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>

#include "base/own.h"
#include "net/name.h"

#define L63	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define S(text) text, sizeof(text) - 1

struct row {
	const char *s;
	size_t n;
	const char *want; /* NULL: refused */
};

static const struct row rows[] = {
	/* names */
	{ S("allowed.test"), "allowed.test" },
	{ S("ALLOWED.Test"), "allowed.test" },
	{ S("allowed.test."), "allowed.test" },
	{ S("a"), "a" },
	{ S("a."), "a" },
	{ S("a-b.test"), "a-b.test" },
	{ S("a--b.test"), "a--b.test" },
	{ S("_dmarc.allowed.test"), "_dmarc.allowed.test" },
	{ S("1.allowed.test"), "1.allowed.test" },
	{ S("1.2.3.4.test"), "1.2.3.4.test" },
	{ S("0x7f.test"), "0x7f.test" },
	{ S("0xg"), "0xg" },
	{ S("1a"), "1a" },
	{ S("127.0.0.1a"), "127.0.0.1a" },
	{ S("xn--bcher-kva.test"), "xn--bcher-kva.test" },
	{ S("XN--BCHER-KVA.TEST"), "xn--bcher-kva.test" },
	{ S("xn--"), NULL }, /* ends in a hyphen */
	{ S(L63 ".test"), L63 ".test" },
	{ S(L63 "." L63 "." L63 ".aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
	  L63 "." L63 "." L63 ".aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" },
	{ S(L63 "." L63 "." L63 ".aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa."),
	  L63 "." L63 "." L63 ".aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" },
	/* too long */
	{ S(L63 "." L63 "." L63 ".aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
	  NULL },
	{ S("a" L63 ".test"), NULL },
	/* empty labels and hyphens at an end */
	{ S(""), NULL },
	{ S("."), NULL },
	{ S(".."), NULL },
	{ S(".allowed.test"), NULL },
	{ S("allowed..test"), NULL },
	{ S("allowed.test.."), NULL },
	{ S("-allowed.test"), NULL },
	{ S("allowed-.test"), NULL },
	{ S("allowed.test-"), NULL },
	{ S("allowed.-test"), NULL },
	/* NUL, control bytes, spaces */
	{ S("evil.test\0.allowed.test"), NULL },
	{ S("allowed.test\0"), NULL },
	{ S("\0allowed.test"), NULL },
	{ S("allowed.test\n"), NULL },
	{ S("allowed.test\r\nHost: evil.test"), NULL },
	{ S("allowed.test\t"), NULL },
	{ S(" allowed.test"), NULL },
	{ S("allowed.test "), NULL },
	{ S("allowed .test"), NULL },
	{ S("allowed.test\x7f"), NULL },
	{ S("allowed.test\x1b[0m"), NULL },
	/* pieces of URLs */
	{ S("user@allowed.test"), NULL },
	{ S("allowed.test@evil.test"), NULL },
	{ S("user:pass@allowed.test"), NULL },
	{ S("allowed.test:443"), NULL },
	{ S("allowed.test/"), NULL },
	{ S("allowed.test/.evil.test"), NULL },
	{ S("evil.test#.allowed.test"), NULL },
	{ S("evil.test?.allowed.test"), NULL },
	{ S("evil.test\\.allowed.test"), NULL },
	{ S("https://allowed.test"), NULL },
	{ S("allowed.test;evil.test"), NULL },
	{ S("allowed.test,evil.test"), NULL },
	{ S("allowed.test&"), NULL },
	{ S("*.allowed.test"), NULL },
	{ S("'allowed.test'"), NULL },
	{ S("$(id).allowed.test"), NULL },
	{ S("`id`.allowed.test"), NULL },
	/* percent */
	{ S("evil.test%00.allowed.test"), NULL },
	{ S("allowed%2etest"), NULL },
	{ S("%61llowed.test"), NULL },
	{ S("fe80::1%eth0"), NULL },
	/* other alphabets: bytes, dots that look like one, letters that fold to ASCII */
	{ S("b\xc3\xbc"
	    "cher.test"),
	  NULL },
	{ S("allowed\xe3\x80\x82test"), NULL }, /* U+3002 */
	{ S("allowed\xef\xbc\x8etest"), NULL }, /* U+FF0E */
	{ S("\xe2\x84\xaa.test"), NULL },	/* U+212A, the Kelvin sign */
	{ S("allowed.te\xc5\xbft"), NULL },	/* U+017F, long s */
	{ S("allowed\xc2\xad.test"), NULL },	/* soft hyphen */
	{ S("\xff\xfe"), NULL },
	/* addresses, in every spelling that inet_aton() and browsers know */
	{ S("127.0.0.1"), NULL },
	{ S("127.0.0.1."), NULL },
	{ S("127.1"), NULL },
	{ S("127.0.1"), NULL },
	{ S("2130706433"), NULL },
	{ S("017700000001"), NULL },
	{ S("0x7f000001"), NULL },
	{ S("0X7F000001"), NULL },
	{ S("0x7f.1"), NULL },
	{ S("0x7f.0x0.0x0.0x1"), NULL },
	{ S("0177.0.0.1"), NULL },
	{ S("0177.0.0.01"), NULL },
	{ S("0"), NULL },
	{ S("0x"), NULL },
	{ S("1.2.3.4.5"), NULL },
	{ S("256.256.256.256"), NULL },
	{ S("a.1"), NULL },
	{ S("allowed.test.0x1"), NULL },
	{ S("::1"), NULL },
	{ S("[::1]"), NULL },
	{ S("::ffff:127.0.0.1"), NULL },
};

static void test_canonical(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char out[NAME_SIZE] = "untouched";
		int rc = name_canonical(rows[i].s, rows[i].n, out);
		const char *want = rows[i].want ? rows[i].want : "untouched";

		if (rc == (rows[i].want ? 0 : -EINVAL) && strcmp(out, want) == 0)
			continue;
		wrong++;
		print_error("row %zu, '%s': %d, '%s'\n", i, rows[i].s, rc, out);
	}
	assert_int_equal(wrong, 0);
}

/* What is canonical stays as it is, and is no address for anybody. */
static void test_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char out[NAME_SIZE];
		struct in_addr in;

		if (!rows[i].want)
			continue;
		assert_int_equal(name_canonical(rows[i].want, strlen(rows[i].want), out), 0);
		assert_string_equal(out, rows[i].want);
		assert_int_equal(inet_aton(out, &in), 0);
	}
}

/* Every byte there is, in the middle of a name. */
static void test_bytes(void **state)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

	(void)state;
	for (int c = 0; c < 256; c++) {
		char name[] = "ax.test", out[NAME_SIZE];

		name[1] = (char)c;
		if (c == '-' || c == '.')
			continue; /* depend on what is beside them */
		assert_int_equal(name_canonical(name, 7, out), c && strchr(good, c) ? 0 : -EINVAL);
	}
}

static void test_matches(void **state)
{
	static const struct {
		const char *pattern, *name;
		bool wildcard, want;
	} table[] = {
		{ "allowed.test", "allowed.test", false, true },
		{ "allowed.test", "www.allowed.test", false, false },
		{ "allowed.test", "evilallowed.test", false, false },
		{ "allowed.test", "allowed.test.evil.test", false, false },
		{ "allowed.test", "allowed.tes", false, false },
		{ "allowed.test", "allowed.testing", false, false },
		{ "allowed.test", "", false, false },
		{ "allowed.test", "allowed.test", true, false },
		{ "allowed.test", "www.allowed.test", true, true },
		{ "allowed.test", "a.b.c.allowed.test", true, true },
		{ "allowed.test", "evilallowed.test", true, false },
		{ "allowed.test", ".allowed.test", true, false },
		{ "allowed.test", "allowed.test.evil.test", true, false },
		{ "allowed.test", "test", true, false },
		{ "test", "allowed.test", true, true },
		{ "test", "test", true, false },
		{ "", "allowed.test", true, false },
		{ "", "allowed.test", false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (name_matches(table[i].pattern, table[i].wildcard, table[i].name) != table[i].want)
			fail_msg("row %zu: '%s' '%s'", i, table[i].pattern, table[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_canonical),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_matches),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
