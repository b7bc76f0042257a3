// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of the command's environment: what is passed, what is set, and what is left of PATH. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/environ.h"
#include "sandbox/mountlist.h"

static struct arena arena;
static struct draft draft;
static struct mount_draft mounts;
static char top[PATH_MAX / 4];

static const struct expansion home = { .home = "/home/me",
				       .user = "me",
				       .config_home = "/c",
				       .data_home = "/d",
				       .cache_home = "/e",
				       .state_home = "/f" };

static int make_top(void **state)
{
	char path[PATH_MAX] = "/tmp/jail-environ.XXXXXX", real[PATH_MAX];

	(void)state;
	if (!mkdtemp(path) || !realpath(path, real) || strlen(real) >= sizeof(top))
		return -1;
	memcpy(top, real, strlen(real) + 1);
	(void)snprintf(path, sizeof(path), "%s/bin", top);
	if (mkdir(path, 0755) < 0)
		return -1;
	(void)snprintf(path, sizeof(path), "%s/link", top);
	return symlink("bin", path);
}

static int remove_top(void **state)
{
	char path[PATH_MAX];

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/link", top);
	(void)unlink(path);
	(void)snprintf(path, sizeof(path), "%s/bin", top);
	(void)rmdir(path);
	return rmdir(top);
}

static int begin(void **state)
{
	struct mount_op *op;
	struct err e = { 0 };

	(void)state;
	if (arena_init(&arena, &e) < 0 || draft_init(&draft, &arena, &home, &e) < 0)
		return -1;
	mounts_init(&mounts, &arena);
	if (mounts_add(&mounts, MK_BIND, "/usr", &op, &e) < 0)
		return -1;
	op->readonly = true;
	return mounts_add(&mounts, MK_BIND, top, &op, &e);
}

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void flag(enum opt id, const char *text)
{
	struct err e = { 0 };

	assert_int_equal(draft_set_flag(&draft, id, text, &e), 0);
}

/* Filled by build(). */
static struct caller caller;
static struct plan plan;

static int build(char *const *env, struct err *e)
{
	caller = (struct caller){ .env = env,
				  .shell = "/bin/zsh",
				  .home = "/home/me",
				  .home_spelled = "/home/me",
				  .user = "me" };
	plan = (struct plan){
		.draft = &draft,
		.caller = &caller,
		.uid = 1000,
		.user = "me",
		.home = "/home/me",
		.home_spelled = "/home/me",
		.cwd = "/work",
		.mounts = mounts_finish(&mounts),
	};
	return environ_build(&arena, &plan, e);
}

static void build_ok(char *const *env)
{
	struct err e = { 0 };

	assert_int_equal(build(env, &e), 0);
	assert_int_equal(e.stage, ST_NONE);
}

/* The value inside, or NULL. */
static const char *get(const char *name)
{
	const char *found = NULL;
	size_t n = strlen(name);

	for (char *const *v = plan.envp; *v; v++) {
		if (strncmp(*v, name, n) == 0 && (*v)[n] == '=') {
			assert_null(found); /* never twice */
			found = *v + n + 1;
		}
	}
	return found;
}

static size_t count(void)
{
	size_t n = 0;

	while (plan.envp[n])
		n++;
	return n;
}

static void test_allow_list(void **state)
{
	char *const env[] = { "TERM=xterm",
			      "LC_ALL=C",
			      "LC_TIME=de",
			      "LANG=C",
			      "COLORTERM=24bit",
			      "TZ=UTC",
			      "LANGUAGE=de",
			      "SECRET=1",
			      "AWS_KEY=x",
			      "SSH_AUTH_SOCK=/s",
			      "LD_PRELOAD=/x.so",
			      "TERMINFO=/x",
			      "LCX=1",
			      "HOME=/evil",
			      "USER=evil",
			      "DBUS_SESSION_BUS_ADDRESS=y",
			      "BASH_ENV=/x",
			      "XDG_CACHE_HOME=/x",
			      "PWD=/evil",
			      NULL };

	(void)state;
	build_ok(env);
	assert_string_equal(get("TERM"), "xterm");
	assert_string_equal(get("LC_ALL"), "C");
	assert_string_equal(get("LC_TIME"), "de");
	assert_string_equal(get("LANG"), "C");
	assert_string_equal(get("LANGUAGE"), "de");
	assert_string_equal(get("COLORTERM"), "24bit");
	assert_string_equal(get("TZ"), "UTC");
	assert_string_equal(get("HOME"), "/home/me");
	assert_string_equal(get("USER"), "me");
	assert_string_equal(get("LOGNAME"), "me");
	assert_string_equal(get("PWD"), "/work");
	/* These, PATH and SHELL are all. */
	assert_int_equal(count(), 13);
}

static void test_shell(void **state)
{
	char *const env[] = { NULL };
	struct err e = { 0 };

	(void)state;
	build_ok(env);
	assert_string_equal(get("SHELL"), "/bin/zsh");
	caller.shell = "/home/me/bin/zsh"; /* not there inside */
	assert_int_equal(environ_build(&arena, &plan, &e), 0);
	assert_string_equal(get("SHELL"), "/bin/sh");
}

static void test_pass(void **state)
{
	char *const env[] = { "CI=1",	 "NODE_ENV=x", "NODE_OPTIONS=y", "NODE=z", "NODEX=1",
			      "OTHER=1", "nonsense",   "CI2=2",		 "EMPTY=", NULL };

	(void)state;
	flag(OPT_PASS, "CI NODE_* EMPTY");
	flag(OPT_PASS, "MISSING");
	build_ok(env);
	assert_string_equal(get("CI"), "1");
	assert_string_equal(get("NODE_ENV"), "x");
	assert_string_equal(get("NODE_OPTIONS"), "y");
	assert_string_equal(get("EMPTY"), "");
	assert_null(get("NODE"));
	assert_null(get("NODEX"));
	assert_null(get("OTHER"));
	assert_null(get("CI2"));
	assert_null(get("MISSING"));
	assert_null(get("nonsense"));
}

/* What is set stands above what is passed and what is ours, and the last one counts. */
static void test_set(void **state)
{
	char *const env[] = { "TERM=xterm", "CI=0", NULL };

	(void)state;
	flag(OPT_PASS, "CI");
	flag(OPT_SET, "CI=1");
	flag(OPT_SET, "TERM=dumb");
	flag(OPT_SET, "HOME=/elsewhere");
	flag(OPT_SET, "AC=5");
	flag(OPT_SET, "A=1");
	flag(OPT_SET, "A=2=3");
	flag(OPT_SET, "AB=4");
	build_ok(env);
	assert_string_equal(get("CI"), "1");
	assert_string_equal(get("TERM"), "dumb");
	assert_string_equal(get("HOME"), "/elsewhere");
	assert_string_equal(get("A"), "2=3");
	assert_string_equal(get("AB"), "4");
	assert_string_equal(get("AC"), "5");
}

/* Of the caller's PATH stays what is shown inside, in its order and spelling. */
static void test_path(void **state)
{
	char path[PATH_MAX], want[PATH_MAX];
	char *const env[] = { path, NULL };

	(void)state;
	(void)snprintf(
		path, sizeof(path),
		"PATH=%s/bin:/none/such:/usr/bin::usr/bin:.:/etc/passwd:%s/link:/var:/usr/bin/env",
		top, top);
	(void)snprintf(want, sizeof(want), "%s/bin:/usr/bin:%s/link", top, top);
	build_ok(env);
	assert_string_equal(get("PATH"), want);
	assert_string_equal(plan.path, want);
}

static void test_path_of_nothing(void **state)
{
	char *const none[] = { NULL }, *const hidden[] = { "PATH=/var:/none", NULL };
	static const char usual[] = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

	(void)state;
	build_ok(hidden);
	assert_string_equal(plan.path, usual); /* none is left */
	build_ok(none);
	assert_non_null(strstr(plan.path, "/usr/bin")); /* of the usual ones those that are there */
	assert_null(strstr(plan.path, "/none"));
}

static void test_path_set(void **state)
{
	char *const env[] = { "PATH=/usr/bin", NULL };

	(void)state;
	flag(OPT_SET, "PATH=/mine");
	build_ok(env);
	assert_string_equal(get("PATH"), "/mine");
	assert_string_equal(plan.path, "/mine");
}

/* PATH is not passed as it is, whoever asks: `pass` brings the caller's own back, and that is what was asked for. */
static void test_path_passed(void **state)
{
	char *const env[] = { "PATH=/usr/bin:/hidden", NULL };

	(void)state;
	flag(OPT_PASS, "PATH");
	build_ok(env);
	assert_string_equal(get("PATH"), "/usr/bin:/hidden");
	assert_string_equal(plan.path, "/usr/bin:/hidden");
}

static void test_too_many(void **state)
{
	static char names[600][16];
	static char *env[601];
	struct err e = { 0 };

	(void)state;
	for (int i = 0; i < 600; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "V%d=x", i);
		env[i] = names[i];
	}
	flag(OPT_PASS, "V*");
	assert_true(build(env, &e) < 0);
	assert_int_equal(e.stage, ST_PLAN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_allow_list, begin, end),
		cmocka_unit_test_setup_teardown(test_shell, begin, end),
		cmocka_unit_test_setup_teardown(test_pass, begin, end),
		cmocka_unit_test_setup_teardown(test_set, begin, end),
		cmocka_unit_test_setup_teardown(test_path, begin, end),
		cmocka_unit_test_setup_teardown(test_path_of_nothing, begin, end),
		cmocka_unit_test_setup_teardown(test_path_set, begin, end),
		cmocka_unit_test_setup_teardown(test_path_passed, begin, end),
		cmocka_unit_test_setup_teardown(test_too_many, begin, end),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_top, remove_top);
}
