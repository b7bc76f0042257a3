// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Turns a policy into a seccomp program for one architecture; runs in jail-filter and in tests.
 *
 * Theory of operation. The program tests the architecture (another one is killed), loads the call's
 * number, and descends a balanced tree over ranges of numbers with one decision each. x32 is such a
 * range. A leaf is a decision, or a decision with up to LEAF_EXCEPTIONS single numbers taken out,
 * since most exceptions stand alone among allowed neighbours. A decision is a return, or a jump to
 * a check, which loads the low words of arguments and tries its rules in turn; a test whose answer
 * follows from those before it is left out. Loading a filter costs by the instruction, so they are
 * few.
 *
 * Why not libseccomp's compiler: it compares each argument at most once in a rule, knows no range
 * of a masked value, and will not mix "EPERM when this argument is bad" with "allowed otherwise"
 * for one call while unknown calls are ENOSYS; it compares 64 bits unless told otherwise every
 * time, and its tree loads in twice the time (the kernel walks a filter once for every number).
 * Names and numbers are still libseccomp's.
 *
 * The program is written from its end to its beginning: classic BPF jumps only forward, so every
 * target is already there and its distance known. A conditional jump reaches 255 instructions; when
 * its target is further, a BPF_JA (or, for a return, another return) is put right after it. Places
 * are counted from the end, so that they stay valid as the program grows at its front.
 */
#include "sandbox/bpf.h"

#include <linux/seccomp.h>
#include <stdbool.h>
#include <string.h>

#include "base/own.h"

#define REACH		255 /* of a conditional jump */
#define LEAF_EXCEPTIONS 4
#define RULES_MAX	32 /* of one check */

/* Both architectures are little-endian: the low half of a 64-bit argument comes first. */
#define OFF_NR	     ((uint32_t)offsetof(struct seccomp_data, nr))
#define OFF_ARCH     ((uint32_t)offsetof(struct seccomp_data, arch))
#define OFF_ARG(arg) ((uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)(arg)))

static const uint32_t actions[V_COUNT] = {
	[V_ABSENT] = SECCOMP_RET_ERRNO | ENOSYS,  [V_DENY] = SECCOMP_RET_ERRNO | EPERM,
	[V_INVALID] = SECCOMP_RET_ERRNO | EINVAL, [V_ALLOW] = SECCOMP_RET_ALLOW,
	[V_KILL] = SECCOMP_RET_KILL_PROCESS,
};

/* Where control goes: an instruction, counted from the end, or any return of the verdict. */
struct target {
	bool is_return;
	enum verdict verdict;
	size_t place;
};

/* The program under construction, last instruction first. One too many sets `full`. */
struct writer {
	struct sock_filter code[PROGRAM_MAX];
	size_t n;
	bool full;
	bool have_return[V_COUNT];
	size_t returns[V_COUNT]; /* the newest of each */
	const struct check *checks[64];
	size_t places[64]; /* of the checks written so far */
	size_t n_checks;
};

static struct target to_place(size_t place)
{
	return (struct target){ .place = place };
}

static struct target to_return(enum verdict v)
{
	return (struct target){ .is_return = true, .verdict = v };
}

static size_t put(struct writer *w, unsigned code, uint32_t k, size_t jt, size_t jf)
{
	if (w->n == PROGRAM_MAX) {
		w->full = true;
		return 0;
	}
	w->code[w->n] = (struct sock_filter){ (uint16_t)code, (uint8_t)jt, (uint8_t)jf, k };
	return w->n++;
}

/* A place for t that a conditional jump can reach, though one more instruction may come between. */
static size_t reachable(struct writer *w, struct target t)
{
	size_t place = t.is_return ? w->returns[t.verdict] : t.place;
	bool exists = !t.is_return || w->have_return[t.verdict];

	if (exists && w->n + 1 - place - 1 <= REACH)
		return place;
	if (!t.is_return)
		return put(w, BPF_JMP | BPF_JA, (uint32_t)(w->n - place - 1), 0, 0);
	w->have_return[t.verdict] = true;
	w->returns[t.verdict] = put(w, BPF_RET | BPF_K, actions[t.verdict], 0, 0);
	return w->returns[t.verdict];
}

static size_t put_if(struct writer *w, unsigned op, uint32_t k, struct target jt, struct target jf)
{
	size_t t = reachable(w, jt), f = reachable(w, jf);

	return put(w, BPF_JMP | op | BPF_K, k, w->n - t - 1, w->n - f - 1);
}

/* The accumulator holds c's argument: go to `yes` when c holds, else to `no`. */
static size_t put_test(struct writer *w, const struct cond *c, struct target yes, struct target no)
{
	size_t place;

	if (c->lo == c->hi)
		return put_if(w, BPF_JEQ, c->lo, yes, no);
	if (c->hi == UINT32_MAX)
		return put_if(w, BPF_JGE, c->lo, yes, no);
	place = put_if(w, BPF_JGT, c->hi, no, yes);
	if (!c->lo)
		return place;
	return put_if(w, BPF_JGE, c->lo, to_place(place), no);
}

/* Falls through to what was written last. */
static size_t put_load(struct writer *w, const struct cond *c)
{
	if (c->mask != UINT32_MAX)
		(void)put(w, BPF_ALU | BPF_AND | BPF_K, c->mask, 0, 0);
	return put(w, BPF_LD | BPF_W | BPF_ABS, OFF_ARG(c->arg), 0, 0);
}

static bool same_operand(const struct cond *a, const struct cond *b)
{
	return a->arg == b->arg && a->mask == b->mask;
}

/* A condition of a check. Past the last condition the rule holds; past the last rule none does. */
struct spot {
	size_t rule, cond;
};

static size_t count_conds(const struct rule *rule)
{
	size_t n = 0;

	while (n < CONDS_MAX && rule->conds[n].mask)
		n++;
	return n;
}

/*
 * What is known of c once `at` has failed: the conditions of its rule before it hold, itself does
 * not. 1 for true, 0 for false, -1 for unknown.
 */
static int foresee(const struct rule *rule, size_t failed, const struct cond *c)
{
	const struct cond *no = &rule->conds[failed];

	for (size_t i = 0; i < failed; i++) {
		const struct cond *yes = &rule->conds[i];

		if (!same_operand(yes, c))
			continue;
		if (yes->lo >= c->lo && yes->hi <= c->hi)
			return 1;
		if (yes->hi < c->lo || yes->lo > c->hi)
			return 0;
	}
	return same_operand(no, c) && c->lo >= no->lo && c->hi <= no->hi ? 0 : -1;
}

/* The first condition worth a test once `at` has failed. */
static struct spot next_spot(const struct check *check, struct spot at)
{
	for (size_t r = at.rule + 1; r < check->n_rules; r++) {
		const struct rule *rule = &check->rules[r];
		size_t n = count_conds(rule), i = 0;
		int known = 1;

		while (i < n &&
		       (known = foresee(&check->rules[at.rule], at.cond, &rule->conds[i])) == 1)
			i++;
		if (known)
			return (struct spot){ r, i };
	}
	return (struct spot){ check->n_rules, 0 };
}

/* A check being written: where each condition is tested, and where its operand is loaded first. */
struct layout {
	const struct check *check;
	size_t tested[RULES_MAX][CONDS_MAX], loaded[RULES_MAX][CONDS_MAX];
	bool needs_load[RULES_MAX][CONDS_MAX];
};

static const struct cond *cond_at(const struct check *check, struct spot at)
{
	return &check->rules[at.rule].conds[at.cond];
}

/* Somebody goes to `to` while the accumulator holds the operand of `held`. */
static void mark_load(struct layout *l, struct spot to, const struct cond *held)
{
	if (to.rule < l->check->n_rules && to.cond < count_conds(&l->check->rules[to.rule]) &&
	    !same_operand(cond_at(l->check, to), held))
		l->needs_load[to.rule][to.cond] = true;
}

static void mark_loads(struct layout *l)
{
	l->needs_load[0][0] = true;
	for (size_t r = 0; r < l->check->n_rules; r++) {
		for (size_t c = 0; c < count_conds(&l->check->rules[r]); c++) {
			struct spot at = { r, c };
			const struct cond *held = cond_at(l->check, at);

			mark_load(l, (struct spot){ r, c + 1 }, held);
			mark_load(l, next_spot(l->check, at), held);
		}
	}
}

static struct target spot_target(const struct layout *l, struct spot to, const struct cond *held)
{
	const struct check *check = l->check;

	if (to.rule == check->n_rules)
		return to_return(check->otherwise);
	if (to.cond == count_conds(&check->rules[to.rule]))
		return to_return(check->rules[to.rule].verdict);
	if (same_operand(cond_at(check, to), held))
		return to_place(l->tested[to.rule][to.cond]);
	return to_place(l->loaded[to.rule][to.cond]);
}

static void put_cond(struct writer *w, struct layout *l, struct spot at)
{
	const struct cond *c = cond_at(l->check, at);
	struct target yes = spot_target(l, (struct spot){ at.rule, at.cond + 1 }, c);
	struct target no = spot_target(l, next_spot(l->check, at), c);

	l->tested[at.rule][at.cond] = put_test(w, c, yes, no);
	if (l->needs_load[at.rule][at.cond])
		l->loaded[at.rule][at.cond] = put_load(w, c);
}

static struct target put_check(struct writer *w, const struct check *check)
{
	struct layout l = { .check = check };

	if (!check->n_rules || !count_conds(&check->rules[0])) /* nothing to look at */
		return to_return(check->n_rules ? check->rules[0].verdict : check->otherwise);
	for (size_t i = 0; i < w->n_checks; i++)
		if (w->checks[i] == check)
			return to_place(w->places[i]);
	if (w->n_checks == ARRAY_SIZE(w->checks) || check->n_rules > RULES_MAX) {
		w->full = true;
		return to_return(V_KILL);
	}
	mark_loads(&l);
	for (size_t r = check->n_rules; r--;)
		for (size_t c = count_conds(&check->rules[r]); c--;)
			put_cond(w, &l, (struct spot){ r, c });
	w->checks[w->n_checks] = check;
	w->places[w->n_checks++] = l.loaded[0][0];
	return to_place(l.loaded[0][0]);
}

static struct target decide(struct writer *w, struct decision d)
{
	return d.check ? put_check(w, d.check) : to_return(d.verdict);
}

/* A stretch of ranges that one decision covers, but for the single numbers at every second one. */
struct leaf {
	const struct range *ranges;
	size_t exceptions;
};

static bool same_decision(const struct range *a, const struct range *b)
{
	return a->decision.check == b->decision.check && a->decision.verdict == b->decision.verdict;
}

static size_t gather_leaves(const struct range *ranges, size_t n, struct leaf *leaves)
{
	size_t n_leaves = 0;

	for (size_t i = 0; i < n; i++) {
		struct leaf *leaf = &leaves[n_leaves++];

		*leaf = (struct leaf){ .ranges = &ranges[i] };
		while (i + 2 < n && leaf->exceptions < LEAF_EXCEPTIONS &&
		       ranges[i + 1].first + 1 == ranges[i + 2].first &&
		       same_decision(&ranges[i], &ranges[i + 2])) {
			leaf->exceptions++;
			i += 2;
		}
	}
	return n_leaves;
}

static struct target put_leaf(struct writer *w, const struct leaf *leaf)
{
	struct target at = decide(w, leaf->ranges[0].decision);

	for (size_t i = 0; i < leaf->exceptions; i++) {
		const struct range *r = &leaf->ranges[2 * i + 1];

		at = to_place(put_if(w, BPF_JEQ, r->first, decide(w, r->decision), at));
	}
	return at;
}

/* Recursion goes as deep as the tree: ten levels for a thousand leaves, all of them our own. */
static struct target put_tree(struct writer *w, const struct leaf *leaves, size_t n)
{
	struct target low, high;

	if (n == 1)
		return put_leaf(w, leaves);
	high = put_tree(w, leaves + n / 2, n - n / 2);
	low = put_tree(w, leaves, n / 2);
	return to_place(put_if(w, BPF_JGE, leaves[n / 2].ranges[0].first, high, low));
}

int bpf_compile(const struct policy *p, enum arch arch, struct program *ret, struct err *e)
{
	struct writer w = { 0 };
	struct range ranges[RANGES_MAX];
	struct leaf leaves[RANGES_MAX];
	struct target other = to_return(V_KILL), tree;
	size_t n;
	int r;

	r = policy_ranges(p, arch, ranges, &n, e);
	if (r < 0)
		return r;
	if (!n)
		return err_set(e, ST_FILTER, 0, "no system calls to decide about");
	/* All checks first, that is at the end: nothing may fall into one from the tree. */
	for (size_t i = 0; i < n; i++)
		(void)decide(&w, ranges[i].decision);
	tree = put_tree(&w, leaves, gather_leaves(ranges, n, leaves));
	if (tree.is_return || tree.place + 1 != w.n) /* no tree at all: go where it says */
		(void)put_if(&w, BPF_JGE, 0, tree, other);
	(void)put(&w, BPF_LD | BPF_W | BPF_ABS, OFF_NR, 0, 0);
	(void)put_if(&w, BPF_JEQ, arch_audit(arch), to_place(w.n - 1), other);
	(void)put(&w, BPF_LD | BPF_W | BPF_ABS, OFF_ARCH, 0, 0);
	if (w.full)
		return err_set(e, ST_FILTER, E2BIG, "the seccomp program is too long");
	for (size_t i = 0; i < w.n; i++)
		ret->code[i] = w.code[w.n - 1 - i];
	ret->len = w.n;
	if (!bpf_is_sound(ret->code, ret->len))
		return err_set(e, ST_FILTER, 0, "jail-filter wrote an unsound program: a bug");
	return 0;
}

static bool is_load(const struct sock_filter *f)
{
	return f->code == (BPF_LD | BPF_W | BPF_ABS) && f->k % 4 == 0 &&
	       f->k <= sizeof(struct seccomp_data) - 4;
}

bool bpf_is_sound(const struct sock_filter *code, size_t len)
{
	if (!len || len > PROGRAM_MAX || code[len - 1].code != (BPF_RET | BPF_K))
		return false;
	for (size_t i = 0; i < len; i++) {
		const struct sock_filter *f = &code[i];
		size_t room = len - 1 - i; /* instructions after this one */

		switch (f->code) {
		case BPF_RET | BPF_K:
			break;
		case BPF_LD | BPF_W | BPF_ABS:
			if (!is_load(f) || !room)
				return false;
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			if (!room)
				return false;
			break;
		case BPF_JMP | BPF_JA:
			if (f->k >= room)
				return false;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
		case BPF_JMP | BPF_JGE | BPF_K:
		case BPF_JMP | BPF_JGT | BPF_K:
			if (f->jt >= room || f->jf >= room)
				return false;
			break;
		default:
			return false;
		}
	}
	return true;
}
