// SPDX-License-Identifier: GPL-2.0-or-later
/* The value parsers: what each type takes, what becomes of it, and what is said when it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/own.h"
#include "profiles/values.h"

static const struct expansion home = {
	.home = "/home/me",
	.user = "me",
	.config_home = "/home/me/.config",
	.data_home = "/home/me/.local/share",
	.cache_home = "/home/me/.cache",
	.state_home = "/home/me/.local/state",
};

struct accepted {
	enum opt id;
	const char *text;
	uint64_t number;
	const char *result; /* NULL: as written */
};

static const struct accepted accepted[] = {
	{ OPT_LOOPBACK, "yes", 1, NULL },
	{ OPT_LOOPBACK, "off", 0, NULL },
	{ OPT_LOOPBACK, "true", 1, NULL },
	{ OPT_LOOPBACK, "0", 0, NULL },
	{ OPT_NETWORK, "none", 0, NULL },
	{ OPT_NETWORK, "gate", 1, NULL },
	{ OPT_NETWORK, "host", 2, NULL },
	{ OPT_SECCOMP, "browser", 3, NULL },
	{ OPT_TMP, "4096", 4096, NULL },
	{ OPT_TMP, "64K", 65536, NULL },
	{ OPT_TMP, "64k", 65536, NULL },
	{ OPT_TMP, "2G", (uint64_t)2 << 30, NULL },
	{ OPT_TMP, "1T", (uint64_t)1 << 40, NULL },
	{ OPT_TMP, "8388607T", (uint64_t)8388607 << 40, NULL },
	{ OPT_TMP, "9223372036854775807", INT64_MAX, NULL },
	{ OPT_SWAP, "0", 0, NULL },
	{ OPT_PIDS, "1", 1, NULL },
	{ OPT_PIDS, "2147483647", INT32_MAX, NULL },
	{ OPT_TIME, "90", 90000, NULL },
	{ OPT_TIME, "30s", 30000, NULL },
	{ OPT_TIME, "5m", 300000, NULL },
	{ OPT_TIME, "4h", 14400000, NULL },
	{ OPT_TIME, "1d", 86400000, NULL },
	{ OPT_TIME, "500ms", 500, NULL },
	{ OPT_GRACE, "0", 0, NULL },
	{ OPT_CPU, "2", 2000, NULL },
	{ OPT_CPU, "0.5", 500, NULL },
	{ OPT_CPU, "1.25", 1250, NULL },
	{ OPT_CPU, "0.001", 1, NULL },
	{ OPT_HOSTNAME, "a-1", 0, NULL },
	{ OPT_IMAGE, "node:22", 0, NULL },
	{ OPT_RO, "/usr", 0, NULL },
	{ OPT_RO, "rel/x y", 0, NULL },
	{ OPT_RO, "~", 0, "/home/me" },
	{ OPT_RO, "~/.claude", 0, "/home/me/.claude" },
	{ OPT_RO, "a~b", 0, NULL },
	{ OPT_RO, "${HOME}/x", 0, "/home/me/x" },
	{ OPT_RO, "/run/${USER}-${USER}", 0, "/run/me-me" },
	{ OPT_RO, "${XDG_CONFIG_HOME}${USER}${XDG_DATA_HOME}", 0,
	  "/home/me/.configme/home/me/.local/share" },
	{ OPT_RO, "${XDG_CACHE_HOME}/y", 0, "/home/me/.cache/y" },
	{ OPT_RO, "${XDG_STATE_HOME}", 0, "/home/me/.local/state" },
	{ OPT_RO, "/a$b$", 0, NULL },
	{ OPT_RO, "/$HOME", 0, NULL },
	{ OPT_RO, "$${USER}", 0, "$me" },
	{ OPT_PASS, "A", 0, NULL },
	{ OPT_PASS, "  A \t B  ", 0, "A B" },
	{ OPT_SET, "A=", 0, NULL },
	{ OPT_SET, "_a1=b=c d", 0, NULL },
	{ OPT_SET, "A=two\nlines", 0, NULL },
};

static const struct {
	enum opt id;
	const char *text, *why;
} refused[] = {
	{ OPT_LOOPBACK, "Yes", "not yes or no" },
	{ OPT_LOOPBACK, "yess", "not yes or no" },
	{ OPT_NETWORK, "non", "not one of: none gate host" },
	{ OPT_NETWORK, "none host", "not one of" },
	{ OPT_TMP, "3Q", "not a size (4096, 64K, 2G)" },
	{ OPT_TMP, "", "is empty" },
	{ OPT_TMP, "K", "not a size" },
	{ OPT_TMP, "-1", "not a size" },
	{ OPT_TMP, "+1", "not a size" },
	{ OPT_TMP, " 1", "not a size" },
	{ OPT_TMP, "1 K", "not a size" },
	{ OPT_TMP, "1KB", "not a size" },
	{ OPT_TMP, "0x10", "not a size" },
	{ OPT_TMP, "1.5G", "not a size" },
	{ OPT_TMP, "0", "must be more than 0" },
	{ OPT_TMP, "0G", "must be more than 0" },
	{ OPT_TMP, "8388608T", "too large" },
	{ OPT_TMP, "9223372036854775808", "too large" },
	{ OPT_TMP, "99999999999999999999999999999999", "too large" },
	{ OPT_INODES, "0", "must be more than 0" },
	{ OPT_PIDS, "2147483648", "too large" },
	{ OPT_PIDS, "1K", "not a whole number" },
	{ OPT_TIME, "5 m", "not a duration" },
	{ OPT_TIME, "1h30m", "not a duration" },
	{ OPT_TIME, "5M", "not a duration" },
	{ OPT_TIME, "0", "must be more than 0" },
	{ OPT_TIME, "9223372036854775807", "too large" },
	{ OPT_CPU, ".5", "not a number of processors" },
	{ OPT_CPU, "1.", "not a number of processors" },
	{ OPT_CPU, "1.2345", "not a number of processors" },
	{ OPT_CPU, "1.2.3", "not a number of processors" },
	{ OPT_CPU, "1,5", "not a number of processors" },
	{ OPT_CPU, "0.0", "must be more than 0" },
	{ OPT_CPU, "65537", "too large" },
	{ OPT_CPU, "18446744073709551616", "too large" },
	{ OPT_HOSTNAME, "-a", "not a host name" },
	{ OPT_HOSTNAME, "a-", "not a host name" },
	{ OPT_HOSTNAME, "a.b", "not a host name" },
	{ OPT_HOSTNAME, "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg",
	  "not a host name" },
	{ OPT_IMAGE, "a\x1b[31m", "control character" },
	{ OPT_RO, "", "is empty" },
	{ OPT_RO, "~root/x", "stands for your home only" },
	{ OPT_RO, "/a\nb", "control character" },
	{ OPT_RO, "/a\tb", "control character" },
	{ OPT_RO, "/a\x7f", "control character" },
	{ OPT_RO, "${HOME", "'${' without '}'" },
	{ OPT_RO, "/x/${PATH}", "unknown variable '${PATH}'; known are HOME USER XDG_" },
	{ OPT_RO, "${}", "unknown variable '${}'" },
	{ OPT_RO, "${home}", "unknown variable" },
	{ OPT_RO, "${HOMEX}", "unknown variable" },
	{ OPT_PASS, "   ", "is empty" },
	{ OPT_COMMAND, "sh -c \"a b\"", "quotes" },
	{ OPT_SET, "A", "not NAME=VALUE" },
	{ OPT_SET, "=b", "not NAME=VALUE" },
	{ OPT_SET, "1A=b", "not NAME=VALUE" },
	{ OPT_SET, "A B=c", "not NAME=VALUE" },
	{ OPT_SET, "A-B=c", "not NAME=VALUE" },
};

static void accepts(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(accepted); i++) {
		const struct accepted *c = &accepted[i];
		struct value v = { .required = true };
		struct err why = { 0 };
		int r = value_parse(&options[c->id], c->text, &home, *state, &v, &why);

		if (r < 0)
			fail_msg("'%s': %s", c->text, why.what);
		assert_int_equal(v.number, c->number);
		assert_string_equal(v.text, c->result ? c->result : c->text);
		assert_true(v.required);
	}
}

static void refuses(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct value v = { .text = "before", .number = 7 };
		struct err why = { 0 };
		const struct option_def *o = &options[refused[i].id];
		int r = value_parse(o, refused[i].text, &home, *state, &v, &why);

		if (r >= 0)
			fail_msg("'%s' was taken", refused[i].text);
		if (!strstr(why.what, refused[i].why))
			fail_msg("'%s': says '%s', not '%s'", refused[i].text, why.what,
				 refused[i].why);
		/* Outputs are untouched on failure. */
		assert_string_equal(v.text, "before");
		assert_int_equal(v.number, 7);
	}
}

static void refuses_long_paths(void **state)
{
	char path[5000];
	struct value v = { 0 };
	struct err why = { 0 };

	memset(path, 'a', sizeof(path));
	path[4095] = '\0';
	assert_int_equal(value_parse(&options[OPT_RO], path, &home, *state, &v, &why), 0);
	assert_int_equal(strlen(v.text), 4095);
	path[4095] = 'a';
	path[4096] = '\0';
	assert_true(value_parse(&options[OPT_RO], path, &home, *state, &v, &why) < 0);
	assert_string_equal(why.what, "the path is too long");
}

static void refuses_what_is_not_set(void **state)
{
	static const struct expansion nothing = { 0 };
	static const struct expansion odd = { .home = "/a\nb" };
	struct value v = { 0 };
	struct err why = { 0 };

	assert_true(value_parse(&options[OPT_RO], "~/x", &nothing, *state, &v, &why) < 0);
	assert_string_equal(why.what, "the home directory is not known");
	why = (struct err){ 0 };
	assert_true(value_parse(&options[OPT_RO], "${USER}", &nothing, *state, &v, &why) < 0);
	assert_string_equal(why.what, "${USER} has no value");
	why = (struct err){ 0 };
	assert_true(value_parse(&options[OPT_RO], "~", &odd, *state, &v, &why) < 0);
	assert_string_equal(why.what, "the path holds a control character");
}

static void formats(void **state)
{
	static const struct {
		enum opt id;
		uint64_t number;
		const char *text;
	} cases[] = {
		{ OPT_LOOPBACK, 1, "yes" },
		{ OPT_LOOPBACK, 0, "no" },
		{ OPT_NETWORK, 2, "host" },
		{ OPT_TMP, 1023, "1023" },
		{ OPT_TMP, 1024, "1K" },
		{ OPT_TMP, (uint64_t)2 << 30, "2G" },
		{ OPT_TMP, (uint64_t)3 << 19, "1536K" },
		{ OPT_SWAP, 0, "0" },
		{ OPT_TIME, 500, "500ms" },
		{ OPT_TIME, 90000, "90s" },
		{ OPT_TIME, 3600000, "1h" },
		{ OPT_CPU, 500, "0.5" },
		{ OPT_CPU, 2000, "2" },
		{ OPT_CPU, 1001, "1.001" },
		{ OPT_CPU, 10000, "10" },
		{ OPT_PIDS, 100, "100" },
	};
	char buf[64];
	struct text t;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		text_init(&t, buf, sizeof(buf));
		value_format(&options[cases[i].id], cases[i].number, &t);
		assert_string_equal(buf, cases[i].text);
	}
}

static int setup(void **state)
{
	static struct arena arena;
	struct err e = { 0 };

	*state = &arena;
	return arena_init(&arena, &e);
}

static int teardown(void **state)
{
	arena_free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts),
		cmocka_unit_test(refuses),
		cmocka_unit_test(refuses_long_paths),
		cmocka_unit_test(refuses_what_is_not_set),
		cmocka_unit_test(formats),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, setup, teardown);
}
