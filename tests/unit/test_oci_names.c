// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of images: digests, references, records, strict JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/own.h"
#include "oci/hash.h"
#include "oci/jsondoc.h"
#include "oci/record.h"
#include "oci/ref.h"

#define A64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_digest(void **state)
{
	static const char *const bad[] = { "",
					   "sha256:",
					   "sha256:" A64 "0",
					   "sha256:../../x",
					   "SHA256:" A64,
					   "sha256:" A64 "\n",
					   "sha512:" A64,
					   "md5:0123456789abcdef0123456789abcdef",
					   A64 };
	struct digest d = { "untouched" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(digest_parse(bad[i], &d));
	assert_string_equal(d.text, "untouched");
	assert_true(digest_parse("sha256:" A64, &d));
	assert_string_equal(digest_name(&d).text, "sha256-" A64);
	assert_string_equal(digest_hex(&d), A64);
	assert_string_equal(digest_algorithm(&d), "sha256");
	assert_true(digest_parse("sha512:" A64 A64, &d));
	assert_string_equal(digest_hex(&d), A64 A64);
	assert_string_equal(digest_algorithm(&d), "sha512");
	assert_false(digest_parse(
		"sha256:ABCDEF6789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", &d));
}

static void test_hash(void **state)
{
	struct digest like = { "sha256:" }, got;
	struct err e = { 0 };
	struct hash *h;

	(void)state;
	assert_int_equal(hash_start(&like, &h, &e), 0);
	hash_add(h, "a", 1);
	hash_add(h, "bc", 2);
	assert_int_equal(hash_finish(h, &got, &e), 0);
	assert_string_equal(
		got.text, "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void test_ref(void **state)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{ "node", "docker.io/library/node:latest" },
		{ "node:22", "docker.io/library/node:22" },
		{ "a/b", "docker.io/a/b:latest" },
		{ "index.docker.io/node", "docker.io/library/node:latest" },
		{ "docker.io/node", "docker.io/library/node:latest" },
		{ "localhost/x", "localhost/x:latest" },
		{ "reg.test/x/y/z:1.2", "reg.test/x/y/z:1.2" },
		{ "reg.test:5000/x", "reg.test:5000/x:latest" },
		{ "127.0.0.1:5000/x:t", "127.0.0.1:5000/x:t" },
		{ "[::1]:5000/x", "[::1]:5000/x:latest" },
		{ "x@sha256:" A64, "docker.io/library/x@sha256:" A64 },
		{ "x:1@sha256:" A64, "docker.io/library/x:1@sha256:" A64 },
		{ "x/a__b.c-d/e---f", "docker.io/x/a__b.c-d/e---f:latest" },
		{ "x:A_b.c-D", "docker.io/library/x:A_b.c-D" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[REF_TEXT_MAX], again[REF_TEXT_MAX];
		struct err e = { 0 };
		struct ref r;

		assert_int_equal(ref_parse(rows[i].in, &r, &e), 0);
		ref_format(&r, text, sizeof(text));
		assert_string_equal(text, rows[i].out);
		assert_int_equal(ref_parse(text, &r, &e), 0);
		ref_format(&r, again, sizeof(again));
		assert_string_equal(text, again);
	}
}

static void test_ref_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"/",
		"x/",
		"/x",
		"x//y",
		"X",
		"x:",
		":x",
		"x:-a",
		"x:.a",
		"x@",
		"x@sha256:12",
		"x@md5:12",
		"a..b",
		"a___b",
		"a._b",
		"-a",
		"a-",

		"../x",
		"a/../b",
		"x y",
		"x\n",
		"x:a/b:c d",
		"reg.test:port/x",
		"reg.test:123456/x",
		"[::1/x",
		"a:b@c",
		"..test/x",
		"-x.test/y",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct ref r = { .tag = "untouched" };
		struct err e = { 0 };

		assert_true(ref_parse(bad[i], &r, &e) < 0);
		assert_string_equal(r.tag, "untouched");
		assert_int_equal(e.stage, ST_IMAGE);
	}
}

static void test_record(void **state)
{
	static const char *env[] = { "A=1", "B=x\ny%z\x7f" }, *words[] = { "sh", "", "-c" };
	struct digest layers[2];
	struct image_record r = { .reference = "docker.io/library/x:1",
				  .layers = layers,
				  .n_layers = 2,
				  .env = { env, 2 },
				  .entrypoint = { words, 3 },
				  .workdir = "/w",
				  .user = "" };
	struct err e = { 0 };
	own_str text = NULL;
	size_t n = 0;

	(void)state;
	assert_true(digest_parse("sha256:" A64, &r.manifest));
	layers[0] = layers[1] = r.manifest;
	assert_int_equal(record_write(&r, &text, &n, &e), 0);
	assert_int_equal(n, strlen(text));
	assert_string_equal(text, "jail-image 1\n"
				  "reference docker.io/library/x:1\n"
				  "manifest sha256:" A64 "\n"
				  "layer sha256:" A64 "\n"
				  "layer sha256:" A64 "\n"
				  "env A=1\n"
				  "env B=x%0Ay%25z%7F\n"
				  "entrypoint sh\n"
				  "entrypoint \n"
				  "entrypoint -c\n"
				  "workdir /w\n"
				  "end\n");
	r.n_layers = 0;
	assert_true(record_write(&r, &text, &n, &e) < 0);
}

static void test_record_limits(void **state)
{
	struct digest layer = { "sha256:" A64 };
	own_str big = malloc(RECORD_LINE_MAX + 1);
	const char *words[16];
	struct image_record r = { .reference = "x", .layers = &layer, .n_layers = 1 };
	struct err e = { 0 };
	char *text = NULL;
	size_t n = 0;

	(void)state;
	memset(big, 'x', RECORD_LINE_MAX);
	big[RECORD_LINE_MAX] = '\0';
	r.user = big;
	assert_true(record_write(&r, &text, &n, &e) < 0);
	assert_non_null(strstr(e.what, "user 'xxx"));
	r.user = NULL;
	big[RECORD_LINE_MAX - 100] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = big;
	r.cmd = (struct words){ words, ARRAY_SIZE(words) };
	e = (struct err){ 0 };
	assert_true(record_write(&r, &text, &n, &e) < 0);
	assert_non_null(strstr(e.what, "more than 1024 KiB"));
	assert_null(text);
}

static void test_escape(void **state)
{
	char buf[64], again[] = "a%2Fb%25", bad1[] = "%2", bad2[] = "%zz", bad3[] = "%00";
	struct text t;

	(void)state;
	text_init(&t, buf, sizeof(buf));
	record_escape(&t, "a/b:c", "abc");
	assert_string_equal(buf, "a%2Fb%3Ac");
	assert_true(record_unescape(again));
	assert_string_equal(again, "a/b%");
	assert_false(record_unescape(bad1));
	assert_false(record_unescape(bad2));
	assert_false(record_unescape(bad3));
}

static void test_json(void **state)
{
	static const char good[] = "{\"a\":{\"b\":[1,\"x\",null,-1]},\"t\":true}";
	static const char *const bad[] = {
		"",	"{",	  "{\"a\":1,\"a\":2}", "{} x", "{\"a\":\"\\u0000\"}", "/**/{}",
		"[1,]", "{'a':1}"
	};
	struct err e = { 0 };
	own_doc d = NULL;
	const struct doc *b;
	uint64_t v = 7;

	(void)state;
	assert_int_equal(doc_parse(good, strlen(good), "x", &d, &e), 0);
	b = doc_get(doc_get(d, "a"), "b");
	assert_int_equal(doc_size(b), 4);
	assert_true(doc_u64(doc_at(b, 0), &v));
	assert_int_equal(v, 1);
	assert_string_equal(doc_str(doc_at(b, 1)), "x");
	assert_null(doc_at(b, 2));
	assert_false(doc_u64(doc_at(b, 3), &v));
	assert_null(doc_at(b, 4));
	assert_null(doc_get(doc_get(d, "none"), "b"));
	assert_true(doc_is_true(doc_get(d, "t")));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct doc *none = NULL;

		e = (struct err){ 0 };
		assert_true(doc_parse(bad[i], strlen(bad[i]), "manifest x", &none, &e) < 0);
		assert_non_null(strstr(e.what, "manifest x: not valid JSON"));
		assert_null(none);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_digest), cmocka_unit_test(test_hash),
		cmocka_unit_test(test_ref),    cmocka_unit_test(test_ref_refused),
		cmocka_unit_test(test_record), cmocka_unit_test(test_record_limits),
		cmocka_unit_test(test_escape), cmocka_unit_test(test_json),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
