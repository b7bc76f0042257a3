// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes the wire: a hostile pid 1 that sends what it likes to the supervisor. What is not a record is never taken for one, text always
 * ends, what a failure leaves is what was there before, and no descriptor stays behind.
 *
 * An input is a list of messages: a byte with the number of descriptors (0 to 7) and two flags, two bytes with the length, the bytes. A
 * length past the end of the input is cut. The flags: receive without asking for a descriptor; begin with a valid record and lay the
 * bytes over it, so that mutation need not find one.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/wire.h"

#define FDS_MAX	     7
#define FLAG_NO_FD   0x08
#define FLAG_RECORD  0x10
#define BYTES_MAX    2048
#define MESSAGES_MAX 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what)
{
	fprintf(stderr, "wire: %s\n", what);
	abort();
}

static unsigned count_fds(void)
{
	own_dir dir = opendir("/proc/self/fd");
	unsigned n = 0;

	if (!dir)
		fail("/proc/self/fd");
	while (readdir(dir))
		n++;
	return n;
}

/* One message, with this many copies of `fd`. False when the kernel does not take it. */
static bool put(int wire, const void *bytes, size_t n, int fd, unsigned copies)
{
	union {
		char buf[CMSG_SPACE(FDS_MAX * sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { .iov_base = (void *)(uintptr_t)bytes, .iov_len = n };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (copies) {
		msg.msg_control = control.buf;
		msg.msg_controllen = CMSG_SPACE(copies * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(copies * sizeof(int));
		for (unsigned i = 0; i < copies; i++)
			memcpy(CMSG_DATA(c) + i * sizeof(int), &fd, sizeof(int));
	}
	return sendmsg(wire, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)n;
}

/* A second opinion on what a record is, written from wire.h alone. */
static bool is_record(const unsigned char *bytes, size_t n)
{
	struct record r;

	if (n != sizeof(r))
		return false;
	memcpy(&r, bytes, sizeof(r));
	if (r.type == 0 || r.type > REC_EXIT || (unsigned)r.err.stage >= ST_COUNT)
		return false;
	for (size_t i = 0; i < sizeof(r.err.what); i++) {
		if (!r.err.what[i])
			return true;
	}
	return false;
}

static void check_received(int rc, const unsigned char *bytes, size_t n, const struct record *got,
			   const struct record *before, int fd, unsigned sent)
{
	struct record r = { 0 };

	memcpy(&r, bytes, n < sizeof(r) ? n : sizeof(r));
	if (wire_valid(&r, n) != is_record(bytes, n))
		fail("wire_valid says something else than wire.h");
	if ((rc == 1) != is_record(bytes, n))
		fail(rc == 1 ? "took what is no record" : "refused a record");
	if (rc != 1 && rc != -EBADMSG && !(rc == 0 && n == 0))
		fail("an answer of its own");
	if (rc == 1 && memcmp(got, bytes, sizeof(*got)) != 0)
		fail("another record than was sent");
	if (rc == 1 && !memchr(got->err.what, '\0', sizeof(got->err.what)))
		fail("text without an end");
	if (rc != 1 && memcmp(got, before, sizeof(*got)) != 0)
		fail("a failure that changes its output");
	if (fd >= 0 && (rc != 1 || got->type != REC_TERMINAL || !sent))
		fail("a descriptor that nobody asked for");
	if (fd >= 0 && fcntl(fd, F_GETFD) != FD_CLOEXEC)
		fail("a descriptor that is not close-on-exec");
}

static void exchange(const int wire[2], int null, uint8_t head, const uint8_t *data, size_t size)
{
	unsigned char bytes[BYTES_MAX] = { 0 };
	const struct record blank = { .type = REC_TERMINAL };
	struct record got, before;
	const unsigned copies = head & FDS_MAX;
	size_t n = size;
	int fd = FD_NONE, rc;

	if (head & FLAG_RECORD) {
		memcpy(bytes, &blank, sizeof(blank));
		n = sizeof(blank);
		size = size < n ? size : n;
	}
	memcpy(bytes, data, size);
	memset(&before, 0xa5, sizeof(before));
	got = before;
	if (!put(wire[0], bytes, n, null, copies))
		return;
	rc = wire_receive(wire[1], &got, head & FLAG_NO_FD ? NULL : &fd, false);
	check_received(rc, bytes, n, &got, &before, fd, copies);
	fd_release(&fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = { 0 };
	unsigned before;
	int wire[2], null;

	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0 || wire_pair(wire, &e) < 0)
		fail("no socket to be had");
	before = count_fds();
	for (unsigned i = 0; i < MESSAGES_MAX && size >= 3; i++) {
		size_t n = (size_t)data[1] | (size_t)data[2] << 8;
		uint8_t head = data[0];

		data += 3;
		size -= 3;
		n = n < size ? n : size;
		n = n < BYTES_MAX ? n : BYTES_MAX;
		exchange(wire, null, head, data, n);
		if (count_fds() != before)
			fail("a descriptor is left");
		data += n;
		size -= n;
	}
	(void)close(wire[0]);
	(void)close(wire[1]);
	(void)close(null);
	return 0;
}
