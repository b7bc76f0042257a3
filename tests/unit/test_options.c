// SPDX-License-Identifier: GPL-2.0-or-later
/* The option table: that it is sound, its names are found, help and completion hold it all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "profiles/options.h"

static void table_is_sound(void **state)
{
	(void)state;
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		const struct option_def *o = &options[i];

		assert_true(!o->section == !o->key);
		assert_true(o->section || o->flag);
		assert_true((o->type == TYPE_CHOICE) == (o->choices != NULL));
		assert_non_null(o->help);
		/* What needs a value says so in the error message. */
		assert_true(o->arg || o->type == TYPE_BOOL);
		/* Feature bits make sense: only paths can be required. */
		assert_true(!(o->bits & OPT_BIT_BANG) || o->type == TYPE_PATH);
	}
}

static void names_are_unique_and_short(void **state)
{
	(void)state;
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		const struct option_def *o = &options[i];

		if (o->flag) {
			assert_int_equal(option_by_flag(o->flag), i);
			assert_true(strlen(o->flag) < 40);
		}
		if (o->section) {
			assert_int_equal(option_by_key(o->section, o->key), i);
			/* inih's own buffers end at 50 bytes. */
			assert_true(strlen(o->section) < 40 && strlen(o->key) < 40);
			assert_int_equal(strspn(o->key, "abcdefghijklmnopqrstuvwxyz-"),
					 strlen(o->key));
		}
	}
	assert_int_equal(option_by_flag("nothing"), OPT_COUNT);
	assert_int_equal(option_by_flag(""), OPT_COUNT);
	assert_int_equal(option_by_key("files", "memory"), OPT_COUNT);
	assert_int_equal(option_by_key("", ""), OPT_COUNT);
}

static void nearest_names(void **state)
{
	(void)state;
	assert_string_equal(option_nearest_flag("rw-path"), "rw");
	assert_string_equal(option_nearest_flag("netwrok"), "network");
	assert_string_equal(option_nearest_flag("workspace_mode"), "workspace-mode");
	assert_string_equal(option_nearest_flag("work"), "workspace");
	assert_null(option_nearest_flag("zzzzzzzz"));
	assert_null(option_nearest_flag(""));
	assert_null(option_nearest_flag("....."));
	assert_string_equal(option_nearest_section("file"), "files");
	assert_string_equal(option_nearest_section("limit"), "limits");
	assert_null(option_nearest_section("zzzz"));
	assert_string_equal(option_nearest_key("limits", "memroy"), "memory");
	assert_null(option_nearest_key("files", "memory"));
}

static void help_has_every_flag_and_80_columns(void **state)
{
	static char buf[8192];
	struct text t;

	(void)state;
	text_init(&t, buf, sizeof(buf));
	options_help(&t);
	assert_false(t.full);
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		char flag[64];

		if (!options[i].flag)
			continue;
		(void)snprintf(flag, sizeof(flag), "--%s", options[i].flag);
		assert_non_null(strstr(buf, flag));
	}
	for (const char *line = buf; *line; line += strcspn(line, "\n") + 1) {
		assert_true(strcspn(line, "\n") <= 80);
		assert_int_equal(line[0], ' ');
		/* The help text begins in one column, whatever stands before it. */
		assert_int_equal(line[25], ' ');
		assert_int_not_equal(line[26], ' ');
	}
	assert_non_null(strstr(buf, "  -p, --profile NAME|FILE "));
	assert_non_null(strstr(buf, "  --loopback=yes|no "));
}

static void completion_has_every_flag(void **state)
{
	static const char *const shells[] = { "bash", "zsh", "fish" };
	static char buf[16384];
	struct text t;

	(void)state;
	for (size_t s = 0; s < 3; s++) {
		text_init(&t, buf, sizeof(buf));
		assert_true(options_completion(shells[s], &t));
		assert_false(t.full);
		for (unsigned i = 0; i < OPT_COUNT; i++) {
			char flag[64];

			if (!options[i].flag)
				continue;
			(void)snprintf(flag, sizeof(flag), "%s%s", s == 2 ? "-l " : "--",
				       options[i].flag);
			assert_non_null(strstr(buf, flag));
		}
		assert_non_null(strstr(buf, "none gate host"));
		assert_non_null(strstr(buf, "jail profile ls"));
		assert_non_null(strstr(buf, "explain"));
	}
	text_init(&t, buf, sizeof(buf));
	assert_false(options_completion("tcsh", &t));
	assert_int_equal(t.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_sound),
		cmocka_unit_test(names_are_unique_and_short),
		cmocka_unit_test(nearest_names),
		cmocka_unit_test(help_has_every_flag_and_80_columns),
		cmocka_unit_test(completion_has_every_flag),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
