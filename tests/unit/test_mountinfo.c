// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of the mountinfo reader: lines as the kernel writes them, lines it never would, and a buffer that is too small. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/own.h"
#include "sandbox/mountinfo.h"

static const struct {
	const char *line;
	struct mountinfo want;
} good[] = {
	{ "36 35 98:0 /mnt1 /mnt2 rw,noatime - ext3 /dev/root rw,errors=continue",
	  { 36, 35, "/mnt2", 0, false, MOUNTINFO_DEV(98, 0) } },
	{ "1 1 0:2 / / rw - rootfs rootfs rw", { 1, 1, "/", 0, false, MOUNTINFO_DEV(0, 2) } },
	{ "9 8 0:1 / /a ro,nosuid,nodev,noexec,noatime,nodiratime,nosymfollow,idmapped - tmpfs x ro",
	  { 9, 8, "/a", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC | K_MS_NOSYMFOLLOW, false,
	    MOUNTINFO_DEV(0, 1) } },
	{ "9 8 0:1 / /a rw,relatime shared:1 - tmpfs x ro",
	  { 9, 8, "/a", 0, true, MOUNTINFO_DEV(0, 1) } },
	{ "9 8 0:1 / /a rw,relatime master:1 propagate_from:2 - tmpfs x ro",
	  { 9, 8, "/a", 0, true, MOUNTINFO_DEV(0, 1) } },
	{ "9 8 0:1 / /a rw,relatime unbindable - tmpfs x ro",
	  { 9, 8, "/a", 0, true, MOUNTINFO_DEV(0, 1) } },
	{ "9 8 0:1 /x\\040y//deleted /a\\040b\\011c\\012d\\134040 rw - tmpfs \\134 rw",
	  { 9, 8, "/a b\tc\nd\\040", 0, false, MOUNTINFO_DEV(0, 1) } },
	{ "9 8 0:1 / /\303\244 rw - fuse.x  rw", { 9, 8, "/\303\244", 0, false, MOUNTINFO_DEV(0, 1) } },
	{ "9 8 0:1 / /- rw - tmpfs - rw", { 9, 8, "/-", 0, false, MOUNTINFO_DEV(0, 1) } },
	{ "9 8 4095:1048575 / /a rw - tmpfs x rw", { 9, 8, "/a", 0, false, 0xffffffff } },
};

static const char *const bad[] = {
	"",
	" ",
	"36",
	"36 35 98:0 /mnt1 /mnt2",
	"36 35 98:0 /mnt1 /mnt2 rw",
	"36 35 98:0 /mnt1 /mnt2 rw -",
	"36 35 98:0 /mnt1 /mnt2 rw shared:1",
	"36 35 98:0 /mnt1 /mnt2 rw shared:1 ext3 /dev/root rw",
	"x 35 98:0 /mnt1 /mnt2 rw - ext3 /dev/root rw",
	"36 -1 98:0 /mnt1 /mnt2 rw - ext3 /dev/root rw",
	"36 35  /mnt1 /mnt2 rw - ext3 /dev/root rw",
	"36 35 98 /mnt1 /mnt2 rw - ext3 /dev/root rw",
	"36 35 98: /mnt1 /mnt2 rw - ext3 /dev/root rw",
	"36 35 :0 /mnt1 /mnt2 rw - ext3 /dev/root rw",
	"36 35 98:0:0 /mnt1 /mnt2 rw - ext3 /dev/root rw",
	"36 35 4096:0 /mnt1 /mnt2 rw - ext3 /dev/root rw",
	"36 35 98:1048576 /mnt1 /mnt2 rw - ext3 /dev/root rw",
	"36 35 98:0 /mnt1 mnt2 rw - ext3 /dev/root rw",
	"36 35 98:0 /mnt1  rw - ext3 /dev/root rw",
	"36 35 98:0 /mnt1 /mnt2 rw,nofuture - ext3 /dev/root rw",
	"36 35 98:0 /mnt1 /mnt2 rw, - ext3 /dev/root rw",
	"36 35 98:0 /mnt1 /mnt2 - ext3 /dev/root rw",
	"36 35 98:0 /mnt1 /a\\04 rw - ext3 /dev/root rw",
	"36 35 98:0 /mnt1 /a\\x20 rw - ext3 /dev/root rw",
	"36 35 98:0 /mnt1 /a\\000b rw - ext3 /dev/root rw",
	"36 35 98:0 /mnt1 /a\\400b rw - ext3 /dev/root rw",
	"36 35 98:0 /mnt1 /a\\ rw - ext3 /dev/root rw",
	"99999999999999999999 35 98:0 /mnt1 /mnt2 rw - ext3 /dev/root rw",
};

static void check(const struct mountinfo *got, const struct mountinfo *want)
{
	assert_int_equal(got->id, want->id);
	assert_int_equal(got->parent, want->parent);
	assert_string_equal(got->point, want->point);
	assert_int_equal(got->flags, want->flags);
	assert_int_equal(got->tied, want->tied);
	assert_int_equal(got->dev, want->dev);
}

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		char line[256];
		struct mountinfo m;

		(void)snprintf(line, sizeof(line), "%s", good[i].line);
		assert_int_equal(mountinfo_parse(line, &m), 0);
		check(&m, &good[i].want);
	}
}

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct mountinfo m = { .id = 77 };
		char line[256];

		(void)snprintf(line, sizeof(line), "%s", bad[i]);
		if (mountinfo_parse(line, &m) != -EINVAL)
			fail_msg("taken: %s", bad[i]);
		assert_int_equal(m.id, 77);
	}
}

/* All the good lines through a pipe, with `size` bytes of room; how many came, or the error. */
static int read_all(size_t size, const char *more)
{
	char buf[512];
	struct mountinfo_reader r = { .buf = buf, .size = size };
	own_fd out = FD_NONE, in = FD_NONE;
	struct mountinfo m;
	int ends[2], rc, n = 0;

	assert_int_equal(pipe(ends), 0);
	in = ends[0];
	out = ends[1];
	r.fd = in;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_true(dprintf(out, "%s\n", good[i].line) > 0);
	assert_true(dprintf(out, "%s", more) >= 0);
	fd_release(&out);
	while ((rc = mountinfo_next(&r, &m)) > 0) {
		assert_true((size_t)n < ARRAY_SIZE(good));
		check(&m, &good[n++].want);
	}
	return rc < 0 ? rc : n;
}

static void test_reader(void **state)
{
	size_t longest = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		longest = strlen(good[i].line) > longest ? strlen(good[i].line) : longest;
	for (size_t size = 1; size <= 512; size++)
		assert_int_equal(read_all(size, ""), size > longest ? (int)ARRAY_SIZE(good) : -EFBIG);
	assert_int_equal(read_all(512, "36 35 98:0 / /cut rw - ext3 x rw"), -EINVAL);
	assert_int_equal(read_all(512, "nonsense\n"), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_reader),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
