// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of base: text, JSON, the arena and errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdalign.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
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
	{ "\x80", false },	       /* a continuation alone */
	{ "\xc2", false },	       /* cut */
	{ "\xe2\x82", false },
	{ "\xf0\x9f\x98", false },
	{ "\xc2\x41", false },
	{ "\xc0\x80", false },	       /* overlong */
	{ "\xc1\xbf", false },
	{ "\xe0\x9f\xbf", false },
	{ "\xf0\x8f\xbf\xbf", false },
	{ "\xed\xa0\x80", false },     /* surrogates */
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
	clean("gr\xc3\xbc\xc3\x9f \xe2\x9c\x93 \xf0\x9f\x98\x80", "gr\xc3\xbc\xc3\x9f \xe2\x9c\x93 \xf0\x9f\x98\x80");
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
	static const char *const bad[] = { "", "-1", "+1", " 1", "1 ", "0x1", "1.0", "a", "18446744073709551616", "99999999999999999999" };
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
	assert_string_equal(buf, "{\"a\":\"x\",\"b\":null,\"c\":[-1,-9223372036854775808,{},[true]],\"d\":false}");
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
	escapes("\b\f\n\r\t\x01\x1f\x7f", "\"\\u0008\\u000c\\u000a\\u000d\\u0009\\u0001\\u001f\\u007f\"");
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

/* ---- the arena */

static void test_arena(void **state)
{
	struct err e = { 0 };
	struct arena a;
	char *p, *q;

	(void)state;
	assert_int_equal(arena_init(&a, &e), 0);
	p = arena_alloc(&a, 1);
	q = arena_alloc(&a, 3);
	assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
	assert_int_equal((uintptr_t)q % alignof(max_align_t), 0);
	assert_true(q > p);
	assert_int_equal(*p, 0);
	assert_string_equal(arena_strdup(&a, "hello"), "hello");
	assert_string_equal(arena_strndup(&a, "hello", 2), "he");
	assert_string_equal(arena_printf(&a, "%s-%d", "x", 5), "x-5");
	assert_string_equal(arena_printf(&a, "%s", ""), "");
	p = arena_printf(&a, "%0200d", 7);
	q = arena_strdup(&a, "next");
	assert_int_equal(strlen(p), 200);
	p = arena_printf(&a, "%0*d", (int)alignof(max_align_t), 7); /* no padding to hide in */
	q = arena_strdup(&a, "next");
	assert_int_equal(strlen(p), alignof(max_align_t));
	assert_string_equal(q, "next");
	/* What is left is zero, whatever was written before. */
	p = arena_alloc(&a, 4096);
	for (size_t i = 0; i < 4096; i++)
		assert_int_equal(p[i], 0);
	arena_free(&a);
	assert_null(a.base);
	arena_free(&a);
}

/* What `run` does to a process of its own: its wait status. */
static int status_of(void (*run)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		(void)close(STDERR_FILENO);
		(void)signal(SIGSEGV, SIG_DFL); /* cmocka and sanitizers have their own */
		run();
		_exit(0);
	}
	assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
	return status;
}

static void write_sealed(void)
{
	struct err e = { 0 };
	struct arena a;
	char *p;

	if (arena_init(&a, &e) < 0)
		_exit(1);
	p = arena_strdup(&a, "sealed");
	if (arena_seal(&a, &e) < 0 || !str_eq(p, "sealed"))
		_exit(2);
	*(volatile char *)p = 'x';
}

static void use_up(void)
{
	struct err e = { 0 };
	struct arena a;

	if (arena_init(&a, &e) < 0)
		_exit(1);
	for (;;)
		(void)arena_alloc(&a, 4096);
}

static void ask_too_much(void)
{
	struct err e = { 0 };
	struct arena a;

	if (arena_init(&a, &e) < 0)
		_exit(1);
	(void)arena_alloc(&a, SIZE_MAX - 8);
}

static void print_too_much(void)
{
	struct err e = { 0 };
	struct arena a;

	if (arena_init(&a, &e) < 0)
		_exit(1);
	(void)arena_printf(&a, "%0*d", 64 << 20, 1);
}

static void test_arena_end(void **state)
{
	int status;

	(void)state;
	status = status_of(write_sealed);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	status = status_of(use_up);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 125);
	status = status_of(ask_too_much);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 125);
	status = status_of(print_too_much);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 125);
}

/* ---- errors */

static void test_err(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(err_set(&e, ST_MOUNT, EACCES, "mount '%s'", "/x"), -EACCES);
	assert_int_equal(e.stage, ST_MOUNT);
	assert_int_equal(e.code, EACCES);
	assert_string_equal(e.what, "mount '/x'");
	/* The first one wins, and the result is still the caller's own. */
	assert_int_equal(err_set(&e, ST_NET, EIO, "later"), -EIO);
	assert_string_equal(e.what, "mount '/x'");
	assert_int_equal(e.stage, ST_MOUNT);
	e = (struct err){ 0 };
	assert_int_equal(err_set(&e, ST_USAGE, 0, "words"), -EINVAL);
	assert_int_equal(e.code, 0);
	e = (struct err){ 0 };
	(void)err_set(&e, ST_USAGE, 0, "%01000d", 1);
	assert_int_equal(strlen(e.what), sizeof(e.what) - 1);
}

static void format(enum stage stage, int code, const char *what, const char *want)
{
	struct err e = { .stage = stage, .code = code };
	char buf[1024];

	(void)snprintf(e.what, sizeof(e.what), "%s", what);
	err_format(&e, buf, sizeof(buf));
	assert_string_equal(buf, want);
}

static void test_err_format(void **state)
{
	(void)state;
	format(ST_NET, EIO, "bring lo up", "bring lo up: Input/output error");
	format(ST_USAGE, 0, "no command", "no command");
	format(ST_USAGE, 0, "open 'a\nb\033'", "open 'a\\x0ab\\x1b'");
	format(ST_LANDLOCK, EOPNOTSUPP, "ask", "ask: Operation not supported; Landlock is built in but off: add landlock to the kernel's lsm= list");
}

/* A hint is for its stage and its errno alone. */
static void test_err_hint(void **state)
{
	struct err e = { .stage = ST_CLONE, .code = EPERM };

	(void)state;
	assert_non_null(strstr(err_hint(&e), "jail doctor"));
	e.code = ENOSPC;
	assert_non_null(strstr(err_hint(&e), "max_user_namespaces"));
	e.code = EAGAIN;
	assert_null(err_hint(&e));
	e = (struct err){ .stage = ST_NET, .code = EPERM };
	assert_null(err_hint(&e));
	e = (struct err){ .stage = ST_IDMAP, .code = EINVAL };
	assert_non_null(err_hint(&e));
}

static void test_stages(void **state)
{
	(void)state;
	for (int i = 0; i < ST_COUNT; i++) {
		const char *name = stage_name((enum stage)i);

		assert_non_null(name);
		assert_string_not_equal(name, "unknown");
		assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz-"), strlen(name));
		for (int j = 0; j < i; j++)
			assert_string_not_equal(name, stage_name((enum stage)j));
	}
	assert_string_equal(stage_name(ST_COUNT), "unknown");
	assert_string_equal(stage_name((enum stage)-1), "unknown");
	assert_string_equal(stage_name(ST_MOUNT), "mount");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),	  cmocka_unit_test(test_text_none),    cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_clean),	  cmocka_unit_test(test_numbers),      cmocka_unit_test(test_distance),
		cmocka_unit_test(test_nearest),	  cmocka_unit_test(test_paths),	       cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_escapes), cmocka_unit_test(test_json_key),  cmocka_unit_test(test_arena),
		cmocka_unit_test(test_arena_end), cmocka_unit_test(test_err),	       cmocka_unit_test(test_err_format),
		cmocka_unit_test(test_err_hint),  cmocka_unit_test(test_stages),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
