// SPDX-License-Identifier: GPL-2.0-or-later
/* What jail-pull parses: challenges, credentials, base64, answers, URLs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "oci/pull_auth.h"
#include "oci/pull_challenge.h"

static void test_challenges(void **state)
{
	static const struct {
		const char *header;
		bool bearer, basic;
		const char *realm, *service;
	} good[] = {
		{ "", false, false, "", "" },
		{ "Basic realm=\"x\"", false, true, "", "" },
		{ "Bearer realm=\"https://a.test/t\",service=\"s\",scope=\"repository:x:pull\"",
		  true, false, "https://a.test/t", "s" },
		{ "bearer REALM = \"https://a.test/t\" , Service=s", true, false,
		  "https://a.test/t", "s" },
		{ "Basic realm=\"b\", Bearer realm=\"r\"", true, true, "r", "" },
		{ "Bearer realm=\"r\", Basic realm=\"b\"", true, true, "r", "" },
		{ "Bearer realm=\"r\", Bearer realm=\"q\"", true, false, "r", "" },
		{ "Negotiate YWJj==, Basic", false, true, "", "" },
		{ "Negotiate, Basic realm=x", false, true, "", "" },
		{ "Bearer realm=\"a\\\"b,c=d\"", true, false, "a\"b,c=d", "" },
		{ ", ,Basic realm=x,,", false, true, "", "" },
		{ "Digest realm=\"d\", nonce=\"n\", service=\"other\"", false, false, "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct challenge c;

		assert_int_equal(challenge_parse(good[i].header, &c), 0);
		assert_int_equal(c.bearer, good[i].bearer);
		assert_int_equal(c.basic, good[i].basic);
		assert_string_equal(c.realm, good[i].realm);
		assert_string_equal(c.service, good[i].service);
	}
}

static void test_challenges_refused(void **state)
{
	static const char *const bad[] = {
		"Bearer realm=\"open",	 "Bearer realm=\"a\\", "Bearer realm=\"a\",realm=\"b\"",
		"Bearer realm=\"a\rb\"", "\"Bearer\"",	       "Bearer =x",
		"Bearer realm=\"a\tb\"", "Basic \x80",
	};
	char large[1024] = "Bearer service=\"";

	(void)state;
	memset(large + strlen(large), 'a', sizeof(large) - strlen(large) - 2);
	large[sizeof(large) - 2] = '"';
	for (size_t i = 0; i <= ARRAY_SIZE(bad); i++) {
		struct challenge c = { .basic = true };

		assert_int_equal(challenge_parse(i < ARRAY_SIZE(bad) ? bad[i] : large, &c), -EINVAL);
		assert_true(c.basic); /* untouched */
	}
}

static void test_base64(void **state)
{
	static const struct {
		const char *text, *plain;
	} pairs[] = {
		{ "", "" }, { "YQ==", "a" }, { "YWI=", "ab" }, { "YWJj", "abc" }, { "YTpi", "a:b" }
	};
	static const char *const bad[] = { "Y",	   "YQ",   "YQ=",      "=",	"====", "Y===",
					   "YR==", "YW=j", "YQ==YQ==", "YQ\n=", "Y-_=" };
	unsigned char out[8];
	char back[16];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		assert_int_equal(base64_decode(pairs[i].text, out, sizeof(out)),
				 strlen(pairs[i].plain));
		assert_memory_equal(out, pairs[i].plain, strlen(pairs[i].plain));
		assert_int_equal(base64_encode(pairs[i].plain, back, sizeof(back)), 0);
		assert_string_equal(back, pairs[i].text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(base64_decode(bad[i], out, sizeof(out)), -EINVAL);
	assert_int_equal(base64_decode("YWJj", out, 2), -E2BIG);
	assert_int_equal(base64_encode("abc", back, 4), -E2BIG);
}

static int find(const char *text, const char *registry, const char *repository, struct credentials *c)
{
	struct authfile f = { .path = "auth.json",
			      .text = (char *)(uintptr_t)text,
			      .len = strlen(text) };
	struct err e = { 0 };

	memset(c, 0, sizeof(*c));
	return authfile_find(&f, registry, repository, c, &e);
}

static void test_whose(void **state)
{
	static const char file[] =
		"{\"auths\":{\"a.test\":{\"auth\":\"YTox\"},\"a.test/x\":{\"auth\":\"YToy\"},"
		"\"a.test/x/y\":{\"username\":\"u\",\"password\":\"p\"},"
		"\"https://index.docker.io/v1/\":{\"auth\":\"ZDox\"},\"b.test:5000\":{\"identitytoken\":\"t\"},"
		"\"c.test\":{}},\"credHelpers\":{\"c.test\":\"h\"}}";
	struct credentials c;

	(void)state;
	assert_int_equal(find(file, "a.test", "q", &c), 1);
	assert_string_equal(c.basic, "YTox");
	assert_string_equal(c.from, "auth.json");
	assert_int_equal(find(file, "a.test", "x", &c), 1);
	assert_string_equal(c.basic, "YToy");
	assert_int_equal(find(file, "a.test", "xy/z", &c), 1);
	assert_string_equal(c.basic, "YTox");
	assert_int_equal(find(file, "a.test", "x/y/z", &c), 1);
	assert_string_equal(c.basic, "dTpw");
	assert_int_equal(find(file, "docker.io", "library/x", &c), 1);
	assert_string_equal(c.basic, "ZDox");
	assert_int_equal(find(file, "b.test:5000", "x", &c), 1);
	assert_string_equal(c.identity, "t");
	assert_int_equal(find(file, "b.test", "x", &c), 0);
	assert_int_equal(find(file, "test", "x", &c), 0);
	assert_string_equal(c.helper, "");
	assert_int_equal(find(file, "c.test", "x", &c), 0);
	assert_string_equal(c.helper, "h");
	assert_string_equal(c.basic, "");
}

static void test_files_refused(void **state)
{
	static const char *const bad[] = {
		"{",
		"[]",
		"{\"auths\":{\"a.test\":{\"auth\":\"!\"}}}",
		"{\"auths\":{\"a.test\":{\"auth\":\"YQ==\"}}}",	    /* no colon */
		"{\"auths\":{\"a.test\":{\"auth\":\"YToNCg==\"}}}", /* CR LF */
		"{\"auths\":{\"a.test\":{\"identitytoken\":\"a\\nb\"}}}",
		"{\"auths\":{\"a.test\":{\"username\":\"a:b\",\"password\":\"c\"}}}",
	};
	static const char *const empty[] = { "",
					     "{}",
					     "{\"auths\":[]}",
					     "{\"auths\":{\"a.test\":null}}",
					     "{\"auths\":{\"a.test\":\"x\"}}",
					     "{\"credsStore\":7}" };
	struct credentials c;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_true(find(bad[i], "a.test", "x", &c) < 0);
	for (size_t i = 0; i < ARRAY_SIZE(empty); i++)
		assert_int_equal(find(empty[i], "a.test", "x", &c), 0);
}

static void test_answers(void **state)
{
	static const char *const bad[] = { "",
					   "{}",
					   "{\"token\":\"\"}",
					   "{\"token\":\"a b\"}",
					   "{\"token\":\"a\\u0000b\"}",
					   "{\"token\":\"\\u00e9\"}",
					   "{\"token\":\"12345678\"}" };
	char out[8];

	(void)state;
	assert_int_equal(token_parse("{\"token\":\"abc\"}", 15, out, sizeof(out)), 0);
	assert_string_equal(out, "abc");
	assert_int_equal(token_parse("{\"access_token\":\"x\"}", 20, out, sizeof(out)), 0);
	assert_string_equal(out, "x");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(token_parse(bad[i], strlen(bad[i]), out, sizeof(out)), -EINVAL);
	message_parse("{\"errors\":[{\"message\":\"no\"}]}", 29, out, sizeof(out));
	assert_string_equal(out, "no");
	message_parse("{\"errors\":{}}", 13, out, sizeof(out));
	assert_string_equal(out, "");
}

static void test_urls(void **state)
{
	static const struct {
		const char *base, *to, *url; /* NULL: refused */
	} cases[] = {
		{ NULL, "https://A.test/x", "https://A.test/x" },
		{ "https://a.test/v2/x", "/y?z#f", "https://a.test/y?z" },
		{ "https://a.test/v2/x", "y", "https://a.test/v2/y" },
		{ "https://a.test/x", "//b.test/y", "https://b.test/y" },
		{ "https://a.test/x", "http://b.test:80/", "http://b.test:80/" },
		{ NULL, "file:///etc/passwd", NULL },
		{ NULL, "ftp://a.test/", NULL },
		{ NULL, "https://user@a.test/", NULL },
		{ NULL, "https://a.test/\r\nx", NULL },
		{ NULL, "https://a.test/ x", NULL },
		{ NULL, "/relative", NULL },
		{ NULL, "", NULL },
	};
	char out[256];
	struct origin o, p;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int rc = url_resolve(cases[i].base, cases[i].to, out, sizeof(out), &o);

		assert_int_equal(rc == 0, cases[i].url != NULL);
		if (rc == 0)
			assert_string_equal(out, cases[i].url);
	}
	assert_int_equal(url_resolve(NULL, "https://A.test/", out, sizeof(out), &o), 0);
	assert_int_equal(url_resolve(NULL, "https://a.TEST:443/x", out, sizeof(out), &p), 0);
	assert_true(origin_eq(&o, &p));
	assert_int_equal(url_resolve(NULL, "https://a.test:444/x", out, sizeof(out), &p), 0);
	assert_false(origin_eq(&o, &p));
	assert_int_equal(url_resolve(NULL, "http://a.test:443/x", out, sizeof(out), &p), 0);
	assert_false(origin_eq(&o, &p));
	assert_true(host_is_loopback("127.0.0.1") && host_is_loopback("127.255.0.3") &&
		    host_is_loopback("localhost") && host_is_loopback("[::1]"));
	assert_false(host_is_loopback("128.0.0.1") || host_is_loopback("127.0.0.1.test") ||
		     host_is_loopback("localhost.test") || host_is_loopback("127.1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_challenges),    cmocka_unit_test(test_challenges_refused),
		cmocka_unit_test(test_base64),	      cmocka_unit_test(test_whose),
		cmocka_unit_test(test_files_refused), cmocka_unit_test(test_answers),
		cmocka_unit_test(test_urls),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
