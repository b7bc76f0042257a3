// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of the ClientHello: each cut into records and segments, and each field spoilt once. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/own.h"
#include "gate/hello.h"

#define A64  "a123456789b123456789c123456789d123456789e123456789f123456789g123"
#define BIG  (2 * HELLO_MAX)
#define NO   0xffff /* ends a list */
#define NAME 0	    /* server_name */

/* text alone: a server_name with that host; n: these bytes, as they are. */
struct ext {
	unsigned type;
	const char *text;
	size_t n;
};

struct bytes {
	uint8_t at[BIG];
	size_t n;
};

static void put(struct bytes *b, size_t value, unsigned width)
{
	while (width--)
		b->at[b->n++] = (uint8_t)(value >> 8 * width);
}

static void put_bytes(struct bytes *b, const void *p, size_t n)
{
	memcpy(b->at + b->n, p, n);
	b->n += n;
}

static void put_ext(struct bytes *b, const struct ext *e)
{
	size_t n = e->n ? e->n : strlen(e->text);

	put(b, e->type, 2);
	if (e->n) {
		put(b, n, 2);
	} else {
		put(b, n + 5, 2);
		put(b, n + 3, 2);
		put(b, 0, 1);
		put(b, n, 2);
	}
	put_bytes(b, e->text, n);
}

/* A message as OpenSSL would send it, with these extensions. */
static void build_message(struct bytes *m, const struct ext *exts)
{
	static struct bytes list;
	uint8_t random[32] = { 1, 2, 3 };

	list.n = m->n = 0;
	while (exts->type != NO)
		put_ext(&list, exts++);
	put(m, 1, 1);
	put(m, 2 + 32 + 1 + 32 + 2 + 4 + 2 + 2 + list.n, 3);
	put(m, 0x0303, 2);
	put_bytes(m, random, 32);
	put(m, 32, 1);
	put_bytes(m, random, 32);
	put(m, 4, 2);
	put(m, 0x13011302, 4);
	put(m, 0x0100, 2);
	put(m, list.n, 2);
	put_bytes(m, list.at, list.n);
}

static void cut_into_records(const struct bytes *m, size_t size, struct bytes *out)
{
	out->n = 0;
	for (size_t i = 0; i < m->n; i += size) {
		size_t n = m->n - i < size ? m->n - i : size;

		put(out, 22, 1);
		put(out, 0x0301, 2);
		put(out, n, 2);
		put_bytes(out, m->at + i, n);
	}
}

/* A buffer of the exact size, so that a sanitizer sees one byte too far. */
static enum hello_verdict parse(const uint8_t *p, size_t n, struct hello *ret)
{
	uint8_t *copy = malloc(n ? n : 1);
	enum hello_verdict v;

	assert_non_null(copy);
	memcpy(copy, p, n);
	v = hello_parse(copy, n, ret);
	free(copy);
	return v;
}

static const struct row {
	const char *title;
	struct ext exts[5];
	const char *name, *why; /* one of them */
} rows[] = {
	{ "a name", { { NAME, "a.test", 0 }, { NO, 0, 0 } }, "a.test", NULL },
	{ "capitals and a dot", { { NAME, "A.Test.", 0 }, { NO, 0, 0 } }, "a.test", NULL },
	{ "among others",
	  { { 23, "\0", 1 },
	    { NAME, "b.a.test", 0 },
	    { 16, "\0\3\2h2", 5 },
	    { 0x2a2a, "x", 1 },
	    { NO, 0, 0 } },
	  "b.a.test",
	  NULL },
	{ "no extension", { { NO, 0, 0 } }, NULL, "no server_name" },
	{ "no name", { { 23, "\0", 1 }, { NO, 0, 0 } }, NULL, "no server_name" },
	{ "twice",
	  { { NAME, "a.test", 0 }, { NAME, "a.test", 0 }, { NO, 0, 0 } },
	  NULL,
	  "two server_name extensions" },
	{ "two names in one",
	  { { NAME, "\0\x12\0\0\6a.test\0\0\6b.test", 20 }, { NO, 0, 0 } },
	  NULL,
	  "a malformed server_name" },
	{ "another type", { { NAME, "\0\x09\1\0\6a.test", 11 }, { NO, 0, 0 } }, NULL, "no host name" },
	{ "list too short", { { NAME, "\0\x08\0\0\6a.test", 11 }, { NO, 0, 0 } }, NULL, "malformed" },
	{ "list too long", { { NAME, "\0\x0a\0\0\6a.test", 11 }, { NO, 0, 0 } }, NULL, "malformed" },
	{ "name too short", { { NAME, "\0\x09\0\0\5a.test", 11 }, { NO, 0, 0 } }, NULL, "malformed" },
	{ "name too long", { { NAME, "\0\x09\0\0\7a.test", 11 }, { NO, 0, 0 } }, NULL, "malformed" },
	{ "an empty list", { { NAME, "\0\0", 2 }, { NO, 0, 0 } }, NULL, "malformed" },
	{ "an empty name", { { NAME, "\0\3\0\0\0", 5 }, { NO, 0, 0 } }, NULL, "no host name" },
	{ "a NUL in it",
	  { { NAME,
	      "\0\x0d\0\0\x0a"
	      "b\0a.test.x",
	      15 },
	    { NO, 0, 0 } },
	  NULL,
	  "no host name" },
	{ "an address", { { NAME, "127.0.0.1", 0 }, { NO, 0, 0 } }, NULL, "no host name" },
	{ "an address as one number", { { NAME, "2130706433", 0 }, { NO, 0, 0 } }, NULL, "no host name" },
	{ "a port", { { NAME, "a.test:443", 0 }, { NO, 0, 0 } }, NULL, "no host name" },
	{ "two dots", { { NAME, "a.test..", 0 }, { NO, 0, 0 } }, NULL, "no host name" },
	{ "not ASCII", { { NAME, "\xc3\xa9.test", 0 }, { NO, 0, 0 } }, NULL, "no host name" },
	{ "a long label", { { NAME, A64 ".test", 0 }, { NO, 0, 0 } }, NULL, "no host name" },
	{ "a long name", { { NAME, "a." A64 A64 A64 A64 ".test", 0 }, { NO, 0, 0 } }, NULL, "no host name" },
	{ "ECH", { { NAME, "a.test", 0 }, { 0xfe0d, "\0\0\1", 3 }, { NO, 0, 0 } }, NULL, "encrypted" },
	{ "ECH ahead of the name",
	  { { 0xfe0d, "\0\0\1", 3 }, { NAME, "a.test", 0 }, { NO, 0, 0 } },
	  NULL,
	  "encrypted" },
	{ "ESNI", { { NAME, "a.test", 0 }, { 0xffce, "\0\0\1", 3 }, { NO, 0, 0 } }, NULL, "encrypted" },
};

/* However it is cut: HELLO_MORE up to one byte, and from there on the same verdict for ever. */
static void check_prefixes(const struct bytes *b, const struct row *row)
{
	enum hello_verdict last = HELLO_MORE;
	struct hello h;

	for (size_t n = 0; n <= b->n; n++) {
		enum hello_verdict v = parse(b->at, n, &h);

		if (last != HELLO_MORE)
			assert_int_equal(v, last);
		last = v;
	}
	assert_int_equal(last, row->name ? HELLO_WHOLE : HELLO_BAD);
	assert_string_equal(h.name, row->name ? row->name : "");
	assert_true(row->name ? !h.why : strstr(h.why, row->why) != NULL);
}

static void test_rows(void **state)
{
	static const size_t sizes[] = { 1, 2, 3, 4, 5, 43, 100, 16384 };
	static struct bytes m, b;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		print_message("# %s\n", rows[i].title);
		build_message(&m, rows[i].exts);
		for (size_t k = 0; k < ARRAY_SIZE(sizes); k++) {
			cut_into_records(&m, sizes[k], &b);
			check_prefixes(&b, &rows[i]);
		}
	}
}

/* One record, one byte of it changed. 0 to 4 is the record's head, 5 to 8 the message's. */
static const struct spoilt {
	const char *title;
	size_t at;
	uint8_t byte;
	enum hello_verdict want;
} spoils[] = {
	{ "an alert", 0, 21, HELLO_BAD },
	{ "application data", 0, 23, HELLO_BAD },
	{ "SSLv2", 0, 0x80, HELLO_BAD },
	{ "HTTP", 0, 'G', HELLO_BAD },
	{ "version 2 of the record", 1, 2, HELLO_BAD },
	{ "SSL 3.0", 2, 0, HELLO_BAD },
	{ "TLS 1.2 in the record", 2, 3, HELLO_WHOLE },
	{ "TLS 1.4 in the record", 2, 5, HELLO_BAD },
	{ "a record over 16 KiB", 3, 0x41, HELLO_BAD },
	{ "another message", 5, 2, HELLO_BAD },
	{ "a message of 16 MiB", 6, 0xff, HELLO_BAD },
	{ "a message of more than is waited for", 7, 0x60, HELLO_BAD },
	{ "a message shorter than its record", 8, 1, HELLO_BAD },
	{ "SSL 3.0 in the message", 10, 0, HELLO_BAD },
	{ "TLS 1.0 in the message", 10, 1, HELLO_WHOLE },
	{ "TLS 1.5 in the message", 10, 5, HELLO_BAD },
	{ "a session id too long", 43, 33, HELLO_BAD },
	{ "ciphers of odd length", 77, 3, HELLO_BAD },
	{ "no cipher", 77, 0, HELLO_BAD },
	{ "ciphers past the end", 76, 0xff, HELLO_BAD },
	{ "no compression", 82, 0, HELLO_BAD },
	{ "compression past the end", 82, 0xff, HELLO_BAD },
	{ "extensions past the end", 84, 0xff, HELLO_BAD },
	{ "extensions short of the end", 85, 1, HELLO_BAD },
	{ "an extension past the end", 88, 0xff, HELLO_BAD },
	{ "no change", 5, 1, HELLO_WHOLE },
};

static void test_spoils(void **state)
{
	static const struct ext exts[] = { { NAME, "a.test", 0 }, { NO, NULL, 0 } };
	static struct bytes m, b;
	struct hello h;

	(void)state;
	build_message(&m, exts);
	for (size_t i = 0; i < ARRAY_SIZE(spoils); i++) {
		print_message("# %s\n", spoils[i].title);
		cut_into_records(&m, 16384, &b);
		b.at[spoils[i].at] = spoils[i].byte;
		assert_int_equal(parse(b.at, b.n, &h), spoils[i].want);
		assert_int_equal(h.why == NULL, spoils[i].want == HELLO_WHOLE);
	}
}

static void test_records(void **state)
{
	static const struct ext exts[] = { { NAME, "a.test", 0 }, { NO, NULL, 0 } };
	static struct bytes m, b;
	struct hello h;

	(void)state;
	build_message(&m, exts);

	/* What follows in records of its own is not looked at, and neither is how much it is. */
	cut_into_records(&m, 50, &b);
	b.n = sizeof(b.at);
	assert_int_equal(parse(b.at, b.n, &h), HELLO_WHOLE);

	/* Another record in between, and an empty one. */
	cut_into_records(&m, 50, &b);
	b.at[55] = 20;
	assert_int_equal(parse(b.at, b.n, &h), HELLO_BAD);
	cut_into_records(&m, 50, &b);
	memcpy(b.at + 55, "\x16\3\1\0\0", 5);
	assert_int_equal(parse(b.at, b.n, &h), HELLO_BAD);

	/* A second message in the same record. */
	put(&m, 0x14000000, 4);
	cut_into_records(&m, 16384, &b);
	assert_int_equal(parse(b.at, b.n, &h), HELLO_BAD);
	assert_non_null(strstr(h.why, "more than a ClientHello"));
}

/* The message grows by a padding extension to `pad` bytes, in records of this size. */
static enum hello_verdict padded(size_t pad, size_t size, size_t *ret_n)
{
	static char zeros[BIG];
	static struct bytes m, b;
	const struct ext exts[] = { { NAME, "a.test", 0 }, { 21, zeros, pad }, { NO, NULL, 0 } };
	struct hello h;

	build_message(&m, exts);
	cut_into_records(&m, size, &b);
	*ret_n = b.n;
	return parse(b.at, b.n < HELLO_MAX ? b.n : HELLO_MAX, &h);
}

static void test_bounds(void **state)
{
	size_t n, least, most;

	(void)state;
	assert_int_equal(padded(2000, 16384, &n), HELLO_WHOLE); /* post-quantum */
	(void)padded(1, 16384, &least);
	most = HELLO_MAX - least - 5 + 1; /* a second record */
	assert_int_equal(padded(most, 16384, &n), HELLO_WHOLE);
	assert_int_equal(n, HELLO_MAX);
	assert_int_equal(padded(most + 1, 16384, &n), HELLO_BAD);
	assert_int_equal(padded(HELLO_MAX + 1000, 16384, &n), HELLO_BAD);
	assert_int_equal(padded(HELLO_MAX / 5, 1, &n), HELLO_BAD);
	assert_true(n > HELLO_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_spoils),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_bounds),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
