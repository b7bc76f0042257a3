// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of DNS messages: what is built, byte for byte, and what is not to be believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "gate/dns.h"
#include "gate/event.h"

/* The library wants these; nothing here calls them. */
void event_write(const struct event *ev)
{
	(void)ev;
	fail();
}

void event_score(enum score_why why, const struct event *ev)
{
	(void)why, (void)ev;
	fail();
}

/* ID 0x0102, RD, one question: A of a.test. */
static const uint8_t question[] = "\1\2\1\0\0\1\0\0\0\0\0\0\1A\4teST\0\0\1\0\1";
#define QUESTION_N (sizeof(question) - 1)
static const uint8_t opt[] = "\0\0\51\4\320\0\0\0\0\0\0";
#define OPT_N (sizeof(opt) - 1)

static uint8_t m[DNS_MESSAGE_MAX];
static size_t used;

static void start(const void *bytes, size_t n)
{
	memcpy(m, bytes, n);
	used = n;
}

static void add(const void *bytes, size_t n)
{
	assert_true(used + n <= sizeof(m));
	memcpy(m + used, bytes, n);
	used += n;
}

/* In memory of exactly that size, so that a sanitizer sees one byte too far. */
static int parse(struct dns_query *q)
{
	uint8_t *exact = malloc(used ? used : 1);
	int rc;

	assert_non_null(exact);
	memcpy(exact, m, used);
	rc = dns_parse_query(exact, used, q);
	free(exact);
	return rc;
}

static int parse_reply(uint16_t id, const char *name, uint16_t type, struct dns_reply *r)
{
	uint8_t *exact = malloc(used ? used : 1);
	int rc;

	assert_non_null(exact);
	memcpy(exact, m, used);
	rc = dns_parse_reply(exact, used, id, name, type, r);
	free(exact);
	return rc;
}

static void test_query(void **state)
{
	struct dns_query q;

	(void)state;
	start(question, QUESTION_N);
	assert_int_equal(parse(&q), 0);
	assert_int_equal(q.id, 0x0102);
	assert_int_equal(q.type, DNS_A);
	assert_int_equal(q.class, 1);
	assert_true(q.recursion);
	assert_false(q.edns);
	assert_int_equal(q.room, 512);
	assert_int_equal(q.question, QUESTION_N - 12);
	assert_string_equal(q.name, "a.test");

	add(opt, OPT_N);
	m[11] = 1;
	assert_int_equal(parse(&q), 0);
	assert_true(q.edns);
	assert_int_equal(q.room, 1232);
	m[QUESTION_N + 3] = 0; /* a room of 208 is one of 512, */
	assert_int_equal(parse(&q), 0);
	assert_int_equal(q.room, 512);
	m[QUESTION_N + 3] = 0xff; /* and one of 65488 is ours */
	assert_int_equal(parse(&q), 0);
	assert_int_equal(q.room, DNS_MESSAGE_MAX);
	m[QUESTION_N + 6] = 1;
	assert_int_equal(parse(&q), 0);
	assert_int_equal(q.version, 1);
}

/* Every byte less, every byte more, and each field that has to be as it is. */
static void test_query_bad(void **state)
{
	static const struct {
		size_t at;
		uint8_t byte;
		int rc;
	} bad[] = {
		{ 2, 0x81, -EBADMSG }, { 2, 0x29, -EOPNOTSUPP }, { 5, 0, -EINVAL },
		{ 5, 2, -EINVAL },     { 4, 1, -EINVAL },	 { 7, 1, -EINVAL },
		{ 9, 1, -EINVAL },     { 11, 1, -EINVAL },	 { 12, 0xc0, -EINVAL },
		{ 12, 0x41, -EINVAL }, { 12, 0x80, -EINVAL },	 { 12, 63, -EINVAL },
		{ 19, 1, -EINVAL },
	};
	struct dns_query q;

	(void)state;
	for (size_t n = 0; n < QUESTION_N; n++) {
		start(question, n);
		assert_int_equal(parse(&q), n < 12 ? -EBADMSG : -EINVAL);
	}
	start(question, QUESTION_N);
	add("", 1);
	assert_int_equal(parse(&q), -EINVAL);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		start(question, QUESTION_N);
		m[bad[i].at] = bad[i].byte;
		assert_int_equal(parse(&q), bad[i].rc);
	}
	/* Two OPTs. */
	start(question, QUESTION_N);
	add(opt, OPT_N);
	add(opt, OPT_N);
	m[11] = 2;
	assert_int_equal(parse(&q), -EINVAL);
	assert_int_equal(q.question, 0);
}

static void test_query_names(void **state)
{
	static const struct {
		const char *wire;
		size_t n;
		const char *name;
	} names[] = {
		{ "\000", 1, "" },
		{ "\001a\000", 3, "a" },
		{ "\003a.b\000", 5, "" },
		{ "\002a\000\000", 4, "" },
		{ "\002a%\000", 4, "" },
		{ "\002a.\000", 4, "" },
		{ "\001a\002-b\000", 6, "" },
		{ "\001a\002_B\000", 6, "a._b" },
		{ "\003127\0010\0010\0011\000", 11, "" },
		{ "\0040x7f\000", 6, "" },
		{ "\002\303\244\000", 4, "" },
	};
	struct dns_query q;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		start(question, 12);
		add(names[i].wire, names[i].n);
		add("\0\1\0\1", 4);
		assert_int_equal(parse(&q), 0);
		assert_string_equal(q.name, names[i].name);
	}
}

/* 253 bytes and not one more. */
static void test_query_longest(void **state)
{
	struct dns_query q;

	(void)state;
	for (int last = 61; last <= 62; last++) {
		start(question, 12);
		for (int i = 0; i < 4; i++) {
			int n = i < 3 ? 63 : last;

			m[used++] = (uint8_t)n;
			memset(m + used, 'x', (size_t)n);
			used += (size_t)n;
		}
		add("\0\0\1\0\1", 5);
		assert_int_equal(parse(&q), last == 61 ? 0 : -EINVAL);
	}
	assert_int_equal(used, 12 + 256 + 4);
}

static void test_answer(void **state)
{
	static const uint8_t want[] = "\1\2\201\200\0\1\0\1\0\0\0\0\1A\4teST\0\0\1\0\1"
				      "\300\14\0\1\0\1\0\0\0\74\0\4\306\22\0\1";
	const struct addr a = { .family = 4, .bytes = { 198, 18, 0, 1 } };
	uint8_t out[512];
	struct dns_query q;
	size_t n;

	(void)state;
	start(question, QUESTION_N);
	assert_int_equal(parse(&q), 0);
	n = dns_answer(m, &q, &a, 60, out, sizeof(out));
	assert_int_equal(n, sizeof(want) - 1);
	assert_memory_equal(out, want, n);
	assert_int_equal(dns_answer(m, &q, &a, 60, out, n), n);
	assert_int_equal(dns_answer(m, &q, &a, 60, out, n - 1), 0);
	n = dns_answer(m, &q, NULL, 60, out, sizeof(out));
	assert_int_equal(n, QUESTION_N);
	assert_int_equal(out[7], 0);
}

static void test_refuse(void **state)
{
	static const uint8_t want[] = "\1\2\201\203\0\1\0\0\0\0\0\1\1A\4teST\0\0\1\0\1"
				      "\0\0\51\4\320\0\0\0\0\0\12\0\17\0\6\0\17abcd";
	uint8_t out[512];
	struct dns_query q;
	size_t n;

	(void)state;
	start(question, QUESTION_N);
	add(opt, OPT_N);
	m[11] = 1;
	assert_int_equal(parse(&q), 0);
	n = dns_refuse(m, &q, DNS_NXDOMAIN, 15, "abcd", out, sizeof(out));
	assert_int_equal(n, sizeof(want) - 1);
	assert_memory_equal(out, want, n);
	/* The text goes before the answer does. */
	assert_int_equal(dns_refuse(m, &q, DNS_NXDOMAIN, 15, "abcd", out, n - 1), n - 4);
	assert_int_equal(dns_refuse(m, &q, DNS_NXDOMAIN, 15, "abcd", out, n - 5), 0);
	n = dns_refuse(m, &q, DNS_BADVERS, 0, NULL, out, sizeof(out));
	assert_int_equal(n, QUESTION_N + OPT_N);
	assert_int_equal(out[3] & 15, 0);
	assert_int_equal(out[QUESTION_N + 5], 1);
}

static void test_build_query(void **state)
{
	static const uint8_t want[] = "\1\2\1\0\0\1\0\0\0\0\0\0\1a\4test\0\0\1\0\1";

	(void)state;
	used = dns_build_query(0x0102, "a.test", DNS_A, m, sizeof(m));
	assert_int_equal(used, sizeof(want) - 1);
	assert_memory_equal(m, want, used);
	assert_int_equal(dns_build_query(1, "", DNS_A, m, sizeof(m)), 0);
	assert_int_equal(dns_build_query(1, "a..b", DNS_A, m, sizeof(m)), 0);
	assert_int_equal(dns_build_query(1, "a.test", DNS_A, m, QUESTION_N - 1), 0);
}

#define REPLY	 "\1\2\201\200\0\1\0\1\0\0\0\0\1a\4test\0\0\1\0\1"
#define A_RECORD "\300\14\0\1\0\1\0\0\0\74\0\4\306\22\0\1"
#define START(s) start(s, sizeof(s) - 1)
#define ADD(s)	 add(s, sizeof(s) - 1)

static void test_reply(void **state)
{
	struct dns_reply r;

	(void)state;
	START(REPLY A_RECORD);
	assert_int_equal(parse_reply(0x0102, "a.test", DNS_A, &r), 0);
	assert_int_equal(r.rcode, DNS_OK);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.ttl, 60);
	assert_memory_equal(r.addr[0].bytes, "\306\22\0\1", 4);
	assert_int_equal(parse_reply(0x0103, "a.test", DNS_A, &r), -EBADMSG);
	assert_int_equal(parse_reply(0x0102, "b.test", DNS_A, &r), -EBADMSG);
	assert_int_equal(parse_reply(0x0102, "a.test", DNS_AAAA, &r), -EBADMSG);
	while (used--)
		assert_int_equal(parse_reply(0x0102, "a.test", DNS_A, &r), -EBADMSG);
	START(REPLY A_RECORD);
	m[2] = 0x01; /* a question */
	assert_int_equal(parse_reply(0x0102, "a.test", DNS_A, &r), -EBADMSG);
	m[2] = 0x83; /* truncated: not read further */
	used -= 3;
	assert_int_equal(parse_reply(0x0102, "a.test", DNS_A, &r), 0);
	assert_true(r.truncated);
	assert_int_equal(r.n, 0);
}

/* Other owners, classes and lengths; times that are none. */
static void test_reply_records(void **state)
{
	struct dns_reply r;

	(void)state;
	START(REPLY "\4test\0\0\1\0\1\0\0\0\74\0\4\306\22\0\1");
	assert_int_equal(parse_reply(0x0102, "a.test", DNS_A, &r), 0);
	assert_int_equal(r.n, 0);
	START(REPLY "\300\14\0\1\0\3\0\0\0\74\0\4\306\22\0\1");
	assert_int_equal(parse_reply(0x0102, "a.test", DNS_A, &r), 0);
	assert_int_equal(r.n, 0);
	START(REPLY "\300\14\0\1\0\1\0\0\0\74\0\5\306\22\0\1x");
	assert_int_equal(parse_reply(0x0102, "a.test", DNS_A, &r), -EBADMSG);
	START(REPLY "\300\14\0\1\0\1\200\0\0\74\0\4\306\22\0\1");
	assert_int_equal(parse_reply(0x0102, "a.test", DNS_A, &r), 0);
	assert_int_equal(r.ttl, 0);
	assert_int_equal(r.n, 1);
	START(REPLY A_RECORD); /* announced, and not there */
	m[7] = 2;
	assert_int_equal(parse_reply(0x0102, "a.test", DNS_A, &r), -EBADMSG);
	m[6] = 0xff;
	assert_int_equal(parse_reply(0x0102, "a.test", DNS_A, &r), -EBADMSG);
	START("\1\2\201\0\0\1\0\0\0\0\0\0\1a\4test\0\0\1\0\1"); /* a referral */
	assert_int_equal(parse_reply(0x0102, "a.test", DNS_A, &r), 0);
	assert_int_equal(r.rcode, DNS_SERVFAIL);
}

static void test_reply_chain(void **state)
{
	struct dns_reply r;

	(void)state;
	/* a.test is b.test (a pointer into the question for "test"), and b.test is there. */
	START(REPLY "\300\14\0\5\0\1\0\0\0\5\0\4\1b\300\16");
	ADD("\1B\300\16\0\1\0\1\0\0\0\74\0\4\306\22\0\2");
	m[7] = 2;
	assert_int_equal(parse_reply(0x0102, "a.test", DNS_A, &r), 0);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.ttl, 5);
	/* The data of a CNAME are one name and nothing else. */
	START(REPLY "\300\14\0\5\0\1\0\0\0\5\0\5\1b\300\16x");
	assert_int_equal(parse_reply(0x0102, "a.test", DNS_A, &r), -EBADMSG);
	START(REPLY "\300\14\0\5\0\1\0\0\0\5\0\3\1b\300\16");
	assert_int_equal(parse_reply(0x0102, "a.test", DNS_A, &r), -EBADMSG);
	/* Its own other name. */
	START(REPLY "\300\14\0\5\0\1\0\0\0\5\0\2\300\14");
	assert_int_equal(parse_reply(0x0102, "a.test", DNS_A, &r), -EBADMSG);
	/* A pointer to itself, to one behind, to the middle of the head. */
	START(REPLY "\300\25\0\1\0\1\0\0\0\5\0\4abcd");
	m[QUESTION_N + 1] = QUESTION_N;
	assert_int_equal(parse_reply(0x0102, "a.test", DNS_A, &r), -EBADMSG);
	m[QUESTION_N + 1] = QUESTION_N + 4;
	assert_int_equal(parse_reply(0x0102, "a.test", DNS_A, &r), -EBADMSG);
	m[QUESTION_N + 1] = 4;
	assert_int_equal(parse_reply(0x0102, "a.test", DNS_A, &r), 0);
	assert_int_equal(r.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_query),	      cmocka_unit_test(test_query_bad),
		cmocka_unit_test(test_query_names),   cmocka_unit_test(test_query_longest),
		cmocka_unit_test(test_answer),	      cmocka_unit_test(test_refuse),
		cmocka_unit_test(test_build_query),   cmocka_unit_test(test_reply),
		cmocka_unit_test(test_reply_records), cmocka_unit_test(test_reply_chain),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
