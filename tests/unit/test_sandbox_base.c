// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of base: the arena and errors. */
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
#include "base/text.h"

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
	assert_string_equal(q, "next");
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
	format(ST_LANDLOCK, EOPNOTSUPP, "ask",
	       "ask: Operation not supported; Landlock is built in but off: add landlock to the kernel's lsm= list");
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
	assert_string_equal(stage_name((enum stage) - 1), "unknown");
	assert_string_equal(stage_name(ST_MOUNT), "mount");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena),	 cmocka_unit_test(test_arena_end),
		cmocka_unit_test(test_err),	 cmocka_unit_test(test_err_format),
		cmocka_unit_test(test_err_hint), cmocka_unit_test(test_stages),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
