// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of names and of what questions from inside are answered with: bounds that take long to reach over a socket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>

#include "gate/dns.h"
#include "gate/dnsanswer.h"
#include "gate/event.h"
#include "net/gate.h"

static unsigned events, scores;
static char verdict[8], why[80], rule_text[300];

void event_write(const struct event *ev)
{
	assert_string_equal(ev->event, "query");
	assert_int_equal(ev->ms, -1);
	events++;
	(void)snprintf(verdict, sizeof(verdict), "%s", ev->verdict);
	(void)snprintf(why, sizeof(why), "%s", ev->why ? ev->why : "");
	(void)snprintf(rule_text, sizeof(rule_text), "%s", ev->rule ? ev->rule->text : "");
}

void event_score(enum score_why kind, const struct event *ev)
{
	assert_int_equal(kind, SCORE_NOT_LISTED);
	assert_int_equal(ev->port, 0);
	assert_true(ev->name[0]);
	scores++;
}

static union {
	struct net_policy p;
	char room[sizeof(struct net_policy) + 8 * sizeof(struct rule)];
} u;
static struct answerer a;

static void add_rule(const char *text)
{
	struct err e = { 0 };

	assert_int_equal(rule_parse(text, &u.p.rule[u.p.rules++], &e), 0);
}

static int setup(void **state)
{
	(void)state;
	add_rule("*.wild.test");
	add_rule("*.x.wild.test:22");
	add_rule("one.two.three.four.five.wild.test");
	add_rule("allowed.test:80");
	add_rule("192.0.2.0/24:22");
	answerer_init(&a, &u.p, 0);
	return 0;
}

/* The rcode; *ret is the last byte of an address, 0 for no data. */
static int ask_at(int64_t now, const char *name, uint16_t type, unsigned *ret)
{
	uint8_t m[DNS_QUERY_MAX], out[DNS_MESSAGE_MAX];
	size_t n = dns_build_query(7, name, type, m, sizeof(m));
	unsigned before = events;
	size_t got = answerer_reply(&a, now, m, n, false, out, sizeof(out));

	assert_true(got >= n);
	assert_int_equal(events, before + 1);
	if (ret)
		*ret = out[7] ? out[got - 1] : 0;
	return out[3] & 15;
}

static void test_answers(void **state)
{
	unsigned last;

	(void)state;
	assert_int_equal(ask_at(0, "allowed.test", DNS_A, &last), DNS_OK);
	assert_int_equal(last, 1);
	assert_string_equal(verdict, "allow");
	assert_string_equal(rule_text, "allowed.test:80");
	assert_int_equal(ask_at(0, "allowed.test", DNS_AAAA, &last), DNS_OK);
	assert_int_equal(last, 0);
	assert_int_equal(scores, 0);
	assert_int_equal(ask_at(0, "other.test", DNS_A, NULL), DNS_NXDOMAIN);
	assert_string_equal(verdict, "deny");
	assert_string_equal(why, "not on the list");
	assert_int_equal(scores, 1);
	assert_int_equal(ask_at(0, "other.test", DNS_AAAA, NULL), DNS_NXDOMAIN);
	assert_int_equal(scores, 1);
	assert_int_equal(ask_at(0, "9.9.18.198.in-addr.arpa", DNS_PTR, NULL), DNS_NXDOMAIN);
	assert_int_equal(scores, 1);
}

static void test_best_rule(void **state)
{
	(void)state;
	/* Six labels beneath the first rule, but written down. */
	assert_int_equal(ask_at(0, "one.two.three.four.five.wild.test", DNS_A, NULL), DNS_OK);
	assert_string_equal(rule_text, "one.two.three.four.five.wild.test");
	assert_int_equal(ask_at(0, "one.two.three.four.six.wild.test", DNS_A, NULL), DNS_NXDOMAIN);
	assert_string_equal(rule_text, "*.wild.test");
	/* Five beneath the first, four beneath the second. */
	assert_int_equal(ask_at(0, "a.b.c.d.x.wild.test", DNS_A, NULL), DNS_OK);
	assert_string_equal(rule_text, "*.x.wild.test:22");
}

static void test_text_needs_room(void **state)
{
	static const uint8_t opt[11] = { 0, 0, 41, 2 }; /* a room of 512 */
	uint8_t m[DNS_QUERY_MAX], out[DNS_MESSAGE_MAX];
	char name[NAME_SIZE];
	size_t n, got;

	(void)state;
	for (size_t i = 0; i < 253; i++)
		name[i] = i % 64 == 63 ? '.' : 'x';
	name[253] = '\0';
	n = dns_build_query(7, name, DNS_A, m, sizeof(m));
	memcpy(m + n, opt, sizeof(opt));
	m[11] = 1;
	got = answerer_reply(&a, 0, m, n + sizeof(opt), false, out, sizeof(out));
	assert_in_range(got, n + sizeof(opt) + 6, 512);
	assert_int_equal(out[3] & 15, DNS_NXDOMAIN);
	got = answerer_reply(&a, 0, m, n + sizeof(opt), true, out, sizeof(out));
	assert_true(got > 512);
}

/* As fast as it goes for a day of the clock: a minute's worth at first, then no more than it says. */
static void test_rate(void **state)
{
	unsigned given = 0, before = names_used(a.names);
	char name[64];

	(void)state;
	answerer_init(&a, &u.p, 1000000);
	for (unsigned i = 0; i < 200; i++) {
		(void)snprintf(name, sizeof(name), "burst%u.wild.test", i);
		given += ask_at(1000000, name, DNS_A, NULL) == DNS_OK;
	}
	assert_int_equal(given, BENEATH_A_MINUTE);
	for (unsigned i = 0; i < 600; i++) {
		(void)snprintf(name, sizeof(name), "more%u.wild.test", i);
		given += ask_at(1000000 + 200 * (i + 1), name, DNS_A, NULL) == DNS_OK;
	}
	assert_int_equal(given, 3 * BENEATH_A_MINUTE); /* two minutes later */
	assert_int_equal(names_used(a.names), before + given);
	/* What was not used up is not saved: after a year it is a minute's worth. */
	answerer_init(&a, &u.p, 1000000);
	given = 0;
	for (unsigned i = 0; i < 200; i++) {
		(void)snprintf(name, sizeof(name), "year%u.wild.test", i);
		given += ask_at(31536000000, name, DNS_A, NULL) == DNS_OK;
	}
	assert_int_equal(given, BENEATH_A_MINUTE);
}

/* Names beneath wildcards never take the room of names with a rule of their own. */
static void test_full(void **state)
{
	int64_t now = 100000000000;
	char name[64];
	struct addr addr;

	(void)state;
	for (unsigned i = 0; i < NAMES_MAX; i++) {
		(void)snprintf(name, sizeof(name), "full%u.wild.test", i);
		(void)ask_at(now += 2000, name, DNS_A, NULL);
	}
	assert_int_equal(names_used(a.names), BENEATH_MAX);
	assert_int_equal(ask_at(now, "one-more.wild.test", DNS_A, NULL), DNS_NXDOMAIN);
	assert_string_equal(why, "too many names beneath wildcards");
	for (unsigned i = names_used(a.names); i < NAMES_MAX; i++) {
		(void)snprintf(name, sizeof(name), "own%u.test", i);
		assert_true(names_address(a.names, name, &addr));
	}
	assert_false(names_address(a.names, "too-many.test", &addr));
	assert_int_equal(ask_at(now, "allowed.test", DNS_A, NULL), DNS_OK);
}

/* The table is full now: every address has one name, and back. */
static void test_one_address_one_name(void **state)
{
	unsigned found = 0;

	(void)state;
	for (uint32_t i = 0; i < 1u << 17; i++) {
		const uint32_t v = GATE_RANGE + i;
		struct addr back, at = { .family = 4,
					 .bytes = { (uint8_t)(v >> 24), (uint8_t)(v >> 16),
						    (uint8_t)(v >> 8), (uint8_t)v } };
		const char *name = names_behind(a.names, &at);

		if (!name)
			continue;
		found++;
		assert_true((v & 0xff) != 0 && (v & 0xff) != 255);
		assert_true(names_find(a.names, name, &back));
		assert_true(addr_eq(&at, &back));
	}
	assert_int_equal(found, NAMES_MAX);
	assert_null(
		names_behind(a.names, &(struct addr){ .family = 4, .bytes = { 198, 17, 255, 1 } }));
	assert_null(names_behind(a.names, &(struct addr){ .family = 4, .bytes = { 198, 20, 0, 1 } }));
	assert_null(names_behind(a.names, &(struct addr){ .family = 4, .bytes = { 127, 0, 0, 1 } }));
	assert_null(names_behind(a.names, &(struct addr){ .family = 6, .bytes = { 198, 18, 0, 1 } }));
	assert_non_null(
		names_behind(a.names, &(struct addr){ .family = 4, .bytes = { 198, 18, 0, 1 } }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_best_rule),
		cmocka_unit_test(test_text_needs_room),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_one_address_one_name),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, setup, NULL);
}
