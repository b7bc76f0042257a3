// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of the policy in memory: which rule is meant, and what is no policy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/own.h"
#include "net/policy.h"

static const char *const words[] = {
	"allowed.test",	     "*.wild.test",   "ssh.test:22",  "web.test:8000-8010/http",
	"10.0.0.0/8:22",     "0.0.0.0/0:443", "[fd00::/8]:1", "allowed.test:443/tcp",
	"169.254.0.0/16:80",
};

static struct net_policy *make(void)
{
	size_t size = policy_size(ARRAY_SIZE(words));
	struct net_policy *p = calloc(1, size);
	struct err why = { 0 };

	assert_non_null(p);
	p->magic = POLICY_MAGIC;
	p->size = (uint32_t)size;
	p->rules = ARRAY_SIZE(words);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_int_equal(rule_parse(words[i], &p->rule[i], &why), 0);
	p->pins = 1;
	assert_int_equal(pin_parse("allowed.test=127.0.0.1:8443", &p->pin[0], &why), 0);
	p->host_ports = p->publish = 1;
	p->host_port[0] = p->published[0] = (struct port_pair){ 1, 2 };
	return p;
}

static void test_find(void **state)
{
	static const struct {
		const char *name;
		int port, want; /* -1: none */
	} table[] = {
		{ "allowed.test", 443, 7 },
		{ "allowed.test", 80, -1 },
		{ "allowed.test", 0, 7 },
		{ "a.wild.test", 443, 1 },
		{ "wild.test", 443, -1 },
		{ "ssh.test", 22, 2 },
		{ "ssh.test", 443, -1 },
		{ "web.test", 7999, -1 },
		{ "web.test", 8000, 3 },
		{ "web.test", 8010, 3 },
		{ "web.test", 8011, -1 },
		{ "other.test", 443, -1 },
		{ "xallowed.test", 443, -1 },
		{ "a.allowed.test", 443, -1 },
		{ "", 443, -1 },
		{ "", 0, -1 },
	};
	struct net_policy *p = make();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const struct rule *r = policy_find(p, table[i].name, (uint16_t)table[i].port);

		if ((r ? (int)(r - p->rule) : -1) != table[i].want)
			fail_msg("%s:%d", table[i].name, table[i].port);
	}
	assert_non_null(policy_find_pin(p, "allowed.test"));
	assert_null(policy_find_pin(p, "a.allowed.test"));
	free(p);
}

static void test_find_addr(void **state)
{
	static const struct {
		const char *addr;
		int port, want;
	} table[] = {
		{ "10.1.2.3", 22, 4 },
		{ "10.1.2.3", 23, -1 },
		{ "10.1.2.3", 0, 4 },
		{ "8.8.8.8", 443, 5 },
		{ "8.8.8.8", 80, -1 },
		/* all of the Internet is not the neighbours, the metadata or this machine */
		{ "10.1.2.3", 443, -1 },
		{ "169.254.169.254", 443, -1 },
		{ "127.0.0.1", 443, -1 },
		{ "0.0.0.0", 443, -1 },
		{ "192.168.1.1", 443, -1 },
		{ "::ffff:127.0.0.1", 443, -1 },
		{ "fd00::1", 1, 6 },
		{ "fc00::1", 1, -1 },
		{ "::1", 443, -1 },
		{ "169.254.169.254", 80, 8 },
	};
	struct net_policy *p = make();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const struct rule *r;
		struct addr a;

		assert_true(addr_parse(table[i].addr, &a));
		r = policy_find_addr(p, &a, (uint16_t)table[i].port);
		if ((r ? (int)(r - p->rule) : -1) != table[i].want)
			fail_msg("%s:%d", table[i].addr, table[i].port);
	}
	free(p);
}

static struct net_policy *make_of(const char *list)
{
	struct net_policy *p = calloc(1, policy_size(16));
	struct err why = { 0 };

	assert_non_null(p);
	for (const char *s = list; *s; s += strspn(s, " ")) {
		char word[64] = "";

		assert_true(strcspn(s, " ") < sizeof(word) && p->rules < 16);
		memcpy(word, s, strcspn(s, " "));
		s += strcspn(s, " ");
		assert_int_equal(rule_parse(word, &p->rule[p->rules++], &why), 0);
	}
	return p;
}

/* Of rules that overlap, the most specific is meant, wherever it stands. */
static void test_overlaps(void **state)
{
	static const struct {
		const char *rules, *host;
		int port, want;
	} table[] = {
		{ "a.b.test *.b.test", "a.b.test", 443, 0 },
		{ "*.b.test a.b.test", "a.b.test", 443, 1 },
		{ "*.b.test a.b.test:22", "a.b.test", 443, 0 },
		{ "*.b.test *.test", "a.b.test", 443, 0 },
		{ "*.test *.b.test", "a.b.test", 443, 1 },
		{ "*.test *.b.test", "b.test", 443, 0 },
		{ "a.test a.test:1-65535", "a.test", 443, 0 },
		{ "a.test:1-65535 a.test", "a.test", 443, 1 },
		{ "a.test:1-65535 a.test", "a.test", 444, 0 },
		{ "a.test:1-65535 *.test", "a.test", 443, 0 },
		{ "a.test a.test:443/tcp", "a.test", 443, 1 },
		{ "a.test:443/tcp a.test", "a.test", 443, 1 },
		{ "a.test:443/tcp a.test 8.8.8.8:443", "a.test", 443, 1 },
		{ "8.8.8.8:443 8.0.0.0/8:443", "8.8.8.8", 443, 0 },
		{ "8.0.0.0/8:443 8.8.8.8:1-500", "8.8.8.8", 443, 1 },
		{ "8.0.0.0/8:1-500 8.0.0.0/8:443", "8.8.8.8", 443, 1 },
		{ "8.0.0.0/8:443 8.0.0.0/8:1-500", "8.8.8.8", 443, 0 },
		{ "8.0.0.0/8:443 8.0.0.0/8:443", "8.8.8.8", 443, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct net_policy *p = make_of(table[i].rules);
		uint16_t port = (uint16_t)table[i].port;
		const struct rule *r;
		struct addr a;

		if (addr_parse(table[i].host, &a))
			r = policy_find_addr(p, &a, port);
		else
			r = policy_find(p, table[i].host, port);
		if ((r ? (int)(r - p->rule) : -1) != table[i].want)
			fail_msg("%s: %s:%d", table[i].rules, table[i].host, port);
		free(p);
	}
}

static void test_shadow(void **state)
{
	static const struct {
		const char *rules;
		int by[3]; /* of each rule; -1: it can be used */
	} table[] = {
		{ "a.test a.test:443/tcp", { 1, -1 } },
		{ "a.test A.test. a.test", { 2, 2, -1 } },
		{ "a.test b.test", { -1, -1 } },
		{ "*.test a.test", { -1, -1 } },
		{ "*.test test", { -1, -1 } },
		{ "a.test a.test:443-444", { -1, -1 } },
		{ "a.test:443-444 a.test:444 a.test", { 1, -1, -1 } },
		{ "a.test:443-445 a.test:445 a.test", { -1, -1, -1 } },
		{ "a.test:1-65535 a.test:1-65535", { 1, -1 } },
		{ "8.0.0.0/8:22 8.0.0.0/8:22/tcp", { 1, -1 } },
		{ "8.0.0.0/8:22 8.0.0.0/9:22 9.0.0.0/8:22", { -1, -1, -1 } },
		{ "0.0.0.0/0:22 [::/0]:22", { -1, -1 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct net_policy *p = make_of(table[i].rules);

		for (uint32_t k = 0; k < p->rules; k++) {
			const struct rule *by = policy_shadow(p, &p->rule[k]);

			if ((by ? (int)(by - p->rule) : -1) != table[i].by[k])
				fail_msg("%s: rule %u", table[i].rules, k);
		}
		free(p);
	}
}

/* No text makes such a rule; were there one, it would still not open the host's own services. */
static void test_find_loopback(void **state)
{
	static const char *const addrs[] = { "127.0.0.0", "0.0.0.0", "::1" };
	static const uint8_t bits[] = { 8, 8, 128 };
	struct net_policy *p = make();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(addrs); i++) {
		assert_true(addr_parse(addrs[i], &p->rule[4].addr));
		p->rule[4].bits = bits[i];
		assert_true(policy_valid(p, p->size));
		assert_null(policy_find_addr(p, &p->rule[4].addr, 22));
	}
	free(p);
}

/* Each of these makes it something else than a policy. */
#define BREAK(change)                                                \
	do {                                                         \
		p = make();                                          \
		change;                                              \
		if (policy_valid(p, policy_size(ARRAY_SIZE(words)))) \
			fail_msg("still valid after: %s", #change);  \
		free(p);                                             \
	} while (0)

static void test_valid(void **state)
{
	struct net_policy *p = make();

	(void)state;
	assert_true(policy_valid(p, p->size));
	assert_false(policy_valid(p, p->size - 1));
	assert_false(policy_valid(p, sizeof(*p) - 1));
	assert_false(policy_valid(p, 0));
	free(p);
	BREAK(p->magic++);
	BREAK(p->size++);
	BREAK(p->rules++);
	BREAK(p->rules--);
	BREAK(p->rules = UINT32_MAX);
	BREAK(p->pins = POLICY_PINS_MAX + 1);
	BREAK(p->host_ports = POLICY_PORTS_MAX + 1);
	BREAK(p->publish = POLICY_PORTS_MAX + 1);
	BREAK(p->host_port[0].inside = 0);
	BREAK(p->published[0].outside = 0);
	BREAK(memset(p->jail, 'x', sizeof(p->jail)));
	BREAK(memset(&p->redirected, 2, 1));
	BREAK(p->use_proxy = true);
	BREAK(memset(p->pin[0].name, 'x', NAME_SIZE));
	BREAK(p->pin[0].addr.family = 5);
	BREAK(memset(p->rule[0].name, 'x', NAME_SIZE));
	BREAK(p->rule[0].name[0] = 'X');
	BREAK(p->rule[0].name[0] = '\0');
	BREAK(memset(p->rule[0].text, 'x', sizeof(p->rule[0].text)));
	BREAK(memset(p->rule[0].origin, 'x', sizeof(p->rule[0].origin)));
	BREAK(p->rule[0].kind = RULE_TCP + 1);
	BREAK(p->rule[0].first = 0);
	BREAK(p->rule[0].last = 1);
	BREAK(memset(&p->rule[0].wildcard, 2, 1));
	BREAK(p->rule[0].addr.family = 4);
	BREAK(p->rule[4].addr.family = 5);
	BREAK(p->rule[4].bits = 33);
	BREAK(p->rule[4].kind = RULE_TLS);
	BREAK(p->rule[6].bits = 129);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),	      cmocka_unit_test(test_find_addr),
		cmocka_unit_test(test_overlaps),      cmocka_unit_test(test_shadow),
		cmocka_unit_test(test_find_loopback), cmocka_unit_test(test_valid),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
