// SPDX-License-Identifier: GPL-2.0-or-later
/* A classic-BPF interpreter for seccomp programs of any architecture; runs in tests. */
#include "tests/seccomp/interp.h"

#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"

static bool compare(unsigned op, __u32 a, __u32 k)
{
	switch (op) {
	case BPF_JEQ:
		return a == k;
	case BPF_JGT:
		return a > k;
	case BPF_JGE:
		return a >= k;
	default: /* BPF_JSET */
		return (a & k) != 0;
	}
}

/* Every instruction goes forward, so len steps are enough. */
struct outcome interp_run(const struct sock_filter *code, size_t len, const struct seccomp_data *d)
{
	struct outcome o = { 0 };
	__u32 a = 0;

	for (size_t pc = 0; pc < len; pc++) {
		const struct sock_filter *f = &code[pc];

		o.steps++;
		switch (f->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (f->k % 4 || f->k > sizeof(*d) - 4)
				return o;
			memcpy(&a, (const char *)d + f->k, sizeof(a));
			o.saw_args |= f->k >= offsetof(struct seccomp_data, args);
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= f->k;
			break;
		case BPF_JMP | BPF_JA:
			pc += f->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
		case BPF_JMP | BPF_JGT | BPF_K:
		case BPF_JMP | BPF_JGE | BPF_K:
		case BPF_JMP | BPF_JSET | BPF_K:
			pc += compare(BPF_OP(f->code), a, f->k) ? f->jt : f->jf;
			break;
		case BPF_RET | BPF_K:
			o.action = f->k;
			o.ok = true;
			return o;
		default:
			return o;
		}
	}
	return o;
}

const char *interp_verdict(const struct outcome *o)
{
	static const struct {
		__u32 action;
		const char *name;
	} names[] = {
		{ SECCOMP_RET_ALLOW, "allow" },		  { SECCOMP_RET_ERRNO | EPERM, "EPERM" },
		{ SECCOMP_RET_ERRNO | ENOSYS, "ENOSYS" }, { SECCOMP_RET_ERRNO | EINVAL, "EINVAL" },
		{ SECCOMP_RET_KILL_PROCESS, "kill" },
	};

	for (size_t i = 0; o->ok && i < ARRAY_SIZE(names); i++)
		if (names[i].action == o->action)
			return names[i].name;
	return "?";
}
