// SPDX-License-Identifier: GPL-2.0-or-later
/* The draft: profiles found, trusted, extended and merged; the command line; all or nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/paths.h"
#include "profiles/draft.h"
#include "profiles/locate.h"

/* A home of its own for each test, which is the current directory too. */
struct world {
	char dir[64], config[96];
	struct expansion expand;
	struct arena arena;
	struct draft draft;
	struct err e;
};

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static int setup(void **state)
{
	static struct world w;

	w = (struct world){ .dir = "/tmp/jail-test-draft.XXXXXX" };
	if (!mkdtemp(w.dir) || chdir(w.dir) < 0)
		return -1;
	(void)snprintf(w.config, sizeof(w.config), "%s/config", w.dir);
	(void)mkdir("config", 0755);
	(void)mkdir("config/jail", 0755);
	(void)mkdir("config/jail/profiles", 0755);
	w.expand = (struct expansion){ .home = w.dir, .user = "me", .config_home = w.config };
	*state = &w;
	if (arena_init(&w.arena, &w.e) < 0)
		return -1;
	return draft_init(&w.draft, &w.arena, &w.expand, &w.e);
}

static int teardown(void **state)
{
	struct world *w = *state;

	arena_free(&w->arena);
	return chdir("/") < 0 ? -1 : nftw(w->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void put(const char *path, const char *text)
{
	own_fd fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, 0644), 0);
	assert_int_equal(fs_write_all(fd, text, strlen(text)), 0);
}

#define USER_DIR "config/jail/profiles/"

static void adds(struct world *w, const char *name)
{
	if (draft_add_profile(&w->draft, name, &w->e) < 0)
		fail_msg("%s: %s", name, w->e.what);
}

/* The draft stays as it was, and the message has `wanted` in it. */
static void fails(struct world *w, const char *name, const char *wanted)
{
	struct draft before = w->draft;

	w->e = (struct err){ 0 };
	if (draft_add_profile(&w->draft, name, &w->e) >= 0)
		fail_msg("'%s' was taken", name);
	if (!strstr(w->e.what, wanted))
		fail_msg("says '%s', not '%s'", w->e.what, wanted);
	assert_memory_equal(&before, &w->draft, sizeof(before));
}

static const char *text_of(const struct world *w, enum opt id)
{
	const struct value *v = draft_get(&w->draft, id);

	return v ? v->text : "(none)";
}

/* "a b" for a list. */
static void expect_list(const struct world *w, enum opt id, const char *wanted)
{
	char buf[512];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	for (const struct value *v = draft_get(&w->draft, id); v; v = v->next)
		text_addf(&t, "%s%s%s", t.len ? " " : "", v->text, v->required ? "!" : "");
	assert_string_equal(buf, wanted);
}

static void expect_origin(const struct world *w, enum opt id, const char *wanted)
{
	char buf[128];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	origin_format(&draft_get(&w->draft, id)->origin, id, &t);
	assert_string_equal(buf, wanted);
}

static void starts_with_fallbacks(void **state)
{
	struct world *w = *state;

	for (unsigned i = 0; i < OPT_COUNT; i++)
		assert_true(!options[i].fallback == !w->draft.values[i]);
	assert_int_equal(draft_get(&w->draft, OPT_TMP)->number, (uint64_t)2 << 30);
	assert_int_equal(draft_get(&w->draft, OPT_NETWORK)->number, 0);
	expect_origin(w, OPT_TMP, "default");
}

static void shipped_profiles_are_good(void **state)
{
	static const char *const names[] = { "default", "agent", "offline", "build", "strict" };
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_int_equal(draft_init(&w->draft, &w->arena, &w->expand, &w->e), 0);
		adds(w, names[i]);
		/* Not one of them opens the network or lets root in. */
		assert_string_equal(text_of(w, OPT_NETWORK), "none");
		assert_null(strstr(text_of(w, OPT_ALLOW_ROOT), "yes"));
		assert_null(draft_get(&w->draft, OPT_ALLOW_SYSCALL));
	}
	assert_string_equal(text_of(w, OPT_SECCOMP), "strict");
	assert_string_equal(text_of(w, OPT_WORKSPACE_MODE), "ro");
	assert_int_equal(draft_get(&w->draft, OPT_LOOPBACK)->number, 0);
	assert_int_equal(draft_init(&w->draft, &w->arena, &w->expand, &w->e), 0);
	adds(w, "default");
	expect_list(w, OPT_SET, "IS_SANDBOX=1");
	assert_string_equal(w->draft.files->name, "agent");
	assert_string_equal(w->draft.files->next->name, "default");
	assert_null(w->draft.files->next->next);
}

static void children_stand_above_parents(void **state)
{
	struct world *w = *state;

	put(USER_DIR "old.ini", "[files]\nro = /old\n[limits]\ntmp = 1G\nshm = 1M\n");
	put(USER_DIR "mid.ini",
	    "[jail]\nextends = old.ini\n[files]\nro! = /mid\n[limits]\ntmp = 2K\n");
	put("new.ini", "[limits]\npids = 7\n[jail]\nextends = mid\n[files]\nro = ~/new\n");
	adds(w, "./new.ini");
	assert_int_equal(draft_get(&w->draft, OPT_TMP)->number, 2048);
	assert_int_equal(draft_get(&w->draft, OPT_SHM)->number, 1048576);
	expect_origin(w, OPT_TMP, "mid.ini:6");
	expect_origin(w, OPT_SHM, "old.ini:5");
	expect_origin(w, OPT_PIDS, "./new.ini:2");
	assert_string_equal(draft_get(&w->draft, OPT_RO)->text, "/old");
	assert_string_equal(draft_get(&w->draft, OPT_RO)->next->text, "/mid");
	assert_true(draft_get(&w->draft, OPT_RO)->next->required);
	assert_null(draft_get(&w->draft, OPT_RO)->next->next->next);
	assert_false(w->draft.files->by_path);
	assert_true(w->draft.files->next->next->by_path);
	assert_non_null(strstr(w->draft.files->next->next->path, "/new.ini"));
	assert_int_equal(w->draft.files->path[0], '/');
}

static void shared_parents_count_once(void **state)
{
	struct world *w = *state;

	put(USER_DIR "base.ini", "[files]\nro = /base\n[limits]\ntmp = 1G\n");
	put(USER_DIR "one.ini", "[jail]\nextends = base\n[limits]\ntmp = 2G\n");
	put(USER_DIR "two.ini", "[jail]\nextends = base\n[files]\nro = /two\n");
	adds(w, "one");
	adds(w, "two");
	adds(w, "one.ini");
	expect_list(w, OPT_RO, "/base /two");
	expect_origin(w, OPT_TMP, "one.ini:4");
}

static void extends_by_path(void **state)
{
	struct world *w = *state;

	(void)mkdir("sub", 0755);
	put("sub/parent.ini", "[files]\nro = /parent\n");
	put("sub/child.ini", "[jail]\nextends = ./parent.ini\n");
	put("up.ini", "[jail]\nextends = sub/child.ini\n");
	put(USER_DIR "named.ini", "[jail]\nextends = ../../../sub/parent.ini\n");
	adds(w, "./up.ini");
	expect_list(w, OPT_RO, "/parent");
	expect_origin(w, OPT_RO, "./sub/./parent.ini:2");
	assert_int_equal(draft_init(&w->draft, &w->arena, &w->expand, &w->e), 0);
	adds(w, "named");
	expect_list(w, OPT_RO, "/parent");
	put("bare.ini", "[jail]\nextends = up\n");
	fails(w, "./bare.ini",
	      "./bare.ini:2: extends = up: no profile 'up'; to read the one right here");
}

static void cycles_and_depth(void **state)
{
	struct world *w = *state;
	char path[64], text[64];

	put(USER_DIR "self.ini", "[jail]\nextends = self\n");
	fails(w, "self", "self.ini:2: extends = self: 'self.ini' would extend itself");
	put(USER_DIR "a.ini", "[jail]\nextends = b\n");
	put(USER_DIR "b.ini", "[jail]\nextends = c\n");
	put(USER_DIR "c.ini", "[files]\nro = /c\n[jail]\nextends = a\n");
	fails(w, "a", "c.ini:4: extends = a: 'a.ini' would extend itself");
	for (int i = 1; i <= 9; i++) {
		(void)snprintf(path, sizeof(path), USER_DIR "d%d.ini", i);
		(void)snprintf(text, sizeof(text), "[jail]\nextends = d%d\n", i - 1);
		put(path, text);
	}
	put(USER_DIR "d0.ini", "[files]\nro = /d0\n");
	fails(w, "d8", "d1.ini:2: extends = d0: more than 8 profiles deep");
	adds(w, "d7");
	expect_list(w, OPT_RO, "/d0");
}

static void names_are_looked_up(void **state)
{
	struct world *w = *state;

	put("claude.ini", "[files]\nro = /planted\n");
	fails(w, "claude", "no profile 'claude'; to read the one right here write './claude.ini'");
	fails(w, "claude.ini", "write './claude.ini'");
	fails(w, "agnt", "no profile 'agnt'; did you mean 'agent'?");
	fails(w, "zzzzzzzz", "no profile 'zzzzzzzz' in /tmp/jail-test-draft");
	fails(w, "-x", "'-x' is no profile name");
	fails(w, ".hidden", "'.hidden' is no profile name");
	fails(w, "..", "'..' is no profile name");
	fails(w, "", "'' is no profile name");
	fails(w, "a b", "'a b' is no profile name");
	fails(w, "./nothing.ini", "open profile './nothing.ini'");
	fails(w, "/dev/null", "profile '/dev/null' is not a regular file");
	fails(w, "./", "profile './' is not a regular file");
	/* The user's own stands before the shipped one. */
	put(USER_DIR "agent.ini", "[files]\nro = /mine\n");
	adds(w, "agent");
	expect_list(w, OPT_RO, "/mine");
}

static void others_must_not_write(void **state)
{
	struct world *w = *state;

	put(USER_DIR "open.ini", "[files]\nro = /a\n");
	assert_int_equal(chmod(USER_DIR "open.ini", 0664), 0);
	fails(w, "open", "other users can change profile");
	assert_non_null(strstr(w->e.what, "run chmod go-w '"));
	assert_int_equal(chmod(USER_DIR "open.ini", 0602), 0);
	fails(w, "open", "other users can change profile");
	fails(w, "./" USER_DIR "open.ini", "other users can change profile");
	assert_int_equal(chmod(USER_DIR "open.ini", 0400), 0);
	adds(w, "open");
	if (geteuid() == 0) {
		put(USER_DIR "theirs.ini", "[files]\nro = /a\n");
		if (chown(USER_DIR "theirs.ini", 1234, 1234) == 0)
			fails(w, "theirs", "belongs to uid 1234");
	}
}

static void links_are_followed(void **state)
{
	struct world *w = *state;

	put("dotfile", "[files]\nro = /linked\n");
	assert_int_equal(symlink("../../../dotfile", USER_DIR "link.ini"), 0);
	adds(w, "link");
	expect_list(w, OPT_RO, "/linked");
	assert_non_null(strstr(w->draft.files->path, "/dotfile"));
	/* One that leads nowhere does not fall through to the shipped profile. */
	assert_int_equal(symlink("nowhere", USER_DIR "agent.ini"), 0);
	fails(w, "agent", "open profile '");
	assert_int_equal(mkfifo("fifo.ini", 0644), 0);
	fails(w, "./fifo.ini", "is not a regular file");
}

static int parse(struct world *w, const char *const *words, int *ret)
{
	int argc = 0;

	while (words[argc])
		argc++;
	w->e = (struct err){ 0 };
	return draft_from_argv(&w->draft, argc, (char *const *)(uintptr_t)words, false, ret, &w->e);
}

#define PARSE(w, ret, ...) parse((w), (const char *const[]){ "jail", __VA_ARGS__, NULL }, (ret))

static void a_bad_profile_changes_nothing(void **state)
{
	struct world *w = *state;
	int first = -7;

	put(USER_DIR "base.ini", "[files]\nro = /base\n");
	put(USER_DIR "bad.ini",
	    "[jail]\nextends = base\n[files]\nro = /a\nrw = /b\n[limits]\ntmp = 3Q\n");
	put(USER_DIR "worse.ini", "[jail]\nextends = base\n[files]\nro = /a\nrww = /b\n");
	put(USER_DIR "orphan.ini", "[files]\nro = /a\n[jail]\nextends = bse\n");
	put(USER_DIR "late.ini", "[jail]\nextends = bad\n");
	adds(w, "base");
	fails(w, "bad", "bad.ini:7: tmp = 3Q: not a size (4096, 64K, 2G)");
	fails(w, "worse", "worse.ini:5: unknown key 'rww' in section [files]; did you mean 'rw'?");
	fails(w, "orphan", "orphan.ini:4: extends = bse: no profile 'bse'; did you mean 'base'?");
	fails(w, "late", "bad.ini:7: tmp = 3Q");
	put(USER_DIR "good.ini", "[files]\nro = /good\n");
	assert_true(PARSE(w, &first, "--ro=/x", "-p", "good", "-p", "bad", "ls") < 0);
	assert_string_equal(w->e.what, "bad.ini:7: tmp = 3Q: not a size (4096, 64K, 2G)");
	assert_int_equal(first, -7);
	expect_list(w, OPT_RO, "/base");
	assert_null(draft_get(&w->draft, OPT_PROFILE));
	assert_null(w->draft.files->next);
}

#define FAILS(w, wanted, ...)                                                \
	do {                                                                 \
		struct draft before_ = (w)->draft;                           \
		int first_ = -7;                                             \
                                                                             \
		assert_true(PARSE((w), &first_, __VA_ARGS__) < 0);           \
		assert_string_equal((w)->e.what, (wanted));                  \
		assert_int_equal((w)->e.stage, ST_USAGE);                    \
		assert_int_equal(first_, -7);                                \
		assert_memory_equal(&before_, &(w)->draft, sizeof(before_)); \
	} while (0)

static void command_lines(void **state)
{
	struct world *w = *state;
	int first = 0;

	assert_int_equal(PARSE(w, &first, "--ro", "/a", "--ro=/b", "ls", "--rw", "/c"), 0);
	assert_int_equal(first, 4);
	expect_list(w, OPT_RO, "/a! /b!");
	assert_null(draft_get(&w->draft, OPT_RW));
	assert_int_equal(PARSE(w, &first, "--json", "no", "x"), 0);
	assert_int_equal(first, 2);
	assert_int_equal(draft_get(&w->draft, OPT_JSON)->number, 1);
	assert_int_equal(PARSE(w, &first, "--loopback=no", "--", "--ro", "/z"), 0);
	assert_int_equal(first, 3);
	assert_int_equal(draft_get(&w->draft, OPT_LOOPBACK)->number, 0);
	expect_origin(w, OPT_LOOPBACK, "--loopback");
	assert_int_equal(PARSE(w, &first, "-", "--bogus"), 0);
	assert_int_equal(first, 1);
	assert_int_equal(PARSE(w, &first, "--tmp", "1K", "--tmp=2K"), 0);
	assert_int_equal(first, 4);
	assert_int_equal(draft_get(&w->draft, OPT_TMP)->number, 2048);
	assert_int_equal(PARSE(w, &first, "--set", "A=", "--set=B=c=d"), 0);
	expect_list(w, OPT_SET, "A= B=c=d");
	assert_int_equal(draft_from_argv(&w->draft, 0, NULL, false, &first, &w->e), 0);
	assert_int_equal(first, 0);
}

static void bad_command_lines(void **state)
{
	struct world *w = *state;

	FAILS(w, "--rw-path: unknown option; did you mean '--rw'?", "--ro", "/a", "--rw-path=/x");
	FAILS(w, "--zzzzzzzz: unknown option; `jail --help` lists them all", "--zzzzzzzz");
	FAILS(w, "--no-loopback: unknown option; did you mean '--loopback=no'?", "--no-loopback");
	FAILS(w, "--loopback no: join them: --loopback=no", "--loopback", "no", "x");
	FAILS(w, "-x: unknown option; `jail --help` lists them all", "-x");
	FAILS(w, "-hp: unknown option; `jail --help` lists them all", "-hp");
	FAILS(w, "--tmp: needs SIZE", "--tmp");
	FAILS(w, "--tmp: needs SIZE", "--tmp=");
	FAILS(w, "--tmp: needs SIZE", "--tmp", "");
	FAILS(w, "--tmp=3Q: not a size (4096, 64K, 2G)", "--tmp=3Q");
	FAILS(w, "--tmp=3Q: not a size (4096, 64K, 2G)", "--tmp", "3Q");
	FAILS(w, "--json=maybe: not yes or no", "--json=maybe");
	FAILS(w, "--json=: is empty", "--json=");
	FAILS(w, "--ro: needs PATH; if '--rw' is meant, put '=' before it", "--ro", "--rw", "/x");
	FAILS(w, "--ro: needs PATH; if '--' is meant, put '=' before it", "--ro", "--", "/x");
	FAILS(w, "--network=gates: not one of: none gate host", "--network", "gates");
	FAILS(w, "--profile: needs NAME|FILE", "-p");
	FAILS(w, "--extends: unknown option; did you mean '--events'?", "--extends=a");
	FAILS(w, "--: unknown option; `jail --help` lists them all", "--=");
}

static void flags_stand_above_profiles(void **state)
{
	struct world *w = *state;
	int first = 0;

	put(USER_DIR "p.ini", "[files]\nro = /p\n[limits]\ntmp = 1K\nshm = 1K\n");
	put("q.ini", "[files]\nro = /q\n[limits]\ntmp = 2K\nshm = 2K\n");
	put("r.ini", "[files]\nro = /r\n[limits]\ntmp = 3K\nshm = 3K\n");
	assert_int_equal(PARSE(w, &first, "--tmp=9K", "--ro=/f", "-p", "p", "-p./q.ini", "cmd"), 0);
	assert_int_equal(first, 6);
	assert_int_equal(draft_get(&w->draft, OPT_TMP)->number, 9216);
	assert_int_equal(draft_get(&w->draft, OPT_SHM)->number, 2048);
	expect_list(w, OPT_RO, "/p /q /f!");
	expect_list(w, OPT_PROFILE, "p ./q.ini");
	/* As `jail run NAME` does: a profile that comes after the flags. */
	adds(w, "./r.ini");
	assert_int_equal(draft_get(&w->draft, OPT_TMP)->number, 9216);
	assert_int_equal(draft_get(&w->draft, OPT_SHM)->number, 3072);
	expect_list(w, OPT_RO, "/p /q /r /f!");
	assert_int_equal(draft_set_flag(&w->draft, OPT_SHM, "4K", &w->e), 0);
	assert_int_equal(draft_get(&w->draft, OPT_SHM)->number, 4096);
	assert_int_equal(draft_set_flag(&w->draft, OPT_JSON, NULL, &w->e), 0);
	assert_int_equal(draft_get(&w->draft, OPT_JSON)->number, 1);
	assert_true(draft_set_flag(&w->draft, OPT_TMP, NULL, &w->e) < 0);
	assert_string_equal(w->e.what, "--tmp: needs SIZE");
	w->e = (struct err){ 0 };
	assert_true(draft_set_flag(&w->draft, OPT_COMMAND, "x", &w->e) < 0);
	assert_string_equal(w->e.what, "'command' can be set in a profile only");
}

static void the_default_profile(void **state)
{
	char *none[] = { (char[]){ "jail" }, (char[]){ "ls" }, NULL };
	char *help[] = { (char[]){ "jail" }, (char[]){ "-h" }, NULL };
	struct world *w = *state;
	int first = 0;

	assert_int_equal(draft_from_argv(&w->draft, 2, none, true, &first, &w->e), 0);
	assert_int_equal(first, 1);
	assert_string_equal(w->draft.files->name, "agent");
	assert_int_equal(draft_init(&w->draft, &w->arena, &w->expand, &w->e), 0);
	put(USER_DIR "default.ini", "broken\n");
	assert_true(draft_from_argv(&w->draft, 2, none, true, &first, &w->e) < 0);
	assert_string_equal(w->e.what,
			    "default.ini:1: 'broken': missing '=' between a key and a value");
	w->e = (struct err){ 0 };
	/* Help is there on the day the profile is not. */
	assert_int_equal(draft_from_argv(&w->draft, 2, help, true, &first, &w->e), 0);
	assert_int_equal(draft_get(&w->draft, OPT_HELP)->number, 1);
	assert_null(w->draft.files);
}

static void profiles_are_listed(void **state)
{
	struct world *w = *state;
	struct located *l = NULL;
	char buf[512];
	struct text t;

	put(USER_DIR "agent.ini", "");
	put(USER_DIR "zoo.ini", "");
	put(USER_DIR "Alpha.ini", "");
	put(USER_DIR ".hidden.ini", "");
	put(USER_DIR "notes.txt", "");
	put(USER_DIR "bad name.ini", "");
	assert_int_equal(profile_list(&w->arena, &w->expand, &l, &w->e), 0);
	text_init(&t, buf, sizeof(buf));
	for (; l; l = l->next)
		text_addf(&t, "%s:%s ", l->name, l->from);
	assert_string_equal(buf, "Alpha:user agent:user build:shipped default:shipped "
				 "offline:shipped strict:shipped zoo:user ");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(starts_with_fallbacks),
		TEST(shipped_profiles_are_good),
		TEST(children_stand_above_parents),
		TEST(shared_parents_count_once),
		TEST(extends_by_path),
		TEST(cycles_and_depth),
		TEST(names_are_looked_up),
		TEST(others_must_not_write),
		TEST(links_are_followed),
		TEST(a_bad_profile_changes_nothing),
		TEST(command_lines),
		TEST(bad_command_lines),
		TEST(flags_stand_above_profiles),
		TEST(the_default_profile),
		TEST(profiles_are_listed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
