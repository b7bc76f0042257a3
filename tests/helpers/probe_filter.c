// SPDX-License-Identifier: GPL-2.0-or-later
/* Attempts to get a system call past a filter that looks at numbers and words; runs inside a jail. */

#include <errno.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/helpers/probe.h"

#define K_X32_SYSCALL_BIT 0x40000000
#define K_OP_SOCKET	  45
#define WAIT_SECONDS	  1 /* long enough for a slow machine to answer; few calls wait */

/* FAMILY TYPE PROTOCOL, each with a byte of its own: enough for all that there are. */
static bool to_socket(const struct call *c, uint64_t *ret)
{
	uint64_t family, type, protocol;

	if (!probe_number(c->argv[0], UINT8_MAX, &family) ||
	    !probe_number(c->argv[1], UINT8_MAX, &type) ||
	    !probe_number(c->argv[2], UINT8_MAX, &protocol))
		return false;
	*ret = family | type << 8 | protocol << 16;
	return true;
}

#ifdef __x86_64__
static long int80(long nr, long a, long b, long c)
{
	long r = nr;

	__asm__ volatile("int $0x80"
			 : "+a"(r)
			 : "b"(a), "c"(b), "d"(c)
			 : "memory", "r8", "r9", "r10", "r11");
	return r;
}

/* getpid of the 32-bit interface; a filter that only looks at numbers takes it for writev. */
static int int80_getpid(uint64_t arg)
{
	long r = int80(20, 0, 0, 0);

	(void)arg;
	return r < 0 ? (int)-r : r == getpid() ? 0 : EPROTO;
}

/* Which a filter for the native numbers takes for another call. */
static int int80_socket(uint64_t arg)
{
	long r = int80(359, arg & 0xff, arg >> 8 & 0xff, arg >> 16 & 0xff);

	return r < 0 ? (int)-r : 0;
}

/* The same by the older door, whose arguments no filter can see; they lie where 32 bits reach. */
static int int80_socketcall(uint64_t arg)
{
	uint32_t *words = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	long r;

	if (words == MAP_FAILED)
		return EPROTO;
	words[0] = arg & 0xff;
	words[1] = arg >> 8 & 0xff;
	words[2] = arg >> 16 & 0xff;
	r = int80(102, 1, (long)words, 0);
	return r < 0 ? (int)-r : 0;
}

static int x32_getpid(uint64_t arg)
{
	long r = syscall(K_X32_SYSCALL_BIT | SYS_getpid);

	(void)arg;
	return r < 0 ? errno : 0;
}
#else
static int not_here(uint64_t arg)
{
	(void)arg;
	return ENOSYS;
}
#define int80_getpid	 not_here
#define int80_socket	 not_here
#define int80_socketcall not_here
#define x32_getpid	 not_here
#endif

static long try_int80(const struct call *c)
{
	return probe_in_child(c, int80_getpid, 0);
}

static long try_int80_socket(const struct call *c)
{
	uint64_t arg;

	if (!to_socket(c, &arg))
		return PROBE_USAGE;
	return probe_in_child(c, c->data ? int80_socketcall : int80_socket, arg);
}

static long try_x32(const struct call *c)
{
	return probe_in_child(c, x32_getpid, 0);
}

/* A call that waits for ever, or kills its caller, is one that was made. */
static int call_with_nothing(uint64_t number)
{
	const struct itimerval wait = { .it_value = { .tv_sec = WAIT_SECONDS } };

	(void)setitimer(ITIMER_REAL, &wait, NULL);
	return syscall((long)number, -1, -1, -1, -1, -1, -1) < 0 ? errno : 0;
}

/* "census NUMBER rc error" for each up to LAST, every argument being -1. */
static long take_census(const struct call *c)
{
	struct call one = { .argv = c->argv };
	char name[64];
	uint64_t last;

	if (!probe_number(c->argv[0], UINT16_MAX, &last))
		return PROBE_USAGE;
	for (uint64_t number = 0; number <= last; number++) {
		long rc;

		(void)snprintf(name, sizeof(name), "%s %u", c->name, (unsigned)number);
		one.name = name;
		rc = probe_in_child(&one, call_with_nothing, number);
		if (rc == 0 || rc == -1)
			printf("%s %ld %s\n", name, rc, probe_errno_name(rc < 0 ? errno : 0));
	}
	return PROBE_SAID;
}

/* One that would let this process answer for others; the program allows everything. */
static long try_listener(const struct call *c)
{
	struct sock_filter allow = { BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW };
	struct sock_fprog program = { 1, &allow };

	(void)c;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return PROBE_UNREADY;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
		       &program);
}

/* A kernel thread's socket call, which passes no filter: fails as the ring does, or as the call. */
static long ring_socket(const struct call *c)
{
	struct io_uring_params p = { 0 };
	struct io_uring_sqe *sqe;
	own_fd ring = FD_NONE;
	uint64_t arg;
	char *at;
	int got;

	if (!to_socket(c, &arg))
		return PROBE_USAGE;
	ring = (int)syscall(SYS_io_uring_setup, 1, &p);
	if (ring < 0)
		return -1;
	at = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe) + 4096,
		  PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	sqe = mmap(NULL, sizeof(*sqe), PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
	if (!(p.features & IORING_FEAT_SINGLE_MMAP) || at == MAP_FAILED || sqe == MAP_FAILED)
		return PROBE_UNREADY;
	*sqe = (struct io_uring_sqe){ .opcode = K_OP_SOCKET,
				      .fd = (int)(arg & 0xff),
				      .off = arg >> 8 & 0xff,
				      .len = (uint32_t)(arg >> 16 & 0xff) };
	*(uint32_t *)(at + p.sq_off.array) = 0;
	__atomic_store_n((uint32_t *)(at + p.sq_off.tail), 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		return -1;
	got = ((struct io_uring_cqe *)(at + p.cq_off.cqes))->res;
	errno = got < 0 ? -got : 0;
	return got < 0 ? -1 : 0;
}

/* The number of the call that the tracee is about to make. */
static bool change_call(pid_t pid, long number)
{
#ifdef __x86_64__
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs) < 0)
		return false;
	regs.orig_rax = (unsigned long long)number;
	return ptrace(PTRACE_SETREGS, pid, NULL, &regs) == 0;
#else
	int nr = (int)number;
	struct iovec v = { &nr, sizeof(nr) };

	return ptrace(PTRACE_SETREGSET, pid, (void *)0x404, &v) == 0; /* NT_ARM_SYSTEM_CALL */
#endif
}

static bool next_stop(pid_t pid)
{
	int status;

	return ptrace(PTRACE_SYSCALL, pid, NULL, NULL) == 0 && waitpid(pid, &status, 0) == pid &&
	       WIFSTOPPED(status);
}

/*
 * A child begins getppid(1), and its tracer makes it userfaultfd(UFFD_USER_MODE_ONLY): until Linux
 * 4.8 the filter had looked before the tracer did.
 */
static long swap_call(const struct call *c)
{
	int status;
	pid_t pid = fork();

	(void)c;
	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
			_exit(errno);
		(void)raise(SIGSTOP);
		_exit(syscall(SYS_getppid, 1) < 0 ? errno : 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) {
		errno = pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : errno;
		return PROBE_UNREADY;
	}
	if (!next_stop(pid) || !change_call(pid, SYS_userfaultfd) || !next_stop(pid) ||
	    ptrace(PTRACE_CONT, pid, NULL, NULL) < 0 || waitpid(pid, &status, 0) != pid ||
	    !WIFEXITED(status))
		return PROBE_UNREADY;
	errno = WEXITSTATUS(status);
	return errno ? -1 : 0;
}

const struct probe probes_filter[] = {
	{ "int80", "", 0, 0, try_int80, 0 },
	{ "int80-socket", "FAMILY TYPE PROTOCOL", 3, 3, try_int80_socket, 0 },
	{ "int80-socketcall", "FAMILY TYPE PROTOCOL", 3, 3, try_int80_socket, 1 },
	{ "x32", "", 0, 0, try_x32, 0 },
	{ "census", "LAST", 1, 1, take_census, 0 },
	{ "seccomp-listener", "", 0, 0, try_listener, 0 },
	{ "uring-socket", "FAMILY TYPE PROTOCOL", 3, 3, ring_socket, 0 },
	{ "ptrace-swap", "", 0, 0, swap_call, 0 },
	{ 0 },
};
