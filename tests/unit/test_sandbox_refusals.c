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
static char line[4096];

static void score(const char *what, uint16_t port, enum score_why why, uint32_t count)
{
	struct score *s = &board.score[board.used++];

	*s = (struct score){ .port = port, .why = (uint8_t)why, .count = count };
	memcpy(s->what, what, strlen(what));
}

/* Of the last one. */
static void because(const char *reason)
{
	memcpy(board.score[board.used - 1].reason, reason, strlen(reason));
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
	score("2600::1", 443, SCORE_ADDRESS, 3);
	score("b.test", 443, SCORE_MISMATCH, 2);
	score("192.0.2.1", 53, SCORE_PROTOCOL, 9);
	score("c.test", 0, SCORE_NOT_LISTED, 1);
	score("d.test", 443, SCORE_PRIVATE, 1);
	refusals_format(&board, line, sizeof(line));
	assert_string_equal(
		line,
		"jail: 6 hosts refused: 192.0.2.1:53 (9x, not TCP), [2600::1]:443 (3x), b.test:443 (2x, another name was asked for), a.test:22 (1x) and 2 more; to allow: allow = [2600::1]:443 a.test:22\n");
}

/* Only a question was seen: for which port, nobody knows. */
static void port_unknown(void **state)
{
	(void)state;
	score("x.test", 0, SCORE_NOT_LISTED, 1);
	score("y.test", 22, SCORE_PORT, 2);
	refusals_format(&board, line, sizeof(line));
	assert_string_equal(
		line,
		"jail: 2 hosts refused: y.test:22 (2x), x.test (1x); to allow: allow = y.test:22 x.test (a name alone is TLS on port 443; NAME:PORT for others)\n");
}

/* The command chose these: what is near the host is not for it to ask for. */
static void not_offered(void **state)
{
	static const struct {
		const char *what;
		enum score_why why;
	} of[] = {
		{ "169.254.169.254", SCORE_ADDRESS }, { "10.0.0.1", SCORE_ADDRESS },
		{ "fe80::1", SCORE_ADDRESS },	      { "224.0.0.251", SCORE_ADDRESS },
		{ "fd00:ec2::254", SCORE_ADDRESS },   { "198.18.0.9", SCORE_ADDRESS },
		{ "intranet", SCORE_NOT_LISTED },     { "a.test *.com", SCORE_NOT_LISTED },
		{ "@group.x", SCORE_NOT_LISTED },     { "8.8.8.8 a.test", SCORE_ADDRESS },
		{ "a.test", SCORE_ADDRESS },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		memset(&board, 0, sizeof(board));
		score(of[i].what, 80, of[i].why, 1);
		refusals_format(&board, line, sizeof(line));
		assert_non_null(strstr(line, of[i].what));
		assert_null(strstr(line, "to allow"));
	}
}

static void private_address(void **state)
{
	(void)state;
	score("x.test", 443, SCORE_PRIVATE, 2);
	refusals_format(&board, line, sizeof(line));
	assert_string_equal(
		line,
		"jail: 1 host refused: x.test:443 (2x, its address is private); for a private address: resolve = NAME=ADDRESS, allow = ADDRESS:PORT, or host-port = PORT\n");
}

static void reasons(void **state)
{
	(void)state;
	score("x.test", 443, SCORE_OTHER, 2);
	because("no TLS handshake");
	score("n.test", 443, SCORE_NOT_REACHED, 1);
	because("there is no such name");
	score("127.0.0.1", 5432, SCORE_NOT_REACHED, 3);
	because("the server refused");
	refusals_format(&board, line, sizeof(line));
	assert_string_equal(
		line,
		"jail: 1 host refused: x.test:443 (2x, no TLS handshake)\n"
		"jail: 2 hosts not reached: 127.0.0.1:5432 (3x, the server refused), n.test:443 (there is no such name)\n");
	memmove(&board.score[0], &board.score[1], 2 * sizeof(board.score[0]));
	board.used = 1;
	refusals_format(&board, line, sizeof(line));
	assert_string_equal(line, "jail: 1 host not reached: n.test:443 (there is no such name)\n");
}

/* The gate has read what came from inside, and may be anybody's by now. */
static void nothing_is_believed(void **state)
{
	(void)state;
	score("\033]0;owned\a.test", 1, SCORE_NOT_LISTED, 4000000000u);
	memset(board.score[1].what, 'x', sizeof(board.score[1].what));
	board.score[1].why = 200;
	board.score[2].why = SCORE_NOT_REACHED;
	memset(board.score[2].reason, '\033', sizeof(board.score[2].reason));
	board.used = UINT32_MAX;
	board.dropped = 1;
	refusals_format(&board, line, sizeof(line));
	assert_null(strchr(line, '\033'));
	assert_non_null(strstr(line, "\\x1b]0;owned\\x07.test:1 (4000000000x)"));
	assert_non_null(strstr(line, "jail: 63 or more hosts refused"));
	assert_non_null(strstr(line, "jail: 1 or more hosts not reached:  (\\x1b\\x1b"));
	assert_int_equal(line[strlen(line) - 1], '\n');
	refusals_format(&board, line, 100); /* no room for all: a line nevertheless */
	assert_int_equal(strlen(line), 99);
	assert_int_equal(line[98], '\n');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_refused, empty),
		cmocka_unit_test_setup(one, empty),
		cmocka_unit_test_setup(sorted, empty),
		cmocka_unit_test_setup(port_unknown, empty),
		cmocka_unit_test(not_offered),
		cmocka_unit_test_setup(private_address, empty),
		cmocka_unit_test_setup(reasons, empty),
		cmocka_unit_test_setup(nothing_is_believed, empty),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
