// SPDX-License-Identifier: GPL-2.0-or-later
/* Progress: what a pipe gets, what a terminal gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "oci/progress.h"

#define KEY "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static size_t get(int fd, char *buf, size_t cap)
{
	size_t len = 0;
	ssize_t n;

	while ((n = read(fd, buf + len, cap - 1 - len)) > 0)
		len += (size_t)n;
	buf[len] = '\0';
	return len;
}

static void test_plain(void **state)
{
	struct progress *p;
	char buf[4096];
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	p = progress_new(ends[1]);
	progress_set(p, KEY, 1, 5000);
	progress_set(p, KEY, 5000, 5000);
	progress_say(p, "a\033[31m\n");
	progress_done(p, KEY, "pulled");
	progress_free(p);
	(void)close(ends[1]);
	(void)get(ends[0], buf, sizeof(buf));
	assert_string_equal(buf, "a\\x1b[31m\\x0a\nsha256:0123456789ab: 5.0 kB pulled\n");
	(void)close(ends[0]);
}

/* On a terminal of `columns`: everything that was written. */
static void on_terminal(unsigned short columns, char *buf, size_t cap)
{
	struct winsize w = { .ws_row = 24, .ws_col = columns };
	struct termios raw;
	struct progress *p;
	int master, slave;

	memset(&raw, 0, sizeof(raw));
	cfmakeraw(&raw);
	assert_int_equal(openpty(&master, &slave, NULL, &raw, &w), 0);
	(void)setenv("TERM", "xterm", 1);
	p = progress_new(slave);
	progress_set(p, KEY, 2500, 5000);
	progress_say(p, "note");
	progress_done(p, KEY, "pulled");
	progress_free(p);
	(void)close(slave);
	(void)get(master, buf, cap);
	(void)close(master);
}

static void test_bars(void **state)
{
	char buf[4096];

	(void)state;
	on_terminal(80, buf, sizeof(buf));
	assert_non_null(strstr(buf, "sha256:0123456789ab 2.5 kB of 5.0 kB"));
	assert_non_null(strstr(buf, "[################.................]"));
	/* the block is taken away before a line, and drawn again after it */
	assert_non_null(strstr(buf, "\r\033[1A\033[Jnote\nsha256:"));
	assert_non_null(strstr(buf, "\r\033[1A\033[Jsha256:0123456789ab: 5.0 kB pulled\n"));
}

static void test_narrow(void **state)
{
	char buf[4096];

	(void)state;
	on_terminal(30, buf, sizeof(buf));
	for (char *line = buf; *line; line += strcspn(line, "\n") + 1) {
		char *text = line + (line[0] == '\r' ? strlen("\r\033[1A\033[J") : 0);

		assert_true(strcspn(text, "\n") < 30 || strstr(text, "pulled"));
		if (!line[strcspn(line, "\n")])
			break;
	}
}

static void test_many(void **state)
{
	struct progress *p = progress_new(-1);
	char key[32];

	(void)state;
	for (int i = 0; i < 2000; i++) {
		(void)snprintf(key, sizeof(key), "k%d", i);
		progress_set(p, key, 1, 2);
		progress_done(p, key, "pulled");
	}
	progress_free(p);
	progress_set(NULL, "k", 1, 2);
	progress_say(NULL, "x");
	progress_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_bars),
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_many),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
