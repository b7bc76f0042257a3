// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a preset decides about every system call, from syscalls.def and checks.def, and what a
 * profile changed in it. Runs in jail-filter and in tests.
 */
#include "sandbox/policy.h"

#include <asm/ioctls.h>
#include <linux/fscrypt.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/own.h"
#include "base/text.h"

/* Every number that may have a call; what lies above gets the default of its architecture. */
#define NUMBERS_MAX 1024

/* Numbers with this bit are x32, another ABI under the same AUDIT_ARCH. */
#define X32_BIT 0x40000000u

enum {
	AGENT = 1,
	STRICT = 2,
	DEBUG = 4,
	BROWSER = 8,
	INIT = 16,
	GATE = 32,
	CONNECTOR = 64,
	WIDE = AGENT | DEBUG | BROWSER,
	ALL = WIDE | STRICT,
};

static const struct {
	const char *name;
	unsigned bit;
	enum verdict unlisted;
} presets[] = {
	{ "agent", AGENT, V_ABSENT },	    { "strict", STRICT, V_ABSENT },
	{ "debug", DEBUG, V_ABSENT },	    { "browser", BROWSER, V_ABSENT },
	{ "init", INIT, V_KILL },	    { "gate", GATE, V_KILL },
	{ "connector", CONNECTOR, V_KILL },
};

/* checks.def: the masks and values are unsigned 32 bits, whatever type the constants have. */
#define U32(x) ((uint32_t)(x))
#define WITHIN(n, low, high)                                                    \
	{                                                                       \
		.arg = (n), .mask = 0xffffffff, .lo = U32(low), .hi = U32(high) \
	}
#define IS(n, value) WITHIN(n, value, value)
#define MASKED(n, m, value)                                                    \
	{                                                                      \
		.arg = (n), .mask = U32(m), .lo = U32(value), .hi = U32(value) \
	}
#define ANY_OF(n, m)                                                  \
	{                                                             \
		.arg = (n), .mask = U32(m), .lo = 1, .hi = 0xffffffff \
	}
#define SOCK(n, type) MASKED(n, ~(SOCK_CLOEXEC | SOCK_NONBLOCK), type)
#define INET(n)	      MASKED(n, ~8, AF_INET) /* 2 and 10 differ in this bit */
#define WHEN(what, ...)                                       \
	{                                                     \
		.verdict = V_##what, .conds = { __VA_ARGS__ } \
	}
#define RULES(...) ((const struct rule[]){ __VA_ARGS__ })
#define CHECK(id, other, ...)                                                        \
	static const struct check check_##id = { #id, V_##other, RULES(__VA_ARGS__), \
						 ARRAY_SIZE(RULES(__VA_ARGS__)) };
#include "sandbox/checks.def"

_Static_assert((AF_INET ^ AF_INET6) == 8, "INET() takes both families for one");

struct row {
	unsigned presets;
	const char *names; /* separated by spaces */
	struct decision decision;
};

#define NUMBER(name, nr)
#define ALLOW(bits, names)	    { bits, names, { V_ALLOW, NULL } },
#define DENY(bits, names)	    { bits, names, { V_DENY, NULL } },
#define ABSENT(bits, names)	    { bits, names, { V_ABSENT, NULL } },
#define CHECKED(bits, names, check) { bits, names, { V_DENY, &check_##check } },
#define VITAL(names)
static const struct row rows[] = {
#include "sandbox/syscalls.def"
};

#undef ALLOW
#undef DENY
#undef ABSENT
#undef CHECKED
#undef VITAL
#define ALLOW(bits, names)
#define DENY(bits, names)
#define ABSENT(bits, names)
#define CHECKED(bits, names, check)
#define VITAL(names) names " "
static const char vital[] =
#include "sandbox/syscalls.def"
	;

/* The next word of *s, copied; false at the end of the list or when the word is too long. */
static bool next_word(const char **s, char *ret, size_t size)
{
	size_t n;

	*s += strspn(*s, " ");
	n = strcspn(*s, " ");
	if (!n || n >= size)
		return false;
	memcpy(ret, *s, n);
	ret[n] = '\0';
	*s += n;
	return true;
}

static struct setting *find(struct policy *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (str_eq(p->settings[i].name, name))
			return &p->settings[i];
	return NULL;
}

static struct setting *add(struct policy *p, const char *name, struct decision d)
{
	struct setting *s;
	struct text t;

	if (p->n == SETTINGS_MAX)
		return NULL;
	s = &p->settings[p->n++];
	text_init(&t, s->name, sizeof(s->name));
	text_add(&t, name);
	s->decision = d;
	return s;
}

const char *policy_preset(size_t i)
{
	return i < ARRAY_SIZE(presets) ? presets[i].name : NULL;
}

static int load_row(struct policy *p, const struct row *row, struct err *e)
{
	const char *at = row->names;
	char name[sizeof(p->settings[0].name)];

	while (next_word(&at, name, sizeof(name))) {
		if (!calls_known(name))
			return err_set(e, ST_FILTER, 0, "syscalls.def: no call '%s'", name);
		if (find(p, name))
			return err_set(e, ST_FILTER, 0, "syscalls.def: '%s' twice", name);
		if (!add(p, name, row->decision))
			return err_set(e, ST_FILTER, E2BIG, "syscalls.def: too many calls");
	}
	if (*at)
		return err_set(e, ST_FILTER, 0, "syscalls.def: name too long at '%s'", at);
	return 0;
}

int policy_load(struct policy *p, const char *preset, struct err *e)
{
	unsigned bit = 0;

	for (size_t i = 0; i < ARRAY_SIZE(presets); i++) {
		if (str_eq(presets[i].name, preset)) {
			bit = presets[i].bit;
			p->unlisted = (struct decision){ presets[i].unlisted, NULL };
		}
	}
	if (!bit)
		return err_set(e, ST_FILTER, 0, "no seccomp preset '%s'", preset);
	p->n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int r = rows[i].presets & bit ? load_row(p, &rows[i], e) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

/* The i-th name in syscalls.def, for "did you mean"; any preset's names will do. */
static const char *setting_name(void *arg, size_t i)
{
	const struct policy *p = arg;

	return i < p->n ? p->settings[i].name : NULL;
}

static int unknown(const struct policy *p, const char *option, const char *name, struct err *e)
{
	const char *near = str_nearest(name, setting_name, (void *)(uintptr_t)p);

	if (near)
		return err_set(e, ST_FILTER, 0, "%s: no system call '%s', did you mean '%s'?",
			       option, name, near);
	return err_set(e, ST_FILTER, 0, "%s: no system call '%s'", option, name);
}

static int change(struct policy *p, const char *option, const char *name, enum verdict v,
		  struct err *e)
{
	struct decision d = { v, NULL };
	struct setting *s = find(p, name);

	if (s) {
		s->decision = d;
		return 0;
	}
	if (strlen(name) >= sizeof(s->name) || !calls_known(name))
		return unknown(p, option, name, e);
	if (!add(p, name, d))
		return err_set(e, ST_FILTER, E2BIG, "%s: too many system calls", option);
	return 0;
}

int policy_allow(struct policy *p, const char *name, struct err *e)
{
	return change(p, "allow-syscall", name, V_ALLOW, e);
}

int policy_deny(struct policy *p, const char *name, struct err *e)
{
	char word[sizeof(p->settings[0].name)];
	const char *at = vital;

	while (next_word(&at, word, sizeof(word)))
		if (str_eq(word, name))
			return err_set(e, ST_FILTER, 0,
				       "deny-syscall: no program runs without '%s'", name);
	return change(p, "deny-syscall", name, V_DENY, e);
}

static bool same(struct decision a, struct decision b)
{
	return a.check == b.check && (a.check || a.verdict == b.verdict);
}

static void append(struct range *ranges, size_t *n, uint32_t first, struct decision d)
{
	if (!*n || !same(ranges[*n - 1].decision, d))
		ranges[(*n)++] = (struct range){ first, d };
}

int policy_ranges(const struct policy *p, enum arch arch, struct range ret[RANGES_MAX],
		  size_t *ret_n, struct err *e)
{
	const struct decision *by_number[NUMBERS_MAX] = { NULL };
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		int nr = calls_number(arch, p->settings[i].name);

		if (nr >= NUMBERS_MAX)
			return err_set(e, ST_FILTER, ERANGE, "'%s' is call %d", p->settings[i].name,
				       nr);
		if (nr >= 0)
			by_number[nr] = &p->settings[i].decision;
	}
	for (uint32_t nr = 0; nr < NUMBERS_MAX; nr++) {
		if (n + 3 >= RANGES_MAX)
			return err_set(e, ST_FILTER, E2BIG, "too many ranges of system calls");
		append(ret, &n, nr, by_number[nr] ? *by_number[nr] : p->unlisted);
	}
	append(ret, &n, NUMBERS_MAX, p->unlisted);
	if (arch == ARCH_X86_64) {
		append(ret, &n, X32_BIT, (struct decision){ V_KILL, NULL });
		/* -1 is no call in any ABI; a tracer writes it to skip one, which must not kill. */
		append(ret, &n, UINT32_MAX, p->unlisted);
	}
	*ret_n = n;
	return 0;
}
