// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of the wire: records whole or not at all, and no descriptor kept that was not asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/wire.h"

static int ends[2];

static int open_pair(void **state)
{
	struct err e = { 0 };

	(void)state;
	return wire_pair(ends, &e);
}

static int close_pair(void **state)
{
	(void)state;
	fd_release(&ends[0]);
	fd_release(&ends[1]);
	return 0;
}

static unsigned count_fds(void)
{
	own_dir dir = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	return n;
}

/* Any bytes, with the given descriptors. */
static void send_raw(const void *data, size_t size, const int *fds, size_t n)
{
	union {
		char buf[CMSG_SPACE(8 * sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { .iov_base = (void *)(uintptr_t)data, .iov_len = size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (n) {
		struct cmsghdr *c;

		msg.msg_control = control.buf;
		msg.msg_controllen = CMSG_SPACE(n * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	}
	assert_int_equal(sendmsg(ends[0], &msg, MSG_NOSIGNAL), size);
}

static void test_round_trip(void **state)
{
	struct record out = { .type = REC_ERROR, .number = -7 }, in = { 0 };
	int fd = FD_NONE;

	(void)state;
	(void)err_set(&out.err, ST_MOUNT, EACCES, "mount '%s'", "/x");
	assert_int_equal(wire_send(ends[0], &out, FD_NONE), 0);
	assert_int_equal(wire_receive(ends[1], &in, &fd, true), 1);
	assert_memory_equal(&in, &out, sizeof(in));
	assert_int_equal(fd, FD_NONE);
	/* Two are two. */
	out.number = 1;
	assert_int_equal(wire_send(ends[0], &out, FD_NONE), 0);
	out.number = 2;
	assert_int_equal(wire_send(ends[0], &out, FD_NONE), 0);
	for (int i = 1; i <= 2; i++) {
		assert_int_equal(wire_receive(ends[1], &in, NULL, false), 1);
		assert_int_equal(in.number, i);
	}
	assert_int_equal(wire_receive(ends[1], &in, NULL, false), -EAGAIN);
	/* Both ways. */
	assert_int_equal(wire_send(ends[1], &out, FD_NONE), 0);
	assert_int_equal(wire_receive(ends[0], &in, NULL, false), 1);
}

static void test_end(void **state)
{
	struct record r = { .type = REC_GO }, in;

	(void)state;
	assert_int_equal(wire_send(ends[0], &r, FD_NONE), 0);
	fd_release(&ends[0]);
	assert_int_equal(wire_receive(ends[1], &in, NULL, true), 1);
	assert_int_equal(wire_receive(ends[1], &in, NULL, true), 0);
	/* No SIGPIPE: the default would end this program. */
	(void)signal(SIGPIPE, SIG_DFL);
	assert_int_equal(wire_send(ends[1], &r, FD_NONE), -EPIPE);
}

/* What the peer left unread when it went is a reset, and that is an end too. */
static void test_reset(void **state)
{
	struct record r = { .type = REC_GO }, in;

	(void)state;
	assert_int_equal(wire_send(ends[1], &r, FD_NONE), 0);
	fd_release(&ends[0]);
	assert_int_equal(wire_receive(ends[1], &in, NULL, false), 0);
	assert_int_equal(wire_receive(ends[1], &in, NULL, false), 0);
}

/* ... which comes behind the peer's last words, not instead of them. */
static void test_last_words(void **state)
{
	struct record unread = { .type = REC_SIGNAL, .number = SIGCONT }, in;
	struct record last = { .type = REC_EXIT, .number = 7 << 8 };

	(void)state;
	assert_int_equal(wire_send(ends[1], &unread, FD_NONE), 0);
	assert_int_equal(wire_send(ends[0], &last, FD_NONE), 0);
	fd_release(&ends[0]);
	assert_int_equal(wire_receive(ends[1], &in, NULL, false), 1);
	assert_int_equal(in.type, REC_EXIT);
	assert_int_equal(in.number, 7 << 8);
	assert_int_equal(wire_receive(ends[1], &in, NULL, false), 0);
}

static void test_valid(void **state)
{
	struct record r = { .type = REC_GO };

	(void)state;
	assert_true(wire_valid(&r, sizeof(r)));
	assert_false(wire_valid(&r, sizeof(r) - 1));
	assert_false(wire_valid(&r, sizeof(r) + 1));
	assert_false(wire_valid(&r, 0));
	for (uint32_t type = REC_GO; type <= REC_EXIT; type++) {
		r.type = type;
		assert_true(wire_valid(&r, sizeof(r)));
	}
	r.type = 0;
	assert_false(wire_valid(&r, sizeof(r)));
	r.type = REC_EXIT + 1;
	assert_false(wire_valid(&r, sizeof(r)));
	r.type = UINT32_MAX;
	assert_false(wire_valid(&r, sizeof(r)));
	r.type = REC_ERROR;
	r.err.stage = ST_COUNT - 1;
	assert_true(wire_valid(&r, sizeof(r)));
	r.err.stage = ST_COUNT;
	assert_false(wire_valid(&r, sizeof(r)));
	r.err.stage = (enum stage) - 1;
	assert_false(wire_valid(&r, sizeof(r)));
	r.err.stage = ST_MOUNT;
	memset(r.err.what, 'a', sizeof(r.err.what));
	assert_false(wire_valid(&r, sizeof(r)));
	r.err.what[sizeof(r.err.what) - 1] = '\0';
	assert_true(wire_valid(&r, sizeof(r)));
}

/* Too short, too long, nonsense: refused, and the output is as it was. */
static void test_nonsense(void **state)
{
	char bytes[sizeof(struct record) + 64] = { 0 };
	struct record r = { .type = REC_GO }, in, untouched;
	const size_t sizes[] = { 1, sizeof(r) - 1, sizeof(r) + 1, sizeof(bytes) };

	(void)state;
	memset(&untouched, 0x5a, sizeof(untouched));
	memcpy(bytes, &r, sizeof(r));
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		in = untouched;
		send_raw(bytes, sizes[i], NULL, 0);
		assert_int_equal(wire_receive(ends[1], &in, NULL, false), -EBADMSG);
		assert_memory_equal(&in, &untouched, sizeof(in));
	}
	bytes[0] = 99; /* the type, on either byte order */
	bytes[3] = 99;
	send_raw(bytes, sizeof(r), NULL, 0);
	assert_int_equal(wire_receive(ends[1], &in, NULL, false), -EBADMSG);
	assert_memory_equal(&in, &untouched, sizeof(in));
	/* The rest of a long record is not the next one. */
	assert_int_equal(wire_receive(ends[1], &in, NULL, false), -EAGAIN);
}

static void test_descriptor(void **state)
{
	struct record r = { .type = REC_TERMINAL }, in;
	own_fd null = open("/dev/null", O_RDWR | O_CLOEXEC), got = FD_NONE;
	struct stat a, b;

	(void)state;
	assert_int_equal(wire_send(ends[0], &r, null), 0);
	assert_int_equal(wire_receive(ends[1], &in, &got, false), 1);
	assert_in_range(got, 3, 1000);
	assert_int_not_equal(got, null);
	assert_int_equal(fstat(null, &a) | fstat(got, &b), 0);
	assert_int_equal(a.st_rdev, b.st_rdev);
	assert_int_equal(fcntl(got, F_GETFD), FD_CLOEXEC);
}

/* Whatever comes along uninvited is closed. */
static void test_uninvited(void **state)
{
	struct record r = { .type = REC_STARTED }, bad = { .type = 99 }, in;
	own_fd null = open("/dev/null", O_RDWR | O_CLOEXEC);
	const int many[] = { null, null, null, null, null, null, null, null };
	unsigned before = count_fds();
	int got = FD_NONE;

	(void)state;
	send_raw(&r, sizeof(r), many, 1); /* a record that has none */
	assert_int_equal(wire_receive(ends[1], &in, &got, false), 1);
	assert_int_equal(got, FD_NONE);
	assert_int_equal(count_fds(), before);
	send_raw(&bad, sizeof(bad), many, 1);
	assert_int_equal(wire_receive(ends[1], &in, &got, false), -EBADMSG);
	assert_int_equal(count_fds(), before);
	r.type = REC_TERMINAL; /* one that does, and nobody who wants it */
	send_raw(&r, sizeof(r), many, 1);
	assert_int_equal(wire_receive(ends[1], &in, NULL, false), 1);
	assert_int_equal(count_fds(), before);
	for (size_t n = 2; n <= ARRAY_SIZE(many); n++) {
		send_raw(&bad, sizeof(bad), many, n);
		assert_int_equal(wire_receive(ends[1], &in, &got, false), -EBADMSG);
		assert_int_equal(count_fds(), before);
	}
	/* An empty record is an end of file to us, with or without. */
	send_raw("", 0, many, 1);
	assert_int_equal(wire_receive(ends[1], &in, &got, false), 0);
	assert_int_equal(count_fds(), before);
}

/* More than one with a record that has one: at most that one is kept. */
static void test_too_many(void **state)
{
	struct record r = { .type = REC_TERMINAL }, in;
	own_fd null = open("/dev/null", O_RDWR | O_CLOEXEC);
	const int many[] = { null, null, null, null, null };
	unsigned before = count_fds();

	(void)state;
	for (size_t n = 2; n <= ARRAY_SIZE(many); n++) {
		int got = FD_NONE;

		send_raw(&r, sizeof(r), many, n);
		(void)wire_receive(ends[1], &in, &got, false);
		fd_release(&got);
		assert_int_equal(count_fds(), before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_round_trip, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(test_end, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(test_reset, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(test_last_words, open_pair, close_pair),
		cmocka_unit_test(test_valid),
		cmocka_unit_test_setup_teardown(test_nonsense, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(test_descriptor, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(test_uninvited, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(test_too_many, open_pair, close_pair),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
