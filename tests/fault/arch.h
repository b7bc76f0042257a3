/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stopped process's registers as far as a system call needs them, for each architecture; tests only. */
#ifndef JAIL_TESTS_FAULT_ARCH_H
#define JAIL_TESTS_FAULT_ARCH_H

#include <elf.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>

struct arch_regs {
	struct user_regs_struct user;
};

static inline bool arch_read(pid_t pid, struct arch_regs *r)
{
	struct iovec v = { .iov_base = &r->user, .iov_len = sizeof(r->user) };

	return ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &v) == 0;
}

static inline bool arch_write(pid_t pid, struct arch_regs *r)
{
	struct iovec v = { .iov_base = &r->user, .iov_len = sizeof(r->user) };

	return ptrace(PTRACE_SETREGSET, pid, (void *)NT_PRSTATUS, &v) == 0;
}

/*
 * At the entry: have the kernel make a call that does nothing instead of the one that was asked for. It is recvmsg on no descriptor and
 * not the number -1, which is the usual way: a filter sees what is really made, and every filter of jail's knows recvmsg.
 */
static inline bool arch_divert(pid_t pid, const struct arch_regs *was)
{
	struct arch_regs r = *was;
#if defined(__x86_64__)
	r.user.orig_rax = SYS_recvmsg;
	r.user.rdi = (unsigned long long)-1;
	return arch_write(pid, &r);
#elif defined(__aarch64__)
	int nr = SYS_recvmsg;
	struct iovec v = { .iov_base = &nr, .iov_len = sizeof(nr) };

	r.user.regs[0] = (unsigned long long)-1;
	return arch_write(pid, &r) &&
	       ptrace(PTRACE_SETREGSET, pid, (void *)NT_ARM_SYSTEM_CALL, &v) == 0;
#else
#error "no registers for this architecture: see tests/fault/arch.h"
#endif
}

/* At the entry of brk: ask where the end of the data is instead of moving it. */
static inline bool arch_ask_brk(pid_t pid, const struct arch_regs *was)
{
	struct arch_regs r = *was;

#if defined(__x86_64__)
	r.user.rdi = 0;
#elif defined(__aarch64__)
	r.user.regs[0] = 0;
#endif
	return arch_write(pid, &r);
}

/* At the exit: the call that was asked for has failed, and nothing else has changed. With code 0 the result is the kernel's. */
static inline bool arch_fail(pid_t pid, const struct arch_regs *was, int code)
{
	struct arch_regs r;

	if (!arch_read(pid, &r))
		return false;
#if defined(__x86_64__)
	r.user.rdi = was->user.rdi;
	if (code)
		r.user.rax = (unsigned long long)-code;
#elif defined(__aarch64__)
	(void)was;
	if (code)
		r.user.regs[0] = (unsigned long long)-code;
#endif
	return arch_write(pid, &r);
}

#endif
