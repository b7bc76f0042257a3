// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of what npm's and apt's configuration names, and of groups.ini. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/own.h"
#include "net/sources.h"
#include "profiles/hostgroups.h"

static struct sources s;

static const struct {
	const char *url;
	int want;
	const char *word;
} urls[] = {
	{ "https://a.test", 1, "a.test" },
	{ "https://a.test/", 1, "a.test" },
	{ "HTTPS://A.test:443/x", 1, "A.test" },
	{ "https://a.test:8443/x", 1, "a.test:8443/tls" },
	{ "http://a.test/debian", 1, "a.test:80" },
	{ "http://a.test:80", 1, "a.test:80" },
	{ "http://a.test:443", 1, "a.test:443/http" },
	{ "http://a.test:3142?x", 1, "a.test:3142/http" },
	{ "http://a.test#x", 1, "a.test:80" },
	{ "https://user:pa@ss@a.test/", 1, "a.test" },
	{ "http://192.0.2.1/x", 1, "192.0.2.1:80" },
	{ "https://192.0.2.1", 1, "192.0.2.1:443" },
	{ "http://[2001:db8::1]:8080/x", 1, "[2001:db8::1]:8080" },
	{ "http://[2001:db8::1]/", 1, "[2001:db8::1]:80" },
	{ "mirror+https://a.test/list", 1, "a.test" },
	{ "mirror://a.test/list", 1, "a.test:80" },
	{ "file:/srv/debian", 0, NULL },
	{ "cdrom:[Debian", 0, NULL },
	{ "mirror+file:/etc/apt/mirrors", 0, NULL },
	{ "httpx://a.test", 0, NULL },
	{ "", -EINVAL, NULL },
	{ "a.test", -EINVAL, NULL },
	{ "http:", -EINVAL, NULL },
	{ "http:/a.test", -EINVAL, NULL },
	{ "http://", -EINVAL, NULL },
	{ "http:///x", -EINVAL, NULL },
	{ "http://@/x", -EINVAL, NULL },
	{ "http://a..test", -EINVAL, NULL },
	{ "http://a.test:", 1, "a.test:80" },
	{ "http://a.test:x", -EINVAL, NULL },
	{ "http://a.test:0", -EINVAL, NULL },
	{ "http://a.test:80-90", -EINVAL, NULL },
	{ "http://a.test:80/tls", 1, "a.test:80" },
	{ "http://*.test", -EINVAL, NULL },
	{ "http://[::1", -EINVAL, NULL },
	{ "http://[::1]x", -EINVAL, NULL },
	{ "http://localhost:4873", -EINVAL, NULL },
	{ "http://${HOST}/", -EINVAL, NULL },
};

static void test_urls(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(urls); i++) {
		int rc;

		s.n = 0;
		rc = sources_add_url(&s, urls[i].url, strlen(urls[i].url));
		if (rc != urls[i].want || s.n != (rc > 0))
			fail_msg("'%s': %d", urls[i].url, rc);
		if (urls[i].word)
			assert_string_equal(s.word[0], urls[i].word);
	}
	assert_int_equal(sources_add_url(&s, "http://a\0b.test/", 16), -EINVAL);
}

/* "word word " of a text, or "-LINE" where it is refused. */
static void expect(int (*reader)(struct sources *, const char *, size_t, unsigned *),
		   const char *text, const char *want)
{
	char got[1024];
	unsigned line = 0;
	struct text t;

	s = (struct sources){ 0 };
	text_init(&t, got, sizeof(got));
	if (reader(&s, text, strlen(text), &line) < 0)
		text_addf(&t, "-%u", line);
	else
		for (size_t i = 0; i < s.n; i++)
			text_addf(&t, "%s ", s.word[i]);
	assert_string_equal(got, want);
}

static void test_npmrc(void **state)
{
	(void)state;
	expect(sources_npmrc, "", "");
	expect(sources_npmrc, "registry=https://a.test/", "a.test ");
	assert_true(s.registry);
	expect(sources_npmrc, "# registry=https://a.test/\n;registry=https://b.test\nx\n", "");
	expect(sources_npmrc, "  registry = 'https://a.test/'  \r\nregistry=https://a.test/x\n",
	       "a.test ");
	expect(sources_npmrc, "@s:registry=https://a.test/\n", "a.test ");
	assert_false(s.registry);
	expect(sources_npmrc, "xregistry=https://a.test/\n@s:xregistry=b\n:registry=c\n", "");
	expect(sources_npmrc, "a=b\nregistry=a.test\n", "-2");
	expect(sources_npmrc, "registry=file:/x\n", "-1");
	expect(sources_npmrc, "registry=\n", "-1");
	expect(sources_npmrc, "proxy=http://proxy.test:1\nhttps-proxy=http://proxy.test:1\n", "");
}

static void test_apt(void **state)
{
	(void)state;
	expect(sources_apt_list,
	       "# deb http://no.test/ x\ndeb http://a.test/debian stable main\n"
	       "deb-src [arch=amd64 signed-by=/x y] https://b.test/ stable main\n"
	       "deb cdrom:[Debian x]/ stable main\ndeb http://a.test/security x\nrpm http://no.test\n",
	       "a.test:80 b.test ");
	expect(sources_apt_list, "deb [arch=amd64 http://a.test x\n", "-1");
	expect(sources_apt_list, "\n\ndeb\n", "-3");
	expect(sources_apt_deb822,
	       "Types: deb\nURIs: http://a.test/x https://b.test/\n http://c.test\n# c\nSuites: x\n http://no.test\n\n"
	       "URIs: http://off.test\nEnabled: no\n\nuris:http://d.test\nEnabled: yes\n",
	       "a.test:80 b.test c.test:80 d.test:80 ");
	expect(sources_apt_deb822, "Enabled: no\nURIs: http://off.test\n", "");
	expect(sources_apt_deb822, "Types: deb\nURIs: nonsense\n", "-2");
	expect(sources_apt_deb822, " http://no.test\n", "");
}

static void test_full(void **state)
{
	char url[64];
	struct text t;

	(void)state;
	s = (struct sources){ 0 };
	for (int i = 0; i <= SOURCES_MAX; i++) {
		text_init(&t, url, sizeof(url));
		text_addf(&t, "http://a%d.test/", i);
		assert_int_equal(sources_add_url(&s, url, t.len), i < SOURCES_MAX ? 1 : -E2BIG);
	}
	assert_int_equal(sources_add_url(&s, "http://a0.test/", 15), 1);
}

static void test_groups(void **state)
{
	static const struct {
		const char *text, *reason; /* reason NULL: good */
	} table[] = {
		{ "", NULL },
		{ "; c\n# c\n\n[groups]   ; x\na-1 = x.test\n", NULL },
		{ "[groups]\na = x.test", NULL },
		{ "; \xc3\xbc\n", NULL },
		{ "a = x.test\n", "f:1: a group stands before [groups]" },
		{ "[groups]\n[groups]\n", "f:2: the one section" },
		{ "[network]\n", "f:1: the one section" },
		{ "[groups]\nA = x.test\n", "f:2: 'A' is no name" },
		{ "[groups]\n-a = x.test\n", "is no name" },
		{ "[groups]\n= x.test\n", "'' is no name" },
		{ "[groups]\na x.test\n", "missing '='" },
		{ "[groups]\na =\n", "has no hosts" },
		{ "[groups]\na =  ; x\n", "has no hosts" },
		{ "[groups]\n a = x.test\n", "indented" },
		{ "[groups]\na = \xc3\xbc.test\n", "plain ASCII" },
		{ "[groups]\r\n", "plain ASCII" },
	};
	struct hostgroup *list = NULL;
	struct arena arena;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(arena_init(&arena, &e), 0);
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct err why = { 0 };
		int rc;

		list = NULL;
		rc = hostgroups_parse(&arena, "f", table[i].text, strlen(table[i].text), &list, &why);
		if ((rc == 0) != !table[i].reason)
			fail_msg("row %zu: %s", i, why.what);
		if (table[i].reason && !strstr(why.what, table[i].reason))
			fail_msg("row %zu: %s", i, why.what);
	}
	list = NULL;
	assert_int_equal(hostgroups_parse(&arena, "f", "[groups]\nab =  x.test \t y.test  ; z\n",
					  36, &list, &e),
			 0);
	assert_int_equal(hostgroups_parse(&arena, "g", "[groups]\nab = z.test\n", 21, &list, &e), 0);
	assert_string_equal(list->words, "x.test y.test");
	assert_string_equal(list->next->words, "z.test");
	assert_int_equal(list->line, 2);
	assert_string_equal(hostgroups_nearest(list, "ac"), "ab");
	assert_null(hostgroups_nearest(list, "something"));
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_urls),   cmocka_unit_test(test_npmrc),
		cmocka_unit_test(test_apt),    cmocka_unit_test(test_full),
		cmocka_unit_test(test_groups),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
