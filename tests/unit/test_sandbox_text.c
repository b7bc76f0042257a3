// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of base: text and JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/own.h"
#include "base/text.h"

/* ---- text */

static void test_text(void **state)
{
	char buf[8];
	struct text t;

	(void)state;
	text_init(&t, buf, sizeof(buf));
	assert_string_equal(buf, "");
	text_add(&t, "abc");
	text_addn(&t, "defgh", 2);
	text_addf(&t, "%d", 42);
	assert_string_equal(buf, "abcde42");
	assert_int_equal(t.len, 7);
	assert_false(t.full);
	text_add(&t, "");
	assert_false(t.full);
	text_add(&t, "x");
	assert_true(t.full);
	assert_string_equal(buf, "abcde42");
	text_init(&t, buf, sizeof(buf));
	text_addf(&t, "%s", "123456789");
	assert_true(t.full);
	assert_string_equal(buf, "1234567");
	assert_int_equal(t.len, 7);
	text_addf(&t, "%s", "x");
	assert_string_equal(buf, "1234567");
	text_init(&t, buf, 1);
	text_add(&t, "x");
	assert_true(t.full);
	assert_string_equal(buf, "");
}

static void test_text_none(void **state)
{
	char buf[1] = { 'x' };
	struct text t;

	(void)state;
	text_init(&t, buf, 0);
	text_add(&t, "abc");
	assert_true(t.full);
	assert_int_equal(buf[0], 'x');
}

static const struct {
	const char *s;
	bool good;
} utf8[] = {
	{ "", true },
	{ "plain", true },
	{ "\x7f\x01", true },
	{ "\xc2\x80", true },
	{ "\xdf\xbf", true },
	{ "\xe0\xa0\x80", true },
	{ "\xed\x9f\xbf", true },
	{ "\xee\x80\x80", true },
	{ "\xef\xbf\xbf", true },
	{ "\xf0\x90\x80\x80", true },
	{ "\xf4\x8f\xbf\xbf", true },
	{ "\x80", false }, /* a continuation alone */
	{ "\xc2", false }, /* cut */
	{ "\xe2\x82", false },
	{ "\xf0\x9f\x98", false },
	{ "\xc2\x41", false },
	{ "\xc0\x80", false }, /* overlong */
	{ "\xc1\xbf", false },
	{ "\xe0\x9f\xbf", false },
	{ "\xf0\x8f\xbf\xbf", false },
	{ "\xed\xa0\x80", false }, /* surrogates */
	{ "\xed\xbf\xbf", false },
	{ "\xf4\x90\x80\x80", false }, /* past the end */
	{ "\xf8\x88\x80\x80\x80", false },
	{ "\xff", false },
	{ "a\xc3\xa4o\xcc\x88\xff", false },
};

static void test_utf8(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(utf8); i++) {
		if (str_is_utf8(utf8[i].s, strlen(utf8[i].s)) != utf8[i].good)
			fail_msg("row %zu", i);
	}
	assert_true(str_is_utf8("\xc3\xa4\xc3", 2));
	assert_true(str_is_utf8("a\0b", 3));
}

static void clean(const char *in, const char *want)
{
	char buf[256];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_add_clean(&t, in);
	assert_string_equal(buf, want);
}

static void test_clean(void **state)
{
	(void)state;
	clean("plain 'text' \\ here", "plain 'text' \\ here");
	clean("gr\xc3\xbc\xc3\x9f \xe2\x9c\x93 \xf0\x9f\x98\x80",
	      "gr\xc3\xbc\xc3\x9f \xe2\x9c\x93 \xf0\x9f\x98\x80");
	clean("a\nb\tc\033[31m\x7f", "a\\x0ab\\x09c\\x1b[31m\\x7f");
	clean("\xc2\x9b"
	      "31m",
	      "\\xc2\\x9b31m"); /* C1 */
	clean("\xff\xc2", "\\xff\\xc2");
	clean("a\xe2\x80\xae"
	      "b",
	      "a\\xe2\\x80\\xaeb"); /* right-to-left override */
	clean("\xe2\x81\xa6\xe2\x80\x8f\xe2\x80\xa8", "\\xe2\\x81\\xa6\\xe2\\x80\\x8f\\xe2\\x80\\xa8");
	clean("\xe2\x81\xa5\xe2\x81\xaa", "\xe2\x81\xa5\xe2\x81\xaa"); /* their neighbours stay */
}

static void test_numbers(void **state)
{
	static const char *const bad[] = { "",
					   "-1",
					   "+1",
					   " 1",
					   "1 ",
					   "0x1",
					   "1.0",
					   "a",
					   "18446744073709551616",
					   "99999999999999999999" };
	uint64_t v = 7;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_false(str_to_u64(bad[i], UINT64_MAX, &v));
		assert_int_equal(v, 7);
	}
	assert_true(str_to_u64("0", UINT64_MAX, &v) && v == 0);
	assert_true(str_to_u64("007", UINT64_MAX, &v) && v == 7);
	assert_true(str_to_u64("18446744073709551615", UINT64_MAX, &v) && v == UINT64_MAX);
	assert_true(str_to_u64("10", 10, &v) && v == 10);
	assert_false(str_to_u64("11", 10, &v));
	assert_int_equal(v, 10);
}

static void test_distance(void **state)
{
	char longer[65], shorter[64];

	(void)state;
	assert_int_equal(str_distance("", ""), 0);
	assert_int_equal(str_distance("abc", "abc"), 0);
	assert_int_equal(str_distance("", "abc"), 3);
	assert_int_equal(str_distance("abc", ""), 3);
	assert_int_equal(str_distance("kitten", "sitting"), 3);
	assert_int_equal(str_distance("profil", "profile"), 1);
	assert_int_equal(str_distance("ab", "ba"), 2);
	memset(longer, 'a', sizeof(longer) - 1);
	longer[64] = '\0';
	memset(shorter, 'a', sizeof(shorter) - 1);
	shorter[63] = '\0';
	assert_int_equal(str_distance(longer, longer), UINT32_MAX);
	assert_int_equal(str_distance(longer, "a"), UINT32_MAX);
	assert_int_equal(str_distance(shorter, shorter), 0);
	assert_int_equal(str_distance(shorter, ""), 63);
}

static const char *candidate(void *arg, size_t i)
{
	return ((const char *const *)arg)[i];
}

static const char *nearest(const char *word)
{
	static const char *words[] = { "profile", "time", "tmp", "network", NULL };

	return str_nearest(word, candidate, words);
}

static void test_nearest(void **state)
{
	(void)state;
	assert_string_equal(nearest("profil"), "profile");
	assert_string_equal(nearest("porfile"), "profile");
	assert_string_equal(nearest("tmp"), "tmp");
	assert_string_equal(nearest("tim"), "time"); /* the first of the nearest */
	assert_string_equal(nearest("tme"), "time");
	assert_string_equal(nearest("netwrk"), "network");
	assert_null(nearest("frobnicate"));
	assert_null(nearest("xyz"));
	assert_null(nearest("x"));
}

static void test_paths(void **state)
{
	(void)state;
	assert_true(path_beneath("/a/b", "/a"));
	assert_true(path_beneath("/a", "/a"));
	assert_true(path_beneath("/a/b/c", "/a/b"));
	assert_true(path_beneath("/", "/"));
	assert_true(path_beneath("/a", "/"));
	assert_false(path_beneath("/a/bc", "/a/b"));
	assert_false(path_beneath("/a", "/a/b"));
	assert_false(path_beneath("/", "/a"));
	assert_false(path_beneath("/ab", "/a"));
	assert_false(path_beneath("a", "/"));
	assert_true(str_starts("abc", "ab") && str_starts("abc", "") && !str_starts("ab", "abc"));
	assert_true(str_eq("", "") && !str_eq("a", "b"));
}

/* ---- JSON */

static void test_json(void **state)
{
	char buf[512];
	struct json j;
	struct text t;

	(void)state;
	text_init(&t, buf, sizeof(buf));
	json_init(&j, &t);
	json_open(&j, NULL, '{');
	json_str(&j, "a", "x");
	json_str(&j, "b", NULL);
	json_open(&j, "c", '[');
	json_int(&j, NULL, -1);
	json_int(&j, NULL, INT64_MIN);
	json_open(&j, NULL, '{');
	json_close(&j, '}');
	json_open(&j, NULL, '[');
	json_bool(&j, NULL, true);
	json_close(&j, ']');
	json_close(&j, ']');
	json_bool(&j, "d", false);
	json_close(&j, '}');
	assert_string_equal(
		buf, "{\"a\":\"x\",\"b\":null,\"c\":[-1,-9223372036854775808,{},[true]],\"d\":false}");
}

static void escapes(const char *in, const char *want)
{
	char buf[512];
	struct json j;
	struct text t;

	text_init(&t, buf, sizeof(buf));
	json_init(&j, &t);
	json_str(&j, NULL, in);
	assert_string_equal(buf, want);
	assert_true(str_is_utf8(buf, t.len));
}

static void test_json_escapes(void **state)
{
	(void)state;
	escapes("", "\"\"");
	escapes("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
	escapes("\b\f\n\r\t\x01\x1f\x7f",
		"\"\\u0008\\u000c\\u000a\\u000d\\u0009\\u0001\\u001f\\u007f\"");
	escapes("\xc3\xa4\xe2\x9c\x93\xf0\x9f\x98\x80", "\"\xc3\xa4\xe2\x9c\x93\xf0\x9f\x98\x80\"");
	escapes("\xc2\x80\xc2\x9f\xc3\x80", "\"\\u0080\\u009f\xc3\x80\""); /* C1 */
	escapes("\xff", "\"\\ufffd\"");
	escapes("a\xc3", "\"a\\ufffd\"");
	escapes("\xe2\x9c", "\"\\ufffd\\ufffd\"");
	escapes("\xed\xa0\x80!", "\"\\ufffd\\ufffd\\ufffd!\"");
	escapes("\xc0\x80", "\"\\ufffd\\ufffd\"");
	escapes("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
	escapes("\xc3\xc3\xa4", "\"\\ufffd\xc3\xa4\"");
}

static void test_json_key(void **state)
{
	char buf[64];
	struct json j;
	struct text t;

	(void)state;
	text_init(&t, buf, sizeof(buf));
	json_init(&j, &t);
	json_int(&j, "a\"\n", 1);
	assert_string_equal(buf, "\"a\\\"\\u000a\":1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),	 cmocka_unit_test(test_text_none),
		cmocka_unit_test(test_utf8),	 cmocka_unit_test(test_clean),
		cmocka_unit_test(test_numbers),	 cmocka_unit_test(test_distance),
		cmocka_unit_test(test_nearest),	 cmocka_unit_test(test_paths),
		cmocka_unit_test(test_json),	 cmocka_unit_test(test_json_escapes),
		cmocka_unit_test(test_json_key),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
