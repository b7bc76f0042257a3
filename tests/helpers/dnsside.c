// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The gate's two DNS sides alone, for tests in a network namespace of their own.
 *
 *	dnsside serve RULE...		answers at port 53, of every address; prints "ready", then events
 *	dnsside ask HOSTS CONF STEP...	looks names up; a step is NAME,NAME... (at once), @MS (a pause), or
 *					!NAME,NAME... (asked for, and cancelled in the same turn)
 *
 * `ask` prints for each name, in the order of the answers: NAME ERROR MS ADDRESS...
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/prctl.h>
#include <signal.h>
#include <time.h>

#include "base/own.h"
#include "gate/dnsserver.h"
#include "gate/event.h"
#include "gate/resolver.h"

enum { LOOKUPS_MAX = 256 };

static struct loop loop;
static unsigned waiting;
static struct asked {
	struct lookup l;
	int64_t since;
} asked[LOOKUPS_MAX];

void event_write(const struct event *ev)
{
	printf("%s %s %s %s\n", ev->event, ev->verdict, ev->name, ev->why ? ev->why : "-");
	(void)fflush(stdout);
}

void event_score(enum score_why why, const struct event *ev)
{
	printf("score %d %s %u\n", why, ev->name, ev->port);
}

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "dnsside: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int bound_socket(int family, int type)
{
	const int on = 1;
	int fd = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(53) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(53) };

	must(fd >= 0, "socket");
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (family == AF_INET6) {
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
		must(bind(fd, (struct sockaddr *)&v6, sizeof(v6)) == 0, "bind");
	} else {
		must(bind(fd, (struct sockaddr *)&v4, sizeof(v4)) == 0, "bind");
	}
	must(type == SOCK_DGRAM || listen(fd, 128) == 0, "listen");
	return fd;
}

static int serve(char **rules)
{
	static union {
		struct net_policy policy;
		char room[sizeof(struct net_policy) + 16 * sizeof(struct rule)];
	} u;
	struct net_policy *p = &u.policy;
	struct err e = { 0 };

	for (; *rules; rules++, p->rules++)
		must(p->rules < 16 && rule_parse(*rules, &p->rule[p->rules], &e) == 0, *rules);
	for (int v6 = 0; v6 < 2; v6++) {
		int family = v6 ? AF_INET6 : AF_INET;

		must(dnsserver_add_udp(&loop, p, bound_socket(family, SOCK_DGRAM)) == 0, "udp");
		must(dnsserver_add_tcp(&loop, p, bound_socket(family, SOCK_STREAM)) == 0, "tcp");
	}
	printf("ready\n");
	(void)fflush(stdout);
	loop_run(&loop);
	return 0;
}

static const char *error_name(int error)
{
	switch (error) {
	case 0:
		return "0";
	case ENOENT:
		return "ENOENT";
	case ETIMEDOUT:
		return "ETIMEDOUT";
	case EHOSTUNREACH:
		return "EHOSTUNREACH";
	case EBUSY:
		return "EBUSY";
	default:
		return "another"; /* which the contract does not have */
	}
}

static void print_answer(struct lookup *l, const struct addr *addr, size_t n, int error)
{
	struct asked *k = (struct asked *)l;
	char buf[64];
	struct text t;

	printf("%s %s %lld", l->name, error_name(error), (long long)(now_ms() - k->since));
	for (size_t i = 0; i < n; i++) {
		text_init(&t, buf, sizeof(buf));
		addr_format(&addr[i], &t);
		printf(" %s", buf);
	}
	printf("\n");
	(void)fflush(stdout);
	if (--waiting == 0)
		loop.ended = true;
}

static void on_pause_end(struct timer *t)
{
	(void)t;
	loop.ended = true;
}

static void wait_ms(const char *ms)
{
	static struct timer_list lists[LOOKUPS_MAX];
	static unsigned used;
	struct timer t = { .fire = on_pause_end };
	uint64_t v;

	must(str_to_u64(ms, 60000, &v) && used < LOOKUPS_MAX, "pause");
	loop_add_timers(&loop, &lists[used], (int64_t)v);
	loop.now = now_ms();
	timer_arm(&loop, &lists[used++], &t);
	loop.ended = false;
	loop_run(&loop);
}

static void ask_names(char *names, bool cancel)
{
	unsigned used = 0;

	waiting = 1; /* so that it is not over before all are asked for */
	loop.ended = false;
	loop.now = now_ms();
	for (char *at = names, *comma; at; at = comma) {
		struct asked *k = &asked[used];

		comma = strchr(at, ',');
		if (comma)
			*comma++ = '\0';
		must(used++ < LOOKUPS_MAX && strlen(at) < NAME_SIZE, "too many names");
		memcpy(k->l.name, at, strlen(at) + 1);
		k->l.done = print_answer;
		k->since = now_ms();
		waiting++;
		resolver_ask(&k->l);
	}
	for (unsigned i = 0; cancel && i < used; i++) {
		if (asked[i].l.job) {
			resolver_cancel(&asked[i].l);
			printf("%s cancelled 0\n", asked[i].l.name);
			waiting--;
		}
	}
	if (--waiting)
		loop_run(&loop);
}

static int ask(char **argv)
{
	int rc = resolver_init(&loop, argv[0], argv[1]);

	if (rc) {
		printf("init %d\n", rc);
		(void)fflush(stdout);
	}
	must(rc >= 0, "resolver_init");
	for (argv += 2; *argv; argv++) {
		if (**argv == '@')
			wait_ms(*argv + 1);
		else
			ask_names(*argv + (**argv == '!'), **argv == '!');
	}
	return 0;
}

int main(int argc, char **argv)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	must(loop_init(&loop) == 0, "loop");
	if (argc > 2 && str_eq(argv[1], "serve"))
		return serve(argv + 2);
	if (argc > 4 && str_eq(argv[1], "ask"))
		return ask(argv + 2);
	fprintf(stderr, "usage: dnsside serve RULE... | ask HOSTS CONF STEP...\n");
	return 2;
}
