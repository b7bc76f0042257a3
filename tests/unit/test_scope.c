// SPDX-License-Identifier: GPL-2.0-or-later
/* The way through systemd: the command line that is run, and the mark that keeps it from being run twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/scope.h"

static struct arena arena;

static void assert_words(char **got, const char *const *want)
{
	size_t i;

	for (i = 0; want[i]; i++) {
		assert_non_null(got[i]);
		assert_string_equal(got[i], want[i]);
	}
	assert_null(got[i]);
}

static void the_command_line(void **state)
{
	static const char *const user[] = { "/usr/bin/systemd-run",
					    "--user",
					    "--scope",
					    "--quiet",
					    "--collect",
					    "--property=Delegate=yes",
					    "--",
					    "/opt/bin/jail",
					    "--memory",
					    "1G",
					    "--",
					    "sh",
					    "",
					    NULL };
	static const char *const of_system[] = {
		"/usr/bin/systemd-run",	   "--scope", "--quiet",       "--collect",
		"--property=Delegate=yes", "--",      "/opt/bin/jail", NULL
	};
	char *argv[] = { "jail", "--memory", "1G", "--", "sh", "", NULL };
	char *bare[] = { "jail", NULL };
	char *none[] = { NULL };

	(void)state;
	assert_words(scope_argv(&arena, true, "/opt/bin/jail", argv), user);
	assert_words(scope_argv(&arena, false, "/opt/bin/jail", bare), of_system);
	assert_words(scope_argv(&arena, false, "/opt/bin/jail", none), of_system);
}

static void the_mark(void **state)
{
	char ours[40];
	/* Text after JAIL_SCOPE=, and whether it is ours. */
	const struct {
		const char *mark;
		bool entered;
	} rows[] = {
		{ ours, true },
		{ "JAIL_SCOPE=1", false },
		{ "JAIL_SCOPE=", false },
		{ "JAIL_SCOPE=x", false },
		{ "JAIL_SCOPE=99999999999999999999", false },
	};

	(void)state;
	(void)snprintf(ours, sizeof(ours), "JAIL_SCOPE=%d", getpid());
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		static const char *const left[] = { "A=1", "JAIL_SCOPES=2", "B=3", NULL };
		char *env[] = { "A=1", (char *)(uintptr_t)rows[i].mark, "JAIL_SCOPES=2", "B=3", NULL };

		assert_int_equal(scope_entered(env), rows[i].entered);
		assert_words(env, left);
		assert_false(scope_entered(env));
	}
}

/* Nothing is asked where nobody can answer. */
static void no_systemd(void **state)
{
	char *env[] = { "XDG_RUNTIME_DIR=/nonexistent", NULL };
	struct caller caller = { .uid = 12345, .env = env };
	char *argv[] = { "jail", NULL };

	(void)state;
	assert_false(scope_available(&arena, &caller));
	scope_enter(&arena, &caller, argv, NULL, 0); /* returns */
}

static int setup(void **state)
{
	struct err e = { 0 };

	(void)state;
	return arena_init(&arena, &e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_command_line),
		cmocka_unit_test(the_mark),
		cmocka_unit_test(no_systemd),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, setup, NULL);
}
