// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of the words of `allow`, `resolve`, `host-port` and `publish`: meaning, and reasons. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/own.h"
#include "net/policy.h"

static void test_rules(void **state)
{
	static const struct {
		const char *word, *name, *addr;
		int kind, first, last, bits;
		bool wildcard;
	} table[] = {
		{ "allowed.test", "allowed.test", NULL, RULE_TLS, 443, 443, 0, false },
		{ "Allowed.TEST.", "allowed.test", NULL, RULE_TLS, 443, 443, 0, false },
		{ "*.allowed.test", "allowed.test", NULL, RULE_TLS, 443, 443, 0, true },
		{ "allowed.test:443", "allowed.test", NULL, RULE_TLS, 443, 443, 0, false },
		{ "allowed.test:80", "allowed.test", NULL, RULE_HTTP, 80, 80, 0, false },
		{ "allowed.test:22", "allowed.test", NULL, RULE_TCP, 22, 22, 0, false },
		{ "*.allowed.test:22", "allowed.test", NULL, RULE_TCP, 22, 22, 0, true },
		{ "allowed.test:8443/tls", "allowed.test", NULL, RULE_TLS, 8443, 8443, 0, false },
		{ "allowed.test:8080/http", "allowed.test", NULL, RULE_HTTP, 8080, 8080, 0, false },
		{ "allowed.test:443/tcp", "allowed.test", NULL, RULE_TCP, 443, 443, 0, false },
		{ "allowed.test:1-65535", "allowed.test", NULL, RULE_TCP, 1, 65535, 0, false },
		{ "allowed.test:8000-8010/tls", "allowed.test", NULL, RULE_TLS, 8000, 8010, 0, false },
		{ "allowed.test:443-443", "allowed.test", NULL, RULE_TCP, 443, 443, 0, false },
		{ "xn--bcher-kva.test", "xn--bcher-kva.test", NULL, RULE_TLS, 443, 443, 0, false },
		{ "3com:25", "3com", NULL, RULE_TCP, 25, 25, 0, false },
		{ "192.0.2.1:22", "", "192.0.2.1", RULE_TCP, 22, 22, 32, false },
		{ "192.0.2.1:443", "", "192.0.2.1", RULE_TCP, 443, 443, 32, false },
		{ "192.0.2.1:80/tcp", "", "192.0.2.1", RULE_TCP, 80, 80, 32, false },
		{ "10.0.0.0/8:1-1024", "", "10.0.0.0", RULE_TCP, 1, 1024, 8, false },
		{ "0.0.0.0/0:443", "", "0.0.0.0", RULE_TCP, 443, 443, 0, false },
		{ "[2001:db8::1]:22", "", "2001:db8::1", RULE_TCP, 22, 22, 128, false },
		{ "[2001:db8::/32]:22", "", "2001:db8::", RULE_TCP, 22, 22, 32, false },
		{ "[::/0]:22/tcp", "", "::", RULE_TCP, 22, 22, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct addr addr = { 0 };
		struct err why = { 0 };
		struct rule r;

		if (rule_parse(table[i].word, &r, &why) < 0)
			fail_msg("'%s': %s", table[i].word, why.what);
		if (table[i].addr)
			assert_true(addr_parse(table[i].addr, &addr));
		assert_string_equal(r.name, table[i].name);
		assert_string_equal(r.text, table[i].word);
		assert_string_equal(r.origin, "");
		assert_memory_equal(&r.addr, &addr, sizeof(addr));
		assert_int_equal(r.kind, table[i].kind);
		assert_int_equal(r.first, table[i].first);
		assert_int_equal(r.last, table[i].last);
		assert_int_equal(r.bits, table[i].bits);
		assert_int_equal(r.wildcard, table[i].wildcard);
	}
}

#define A63  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define A256 A63 "." A63 "." A63 "." A63 "."

static const struct {
	const char *word, *reason;
} bad_rules[] = {
	{ "", "empty" },
	{ A256 A63, "longer than" },
	{ A256 ":443", "is no host name" },
	{ "https://allowed.test", "not a URL" },
	{ "https://allowed.test:443/x", "not a URL" },
	{ "user@allowed.test", "no user name" },
	{ "allowed.test/path", "not a URL or path" },
	{ "allowed.test/", "not a URL or path" },
	{ "allowed.test/path:80", "not a URL or path" },
	{ "#", "begins with ';'" },
	{ "#allowed.test", "begins with ';'" },
	{ "allowed.test,other.test", "with blanks" },
	{ "allowed.test:80,443", "with blanks" },
	{ "192.0.2/24:22", "is no address" },
	{ "allowed..test", "is no host name" },
	{ "b\xc3\xbc"
	  "cher.test",
	  "is no host name" },
	{ "*", "a wildcard is" },
	{ "*.", "is no host name" },
	{ "*allowed.test", "a wildcard is" },
	{ "a.*.test", "a wildcard is" },
	{ "*.*.test", "a wildcard is" },
	{ ":443", "is no host name" },
	{ "allowed.test:", "'' is no port" },
	{ "allowed.test:0", "'0' is no port" },
	{ "allowed.test:65536", "'65536' is no port" },
	{ "allowed.test:0443", "'0443' is no port" },
	{ "allowed.test:-1", "'' is no port" },
	{ "allowed.test:+1", "'+1' is no port" },
	{ "allowed.test:x", "'x' is no port" },
	{ "allowed.test:1-", "'' is no port" },
	{ "allowed.test:1-2-3", "'2-3' is no port" },
	{ "allowed.test:20-10", "end before they begin" },
	{ "allowed.test:443/", "'/' is none of" },
	{ "allowed.test:443/udp", "'/udp' is none of" },
	{ "allowed.test:443/TLS", "'/TLS' is none of" },
	{ "allowed.test:443/tls/x", "'/tls/x' is none of" },
	{ "allowed.test:53", "resolver" },
	{ "localhost:80", "host-port" },
	{ "*.localhost", "host-port" },
	{ "db.localhost:1", "host-port" },
	{ "192.0.2.1", "needs a port" },
	{ "192.0.2.1:", "needs a port" },
	{ "192.0.2:22", "is no address" },
	{ "3221225985:22", "is no address" },
	{ "0xc0000201:22", "is no address" },
	{ "192.0.2.01:22", "is no address" },
	{ "192.0.2.1:443/tls", "plain tcp" },
	{ "192.0.2.1/24:22", "bits beyond its /24" },
	{ "192.0.2.0/33:22", "is no prefix length" },
	{ "192.0.2.0/:22", "is no prefix length" },
	{ "192.0.2.0/024:22", "is no prefix length" },
	{ "127.0.0.1:80", "host-port" },
	{ "127.0.0.0/8:80", "host-port" },
	{ "[::1]:80", "host-port" },
	{ "198.18.0.0/15:80", "puts names" },
	{ "198.19.1.1:80", "puts names" },
	{ "2001:db8::1", "in brackets" },
	{ "2001:db8::1:22", "in brackets" },
	{ "[2001:db8::1:22", "not closed" },
	{ "[2001:db8::1]22", "after ']'" },
	{ "[2001:db8::1]", "needs a port" },
	{ "[2001:db8::1%eth0]:22", "is no address" },
	{ "[2001:db8::1/129]:22", "is no prefix length" },
	{ "[2001:db8::1/64]:22", "bits beyond its /64" },
	{ "[192.0.2.1]:22", "without them" },
	{ "[::ffff:192.0.2.1]:22", "without them" },
};

static void test_bad_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad_rules); i++) {
		struct rule r = { .first = 4711 };
		struct err why = { 0 };

		if (rule_parse(bad_rules[i].word, &r, &why) == 0)
			fail_msg("'%s' was taken", bad_rules[i].word);
		if (!strstr(why.what, bad_rules[i].reason))
			fail_msg("'%s': %s, not: %s", bad_rules[i].word, why.what,
				 bad_rules[i].reason);
		assert_int_equal(r.first, 4711);
		assert_int_equal(why.stage, ST_PROFILE);
	}
}

static void test_pins(void **state)
{
	static const struct {
		const char *word, *name, *addr; /* addr NULL: bad, and `name` is the reason */
		int port;
	} table[] = {
		{ "Allowed.test=192.0.2.1", "allowed.test", "192.0.2.1", 0 },
		{ "allowed.test=127.0.0.1:8443", "allowed.test", "127.0.0.1", 8443 },
		{ "allowed.test=[::1]", "allowed.test", "::1", 0 },
		{ "allowed.test=[::1]:8443", "allowed.test", "::1", 8443 },
		{ "allowed.test", "NAME=ADDRESS", NULL, 0 },
		{ "=192.0.2.1", "is no host name", NULL, 0 },
		{ "*.allowed.test=192.0.2.1", "not a wildcard", NULL, 0 },
		{ "allowed.test=", "is no address", NULL, 0 },
		{ "allowed.test=other.test", "is no address", NULL, 0 },
		{ "allowed.test=192.0.2.1:", "is no port", NULL, 0 },
		{ "allowed.test=192.0.2.1:0", "is no port", NULL, 0 },
		{ "allowed.test=::1", "is no address", NULL, 0 },
		{ "allowed.test=[192.0.2.1]", "is no IPv6", NULL, 0 },
		{ "allowed.test=[::1]x", "after ']'", NULL, 0 },
		{ "allowed.test=[::1]:", "is no port", NULL, 0 },
		{ "allowed.test=[::1", "is no address", NULL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct pin p = { .port = 4711 };
		struct err why = { 0 };
		struct addr addr;
		int rc = pin_parse(table[i].word, &p, &why);

		if (!table[i].addr) {
			if (rc == 0 || !strstr(why.what, table[i].name) || p.port != 4711)
				fail_msg("'%s': %d, %s", table[i].word, rc, why.what);
			continue;
		}
		if (rc < 0)
			fail_msg("'%s': %s", table[i].word, why.what);
		assert_true(addr_parse(table[i].addr, &addr));
		assert_true(addr_eq(&p.addr, &addr));
		assert_string_equal(p.name, table[i].name);
		assert_int_equal(p.port, table[i].port);
	}
}

static void test_ports(void **state)
{
	static const struct {
		const char *word;
		int inside, outside; /* 0: bad */
	} table[] = {
		{ "5432", 5432, 5432 },
		{ "5432:15432", 5432, 15432 },
		{ "1:65535", 1, 65535 },
		{ "", 0, 0 },
		{ "0", 0, 0 },
		{ "65536", 0, 0 },
		{ "5432:", 0, 0 },
		{ ":5432", 0, 0 },
		{ "1:2:3", 0, 0 },
		{ "1-2", 0, 0 },
		{ "0x10", 0, 0 },
		{ " 1", 0, 0 },
		{ "http", 0, 0 },
		{ "127.0.0.1:80", 0, 0 },
		{ "99999999999", 0, 0 },
		{ "1,2", 0, 0 },
		{ "localhost:80", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct port_pair p = { 1, 2 };
		struct err why = { 0 };
		int rc = port_pair_parse(table[i].word, &p, &why);

		if ((rc == 0) != (table[i].inside != 0))
			fail_msg("'%s': %d, %s", table[i].word, rc, why.what);
		assert_int_equal(p.inside, rc == 0 ? table[i].inside : 1);
		assert_int_equal(p.outside, rc == 0 ? table[i].outside : 2);
		if (rc < 0)
			assert_non_null(strstr(why.what, strchr(table[i].word, ',')
								 ? "with blanks"
								 : "it is INSIDE or INSIDE:OUTSIDE"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_bad_rules),
		cmocka_unit_test(test_pins),
		cmocka_unit_test(test_ports),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
