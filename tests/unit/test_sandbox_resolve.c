// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of path resolution: what a path leads to, and the links on the way, in a tree made for it. */
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
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "sandbox/resolve.h"

static char top[PATH_MAX / 4]; /* canonical */
static struct arena arena;

static void in_top(char *buf, size_t size, const char *below)
{
	(void)snprintf(buf, size, "%s%s", top, below);
}

static void make_link(const char *text, const char *below)
{
	char path[PATH_MAX];

	in_top(path, sizeof(path), below);
	assert_int_equal(symlink(text, path), 0);
}

static void make_dir(const char *below)
{
	char path[PATH_MAX];

	in_top(path, sizeof(path), below);
	assert_int_equal(mkdir(path, 0755), 0);
}

static int make_tree(void **state)
{
	char path[PATH_MAX] = "/tmp/jail-resolve.XXXXXX", real[PATH_MAX];
	own_fd fd = FD_NONE;
	struct err e = { 0 };

	(void)state;
	if (!mkdtemp(path) || !realpath(path, real) || strlen(real) >= sizeof(top) ||
	    arena_init(&arena, &e) < 0)
		return -1;
	memcpy(top, real, strlen(real) + 1);
	make_dir("/a");
	make_dir("/a/b");
	make_dir("/c");
	in_top(path, sizeof(path), "/a/b/file");
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	make_link("b", "/a/relative");
	make_link("../c", "/a/up");
	make_link("a/relative", "/two");
	in_top(path, sizeof(path), "/a");
	make_link(path, "/absolute");
	make_link("loop", "/loop");
	make_link("pong", "/ping");
	make_link("ping", "/pong");
	make_link("nowhere/at/all", "/broken");
	make_link(".", "/dot");
	return fd < 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

static int remove_tree(void **state)
{
	(void)state;
	arena_free(&arena);
	return nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Resolve top/below: leads to top/target by way of `links`, "at=text" each behind a space. */
static void expect(const char *below, const char *target, const char *links)
{
	char path[PATH_MAX], want[PATH_MAX], passed[1024];
	struct resolved r = { .fd = FD_NONE };
	struct err e = { 0 };
	struct stat st;
	struct text t;

	in_top(path, sizeof(path), below);
	in_top(want, sizeof(want), target);
	assert_int_equal(path_resolve(&arena, path, &r, &e), 0);
	assert_int_equal(e.stage, ST_NONE);
	assert_string_equal(r.path, want);
	assert_int_equal(stat(want, &st), 0);
	assert_int_equal(st.st_ino, r.st.st_ino);
	assert_int_equal(fstat(r.fd, &st), 0);
	assert_int_equal(st.st_ino, r.st.st_ino);
	assert_int_equal(fcntl(r.fd, F_GETFL) & O_PATH, O_PATH);
	assert_int_equal(fcntl(r.fd, F_GETFD), FD_CLOEXEC);
	fd_release(&r.fd);
	text_init(&t, passed, sizeof(passed));
	for (const struct link_passed *l = r.links; l; l = l->next) {
		assert_true(str_starts(l->at, top));
		text_addf(&t, " %s=%s", l->at + strlen(top), l->text);
	}
	assert_string_equal(passed, links);
}

static void expect_error(const char *below, int code)
{
	struct resolved r = { .fd = 4711 };
	struct err e = { 0 };
	char path[2 * PATH_MAX];

	in_top(path, sizeof(path), below);
	assert_int_equal(path_resolve(&arena, path, &r, &e), -code);
	assert_int_equal(r.fd, 4711);
	assert_int_equal(e.stage, ST_NONE); /* left for the caller to judge */
}

static void test_plain(void **state)
{
	(void)state;
	expect("/a", "/a", "");
	expect("/a/b/file", "/a/b/file", "");
}

static void test_dots(void **state)
{
	(void)state;
	expect("/a/./b", "/a/b", "");
	expect("//a//b/", "/a/b", "");
	expect("/a/b/..", "/a", "");
	expect("/a/../c/.", "/c", "");
	expect("/a/b/../../c", "/c", "");
}

static void test_links(void **state)
{
	char absolute[PATH_MAX];

	(void)state;
	expect("/a/relative", "/a/b", " /a/relative=b");
	expect("/a/relative/file", "/a/b/file", " /a/relative=b");
	expect("/a/up", "/c", " /a/up=../c");
	expect("/two/file", "/a/b/file", " /two=a/relative /a/relative=b");
	expect("/dot/dot/a", "/a", " /dot=. /dot=.");
	(void)snprintf(absolute, sizeof(absolute), " /absolute=%s/a", top);
	expect("/absolute/b", "/a/b", absolute);
	/* ".." behind a link goes up from where the link led, as the kernel does it. */
	expect("/two/..", "/a", " /two=a/relative /a/relative=b");
	expect("/a/up/../a/b", "/a/b", " /a/up=../c");
}

static void test_root(void **state)
{
	struct resolved r = { .fd = FD_NONE };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(path_resolve(&arena, "/", &r, &e), 0);
	assert_string_equal(r.path, "/");
	fd_release(&r.fd);
	assert_int_equal(path_resolve(&arena, "/../../..", &r, &e), 0);
	assert_string_equal(r.path, "/");
	fd_release(&r.fd);
}

static void test_missing(void **state)
{
	(void)state;
	expect_error("/none", ENOENT);
	expect_error("/none/b", ENOENT);
	expect_error("/a/./none", ENOENT);
	expect_error("/broken", ENOENT);
	expect_error("/a/b/file/x", ENOTDIR);
	expect_error("/dot/a/b/file/x", ENOTDIR);
}

static void test_loops(void **state)
{
	(void)state;
	expect_error("/loop", ELOOP);
	expect_error("/ping", ELOOP);
	expect_error("/a/../loop/x", ELOOP);
}

static void test_long(void **state)
{
	static char path[2 * PATH_MAX], name[NAME_MAX + 8];

	(void)state;
	name[0] = '/';
	memset(name + 1, 'n', NAME_MAX + 1);
	expect_error(name, ENAMETOOLONG);
	(void)snprintf(path, sizeof(path), "/dot%s", name);
	expect_error(path, ENAMETOOLONG);
	memset(path, '/', PATH_MAX);
	path[PATH_MAX] = '\0';
	expect_error(path, ENAMETOOLONG);
}

/* A failure that is ours and not the path's is an error, or what cannot be looked at would be left out. */
static void test_our_failure(void **state)
{
	struct resolved r = { .fd = FD_NONE };
	struct rlimit old, none;
	struct err e = { 0 };
	int rc;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = old;
	none.rlim_cur = 3;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	rc = path_resolve(&arena, top, &r, &e);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(rc, -EMFILE);
	assert_int_equal(e.stage, ST_PLAN);
	assert_non_null(strstr(e.what, top));
}

static void test_absent(void **state)
{
	static const int path_is[] = { ENOENT, ENOTDIR, EACCES, ELOOP, ENAMETOOLONG },
			 we_are[] = { 0, EPERM, EMFILE, ENFILE, ENOMEM, EIO, EINVAL };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(path_is); i++)
		assert_true(path_absent(path_is[i]));
	for (size_t i = 0; i < ARRAY_SIZE(we_are); i++)
		assert_false(path_absent(we_are[i]));
}

static void test_relative(void **state)
{
	(void)state;
	assert_string_equal(path_absolute(&arena, "/home/me", "x/y"), "/home/me/x/y");
	assert_string_equal(path_absolute(&arena, "/home/me", "."), "/home/me/.");
	assert_string_equal(path_absolute(&arena, "/", "x"), "/x");
	assert_string_equal(path_absolute(&arena, "/home/me", "/x"), "/x");
	assert_string_equal(path_absolute(&arena, "/home/me", "../x"), "/home/me/../x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),	cmocka_unit_test(test_dots),
		cmocka_unit_test(test_links),	cmocka_unit_test(test_root),
		cmocka_unit_test(test_missing), cmocka_unit_test(test_loops),
		cmocka_unit_test(test_long),	cmocka_unit_test(test_our_failure),
		cmocka_unit_test(test_absent),	cmocka_unit_test(test_relative),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
