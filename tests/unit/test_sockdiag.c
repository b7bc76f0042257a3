// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of the list of sockets: answers as the kernel writes them, answers it never would, and the kernel itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/mountinfo.h"
#include "sandbox/sockdiag.h"

static struct sockdiag diag;

static void add(const void *data, size_t n)
{
	assert_true(diag.used + n + 3 < sizeof(diag.buf));
	memcpy(diag.buf + diag.used, data, n);
	diag.used += n;
	while (diag.used % 4)
		diag.buf[diag.used++] = 0;
}

static size_t begin(unsigned type)
{
	const struct nlmsghdr h = { .nlmsg_type = (uint16_t)type, .nlmsg_seq = 1 };
	size_t at = diag.used;

	add(&h, sizeof(h));
	return at;
}

static void end(size_t at)
{
	uint32_t n = (uint32_t)(diag.used - at);

	memcpy(diag.buf + at, &n, sizeof(n));
}

static void attribute(unsigned type, const void *data, size_t n)
{
	const struct nlattr a = { .nla_len = (uint16_t)(sizeof(a) + n), .nla_type = (uint16_t)type };

	add(&a, sizeof(a));
	add(data, n);
}

static size_t begin_socket(unsigned type, unsigned state)
{
	const struct unix_diag_msg m = {
		.udiag_family = AF_UNIX,
		.udiag_type = (uint8_t)type,
		.udiag_state = (uint8_t)state,
	};
	size_t at = begin(SOCK_DIAG_BY_FAMILY);

	add(&m, sizeof(m));
	return at;
}

static void add_socket(unsigned type, unsigned state, const char *name, size_t n, uint32_t ino)
{
	const struct unix_diag_vfs vfs = { .udiag_vfs_ino = ino, .udiag_vfs_dev = 0xfe00001 };
	const uint8_t shutdown = 0;
	const uint32_t uid = 77;
	size_t at = begin_socket(type, state);

	attribute(UNIX_DIAG_NAME, name, n);
	if (ino)
		attribute(UNIX_DIAG_VFS, &vfs, sizeof(vfs));
	attribute(UNIX_DIAG_SHUTDOWN, &shutdown, sizeof(shutdown));
	attribute(UNIX_DIAG_UID, &uid, sizeof(uid));
	end(at);
}

static void add_end(unsigned type, int code)
{
	size_t at = begin(type);

	add(&code, sizeof(code));
	end(at);
}

static int empty(void **state)
{
	(void)state;
	diag.fd = FD_NONE;
	diag.done = false;
	diag.next = diag.used = 0;
	return 0;
}

static void wants(uint32_t ino, const char *name)
{
	struct bound_socket s;

	assert_int_equal(sockdiag_parse(&diag, &s), 1);
	assert_int_equal(s.ino, ino);
	assert_int_equal(s.dev, 0xfe00001);
	assert_int_equal(s.uid, 77);
	assert_string_equal(s.name, name);
}

static void wants_none(int rc)
{
	struct bound_socket s = { .ino = 7 };

	assert_int_equal(sockdiag_parse(&diag, &s), rc);
	assert_int_equal(s.ino, 7);
}

static void test_list(void **state)
{
	char longest[SOCKET_NAME_MAX + 1];

	(void)state;
	memset(longest, 'x', sizeof(longest));
	add_socket(SOCK_STREAM, TCP_LISTEN, "/a/b", 5, 1);
	add_socket(SOCK_STREAM, TCP_LISTEN, "\0abstract", 9, 0);
	add_socket(SOCK_STREAM, TCP_ESTABLISHED, "/a/b", 5, 1);
	add_socket(SOCK_SEQPACKET, TCP_ESTABLISHED, "/a/b", 5, 1);
	add_socket(SOCK_DGRAM, TCP_ESTABLISHED, "rel", 4, 2);
	add_end(NLMSG_NOOP, 0);
	add_socket(SOCK_DGRAM, TCP_CLOSE, "unended", 7, 3);
	add_socket(SOCK_STREAM, TCP_CLOSE, longest, SOCKET_NAME_MAX, 4);
	end(begin_socket(SOCK_STREAM, TCP_CLOSE));
	add_end(NLMSG_DONE, 0);
	wants(1, "/a/b");
	wants(2, "rel");
	wants(3, "unended");
	longest[SOCKET_NAME_MAX] = '\0';
	wants(4, longest);
	assert_false(diag.done);
	wants_none(0);
	assert_true(diag.done);
	wants_none(0);
}

static void test_parts(void **state)
{
	(void)state;
	add_socket(SOCK_STREAM, TCP_LISTEN, "/a", 3, 1);
	wants(1, "/a");
	wants_none(0);
	assert_false(diag.done);
}

static void test_errors(void **state)
{
	(void)state;
	add_end(NLMSG_ERROR, -ENOENT);
	wants_none(-ENOENT);
	add_end(NLMSG_ERROR, 0);
	wants_none(-EBADMSG);
	add_end(NLMSG_ERROR, 5);
	wants_none(-EBADMSG);
	add_end(NLMSG_OVERRUN, 0);
	wants_none(-EBADMSG);
	add_end(99, 0);
	wants_none(-EBADMSG);
	assert_false(diag.done);
	add_end(NLMSG_DONE, -ENOMEM);
	wants_none(-ENOMEM);
}

/* A whole message that is cut anywhere, or whose lengths say anything, is refused or ends where it did. */
static void test_cut(void **state)
{
	size_t whole;

	(void)state;
	add_socket(SOCK_STREAM, TCP_LISTEN, "/a", 3, 1);
	whole = diag.used;
	for (size_t n = 1; n < whole; n++) {
		diag.next = 0;
		diag.used = n;
		wants_none(-EBADMSG);
	}
	for (uint32_t n = 0; n < whole - 4; n++) {
		struct bound_socket s;

		memcpy(diag.buf, &n, sizeof(n));
		diag.next = 0;
		diag.used = whole;
		if (sockdiag_parse(&diag, &s) == 1)
			assert_in_range(n, sizeof(struct nlmsghdr), whole);
	}
}

static void test_wrong(void **state)
{
	char name[SOCKET_NAME_MAX + 2];
	size_t at;

	memset(name, 'x', sizeof(name));
	add_socket(SOCK_STREAM, TCP_LISTEN, name, SOCKET_NAME_MAX + 1, 1);
	wants_none(-EBADMSG);
	empty(state);
	at = begin_socket(SOCK_STREAM, TCP_LISTEN);
	attribute(UNIX_DIAG_VFS, name, 7);
	end(at);
	wants_none(-EBADMSG);
	empty(state);
	at = begin_socket(SOCK_STREAM, TCP_LISTEN);
	attribute(UNIX_DIAG_UID, name, 8);
	end(at);
	wants_none(-EBADMSG);
	empty(state);
	at = begin_socket(SOCK_STREAM, TCP_LISTEN);
	add("\3\0\0\0", 4); /* an attribute that is shorter than its header */
	end(at);
	wants_none(-EBADMSG);
	empty(state);
	add_socket(SOCK_STREAM, TCP_LISTEN, "/a", 3, 1);
	diag.buf[sizeof(struct nlmsghdr)] = AF_INET;
	wants_none(-EBADMSG);
	empty(state);
	add_socket(SOCK_STREAM, TCP_LISTEN, "/a", 3, 1);
	diag.buf[offsetof(struct nlmsghdr, nlmsg_seq)] = 2;
	wants_none(-EBADMSG);
}

/* One that was bound by a relative name and renamed since is there, by its inode. */
static void test_kernel(void **state)
{
	const struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "before" };
	char dir[] = "/tmp/jail-sockdiag.XXXXXX";
	own_fd here = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct bound_socket s;
	struct stat st;
	int rc, found = 0;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(bind(here, (const struct sockaddr *)&name, sizeof(name)), 0);
	assert_int_equal(rename("before", "after"), 0);
	assert_int_equal(stat("after", &st), 0);
	rc = sockdiag_open(&diag);
	while (rc >= 0 && (rc = sockdiag_next(&diag, &s)) > 0) {
		if (s.ino != (uint32_t)st.st_ino || strcmp(s.name, "before") != 0)
			continue;
		found++;
		assert_int_equal(s.uid, geteuid());
		/* another number on btrfs */
		if (s.dev != MOUNTINFO_DEV(major(st.st_dev), minor(st.st_dev)))
			print_message("# stat has device %u:%u\n", major(st.st_dev), minor(st.st_dev));
	}
	fd_release(&diag.fd);
	(void)unlink("after");
	(void)rmdir(dir);
	if (rc == -ENOENT || rc == -EPROTONOSUPPORT) {
		print_message("# this kernel has no unix_diag\n");
		return;
	}
	assert_int_equal(rc, 0);
	assert_int_equal(found, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_list, empty),
		cmocka_unit_test_setup(test_parts, empty),
		cmocka_unit_test_setup(test_errors, empty),
		cmocka_unit_test_setup(test_cut, empty),
		cmocka_unit_test_setup(test_wrong, empty),
		cmocka_unit_test_setup(test_kernel, empty),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
