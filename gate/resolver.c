// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The gate's resolver. A name is looked for in the memory, in the hosts file, and then by a job: two
 * questions at once, for IPv4 and IPv6 addresses. Who asks for a name for which there is a job waits
 * for that one. Jobs are few and fixed; when all are busy the answer is EBUSY, at once.
 *
 * A name with fewer dots than `ndots` is looked for in each domain of the search list and then by
 * itself; any other only by itself: what a profile allowed must not become another domain's name.
 */
#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "gate/cache.h"
#include "gate/hostsfile.h"
#include "gate/question.h"
#include "gate/resolver.h"

enum {
	JOBS_MAX = 64,
	GRACE_MS = 50, /* how long IPv6 is waited for when IPv4 is there; RFC 8305 has the same */
	HOSTS_SIZE = 1 << 20,
	CONF_SIZE = 1 << 16,
};

struct job {
	struct lookup *waiting; /* NULL: free */
	bool finishing;		/* calls those who wait; nobody joins any more */
	unsigned step;		/* in the search list */
	char name[NAME_SIZE];	/* that is asked for now */
	struct question q[2];	/* A, AAAA */
	struct timer grace;
};

/* One gate, one resolver. */
static struct resolver {
	struct asking by;
	struct timer_list graces;
	size_t hosts_n;
	char hosts[HOSTS_SIZE];
	struct job job[JOBS_MAX];
} resolver;

static void on_answer(struct question *q);
static void on_grace(struct timer *t);

int resolver_init(struct loop *l, const char *hosts, const char *conf)
{
	static char text[CONF_SIZE];
	bool hosts_cut = false, conf_cut = false;
	ssize_t hosts_n = conf_read(hosts, resolver.hosts, sizeof(resolver.hosts), &hosts_cut);
	ssize_t conf_n = conf_read(conf, text, sizeof(text), &conf_cut);

	if ((hosts_n < 0 && hosts_n != -ENOENT) || (conf_n < 0 && conf_n != -ENOENT))
		return (int)(hosts_n < 0 && hosts_n != -ENOENT ? hosts_n : conf_n);
	resolver.hosts_n = hosts_n > 0 ? (size_t)hosts_n : 0;
	resolver.by.loop = l;
	resolvconf_parse(text, conf_n > 0 ? (size_t)conf_n : 0, &resolver.by.conf);
	loop_add_timers(l, &resolver.by.timeouts, (int64_t)resolver.by.conf.timeout * 1000);
	loop_add_timers(l, &resolver.graces, GRACE_MS);
	return (hosts_cut ? RESOLVER_HOSTS_CUT : 0) | (conf_cut ? RESOLVER_CONF_CUT : 0);
}

static void stop_job(struct job *j)
{
	timer_disarm(&resolver.graces, &j->grace);
	question_cancel(&j->q[0]);
	question_cancel(&j->q[1]);
}

/* Tells everybody who waits. They may ask again and cancel others meanwhile. */
static void finish_job(struct job *j, const struct addr *addr, size_t n, int error)
{
	struct lookup *l;

	stop_job(j);
	j->finishing = true;
	while ((l = j->waiting) != NULL) {
		j->waiting = l->next;
		l->next = NULL;
		l->job = NULL;
		l->done(l, addr, n, error);
	}
	j->finishing = false;
}

static unsigned count_dots(const char *s)
{
	unsigned n = 0;

	for (; *s; s++)
		n += *s == '.';
	return n;
}

/* The next name to ask for goes to j->name; false: that was all. */
static bool next_name(struct job *j)
{
	const struct resolvconf *conf = &resolver.by.conf;
	const char *asked = j->waiting->name;
	unsigned domains = count_dots(asked) < conf->ndots ? conf->searches : 0;

	while (j->step <= domains) {
		const char *domain = j->step < domains ? conf->search[j->step] : NULL;
		struct text t;

		j->step++;
		text_init(&t, j->name, sizeof(j->name));
		text_add(&t, asked);
		if (domain) {
			text_add(&t, ".");
			text_add(&t, domain);
		}
		if (!t.full)
			return true;
	}
	return false;
}

static void ask_both(struct job *j)
{
	for (int i = 0; i < 2; i++) {
		j->q[i].done = on_answer;
		j->q[i].by = &resolver.by;
		j->q[i].name = j->name;
		j->q[i].type = i ? DNS_AAAA : DNS_A;
		j->q[i].running = true; /* so that the first to end waits for the other */
	}
	question_ask(&j->q[0]);
	question_ask(&j->q[1]);
}

static size_t take_addresses(const struct question *q, struct addr *addr, size_t n, uint32_t *ttl)
{
	if (q->running || q->error)
		return n;
	for (size_t i = 0; i < q->reply.n && n < DNS_ADDRS_MAX; i++)
		addr[n++] = q->reply.addr[i];
	if (q->reply.n && q->reply.ttl < *ttl)
		*ttl = q->reply.ttl;
	return n;
}

/* Both questions are answered, or one well enough. */
static void conclude(struct job *j)
{
	const char *asked = j->waiting->name;
	const int64_t now = resolver.by.loop->now;
	struct addr addr[DNS_ADDRS_MAX];
	uint32_t ttl = UINT32_MAX;
	size_t n = take_addresses(&j->q[0], addr, 0, &ttl);
	int error = j->q[0].error ? j->q[0].error : j->q[1].error;

	n = take_addresses(&j->q[1], addr, n, &ttl);
	if (n) {
		cache_store(asked, addr, n, ttl, now);
		finish_job(j, addr, n, 0);
	} else if (error) {
		finish_job(j, NULL, 0, error);
	} else if (next_name(j)) {
		ask_both(j);
	} else {
		cache_store(asked, NULL, 0, 0, now);
		finish_job(j, NULL, 0, ENOENT);
	}
}

static void on_grace(struct timer *t)
{
	conclude((struct job *)((char *)t - offsetof(struct job, grace)));
}

static struct job *job_of(const struct question *q)
{
	size_t at = (size_t)((const char *)q - (const char *)resolver.job);

	return &resolver.job[at / sizeof(struct job)];
}

static void on_answer(struct question *q)
{
	struct job *j = job_of(q);

	if (!j->q[0].running && !j->q[1].running)
		conclude(j);
	else if (q == &j->q[0] && !q->error && q->reply.n)
		timer_arm(resolver.by.loop, &resolver.graces, &j->grace);
}

/* The job for a name, or a free one; NULL: all are busy. */
static struct job *find_job(const char *name)
{
	struct job *unused = NULL;

	for (unsigned i = 0; i < JOBS_MAX; i++) {
		struct job *j = &resolver.job[i];

		if (j->finishing)
			continue;
		if (!j->waiting)
			unused = unused ? unused : j;
		else if (str_eq(j->waiting->name, name))
			return j;
	}
	return unused;
}

static void ask_servers(struct lookup *l)
{
	struct job *j = find_job(l->name);

	if (!j) {
		l->done(l, NULL, 0, EBUSY);
		return;
	}
	l->job = j;
	if (j->waiting) {
		l->next = j->waiting->next;
		j->waiting->next = l;
		return;
	}
	j->waiting = l;
	j->step = 0;
	j->grace = (struct timer){ .fire = on_grace };
	if (next_name(j))
		ask_both(j);
	else
		finish_job(j, NULL, 0, ENOENT);
}

void resolver_ask(struct lookup *l)
{
	const struct cached *c = cache_find(l->name, resolver.by.loop->now);
	struct addr addr[DNS_ADDRS_MAX];
	size_t n;

	l->next = NULL;
	l->job = NULL;
	if (c) {
		l->done(l, c->addr, c->n, c->n ? 0 : ENOENT);
		return;
	}
	n = hosts_find(resolver.hosts, resolver.hosts_n, l->name, addr, DNS_ADDRS_MAX);
	/* RFC 6761: nobody else is asked for these. */
	if (!n && (str_eq(l->name, "localhost") || name_matches("localhost", true, l->name)))
		addr[n++] = (struct addr){ .family = 4, .bytes = { 127, 0, 0, 1 } };
	if (n)
		l->done(l, addr, n, 0);
	else
		ask_servers(l);
}

void resolver_cancel(struct lookup *l)
{
	struct job *j = l->job;

	if (!j)
		return;
	for (struct lookup **at = &j->waiting; *at; at = &(*at)->next) {
		if (*at == l) {
			*at = l->next;
			break;
		}
	}
	l->next = NULL;
	l->job = NULL;
	if (!j->waiting && !j->finishing)
		stop_job(j);
}
