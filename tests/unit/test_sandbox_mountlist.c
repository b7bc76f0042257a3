// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of the list of mounts: the order, who wins, what is left out, and who makes the places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <sys/stat.h>

#include "base/own.h"
#include "sandbox/mountlist.h"

static struct arena arena;
static struct mount_draft m;

static int begin(void **state)
{
	struct err e = { 0 };

	(void)state;
	if (arena_init(&arena, &e) < 0)
		return -1;
	mounts_init(&m, &arena);
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static struct mount_op *add(enum mount_kind kind, const char *target)
{
	struct mount_op *op = NULL;
	struct err e = { 0 };

	assert_int_equal(mounts_add(&m, kind, target, &op, &e), 0);
	assert_non_null(op);
	return op;
}

static struct mount_op *bind_at(const char *target, bool readonly)
{
	struct mount_op *op = add(MK_BIND, target);

	op->source = target;
	op->is_dir = true;
	op->readonly = readonly;
	op->access = readonly ? ACCESS_READ : ACCESS_WRITE;
	return op;
}

static const struct mount_op *at(const struct mount_list *l, const char *target)
{
	for (size_t i = 0; i < l->n; i++) {
		if (str_eq(l->ops[i].target, target))
			return &l->ops[i];
	}
	return NULL;
}

/* The targets in order, a space between. */
static const char *order(const struct mount_list *l)
{
	static char buf[1024];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	for (size_t i = 0; i < l->n; i++)
		text_addf(&t, "%s%s", i ? " " : "", l->ops[i].target);
	return buf;
}

static void test_fresh(void **state)
{
	const struct mount_op *op = add(MK_DIR, "/x");

	(void)state;
	assert_int_equal(op->kind, MK_DIR);
	assert_string_equal(op->target, "/x");
	assert_int_equal(op->tree_fd, FD_NONE);
	assert_int_equal(op->option, OPT_COUNT);
	assert_int_equal(op->mode, 0755);
	assert_int_equal(op->access, ACCESS_NONE);
	assert_false(op->readonly || op->device || op->make_point);
}

/* A directory comes before what is in it, whatever sorts between the two by the letter ('-' and '.' come before '/'). */
static void test_order(void **state)
{
	struct mount_list l;

	(void)state;
	(void)add(MK_TMPFS, "/a/b/c");
	(void)add(MK_TMPFS, "/a.d");
	(void)add(MK_TMPFS, "/a");
	(void)add(MK_TMPFS, "/a-b");
	(void)add(MK_TMPFS, "/a/b");
	(void)add(MK_TMPFS, "/B");
	(void)add(MK_TMPFS, "/a b");
	(void)add(MK_TMPFS, "/\xc3\xa4");
	l = mounts_finish(&m);
	assert_string_equal(order(&l), "/B /a /a/b /a/b/c /a b /a-b /a.d /\xc3\xa4");
}

static void test_later_wins(void **state)
{
	struct mount_list l;

	(void)state;
	add(MK_TMPFS, "/home/me")->size = 1;
	(void)bind_at("/home/me", false);
	add(MK_TMPFS, "/home/me")->size = 3;
	(void)add(MK_DIR, "/home");
	l = mounts_finish(&m);
	assert_string_equal(order(&l), "/home /home/me");
	assert_int_equal(at(&l, "/home/me")->kind, MK_TMPFS);
	assert_int_equal(at(&l, "/home/me")->size, 3);
}

/* Also a weaker one: the order of asking decides, as everywhere. */
static void test_later_wins_readonly(void **state)
{
	struct mount_list l;

	(void)state;
	(void)bind_at("/w", false);
	(void)bind_at("/w/profile", true);
	(void)bind_at("/w", true);
	l = mounts_finish(&m);
	assert_true(at(&l, "/w")->readonly);
	assert_null(at(&l, "/w/profile"));
}

static void test_redundant(void **state)
{
	struct mount_list l;

	(void)state;
	(void)bind_at("/usr", true);
	(void)bind_at("/usr/lib", true);	 /* the same again */
	(void)add(MK_SYMLINK, "/usr/bin/sh");	 /* the host's tree has it */
	(void)add(MK_DIR, "/usr/share/x");	 /* likewise */
	(void)bind_at("/usr/local/rw", false);	 /* that one is not */
	(void)bind_at("/usr/local/rw/ro", true); /* less than what it lies on */
	(void)add(MK_TMPFS, "/usr/tmp");
	(void)add(MK_MASK, "/usr/secret");
	l = mounts_finish(&m);
	assert_string_equal(order(&l), "/usr /usr/local/rw /usr/local/rw/ro /usr/secret /usr/tmp");
}

/* What is beside a tree, and only begins like it, is not in it. */
static void test_not_redundant(void **state)
{
	struct mount_op *op;
	struct mount_list l;

	(void)state;
	(void)bind_at("/usr", true);
	(void)bind_at("/usrx", true);
	(void)add(MK_SYMLINK, "/usr-link");
	(void)add(MK_TMPFS, "/tmp");
	(void)bind_at("/tmp/ro", true);
	(void)add(MK_DIR, "/tmp/dir");
	op = bind_at("/usr/null", true);
	op->device = true; /* its mount has other attributes than the tree's */
	l = mounts_finish(&m);
	assert_string_equal(order(&l), "/tmp /tmp/dir /tmp/ro /usr /usr/null /usr-link /usrx");
}

/* A tmpfs that covers a part of a tree ends the tree there. */
static void test_cover_ends(void **state)
{
	struct mount_list l;

	(void)state;
	(void)bind_at("/a", true);
	(void)add(MK_TMPFS, "/a/t");
	(void)bind_at("/a/t/b", true);
	(void)bind_at("/a/z", true);
	(void)bind_at("/b", true);
	l = mounts_finish(&m);
	assert_string_equal(order(&l), "/a /a/t /a/t/b /b");
}

static void test_places(void **state)
{
	struct mount_list l;

	(void)state;
	(void)bind_at("/usr", true);
	(void)add(MK_TMPFS, "/usr/tmp");
	(void)bind_at("/usr/tmp/w", false);
	(void)add(MK_TMPFS, "/usr/tmp/w/t");
	(void)add(MK_PROC, "/proc");
	(void)add(MK_READONLY, "/proc/sys");
	(void)add(MK_MASK, "/proc/keys");
	(void)add(MK_FILE, "/etc/passwd");
	(void)add(MK_DEVPTS, "/dev/pts");
	l = mounts_finish(&m);
	/* On our own root and on a tmpfs of ours they are made. */
	assert_true(at(&l, "/usr")->make_point);
	assert_true(at(&l, "/usr/tmp/w")->make_point);
	assert_true(at(&l, "/proc")->make_point);
	assert_true(at(&l, "/etc/passwd")->make_point);
	assert_true(at(&l, "/dev/pts")->make_point);
	/* On a host's tree never, nor in /proc. */
	assert_false(at(&l, "/usr/tmp")->make_point);
	assert_false(at(&l, "/usr/tmp/w/t")->make_point);
	assert_false(at(&l, "/proc/sys")->make_point);
	assert_false(at(&l, "/proc/keys")->make_point);
}

/* A rule holds for all beneath it: one that adds nothing to a rule above is left out, any other stays. */
static void test_rules(void **state)
{
	struct mount_list l;

	(void)state;
	(void)add(MK_TMPFS, "/tmp");
	m.ops[m.n - 1].access = ACCESS_WRITE;
	(void)bind_at("/tmp/w", false);
	(void)bind_at("/tmp/r", true);
	(void)bind_at("/usr", true);
	(void)bind_at("/usr/w", false);
	(void)bind_at("/usr/w/r", true);
	(void)add(MK_DIR, "/dev");
	m.ops[m.n - 1].access = ACCESS_LIST;
	(void)add(MK_DEVPTS, "/dev/pts");
	m.ops[m.n - 1].access = ACCESS_DEVICE;
	(void)bind_at("/tmpx", true);
	l = mounts_finish(&m);
	assert_int_equal(at(&l, "/tmp")->access, ACCESS_WRITE);
	assert_int_equal(at(&l, "/tmp/w")->access, ACCESS_NONE);
	assert_int_equal(at(&l, "/tmp/r")->access, ACCESS_NONE);
	assert_int_equal(at(&l, "/usr")->access, ACCESS_READ);
	assert_int_equal(at(&l, "/usr/w")->access, ACCESS_WRITE);
	assert_int_equal(at(&l, "/usr/w/r")->access, ACCESS_NONE);
	assert_int_equal(at(&l, "/dev/pts")->access, ACCESS_DEVICE);
	assert_int_equal(at(&l, "/tmpx")->access, ACCESS_READ);
}

/* ioctl is no part of ACCESS_WRITE: a device on a writable tree keeps its rule. */
static void test_rule_of_device(void **state)
{
	struct mount_list l;

	(void)state;
	add(MK_TMPFS, "/dev")->access = ACCESS_WRITE;
	add(MK_BIND, "/dev/null")->access = ACCESS_DEVICE;
	l = mounts_finish(&m);
	assert_int_equal(at(&l, "/dev/null")->access, ACCESS_DEVICE);
}

static void test_show(void **state)
{
	struct mount_list l;

	(void)state;
	(void)bind_at("/usr", true);
	(void)add(MK_TMPFS, "/usr/tmp");
	(void)bind_at("/usr/tmp/w", false);
	(void)add(MK_DIR, "/etc");
	l = mounts_finish(&m);
	assert_true(mounts_show(&l, "/usr"));
	assert_true(mounts_show(&l, "/usr/bin"));
	assert_true(mounts_show(&l, "/usr/tmp/w/x"));
	assert_false(mounts_show(&l, "/usr/tmp"));
	assert_false(mounts_show(&l, "/usr/tmp/x"));
	assert_false(mounts_show(&l, "/etc"));
	assert_false(mounts_show(&l, "/usrx"));
	assert_false(mounts_show(&l, "/"));
}

/* A host's tree brings the links that led to it, each at its own place. */
static void test_host(void **state)
{
	struct link_passed second = { .at = "/var/home", .text = "me" },
			   first = { &second, "/home", "var/home" };
	struct resolved r = { .path = "/me/x", .fd = FD_NONE, .links = &first };
	struct mount_op *op = NULL;
	struct err e = { 0 };
	struct mount_list l;

	(void)state;
	r.st.st_mode = S_IFDIR | 0755;
	r.st.st_dev = 7;
	r.st.st_ino = 8;
	assert_int_equal(mounts_add_host(&m, &r, true, ACCESS_READ, &op, &e), 0);
	assert_int_equal(op->kind, MK_BIND);
	assert_true(op->is_dir && op->readonly && op->dev == 7 && op->ino == 8 &&
		    op->access == ACCESS_READ);
	l = mounts_finish(&m);
	assert_string_equal(order(&l), "/home /me/x /var/home");
	assert_int_equal(at(&l, "/home")->kind, MK_SYMLINK);
	assert_string_equal(at(&l, "/home")->source, "var/home");
	assert_string_equal(at(&l, "/var/home")->source, "me");
	assert_string_equal(at(&l, "/me/x")->source, "/me/x");
}

static void test_too_many(void **state)
{
	struct err e = { 0 };

	(void)state;
	for (size_t i = 0; i < MOUNTS_MAX; i++)
		(void)add(MK_DIR, arena_printf(&arena, "/%zu", i));
	assert_true(mounts_add(&m, MK_DIR, "/more", NULL, &e) < 0);
	assert_int_equal(e.stage, ST_PLAN);
	assert_int_equal(m.n, MOUNTS_MAX);
	assert_int_equal(mounts_finish(&m).n, MOUNTS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_fresh, begin, end),
		cmocka_unit_test_setup_teardown(test_order, begin, end),
		cmocka_unit_test_setup_teardown(test_later_wins, begin, end),
		cmocka_unit_test_setup_teardown(test_later_wins_readonly, begin, end),
		cmocka_unit_test_setup_teardown(test_redundant, begin, end),
		cmocka_unit_test_setup_teardown(test_not_redundant, begin, end),
		cmocka_unit_test_setup_teardown(test_cover_ends, begin, end),
		cmocka_unit_test_setup_teardown(test_places, begin, end),
		cmocka_unit_test_setup_teardown(test_rules, begin, end),
		cmocka_unit_test_setup_teardown(test_rule_of_device, begin, end),
		cmocka_unit_test_setup_teardown(test_show, begin, end),
		cmocka_unit_test_setup_teardown(test_host, begin, end),
		cmocka_unit_test_setup_teardown(test_too_many, begin, end),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
