// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The shipped programs against a plain reading of the policy: for every call that is checked, all
 * combinations of argument values at and around the boundaries that its rules name. What the
 * compiler leaves out because it follows from earlier tests shows here. Part of test_table.
 */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "sandbox/policy.h"
#include "tests/seccomp/suite.h"

#define VALUES_MAX 160
#define ARGS	   4 /* no rule looks further */

struct values {
	__u32 v[VALUES_MAX];
	size_t n;
};

const char *verdict_name(enum verdict v)
{
	static const char *const names[V_COUNT] = {
		[V_ABSENT] = "ENOSYS", [V_DENY] = "EPERM", [V_INVALID] = "EINVAL",
		[V_ALLOW] = "allow",   [V_KILL] = "kill",
	};

	return names[v];
}

enum verdict oracle_judge(const struct check *check, const __u64 args[6])
{
	for (size_t r = 0; r < check->n_rules; r++) {
		const struct rule *rule = &check->rules[r];
		bool holds = true;

		for (size_t i = 0; i < CONDS_MAX && rule->conds[i].mask; i++) {
			const struct cond *c = &rule->conds[i];
			__u32 v = (__u32)args[c->arg] & c->mask;

			holds = holds && v >= c->lo && v <= c->hi;
		}
		if (holds)
			return rule->verdict;
	}
	return check->otherwise;
}

static void add_value(struct values *vs, __u32 v)
{
	for (size_t i = 0; i < vs->n; i++)
		if (vs->v[i] == v)
			return;
	if (vs->n < VALUES_MAX)
		vs->v[vs->n++] = v;
}

/* Boundaries, their neighbours, and each with the bits that the mask drops set. */
static void collect(const struct check *check, struct values vs[ARGS])
{
	for (size_t a = 0; a < ARGS; a++)
		add_value(&vs[a], 0);
	for (size_t r = 0; r < check->n_rules; r++) {
		const struct cond *conds = check->rules[r].conds;

		for (size_t i = 0; i < CONDS_MAX && conds[i].mask; i++) {
			const struct cond *c = &conds[i];
			struct values *to = &vs[c->arg];

			add_value(to, c->lo - 1);
			add_value(to, c->lo);
			add_value(to, c->lo + 1);
			add_value(to, c->hi);
			add_value(to, c->hi + 1);
			add_value(to, c->lo | ~c->mask);
			add_value(to, c->mask);
			add_value(to, c->mask & (0u - c->mask)); /* its lowest bit */
		}
	}
}

static bool compare_check(const struct shipped *s, unsigned nr, const struct check *check)
{
	struct values vs[ARGS] = { 0 };
	size_t total = 1;

	collect(check, vs);
	for (size_t a = 0; a < ARGS; a++)
		total *= vs[a].n;
	for (size_t i = 0; i < total; i++) {
		__u64 args[6] = { 0 };
		struct outcome o;
		size_t rest = i;

		for (size_t a = 0; a < ARGS; a++) {
			args[a] = vs[a].v[rest % vs[a].n] | (__u64)i << 40; /* SYS-03 again */
			rest /= vs[a].n;
		}
		o = shipped_run(s, nr, args);
		if (!str_eq(interp_verdict(&o), verdict_name(oracle_judge(check, args)))) {
			printf("# %s: (%#llx, %#llx, %#llx, %#llx) is %s\n", check->name, args[0],
			       args[1], args[2], args[3], interp_verdict(&o));
			return false;
		}
	}
	return true;
}

static bool compare_calls(const struct shipped *s, const struct policy *p)
{
	const __u64 none[6] = { 0 };
	bool good = true;

	for (size_t i = 0; i < p->n; i++) {
		const struct setting *set = &p->settings[i];
		const char *wanted = verdict_name(set->decision.verdict);
		int nr = calls_number(s->arch, set->name);
		struct outcome o;

		if (nr < 0)
			continue;
		if (set->decision.check) {
			good = compare_check(s, (unsigned)nr, set->decision.check) && good;
			continue;
		}
		o = shipped_run(s, (unsigned)nr, none);
		if (o.saw_args || !str_eq(interp_verdict(&o), wanted)) {
			printf("# %s is %s\n", set->name, interp_verdict(&o));
			good = false;
		}
	}
	return good;
}

void oracle_test(struct tap *t)
{
	for (unsigned arch = 0; arch < ARCH_COUNT; arch++) {
		for (size_t i = 0; i < PRESETS; i++) {
			struct shipped s = shipped_get((enum arch)arch, i);
			struct err e = { 0 };
			struct policy p;

			tap_is(t, policy_load(&p, s.preset, &e) >= 0 && compare_calls(&s, &p),
			       "%s %s does what the policy says", s.preset, arch_name(s.arch));
		}
	}
}
