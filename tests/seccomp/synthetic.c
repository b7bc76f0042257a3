// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The compiler on policies that nobody wrote, against a plain reading of them. The shipped programs
 * are shorter than a conditional jump reaches and their rules are tame; these are neither. The
 * numbers are random but always the same. Part of test_table.
 */
#include <stdlib.h>

#include "base/own.h"
#include "base/text.h"
#include "sandbox/bpf.h"
#include "tests/seccomp/suite.h"

#define POLICIES   40
#define CHECKS	   48
#define RULES	   7
#define TRIES	   400 /* argument lists for each call */
#define VALUES_TOP 12  /* small, so that conditions overlap */

struct made {
	struct rule rules[CHECKS][RULES];
	struct check checks[CHECKS];
	struct policy policy;
	struct program program;
};

static __u32 draw(__u64 *state, __u32 below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (__u32)(*state >> 32) % below;
}

static void make_cond(__u64 *state, struct cond *c)
{
	static const __u32 masks[] = { 0xffffffff, 0xffffffff, 0xfffffffd, 0x7, 0x3 };

	c->arg = (__u8)draw(state, 3);
	c->mask = masks[draw(state, ARRAY_SIZE(masks))];
	c->lo = draw(state, VALUES_TOP);
	c->hi = draw(state, 2) ? c->lo : c->lo + draw(state, 4);
	if (!draw(state, 8))
		c->hi = 0xffffffff;
}

static void make_check(__u64 *state, struct check *check, struct rule *rules)
{
	check->name = "made";
	check->otherwise = (enum verdict)draw(state, V_COUNT);
	check->rules = rules;
	check->n_rules = 1 + draw(state, RULES);
	for (size_t r = 0; r < check->n_rules; r++) {
		size_t n = 1 + draw(state, CONDS_MAX), same = r ? draw(state, CONDS_MAX) : 0;

		rules[r] = (struct rule){ .verdict = (enum verdict)draw(state, V_COUNT) };
		for (size_t i = 0; i < n; i++) {
			make_cond(state, &rules[r].conds[i]);
			if (i < same && rules[r - 1].conds[i].mask) /* as people write them */
				rules[r].conds[i] = rules[r - 1].conds[i];
		}
	}
}

static int make_policy(__u64 *state, struct made *m, struct err *e)
{
	__u32 checked = draw(state, 4); /* from none to most of the calls */
	int r = policy_load(&m->policy, "agent", e);

	for (size_t i = 0; i < CHECKS; i++)
		make_check(state, &m->checks[i], m->rules[i]);
	for (size_t i = 0; i < m->policy.n; i++) {
		struct decision *d = &m->policy.settings[i].decision;

		*d = (struct decision){ (enum verdict)draw(state, V_COUNT), NULL };
		if (draw(state, 4) < checked)
			d->check = &m->checks[draw(state, CHECKS)];
	}
	return r;
}

static bool compare_setting(__u64 *state, const struct shipped *s, const struct setting *set)
{
	int nr = calls_number(s->arch, set->name);

	for (int i = 0; nr >= 0 && i < TRIES; i++) {
		__u64 args[6] = { draw(state, VALUES_TOP + 5), draw(state, VALUES_TOP + 5),
				  draw(state, VALUES_TOP + 5) };
		enum verdict wanted = set->decision.check ? oracle_judge(set->decision.check, args)
							  : set->decision.verdict;
		struct outcome o = shipped_run(s, (unsigned)nr, args);

		if (!str_eq(interp_verdict(&o), verdict_name(wanted))) {
			printf("# %s(%llu, %llu, %llu) is %s, %s wanted\n", set->name, args[0],
			       args[1], args[2], interp_verdict(&o), verdict_name(wanted));
			return false;
		}
	}
	return true;
}

static bool compile_and_compare(__u64 *state, struct made *m, enum arch arch)
{
	struct err e = { 0 };
	struct shipped s = { .preset = "made", .arch = arch };
	bool good = true;

	if (bpf_compile(&m->policy, arch, &m->program, &e) < 0) {
		printf("# %s\n", e.what);
		return false;
	}
	s.filter = (struct filter){ m->program.code, m->program.len };
	for (size_t i = 0; i < m->policy.n; i++)
		good = compare_setting(state, &s, &m->policy.settings[i]) && good;
	return good;
}

void synthetic_test(struct tap *t)
{
	struct made *m = calloc(1, sizeof(*m));
	__u64 state = 0x9e3779b97f4a7c15;
	struct err e = { 0 };

	for (int i = 0; m && i < POLICIES; i++) {
		enum arch arch = (enum arch)(i % ARCH_COUNT);
		bool good = make_policy(&state, m, &e) >= 0 && compile_and_compare(&state, m, arch);

		tap_is(t, good, "made-up policy %d for %s, %zu instructions", i, arch_name(arch),
		       m->program.len);
	}
	free(m);
}
