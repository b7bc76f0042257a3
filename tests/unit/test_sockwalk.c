// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of the walk for sockets: what it meets, where it does not go, and when it gives up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "sandbox/sockwalk.h"

static char top[64] = "/tmp/jail-sockwalk.XXXXXX";

/* What was met, below the top, in order, each with a blank behind it. */
struct seen {
	char buf[4096];
	struct text t;
	unsigned n, enough;
};

static int met(void *arg, const char *path, const struct stat *st, struct err *e)
{
	struct seen *s = arg;
	struct stat again;

	(void)e;
	assert_true(S_ISSOCK(st->st_mode));
	assert_int_equal(lstat(path, &again), 0);
	assert_int_equal(again.st_ino, st->st_ino);
	assert_true(path_beneath(path, top));
	text_addf(&s->t, "%s ", path + strlen(top) + 1);
	return ++s->n == s->enough;
}

static struct sockwalk walk(struct seen *s, unsigned left)
{
	*s = (struct seen){ 0 };
	text_init(&s->t, s->buf, sizeof(s->buf));
	return (struct sockwalk){ .met = met, .arg = s, .left = left };
}

static void make_socket(const char *name)
{
	assert_int_equal(mknod(name, S_IFSOCK | 0600, 0), 0);
}

static int make_tree(void **state)
{
	(void)state;
	if (!mkdtemp(top) || chdir(top) < 0)
		return -1;
	assert_int_equal(mkdir("a", 0755), 0);
	assert_int_equal(mkdir("a/b", 0755), 0);
	assert_int_equal(mkdir("a/b/c", 0755), 0);
	assert_int_equal(symlink("b", "a/link"), 0);
	assert_int_equal(symlink("b/c/deep", "a/link.sock"), 0);
	make_socket("a/b/c/deep");
	make_socket("a/b/mid");
	make_socket("s");
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static int remove_tree(void **state)
{
	(void)state;
	return chdir("/") < 0 ? -1 : nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void test_all(void **state)
{
	struct err e = { 0 };
	struct seen s;
	struct sockwalk w = walk(&s, 1000);

	(void)state;
	assert_int_equal(sockwalk_tree(&w, top, &e), 0);
	assert_string_equal(s.buf, "s a/b/mid a/b/c/deep ");
	assert_false(w.cut);
	assert_int_equal(w.left, 1000 - 8);
}

static void test_enough(void **state)
{
	struct err e = { 0 };
	struct seen s;
	struct sockwalk w = walk(&s, 1000);

	(void)state;
	s.enough = 2;
	assert_int_equal(sockwalk_tree(&w, top, &e), 1);
	assert_string_equal(s.buf, "s a/b/mid ");
	assert_false(w.cut);
}

/* Every bound below what there is cuts it, and is the last thing that is read. */
static void test_bound(void **state)
{
	struct err e = { 0 };
	struct seen s;

	(void)state;
	for (unsigned n = 0; n <= 9; n++) {
		struct sockwalk w = walk(&s, n);

		assert_int_equal(sockwalk_tree(&w, top, &e), 0);
		assert_int_equal(w.cut, n < 8);
		assert_int_equal(w.left, n < 8 ? 0 : n - 8);
	}
}

static void test_directory(void **state)
{
	char path[128];
	struct err e = { 0 };
	struct seen s;
	struct sockwalk w = walk(&s, 1000);

	(void)state;
	assert_int_equal(sockwalk_directory(&w, top, &e), 0);
	assert_string_equal(s.buf, "s ");
	(void)snprintf(path, sizeof(path), "%s/a/link", top);
	assert_int_equal(sockwalk_directory(&w, path, &e), 0);
	assert_string_equal(s.buf, "s a/link/mid ");
	(void)snprintf(path, sizeof(path), "%s/none", top);
	assert_int_equal(sockwalk_directory(&w, path, &e), 0);
	(void)snprintf(path, sizeof(path), "%s/s", top);
	assert_int_equal(sockwalk_directory(&w, path, &e), 0);
	assert_false(w.cut);
	assert_int_equal(e.stage, ST_NONE);
}

static void test_unreadable(void **state)
{
	struct err e = { 0 };
	struct seen s;
	struct sockwalk w = walk(&s, 1000);

	(void)state;
	if (geteuid() == 0) {
		print_message("# root reads everything\n");
		return;
	}
	assert_int_equal(chmod("a/b", 0300), 0);
	assert_int_equal(sockwalk_tree(&w, top, &e), 0);
	assert_string_equal(s.buf, "s ");
	assert_true(w.cut);
	assert_int_equal(chmod("a/b", 0400), 0);
	w = walk(&s, 1000);
	assert_int_equal(sockwalk_tree(&w, top, &e), 0);
	assert_string_equal(s.buf, "s ");
	assert_true(w.cut);
	assert_int_equal(chmod("a/b", 0755), 0);
}

/* A tree that is deeper than a path can be long: what is beyond is left, and said to be. */
static void test_deep(void **state)
{
	char name[NAME_MAX + 1];
	struct err e = { 0 };
	struct seen s;
	struct sockwalk w = walk(&s, 1000);
	int depth = 0;

	(void)state;
	memset(name, 'd', NAME_MAX);
	name[NAME_MAX] = '\0';
	for (; depth < 20; depth++) {
		assert_int_equal(mkdir(name, 0755), 0);
		assert_int_equal(chdir(name), 0);
	}
	make_socket("s");
	assert_int_equal(chdir(top), 0);
	assert_int_equal(sockwalk_tree(&w, top, &e), 0);
	assert_string_equal(s.buf, "s a/b/mid a/b/c/deep ");
	assert_true(w.cut);
	for (int i = 0; i < depth; i++)
		assert_int_equal(chdir(name), 0);
	assert_int_equal(unlink("s"), 0);
	for (; depth; depth--)
		assert_int_equal(chdir("..") < 0 ? -1 : rmdir(name), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),	   cmocka_unit_test(test_enough),
		cmocka_unit_test(test_bound),	   cmocka_unit_test(test_directory),
		cmocka_unit_test(test_unreadable), cmocka_unit_test(test_deep),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
