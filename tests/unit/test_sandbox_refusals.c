// SPDX-License-Identifier: GPL-2.0-or-later
/* The line about what the gate refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/own.h"
#include "sandbox/gateway.h"

static struct scoreboard board;
static char line[1024];

static void score(const char *what, uint16_t port, enum score_why why, uint32_t count)
{
	struct score *s = &board.score[board.used++];

	*s = (struct score){ .port = port, .why = (uint8_t)why, .count = count };
	memcpy(s->what, what, strlen(what));
}

static int empty(void **state)
{
	(void)state;
	memset(&board, 0, sizeof(board));
	return 0;
}

static void nothing_refused(void **state)
{
	(void)state;
	refusals_format(&board, line, sizeof(line));
	assert_string_equal(line, "");
}

static void one(void **state)
{
	(void)state;
	score("x.test", 443, SCORE_NOT_LISTED, 12);
	refusals_format(&board, line, sizeof(line));
	assert_string_equal(line,
			    "jail: 1 host refused: x.test:443 (12x); to allow: allow = x.test\n");
}

static void sorted(void **state)
{
	(void)state;
	score("a.test", 22, SCORE_PORT, 1);
	score("2001:db8::1", 443, SCORE_ADDRESS, 3);
	score("b.test", 443, SCORE_PRIVATE, 2);
	score("192.0.2.1", 53, SCORE_PROTOCOL, 9);
	score("c.test", 0, SCORE_NOT_LISTED, 1);
	score("d.test", 443, SCORE_MISMATCH, 1);
	refusals_format(&board, line, sizeof(line));
	assert_string_equal(
		line,
		"jail: 6 hosts refused: 192.0.2.1:53 (9x, not TCP), [2001:db8::1]:443 (3x), b.test:443 (2x, its address is private), a.test:22 (1x) and 2 more; to allow: allow = [2001:db8::1]:443 a.test:22\n");
}

/* The gate has read what came from inside, and may be anybody's by now. */
static void nothing_is_believed(void **state)
{
	(void)state;
	score("\033]0;owned\a.test", 1, SCORE_NOT_LISTED, 4000000000u);
	memset(board.score[1].what, 'x', sizeof(board.score[1].what));
	board.score[1].why = 200;
	board.used = UINT32_MAX;
	board.dropped = 1;
	refusals_format(&board, line, sizeof(line));
	assert_null(strchr(line, '\033'));
	assert_non_null(strstr(line, "\\x1b]0;owned\\x07.test:1 (4000000000x)"));
	assert_non_null(strstr(line, "jail: 64 or more hosts refused"));
	assert_int_equal(line[strlen(line) - 1], '\n');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_refused, empty),
		cmocka_unit_test_setup(one, empty),
		cmocka_unit_test_setup(sorted, empty),
		cmocka_unit_test_setup(nothing_is_believed, empty),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
