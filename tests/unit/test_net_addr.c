// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of addresses: strict text forms, and what is nobody's business. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <netinet/in.h>

#include "base/own.h"
#include "net/addr.h"

static struct addr must(const char *text)
{
	struct addr a = { 0 };

	if (!addr_parse(text, &a))
		fail_msg("'%s' is an address", text);
	return a;
}

static void test_parse(void **state)
{
	static const char *const bad[] = {
		"",	    "1",	 "1.2",	      "1.2.3",		 "1.2.3.4.5",
		"01.2.3.4", "1.2.3.04",	 "0x1.2.3.4", "256.1.1.1",	 "1.2.3.4 ",
		" 1.2.3.4", "1.2.3.4/8", "1.2.3.4:5", "2130706433",	 "0177.0.0.1",
		"1..2.3",   "1.2.3.",	 "-1.2.3.4",  "+1.2.3.4",	 "fe80::1%lo",
		"[::1]",    "::1::",	 ":::",	      "1:2:3:4:5:6:7",	 "1:2:3:4:5:6:7:8:9",
		"::12345",  "::g",	 "::1.2.3",   "::ffff:1.2.3.04", "allowed.test",
	};
	static const struct {
		const char *text, *want;
		int family;
	} good[] = {
		{ "1.2.3.4", "1.2.3.4", 4 },
		{ "0.0.0.0", "0.0.0.0", 4 },
		{ "255.255.255.255", "255.255.255.255", 4 },
		{ "::ffff:1.2.3.4", "1.2.3.4", 4 },
		{ "::FFFF:102:304", "1.2.3.4", 4 },
		{ "0:0:0:0:0:ffff:7f00:1", "127.0.0.1", 4 },
		{ "::1.2.3.4", "::1.2.3.4", 6 },
		{ "::", "::", 6 },
		{ "2001:DB8:0:0::1", "2001:db8::1", 6 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct addr a = { .family = 77 };

		if (addr_parse(bad[i], &a) || a.family != 77)
			fail_msg("'%s' was taken", bad[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct addr a = must(good[i].text);
		char buf[64];
		struct text t;

		text_init(&t, buf, sizeof(buf));
		addr_format(&a, &t);
		assert_string_equal(buf, good[i].want);
		assert_int_equal(a.family, good[i].family);
	}
}

/* First and last of each special range, and their neighbours. */
static const char *const private[] = {
	"0.0.0.0",
	"0.255.255.255",
	"10.0.0.0",
	"10.255.255.255",
	"100.64.0.0",
	"100.100.100.200",
	"100.127.255.255",
	"127.0.0.1",
	"127.255.255.255",
	"168.63.129.16",
	"169.254.0.0",
	"169.254.169.254",
	"169.254.255.255",
	"172.16.0.0",
	"172.31.255.255",
	"192.0.0.0",
	"192.0.0.255",
	"192.0.2.0",
	"192.0.2.255",
	"192.88.99.1",
	"192.168.0.0",
	"192.168.255.255",
	"198.18.0.0",
	"198.19.255.255",
	"198.51.100.0",
	"198.51.100.255",
	"203.0.113.0",
	"203.0.113.255",
	"224.0.0.0",
	"239.255.255.250",
	"240.0.0.0",
	"255.255.255.255",
	/* IPv6 */
	"::",
	"::1",
	"::2",
	"100::",
	"100::ffff:ffff:ffff:ffff",
	"2001::",
	"2001:1::1",
	"2001:2::1",
	"2001:10::1",
	"2001:20::1",
	"2001:1ff:ffff::",
	"2001:db8::1",
	"2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
	"3fff::1",
	"3fff:fff::1",
	"5f00::1",
	"fc00::1",
	"fd00:ec2::254",
	"fdff::1",
	"fe80::1",
	"febf::1",
	"fec0::1",
	"ff02::1",
	"ff0e::1",
	"4000::1",
	"1fff::1",
	"8000::1",
	"200::1",
	/* what embeds a special one: mapped, compatible, NAT64, 6to4, Teredo, ISATAP */
	"::ffff:127.0.0.1",
	"::ffff:10.0.0.1",
	"::ffff:169.254.169.254",
	"::127.0.0.1",
	"::8.8.8.8",
	"64:ff9b::127.0.0.1",
	"64:ff9b::10.1.2.3",
	"64:ff9b::169.254.169.254",
	"64:ff9b:1::8.8.8.8",
	"64:ff9b:1:ffff::1",
	"2002:7f00:1::",
	"2002:a00:1::1",
	"2002:c0a8:101::1",
	"2002:a9fe:a9fe::",
	"2001:0:4136:e378:8000:63bf:3fff:fdd2",
	"2606:4700::5efe:10.0.0.1",
	"2606:4700::200:5efe:127.0.0.1",
};
static const char *const public[] = {
	"1.0.0.0",
	"8.8.8.8",
	"9.255.255.255",
	"11.0.0.0",
	"100.63.255.255",
	"100.128.0.0",
	"126.255.255.255",
	"128.0.0.0",
	"168.63.129.15",
	"168.63.129.17",
	"169.253.255.255",
	"169.255.0.0",
	"172.15.255.255",
	"172.32.0.0",
	"191.255.255.255",
	"192.0.1.0",
	"192.0.3.0",
	"192.88.98.255",
	"192.88.100.0",
	"192.167.255.255",
	"192.169.0.0",
	"198.17.255.255",
	"198.20.0.0",
	"198.51.99.255",
	"198.51.101.0",
	"203.0.112.255",
	"203.0.114.0",
	"223.255.255.255",
	"2000::1",
	"2001:200::1",
	"2001:db7::1",
	"2001:db9::1",
	"2606:4700::1",
	"2a00:1450:4001::1",
	"3ffe::1",
	"3fff:1000::1",
	"::ffff:8.8.8.8",
	"64:ff9b::8.8.8.8",
	"2002:808:808::1",
	"2606:4700::5efe:8.8.8.8",
	"2606:4700::1:5efe:10.0.0.1",
};

static void test_public(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(private); i++) {
		struct addr a = must(private[i]);

		if (addr_is_public(&a))
			fail_msg("%s is not public", private[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(public); i++) {
		struct addr a = must(public[i]);

		if (!addr_is_public(&a))
			fail_msg("%s is public", public[i]);
	}
	assert_false(addr_is_public(&(struct addr){ 0 }));
}

static void test_special_bits(void **state)
{
	static const struct {
		const char *text;
		unsigned want;
	} table[] = {
		{ "8.8.8.8", 0 },
		{ "10.0.0.1", 8 },
		{ "169.254.169.254", 16 },
		{ "168.63.129.16", 32 },
		{ "fd00::1", 7 },
		{ "4000::1", 3 },
		{ "64:ff9b::10.0.0.1", 104 },
		{ "2002:a00:1::1", 24 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct addr a = must(table[i].text);

		if (addr_special_bits(&a) != table[i].want)
			fail_msg("%s: %u", table[i].text, addr_special_bits(&a));
	}
}

static void test_loopback(void **state)
{
	static const char *const yes[] = { "127.0.0.1", "127.255.0.1", "0.0.0.0",	  "0.1.2.3",
					   "::1",	"::",	       "::ffff:127.0.0.1" };
	static const char *const no[] = { "128.0.0.1", "10.0.0.1", "::2",
					  "1::1",      "fe80::1",  "::7f00:1" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
		struct addr a = must(yes[i]);

		assert_true(addr_is_loopback(&a));
	}
	for (size_t i = 0; i < ARRAY_SIZE(no); i++) {
		struct addr a = must(no[i]);

		assert_false(addr_is_loopback(&a));
	}
}

static void test_within(void **state)
{
	static const struct {
		const char *a, *net;
		unsigned bits;
		bool want;
	} table[] = {
		{ "10.1.2.3", "10.0.0.0", 8, true },
		{ "11.1.2.3", "10.0.0.0", 8, false },
		{ "10.1.2.3", "10.1.2.3", 32, true },
		{ "10.1.2.2", "10.1.2.3", 32, false },
		{ "10.1.2.2", "10.1.2.3", 31, true },
		{ "8.8.8.8", "0.0.0.0", 0, true },
		{ "::1", "0.0.0.0", 0, false },
		{ "8.8.8.8", "::", 0, false },
		{ "2001:db8::1", "2001:db8::", 32, true },
		{ "2001:db9::1", "2001:db8::", 32, false },
		{ "2001:db9::1", "2001:db8::", 31, true },
		{ "::1", "::1", 128, true },
		{ "::ffff:10.1.2.3", "10.0.0.0", 8, true },
		{ "10.1.2.3", "10.1.2.3", 33, false },
		{ "::1", "::1", 129, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct addr a = must(table[i].a), net = must(table[i].net);

		if (addr_within(&a, &net, table[i].bits) != table[i].want)
			fail_msg("%s in %s/%u", table[i].a, table[i].net, table[i].bits);
	}
	assert_false(addr_within(&(struct addr){ 0 }, &(struct addr){ 0 }, 0));
}

static void test_sockaddr(void **state)
{
	static const char *const texts[] = { "192.0.2.7", "2001:db8::7" };
	struct sockaddr_in6 mapped = { .sin6_family = AF_INET6, .sin6_port = htons(80) };
	struct sockaddr_storage ss;
	struct addr a, b;
	uint16_t port = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		a = must(texts[i]);
		assert_int_equal(addr_to_sockaddr(&a, 443, &ss),
				 i ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in));
		assert_true(addr_from_sockaddr((struct sockaddr *)&ss, &b, &port));
		assert_true(addr_eq(&a, &b));
		assert_int_equal(port, 443);
	}
	a = must("192.0.2.7");
	mapped.sin6_addr.s6_addr[10] = mapped.sin6_addr.s6_addr[11] = 0xff;
	memcpy(mapped.sin6_addr.s6_addr + 12, a.bytes, 4);
	assert_true(addr_from_sockaddr((struct sockaddr *)&mapped, &b, &port));
	assert_true(addr_eq(&a, &b));
	assert_int_equal(port, 80);
	ss = (struct sockaddr_storage){ .ss_family = AF_UNIX };
	assert_false(addr_from_sockaddr((struct sockaddr *)&ss, &b, &port));
	b = must("::192.0.2.7");
	assert_false(addr_eq(&a, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),	     cmocka_unit_test(test_public),
		cmocka_unit_test(test_special_bits), cmocka_unit_test(test_loopback),
		cmocka_unit_test(test_within),	     cmocka_unit_test(test_sockaddr),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
