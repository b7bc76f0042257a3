// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes the words of [network] and the files of @npm and @apt: what is taken means one thing, again
 * and again, a failure leaves nothing, and no name is an address.
 */
#include <arpa/inet.h>

#include "net/sources.h"
#include "profiles/hostgroups.h"
#include "tests/fuzz/oracle.h"

static void check_name(const char *s, size_t n)
{
	char name[NAME_SIZE] = "untouched", again[NAME_SIZE];
	struct in_addr in;

	if (name_canonical(s, n, name) < 0) {
		MUST(str_eq(name, "untouched"), s);
		return;
	}
	MUST(name_canonical(name, strlen(name), again) == 0 && str_eq(name, again), name);
	MUST(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == strlen(name), name);
	MUST(!inet_aton(name, &in), name);
	MUST(name_matches(name, false, name) && !name_matches(name, true, name), name);
}

/* A policy of one rule is a policy, and the rule is found in it. */
static void check_policy(const struct rule *r)
{
	static char memory[sizeof(struct net_policy) + sizeof(struct rule)]
		__attribute__((aligned(16)));
	struct net_policy *p = (struct net_policy *)memory;
	char beneath[NAME_SIZE + 2] = "a.";
	const struct rule *found;

	MUST(sizeof(memory) == policy_size(1), "size");
	p->magic = POLICY_MAGIC;
	p->size = sizeof(memory);
	p->rules = 1;
	p->rule[0] = *r;
	MUST(policy_valid(p, sizeof(memory)), r->text);
	MUST(!policy_valid(p, sizeof(memory) - 1), r->text);
	if (r->addr.family)
		return;
	memcpy(beneath + 2, r->name, strlen(r->name) + 1);
	found = policy_find(p, r->wildcard ? beneath : r->name, r->last);
	MUST(found == &p->rule[0], r->text);
	MUST(!policy_find(p, r->wildcard ? r->name : beneath, r->last), r->text);
}

/* Padding too: records are written whole into the memory that the gate reads. */
static bool same(const struct rule *a, const struct rule *b)
{
	const uint8_t *x = (const uint8_t *)a, *y = (const uint8_t *)b;

	return memcmp(x, y, sizeof(*a)) == 0;
}

static void check_rule(const char *text)
{
	struct rule r, again;
	struct err why = { 0 };

	memset(&r, 0x55, sizeof(r));
	again = r;
	if (rule_parse(text, &r, &why) < 0) {
		MUST(same(&r, &again) && why.what[0], text);
		return;
	}
	MUST(str_eq(r.text, text) && r.first && r.first <= r.last, text);
	MUST(rule_parse(text, &again, &why) == 0 && same(&r, &again), text);
	check_policy(&r);
}

static void check_others(const char *text)
{
	struct port_pair pair = { 0 };
	struct err why = { 0 };
	struct pin pin = { 0 };
	struct addr a = { 0 };

	if (pin_parse(text, &pin, &why) == 0)
		MUST(pin.name[0] && pin.addr.family, text);
	if (port_pair_parse(text, &pair, &why) == 0)
		MUST(pair.inside && pair.outside, text);
	if (addr_parse(text, &a)) {
		struct addr again = { 0 };
		char buf[64];
		struct text t;

		text_init(&t, buf, sizeof(buf));
		addr_format(&a, &t);
		MUST(!t.full && addr_parse(buf, &again) && addr_eq(&a, &again), text);
		MUST(!addr_is_public(&a) || !addr_is_loopback(&a), text);
	}
}

static void check_sources(const char *s, size_t n)
{
	static int (*const readers[])(struct sources *, const char *, size_t,
				      unsigned *) = { sources_npmrc, sources_apt_list,
						      sources_apt_deb822 };
	static struct sources found;

	for (size_t i = 0; i < ARRAY_SIZE(readers); i++) {
		unsigned line = 0;

		found = (struct sources){ 0 };
		(void)readers[i](&found, s, n, &line);
		MUST(found.n <= SOURCES_MAX && line <= n + 1, "bounds");
		for (size_t k = 0; k < found.n; k++) {
			struct err why = { 0 };
			struct rule r;

			MUST(rule_parse(found.word[k], &r, &why) == 0, found.word[k]);
			MUST(!r.wildcard && r.first == r.last, found.word[k]);
			MUST(!r.addr.family || r.bits == (r.addr.family == 4 ? 32 : 128),
			     found.word[k]);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hostgroup *groups = NULL;
	struct err why = { 0 };
	own_str text = NULL;
	struct arena arena;

	if (size > 16384)
		return 0;
	text = strndup((const char *)data, size);
	MUST(text && arena_init(&arena, &why) == 0, "memory");
	check_name((const char *)data, size);
	check_rule(text);
	check_others(text);
	check_sources((const char *)data, size);
	if (hostgroups_parse(&arena, "f", (const char *)data, size, &groups, &why) == 0) {
		for (const struct hostgroup *g = groups; g; g = g->next)
			MUST(g->name[0] && g->words[0] && !strstr(g->words, "  "), g->name);
	}
	arena_free(&arena);
	return 0;
}
