// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of what the resolver stands on: the two files, its memory, and the loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <netinet/in.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/own.h"
#include "gate/cache.h"
#include "gate/event.h"
#include "gate/hostsfile.h"
#include "gate/loop.h"
#include "gate/resolvconf.h"

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

static size_t find(const char *text, const char *name, struct addr *ret, size_t max)
{
	return hosts_find(text, strlen(text), name, ret, max);
}

static void test_hosts(void **state)
{
	static const char text[] = "# a comment\n"
				   "2001:db8::1 both.test\n"
				   "192.0.2.1\tOne.Test alias.test. # other.test\n"
				   "192.0.2.2 both.test both.test\r\n"
				   "\n   192.0.2.3   indented.test\n"
				   "not-an-address bad.test\n"
				   "010.0.0.1 octal.test\n"
				   "192.0.2.9\n"
				   "192.0.2.4 last.test";
	struct addr got[4];

	(void)state;
	assert_int_equal(find(text, "one.test", got, 4), 1);
	assert_memory_equal(got[0].bytes, "\300\0\2\1", 4);
	assert_int_equal(find(text, "alias.test", got, 4), 1);
	assert_int_equal(find(text, "both.test", got, 4), 2);
	assert_int_equal(got[0].family, 4);
	assert_int_equal(got[1].family, 6);
	assert_int_equal(find(text, "both.test", got, 1), 1);
	assert_int_equal(find(text, "indented.test", got, 4), 1);
	assert_int_equal(find(text, "last.test", got, 4), 1);
	assert_int_equal(find(text, "other.test", got, 4), 0);
	assert_int_equal(find(text, "bad.test", got, 4), 0);
	assert_int_equal(find(text, "octal.test", got, 4), 0);
	assert_int_equal(find(text, "test", got, 4), 0);
	assert_int_equal(find(text, "192.0.2.9", got, 4), 0);
	assert_int_equal(find("", "one.test", got, 4), 0);
}

static void conf(struct resolvconf *c, const char *text)
{
	resolvconf_parse(text, strlen(text), c);
}

static const struct sockaddr_in *v4(const struct resolvconf *c, unsigned i)
{
	assert_true(i < c->servers && c->server[i].ss_family == AF_INET);
	return (const struct sockaddr_in *)&c->server[i];
}

static const struct sockaddr_in6 *v6(const struct resolvconf *c, unsigned i)
{
	assert_true(i < c->servers && c->server[i].ss_family == AF_INET6);
	return (const struct sockaddr_in6 *)&c->server[i];
}

static void test_conf(void **state)
{
	struct resolvconf c;

	(void)state;
	conf(&c, "");
	assert_int_equal(c.servers, 1);
	assert_int_equal(ntohl(v4(&c, 0)->sin_addr.s_addr), INADDR_LOOPBACK);
	assert_int_equal(ntohs(v4(&c, 0)->sin_port), 53);
	assert_int_equal(c.ndots, 1);
	assert_int_equal(c.timeout, 5);
	assert_int_equal(c.attempts, 2);
	assert_int_equal(c.searches, 0);
	assert_false(c.tcp);

	conf(&c, "; nameserver 192.0.2.9\n#nameserver 192.0.2.8\nnameserver 192.0.2.1 # x\n"
		 "nameserver\nnameserver nonsense\nnameserver 2001:db8::1\nnameserver fe80::1%lo\n"
		 "nameserver 192.0.2.4\nsearch a.test\nsearch B.test. c.test bad..name\n"
		 "options ndots:99 timeout:0 attempts:x use-vc edns0\noptions attempts:3\n");
	assert_int_equal(c.servers, 3);
	assert_int_equal(ntohl(v4(&c, 0)->sin_addr.s_addr), 0xc0000201);
	assert_int_equal(v6(&c, 1)->sin6_scope_id, 0);
	assert_int_equal(v6(&c, 2)->sin6_scope_id, 1);
	assert_int_equal(ntohs(v6(&c, 2)->sin6_port), 53);
	assert_int_equal(c.searches, 2);
	assert_string_equal(c.search[0], "b.test");
	assert_string_equal(c.search[1], "c.test");
	assert_int_equal(c.ndots, 15);
	assert_int_equal(c.timeout, 1);
	assert_int_equal(c.attempts, 3);
	assert_true(c.tcp);

	conf(&c, "search a.test b.test c.test d.test e.test f.test g.test\n");
	assert_int_equal(c.searches, RESOLV_SEARCH_MAX);
	conf(&c, "search a.test b.test\ndomain c.test d.test");
	assert_int_equal(c.searches, 1);
	assert_string_equal(c.search[0], "c.test");
	conf(&c, "nameserver fe80::1%no-such-interface\nnameserver 192.0.2.1%lo\n");
	assert_int_equal(ntohl(v4(&c, 0)->sin_addr.s_addr), INADDR_LOOPBACK);
}

static void test_cache(void **state)
{
	const struct addr addr[2] = { { .family = 4, .bytes = { 1 } }, { .family = 6 } };
	const struct cached *c;
	char name[NAME_SIZE];
	unsigned kept = 0;

	(void)state;
	assert_null(cache_find("a.test", 1000));
	cache_store("a.test", addr, 2, 10, 1000);
	c = cache_find("a.test", 10999);
	assert_non_null(c);
	assert_int_equal(c->n, 2);
	assert_memory_equal(c->addr, addr, sizeof(addr));
	assert_null(cache_find("a.test", 11000));
	cache_store("a.test", addr, 1, 0xffffffff, 1000);
	assert_non_null(cache_find("a.test", 1000 + 3600 * 1000 - 1));
	assert_null(cache_find("a.test", 1000 + 3600 * 1000));
	cache_store("none.test", NULL, 0, 9999, 1000);
	c = cache_find("none.test", 5999);
	assert_true(c && c->n == 0);
	assert_null(cache_find("none.test", 6000));
	/* More names than there is room for: each set keeps those that last longest. */
	for (unsigned i = 0; i < 4 * CACHE_NAMES; i++) {
		(void)snprintf(name, sizeof(name), "n%u.test", i);
		cache_store(name, addr, 1, 100 + i, 10000000);
		assert_non_null(cache_find(name, 10000000));
	}
	for (unsigned i = 0; i < 4 * CACHE_NAMES; i++) {
		(void)snprintf(name, sizeof(name), "n%u.test", i);
		kept += cache_find(name, 10000000) != NULL;
	}
	assert_in_range(kept, CACHE_NAMES / 2, CACHE_NAMES);
}

static struct loop loop;
static struct timer_list quick, slow;
static char order[16];
static struct watch watches[2];

static void note(char c)
{
	size_t n = strlen(order);

	assert_true(n < sizeof(order) - 1);
	order[n] = c;
}

static void on_quick(struct timer *t)
{
	(void)t;
	note('q');
}

static void on_slow(struct timer *t)
{
	(void)t;
	note('s');
	loop.ended = true;
}

static void test_timers(void **state)
{
	struct timer a = { .fire = on_slow }, b = { .fire = on_quick }, c = b, d = b;

	(void)state;
	memset(order, 0, sizeof(order));
	assert_int_equal(loop_init(&loop), 0);
	loop_add_timers(&loop, &quick, 10);
	loop_add_timers(&loop, &slow, 60);
	timer_arm(&loop, &slow, &a);
	timer_arm(&loop, &quick, &b);
	timer_arm(&loop, &quick, &c);
	timer_arm(&loop, &quick, &d);
	timer_arm(&loop, &quick, &b); /* once more is once */
	timer_disarm(&quick, &c);
	timer_disarm(&quick, &c);
	loop_run(&loop);
	assert_string_equal(order, "qqs");
	assert_false(a.armed || b.armed || c.armed || d.armed);
	assert_null(quick.first);
	assert_null(quick.last);
	(void)close(loop.epoll);
}

/* Whoever is called first takes the other away, which is ready, too. */
static void on_ready(struct watch *w, uint32_t events)
{
	struct watch *other = &watches[w == watches];

	assert_true(events & EPOLLIN);
	note('r');
	loop_drop(&loop, other);
	fd_release(&other->fd);
	loop.ended = strlen(order) == 3; /* it stays ready */
}

static void test_drop(void **state)
{
	(void)state;
	memset(order, 0, sizeof(order));
	assert_int_equal(loop_init(&loop), 0);
	for (int i = 0; i < 2; i++) {
		watches[i] = (struct watch){ .ready = on_ready, .fd = eventfd(1, EFD_CLOEXEC) };
		assert_int_equal(loop_watch(&loop, &watches[i], EPOLLIN), 0);
	}
	loop_run(&loop);
	assert_string_equal(order, "rrr");
	assert_true((watches[0].fd < 0) != (watches[1].fd < 0));
	fd_release(&watches[watches[0].fd < 0].fd);
	(void)close(loop.epoll);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hosts), cmocka_unit_test(test_conf),
		cmocka_unit_test(test_cache), cmocka_unit_test(test_timers),
		cmocka_unit_test(test_drop),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
