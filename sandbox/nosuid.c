// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * No set-user-ID bits by a command of real root's; P1, in the command's process.
 *
 * What such a command makes in the workspace belongs to root outside, so a mode with S_ISUID would
 * leave a program that makes anyone root. This filter stands in front of the command's own and
 * refuses those bits wherever a mode is given; openat2, which gives it in memory that a filter
 * cannot see, does not exist. An ordinary user's command needs none of this: it could give away
 * nothing but the user's own rights, and the checks would slow every open.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "base/own.h"
#include "sandbox/setup.h"
#include "sandbox/weak.h"

#define NR_fchmodat2 452
#define NR_openat2   437

#define LOAD(field)	   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(what)	   BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSE(code)	   RETURN(SECCOMP_RET_ERRNO | (code))
#define SKIP_UNLESS(nr, n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, n)

/* For call `nr`: its argument `n` must have neither bit. The low half, as the kernel reads it. */
#define CHECK_MODE(nr, n)                                                                     \
	SKIP_UNLESS(nr, 4), LOAD(args[n]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 06000, 0, 1), \
		REFUSE(EPERM), RETURN(SECCOMP_RET_ALLOW)

/* The same for a call that has a mode only when it makes a file: flags in the argument before. */
#define CHECK_OPEN(nr, n)                                                                         \
	SKIP_UNLESS(nr, 7), LOAD(args[(n)-1]),                                                    \
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_CREAT | (O_TMPFILE & ~O_DIRECTORY), 1, 0), \
		RETURN(SECCOMP_RET_ALLOW), LOAD(args[n]),                                         \
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 06000, 0, 1), REFUSE(EPERM),                 \
		RETURN(SECCOMP_RET_ALLOW)

static const struct sock_filter program[] = {
	LOAD(nr),
	CHECK_OPEN(SYS_openat, 3),
	CHECK_MODE(SYS_fchmod, 1),
	CHECK_MODE(SYS_fchmodat, 2),
	CHECK_MODE(NR_fchmodat2, 2),
	CHECK_MODE(SYS_mknodat, 2),
#ifdef SYS_open
	CHECK_OPEN(SYS_open, 2),
	CHECK_MODE(SYS_creat, 1),
	CHECK_MODE(SYS_chmod, 1),
	CHECK_MODE(SYS_mknod, 1),
#endif
	SKIP_UNLESS(NR_openat2, 1),
	REFUSE(ENOSYS),
	RETURN(SECCOMP_RET_ALLOW),
};

/* The command's own filter behind it kills foreign architectures, whose numbers would mean others. */
int stage_nosuid(struct setup *s, struct err *e)
{
	const struct filter f = { .code = program, .len = ARRAY_SIZE(program) };

	return s->plan->remap && !weakened(WEAK_NNP) ? confine_seccomp(&f, e) : 0;
}
