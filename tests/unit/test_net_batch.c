// SPDX-License-Identifier: GPL-2.0-or-later
/* The nftables batch: which elements the sets get, and that the kernel takes them. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/own.h"
#include "net/batch.h"
#include "net/netlink.h"
#include "net/ruleset.h"

#define ELEMENTS_MAX 20000

/* An element of a set as it stands in the batch. */
struct element {
	uint8_t family; /* 0: of the ports */
	uint8_t low[20], high[20];
	bool end;
};

static struct element elements[ELEMENTS_MAX];
static size_t n_elements, n_messages;
static struct arena arena;
static struct net_policy *policy;

static int setup(void **state)
{
	struct err e = { 0 };

	(void)state;
	policy = calloc(1, sizeof(*policy) + POLICY_RULES_MAX * sizeof(policy->rule[0]));
	return policy ? arena_init(&arena, &e) : -1;
}

static int teardown(void **state)
{
	(void)state;
	free(policy);
	arena_free(&arena);
	return 0;
}

static void add(const char *word)
{
	struct err why = { 0 };

	assert_true(policy->rules < POLICY_RULES_MAX);
	if (rule_parse(word, &policy->rule[policy->rules], &why) < 0)
		fail_msg("%s: %s", word, why.what);
	policy->rules++;
}

/* ---- reading the batch ----------------------------------------------------------------------- */

static const uint8_t *attribute(const uint8_t *p, size_t n, uint16_t type, size_t *ret_n)
{
	while (n >= sizeof(struct nlattr)) {
		struct nlattr a;
		size_t step;

		memcpy(&a, p, sizeof(a));
		assert_true(a.nla_len >= sizeof(a) && a.nla_len <= n);
		if ((a.nla_type & NLA_TYPE_MASK) == type) {
			*ret_n = a.nla_len - sizeof(a);
			return p + sizeof(a);
		}
		step = (a.nla_len + 3u) & ~3u;
		p += step < n ? step : n;
		n -= step < n ? step : n;
	}
	return NULL;
}

static void read_element(const char *set, const uint8_t *p, size_t n)
{
	struct element *el = &elements[n_elements++];
	size_t k = 0, m = 0;
	const uint8_t *key = attribute(p, n, NFTA_SET_ELEM_KEY, &k), *value, *flags;

	assert_true(n_elements < ELEMENTS_MAX);
	*el = (struct element){ 0 };
	assert_non_null(key);
	value = attribute(key, k, NFTA_DATA_VALUE, &m);
	assert_true(value && m <= sizeof(el->low));
	memcpy(el->low, value, m);
	el->family = strcmp(set, RULESET_SET4) == 0 ? 4 : strcmp(set, RULESET_SET6) == 0 ? 6 : 0;
	assert_int_equal(m, el->family == 6 ? 20 : el->family == 4 ? 8 : 2);
	key = attribute(p, n, NFTA_SET_ELEM_KEY_END, &k);
	assert_int_equal(key != NULL, el->family != 0);
	if (key) {
		value = attribute(key, k, NFTA_DATA_VALUE, &m);
		memcpy(el->high, value, m);
	}
	flags = attribute(p, n, NFTA_SET_ELEM_FLAGS, &m);
	el->end = flags && flags[3] & NFT_SET_ELEM_INTERVAL_END;
}

static void read_elements(const uint8_t *p, size_t n)
{
	size_t k = 0;
	const char *set = (const char *)attribute(p, n, NFTA_SET_ELEM_LIST_SET, &k);
	const uint8_t *list = attribute(p, n, NFTA_SET_ELEM_LIST_ELEMENTS, &k);

	assert_non_null(set);
	assert_non_null(list);
	while (k) {
		struct nlattr a;

		memcpy(&a, list, sizeof(a));
		read_element(set, list + sizeof(a), a.nla_len - sizeof(a));
		assert_true(a.nla_len % 4 == 0 && a.nla_len <= k);
		list += a.nla_len;
		k -= a.nla_len;
	}
}

static void build(bool filter, struct batch *b)
{
	struct err e = { 0 };
	size_t at = 0;

	assert_int_equal(batch_build(&arena, policy, filter, b, &e), 0);
	n_elements = n_messages = 0;
	while (at < b->length) {
		struct nlmsghdr h;

		memcpy(&h, b->bytes + at, sizeof(h));
		assert_int_equal(h.nlmsg_seq, n_messages);
		assert_true(h.nlmsg_len % 4 == 0 && h.nlmsg_len <= b->length - at);
		if (h.nlmsg_type == (NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWSETELEM))
			read_elements(b->bytes + at + sizeof(h) + sizeof(struct nfgenmsg),
				      h.nlmsg_len - sizeof(h) - sizeof(struct nfgenmsg));
		at += h.nlmsg_len;
		n_messages++;
	}
	assert_int_equal(n_messages, b->messages);
}

static unsigned port_at(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

/* In how many elements is this address with this port? */
static unsigned elements_with(const struct addr *a, unsigned port)
{
	const size_t n = a->family == 6 ? 16 : 4;
	unsigned count = 0;

	for (size_t i = 0; i < n_elements; i++) {
		const struct element *el = &elements[i];

		count += el->family == a->family && memcmp(a->bytes, el->low, n) >= 0 &&
			 memcmp(a->bytes, el->high, n) <= 0 && port >= port_at(el->low + n) &&
			 port <= port_at(el->high + n);
	}
	return count;
}

/* ---- the cases ------------------------------------------------------------------------------- */

static void ports_are_merged(void **state)
{
	static const struct {
		unsigned port;
		bool end;
	} want[] = { { 0, true },    { 22, false },   { 23, true },  { 80, false },
		     { 90, true },   { 443, false },  { 444, true }, { 8000, false },
		     { 9001, true }, { 65535, false } };
	struct batch b;

	(void)state;
	policy->rules = 0;
	add("x.test");
	add("y.test:22");
	add("y.test:22");
	add("y.test:80-85");
	add("z.test:84-89");
	add("z.test:8000-8500");
	add("z.test:8501-9000");
	add("z.test:65535");
	build(true, &b);
	assert_int_equal(n_elements, ARRAY_SIZE(want));
	for (size_t i = 0; i < n_elements; i++) {
		assert_int_equal(port_at(elements[i].low), want[i].port);
		assert_int_equal(elements[i].end, want[i].end);
	}
}

static void all_ports(void **state)
{
	struct batch b;

	(void)state;
	policy->rules = 0;
	add("x.test:1-65535");
	build(true, &b);
	assert_int_equal(n_elements, 2);
	assert_int_equal(port_at(elements[1].low), 1);
	assert_false(elements[1].end);
}

static void what_is_not_needed_is_not_there(void **state)
{
	struct batch names, both, unfiltered;

	(void)state;
	policy->rules = 0;
	add("x.test");
	build(true, &names);
	add("192.0.2.0/24:22");
	build(true, &both);
	assert_int_equal(both.messages, names.messages + 3); /* set, elements, rule */
	build(false, &unfiltered);
	assert_int_equal(n_elements, 0);
	assert_true(unfiltered.messages < names.messages / 2);
}

static uint32_t random_number(void)
{
	static uint32_t x = 2463534242u;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

/* Few different bits and ports, so that rules meet in every way. */
static void random_rule(char *word, size_t size)
{
	const unsigned first = 1 + random_number() % 40, last = first + random_number() % 20;

	if (random_number() % 2)
		(void)snprintf(word, size, "10.%u.0.0/%u:%u-%u", (random_number() % 4) << 6,
			       8 + random_number() % 3, first, last);
	else
		(void)snprintf(word, size, "[2001:db8:%x::/%u]:%u-%u", (random_number() % 4) << 14,
			       32 + random_number() % 3, first, last);
}

static void normalize(struct rule *r)
{
	for (unsigned i = r->bits; i < 128; i++)
		r->addr.bytes[i / 8] &= (uint8_t) ~(0x80 >> i % 8);
}

/* An address with a port is in one element when a rule has it, and else in none. */
static void elements_are_the_rules(void **state)
{
	(void)state;
	for (int round = 0; round < 200; round++) {
		struct batch b;

		policy->rules = 0;
		for (unsigned i = 0; i < 1 + (unsigned)round % 40; i++) {
			struct rule *r = &policy->rule[policy->rules];
			struct err why = { 0 };
			char word[80];

			random_rule(word, sizeof(word));
			if (rule_parse(word, r, &why) == 0) {
				normalize(r);
				policy->rules++;
			}
		}
		build(true, &b);
		for (int i = 0; i < 200; i++) {
			struct addr a = { .family = random_number() % 2 ? 4 : 6 };
			const unsigned port = 1 + random_number() % 65;

			if (a.family == 4)
				memcpy(a.bytes, (uint8_t[]){ 10, (uint8_t)random_number(), 3 }, 3);
			else
				memcpy(a.bytes,
				       (uint8_t[]){ 0x20, 1, 0xd, 0xb8, (uint8_t)random_number() },
				       5);
			assert_int_equal(elements_with(&a, port),
					 policy_find_addr(policy, &a, (uint16_t)port) != NULL);
		}
	}
}

/* In a network namespace of our own. */
static int send_inside(const struct batch *b)
{
	struct err e = { 0 };
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
			_exit(77);
		if (batch_send(b, &e) == 0)
			_exit(0);
		(void)fprintf(stderr, "%s: %s\n", e.what, strerror(e.code));
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void the_kernel_takes_it(void **state)
{
	struct batch b;
	char word[80];
	int rc;

	(void)state;
	policy->rules = 0;
	for (unsigned i = 0; i < POLICY_RULES_MAX; i++) {
		if (i % 2)
			(void)snprintf(word, sizeof(word), "x.test:%u-%u", 1 + i * 30, 2 + i * 30);
		else
			(void)snprintf(word, sizeof(word), "[2001:db8::%x:0/%u]:%u-%u", i,
				       112 + i % 16, 1 + i * 2, 9 + i * 2);
		add(word);
	}
	build(true, &b);
	assert_true(n_elements > POLICY_RULES_MAX);
	rc = send_inside(&b);
	assert_int_equal(rc, 0);
}

/* An error names the message that the kernel did not like. */
static void an_error_is_told(void **state)
{
	uint8_t bytes[64 << 10];
	struct err e = { 0 };
	struct batch b;

	(void)state;
	policy->rules = 0;
	add("x.test");
	build(true, &b);
	assert_true(b.length < sizeof(bytes));
	memcpy(bytes, b.bytes, b.length);
	b.bytes = bytes;
	/* the name of the table that the first message makes: the next will not find it */
	for (size_t i = 0; i < 60; i++) {
		if (memcmp(bytes + i, RULESET_TABLE, sizeof(RULESET_TABLE)) == 0)
			bytes[i] = 'x';
	}
	assert_int_equal(unshare(CLONE_NEWUSER | CLONE_NEWNET), 0);
	assert_int_equal(batch_send(&b, &e), -ENOENT);
	assert_true(batch_is_missing(-ENOENT));
	assert_string_equal(e.what, "nftables: the set of ports");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ports_are_merged),
		cmocka_unit_test(all_ports),
		cmocka_unit_test(what_is_not_needed_is_not_there),
		cmocka_unit_test(elements_are_the_rules),
		cmocka_unit_test(the_kernel_takes_it),
		cmocka_unit_test(an_error_is_told),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, setup, teardown);
}
