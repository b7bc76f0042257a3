// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of images: platforms, and which manifest of an index is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/own.h"
#include "base/text.h"
#include "oci/manifest.h"

#define ARM64 "linux/arm64"
#define V7    "linux/arm/v7"

static void test_platform(void **state)
{
	struct platform p;

	(void)state;
	assert_true(platform_parse("linux/arm/v7", &p));
	assert_string_equal(p.os, "linux");
	assert_string_equal(p.architecture, "arm");
	assert_string_equal(p.variant, "v7");
	assert_true(platform_parse("linux/amd64", &p));
	assert_string_equal(p.variant, "");
	assert_false(platform_parse("linux", &p));
	assert_false(platform_parse("linux/", &p));
	assert_false(platform_parse("/amd64", &p));
	assert_false(platform_parse("a/b/c/d", &p));
	assert_false(platform_parse("linux/0123456789012345678901234567890123456789", &p));
	platform_native(&p);
	assert_string_equal(p.os, "linux");
	assert_true(p.architecture[0]);
}

static int fit(const char *want, const char *os, const char *architecture, const char *variant)
{
	struct platform p;

	assert_true(platform_parse(want, &p));
	return platform_fit(&p, os, architecture, variant);
}

static void test_fit(void **state)
{
	(void)state;
	assert_true(fit("linux/amd64", "linux", "amd64", NULL) > 0);
	assert_int_equal(fit("linux/amd64", "linux", "amd64", "v3"), 0);
	assert_int_equal(fit("linux/amd64", "windows", "amd64", NULL), 0);
	assert_int_equal(fit("linux/amd64", "unknown", "unknown", NULL), 0);
	/* arm64 is v8, said or not */
	assert_int_equal(fit(ARM64, "linux", "arm64", NULL), fit(ARM64, "linux", "arm64", "v8"));
	assert_int_equal(fit("linux/arm64/v8", "linux", "arm64", NULL),
			 fit(ARM64, "linux", "arm64", "v8"));
	assert_int_equal(fit(ARM64, "linux", "arm", "v7"), 0);
	/* v7 before v6 before v5; never a newer one */
	assert_true(fit(V7, "linux", "arm", "v7") > fit(V7, "linux", "arm", "v6"));
	assert_true(fit(V7, "linux", "arm", "v6") > fit(V7, "linux", "arm", "v5"));
	assert_true(fit(V7, "linux", "arm", "v5") > 0);
	assert_int_equal(fit("linux/arm/v6", "linux", "arm", "v7"), 0);
	/* one that says nothing is the last choice */
	assert_true(fit(V7, NULL, NULL, NULL) > 0);
	assert_true(fit(V7, NULL, NULL, NULL) < fit(V7, "linux", "arm", "v5"));
}

#define ROW(c, platform)                       \
	"{\"mediaType\":\"" MEDIA_OCI_MANIFEST \
	"\",\"size\":1,\"digest\":\"sha256:" c c c c c c c c "\"" platform "}"
#define A8(c)	    c c c c c c c c
#define IS(os, a)   ",\"platform\":{\"os\":\"" os "\",\"architecture\":\"" a "\"}"
#define NAMED(name) ",\"annotations\":{\"org.opencontainers.image.ref.name\":\"" name "\"}"

/* The first digit of what is chosen, or '-' and *e. */
static char choose(const char *rows, const char *name, struct err *e)
{
	struct platform want = { "linux", "amd64", "" };
	struct descriptor d;
	own_doc doc = NULL;
	char text[4096];

	*e = (struct err){ 0 };
	(void)snprintf(text, sizeof(text), "{\"manifests\":[%s]}", rows);
	assert_int_equal(doc_parse(text, strlen(text), "x", &doc, e), 0);
	return index_select(doc, "x", name, &want, &d, e) < 0 ? '-' : digest_hex(&d.digest)[0];
}

static void test_index(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(
		choose(ROW(A8("1"), IS("linux", "arm64")) "," ROW(A8("2"), IS("linux", "amd64")),
		       NULL, &e),
		'2');
	assert_int_equal(
		choose(ROW(A8("1"), IS("unknown", "unknown")) "," ROW(A8("2"), ""), NULL, &e), '2');
	assert_int_equal(choose(ROW(A8("1"), "") "," ROW(A8("2"), IS("linux", "amd64")), NULL, &e),
			 '2');
	assert_int_equal(choose(ROW(A8("1"), IS("linux", "arm64")), NULL, &e), '-');
	assert_non_null(strstr(e.what, "no image for linux/amd64 among 1"));
	assert_int_equal(choose("", NULL, &e), '-');
	/* by name, and not by chance */
	assert_int_equal(choose(ROW(A8("1"), NAMED("a")) "," ROW(A8("2"), NAMED("b")), "b", &e), '2');
	assert_int_equal(choose(ROW(A8("1"), NAMED("a")) "," ROW(A8("2"), NAMED("b")), "c", &e), '-');
	assert_int_equal(choose(ROW(A8("1"), NAMED("a")) "," ROW(A8("2"), NAMED("b")), NULL, &e), '-');
	assert_non_null(strstr(e.what, "say which, of a b"));
	assert_int_equal(choose(ROW(A8("1"), NAMED("a")) "," ROW(A8("1"), NAMED("b")), NULL, &e), '1');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_platform),
		cmocka_unit_test(test_fit),
		cmocka_unit_test(test_index),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
