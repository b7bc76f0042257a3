// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of the store: what appears, what a crash leaves, what is removed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "oci/store.h"
#include "oci/tree.h"

#define ABC "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static char home[] = "/tmp/jail-store.XXXXXX";

static void must_open(struct store *s, enum store_use use)
{
	struct err e = { 0 };

	assert_int_equal(store_open(s, use, &e), 0);
}

static void test_none(void **state)
{
	own_store s = { 0 };
	struct digest d;

	(void)state;
	must_open(&s, STORE_LOOK);
	assert_int_equal(s.root, FD_NONE);
	assert_false(store_get_ref(&s, "x", &d));
	assert_true(digest_parse(ABC, &d));
	assert_int_equal(store_open_blob(&s, &d), -ENOENT);
	assert_int_equal(access(s.path, F_OK), -1);
}

static void test_put(void **state)
{
	own_store s = { 0 };
	struct digest d, got;
	struct err e = { 0 };
	own_str text = NULL;
	struct stat st;
	size_t n;

	(void)state;
	(void)umask(0);
	must_open(&s, STORE_ADD);
	assert_int_equal(stat(s.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_true(digest_parse(ABC, &d));
	assert_int_equal(store_put_blob(&s, &d, "abc", 3, &e), 0);
	assert_int_equal(store_read_blob(&s, &d, &text, &n, &e), 0);
	assert_string_equal(text, "abc");
	assert_int_equal(store_put_ref(&s, "reg.test:5000/a/b:1", &d, &e), 0);
	assert_int_equal(faccessat(s.root, "refs/reg.test%3A5000%2Fa%2Fb%3A1", F_OK, 0), 0);
	assert_true(store_get_ref(&s, "reg.test:5000/a/b:1", &got));
	assert_string_equal(got.text, ABC);
	assert_int_equal(store_remove_ref(&s, "reg.test:5000/a/b:1", &e), 0);
	assert_false(store_get_ref(&s, "reg.test:5000/a/b:1", &got));
	assert_false(store_has_image(&s, &d));
	assert_int_equal(store_put_record(&s, &d, "x\n", 2, &e), 0);
	assert_true(store_has_image(&s, &d));
}

/* A blob that changed on the disk is noticed. */
static void test_changed(void **state)
{
	own_store s = { 0 };
	struct digest d;
	struct err e = { 0 };
	char *text = NULL;
	size_t n;
	own_fd fd = FD_NONE;

	(void)state;
	must_open(&s, STORE_ADD);
	assert_true(digest_parse(ABC, &d));
	fd = openat(s.root,
		    "blobs/sha256/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		    O_WRONLY);
	assert_int_equal(pwrite(fd, "x", 1, 0), 1);
	assert_true(store_read_blob(&s, &d, &text, &n, &e) < 0);
	assert_non_null(strstr(e.what, "expected " ABC ", got sha256:"));
}

/* What is in tmp/ goes when nobody else is there, and stays while somebody is. */
static void test_sweep(void **state)
{
	own_store a = { 0 };
	struct err e = { 0 };
	own_fd dir = FD_NONE;
	char name[40];

	(void)state;
	must_open(&a, STORE_ADD);
	assert_int_equal(store_make_tmp(&a, name, &dir, &e), 0);
	assert_int_equal(mkdirat(dir, "deep", 0700), 0);
	assert_int_equal(mkdirat(dir, "deep/er", 0700), 0);
	assert_int_equal(fchmodat(dir, "deep", 0555, 0), 0);
	{
		own_store b = { 0 };

		must_open(&b, STORE_ADD);
		assert_int_equal(faccessat(b.tmp, name, F_OK, 0), 0);
	}
	store_close(&a);
	must_open(&a, STORE_ADD);
	assert_int_equal(faccessat(a.tmp, name, F_OK, 0), -1);
}

static void test_lock(void **state)
{
	own_store s = { 0 };
	struct err e = { 0 };
	own_fd lock = FD_NONE, second = FD_NONE;
	char line[80] = "", want[80];

	(void)state;
	must_open(&s, STORE_ADD);
	assert_int_equal(store_lock(&s, "sha256-x", &lock, &e), 0);
	second = openat(s.root, "locks/sha256-x", O_RDWR);
	assert_int_equal(flock(second, LOCK_EX | LOCK_NB), -1);
	assert_true(read(second, line, sizeof(line) - 1) > 0);
	(void)snprintf(want, sizeof(want), "%d %s\n", (int)getpid(), program_invocation_short_name);
	assert_string_equal(line, want);
	fd_release(&lock);
	assert_int_equal(flock(second, LOCK_EX | LOCK_NB), 0);
}

/* Deep, read-only, with links that lead out: all goes, nothing outside does. */
static void test_remove(void **state)
{
	own_fd at = open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC), top = FD_NONE;
	char out[128];

	(void)state;
	(void)snprintf(out, sizeof(out), "%s/outside", home);
	assert_int_equal(mkdir(out, 0700), 0);
	assert_int_equal(mkdirat(at, "outside/keep", 0700), 0);
	assert_int_equal(mkdirat(at, "tree", 0700), 0);
	top = openat(at, "tree", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < 3000; i++) {
		int next;

		assert_int_equal(symlinkat(out, top, "link"), 0);
		assert_int_equal(mkdirat(top, "d", 0700), 0);
		next = openat(top, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		(void)!fchmod(top, i % 2 ? 0555 : 0);
		fd_release(&top);
		top = next;
	}
	assert_int_equal(tree_remove(at, "tree"), 0);
	assert_int_equal(faccessat(at, "tree", F_OK, 0), -1);
	assert_int_equal(faccessat(at, "outside/keep", F_OK, 0), 0);
	assert_int_equal(tree_remove(at, "tree"), 0);
}

static int begin(void **state)
{
	(void)state;
	return !mkdtemp(home) || setenv("XDG_DATA_HOME", home, 1) < 0;
}

static int end(void **state)
{
	(void)state;
	return tree_remove(AT_FDCWD, home);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),	cmocka_unit_test(test_put),
		cmocka_unit_test(test_changed), cmocka_unit_test(test_sweep),
		cmocka_unit_test(test_lock),	cmocka_unit_test(test_remove),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, begin, end);
}
