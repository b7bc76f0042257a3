// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jail-pull shuts itself in, after libcurl and libcrypto have loaded what they load and before a
 * byte comes from the network. Each step is fatal when it fails.
 *
 * What it keeps, because a resolver and TLS cannot do without: the network, threads (libcurl resolves
 * names in one), reading the system's libraries (name services are loaded by need), certificates and
 * the resolver's own files. What it loses: every other file, for reading and writing; programs;
 * privileges; and local sockets, behind which the user's other programs listen.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "base/shed.h"
#include "landlock/ruleset.h"
#include "oci/pull.h"

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#define FIRST_NOT 0x40000000u /* x32 */
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#define FIRST_NOT 0xffffffffu
#else
#error "no seccomp program for this architecture"
#endif

/* ---- files -------------------------------------------------------------------------------------- */

static const char *const readable[] = {
	"/etc/hosts",
	"/etc/resolv.conf",
	"/etc/host.conf",
	"/etc/nsswitch.conf",
	"/etc/gai.conf",
	"/etc/services",
	"/etc/protocols",
	"/etc/ld.so.cache",
	"/etc/localtime",
	"/etc/ssl",
	"/etc/pki",
	"/etc/ca-certificates",
	"/etc/crypto-policies",
	"/usr/share/ca-certificates",
	"/usr/local/share/ca-certificates",
	"/usr/share/pki",
	"/usr/share/crypto-policies",
	"/usr/lib",
	"/usr/lib64",
	"/usr/libexec/coreutils",
	"/lib",
	"/lib64",
	"/dev/urandom",
};

static int allow(int ruleset, int abi, const char *path, enum access access, struct err *e)
{
	own_fd fd = open(path, O_PATH | O_CLOEXEC);

	/* What is not here need not be read. */
	return fd < 0 ? 0 : ruleset_add(ruleset, fd, path, access, abi, e);
}

static int close_files(int dirfd, const char *ca, struct err *e)
{
	const char *file, *dir;
	own_fd ruleset = FD_NONE;
	int missing, abi = landlock_abi(&missing), rc;

	if (!abi)
		return err_set(e, ST_LANDLOCK, missing,
			       "jail-pull needs Landlock to talk to a registry");
	rc = ruleset_create(abi, false, &ruleset, e);
	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(readable); i++)
		rc = allow(ruleset, abi, readable[i], ACCESS_READ, e);
	http_ca_paths(&file, &dir);
	if (rc == 0 && file)
		rc = allow(ruleset, abi, file, ACCESS_READ, e);
	if (rc == 0 && dir)
		rc = allow(ruleset, abi, dir, ACCESS_READ, e);
	if (rc == 0 && ca)
		rc = allow(ruleset, abi, ca, ACCESS_READ, e);
	if (rc == 0)
		rc = ruleset_add(ruleset, dirfd, "the store", ACCESS_WRITE, abi, e);
	return rc < 0 ? rc : ruleset_apply(ruleset, e);
}

/* ---- system calls ------------------------------------------------------------------------------- */

static const unsigned calls[] = {
	/* files, beneath Landlock */
	SYS_read,
	SYS_write,
	SYS_readv,
	SYS_writev,
	SYS_pread64,
	SYS_pwrite64,
	SYS_lseek,
	SYS_openat,
	SYS_close,
	SYS_fstat,
	SYS_newfstatat,
	SYS_statx,
	SYS_faccessat,
	SYS_faccessat2,
	SYS_readlinkat,
	SYS_getdents64,
	SYS_ftruncate,
	SYS_fdatasync,
	SYS_fsync,
	SYS_renameat2,
	SYS_unlinkat,
	SYS_flock,
	SYS_fcntl,
	SYS_dup,
	SYS_dup3,
	SYS_pipe2,
	SYS_getcwd,
	SYS_fstatfs,
#if defined(__x86_64__)
	SYS_open,
	SYS_stat,
	SYS_lstat,
	SYS_access,
	SYS_readlink,
	SYS_rename,
	SYS_renameat,
	SYS_unlink,
	SYS_poll,
	SYS_select,
	SYS_pipe,
	SYS_dup2,
	SYS_epoll_wait,
	SYS_time,
	SYS_arch_prctl,
#else
	SYS_renameat,
#endif
	/* the network: `socket` is looked at below */
	SYS_connect,
	SYS_bind,
	SYS_socketpair,
	SYS_getsockname,
	SYS_getpeername,
	SYS_getsockopt,
	SYS_setsockopt,
	SYS_sendto,
	SYS_sendmsg,
	SYS_sendmmsg,
	SYS_recvfrom,
	SYS_recvmsg,
	SYS_shutdown,
	SYS_ppoll,
	SYS_pselect6,
	SYS_eventfd2,
	SYS_epoll_create1,
	SYS_epoll_ctl,
	SYS_epoll_pwait,
	SYS_ioctl,
	/* memory and threads: `clone` is looked at below */
	SYS_mmap,
	SYS_munmap,
	SYS_mremap,
	SYS_mprotect,
	SYS_madvise,
	SYS_brk,
	SYS_futex,
	SYS_set_robust_list,
	SYS_get_robust_list,
	SYS_rseq,
	SYS_set_tid_address,
	SYS_sched_yield,
	SYS_sched_getaffinity,
	SYS_membarrier,
	/* oneself and the time */
	SYS_getpid,
	SYS_gettid,
	SYS_getppid,
	SYS_getuid,
	SYS_geteuid,
	SYS_getgid,
	SYS_getegid,
	SYS_prlimit64,
	SYS_getrandom,
	SYS_sysinfo,
	SYS_uname,
	SYS_clock_gettime,
	SYS_clock_getres,
	SYS_clock_nanosleep,
	SYS_nanosleep,
	SYS_gettimeofday,
	SYS_rt_sigaction,
	SYS_rt_sigprocmask,
	SYS_rt_sigreturn,
	SYS_sigaltstack,
	SYS_tgkill,
	SYS_restart_syscall,
	SYS_exit,
	SYS_exit_group,
};

#define SAY(what)	   BPF_STMT(BPF_RET | BPF_K, (what))
#define IS(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define LOAD(member)	   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
/* Both architectures are little-endian: the low half of an argument comes first. */
#define LOAD_ARG(n) LOAD(args[n])

static const struct sock_filter head[] = {
	LOAD(arch),
	IS(THIS_ARCH, 1, 0),
	SAY(SECCOMP_RET_KILL_PROCESS),
	LOAD(nr),
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_NOT, 0, 1),
	SAY(SECCOMP_RET_KILL_PROCESS),
	/* IPv4, IPv6, and netlink, by which libc asks which of the two there is */
	IS(SYS_socket, 0, 6),
	LOAD_ARG(0),
	IS(AF_INET, 3, 0),
	IS(AF_INET6, 2, 0),
	IS(AF_NETLINK, 1, 0),
	SAY(SECCOMP_RET_ERRNO | EAFNOSUPPORT),
	SAY(SECCOMP_RET_ALLOW),
	/* a thread, never a process */
	IS(SYS_clone, 0, 4),
	LOAD_ARG(0),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
	SAY(SECCOMP_RET_ALLOW),
	SAY(SECCOMP_RET_ERRNO | EPERM),
};

/* clone3 among them: libc then takes clone, whose flags can be seen. */
static const struct sock_filter tail[] = {
	SAY(SECCOMP_RET_ERRNO | ENOSYS),
	SAY(SECCOMP_RET_ALLOW),
};

_Static_assert(ARRAY_SIZE(calls) < 250, "a jump reaches 255 instructions");

static int close_calls(struct err *e)
{
	struct sock_filter code[ARRAY_SIZE(head) + ARRAY_SIZE(calls) + ARRAY_SIZE(tail)];
	struct sock_fprog program = { .len = ARRAY_SIZE(code), .filter = code };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(head); i++)
		code[n++] = head[i];
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		unsigned char to_allow = (unsigned char)(ARRAY_SIZE(calls) - i);

		code[n++] = (struct sock_filter)IS(calls[i], to_allow, 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(tail); i++)
		code[n++] = tail[i];
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
		return err_set(e, ST_SECCOMP, errno, "load the filter of jail-pull");
	return 0;
}

/* ---- privileges --------------------------------------------------------------------------------- */

static int drop_privileges(struct err *e)
{
	const struct rlimit no_core = { 0, 0 };
	int rc;

	if (setrlimit(RLIMIT_CORE, &no_core) < 0) /* it would hold credentials */
		return err_set(e, ST_LIMITS, errno, "forbid core dumps");
	rc = shed_capabilities(e);
	if (rc < 0)
		return rc;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_set(e, ST_CAPS, errno, "set no_new_privs");
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return err_set(e, ST_CAPS, errno, "make jail-pull unreadable");
	return 0;
}

int pull_confine(int dirfd, const char *ca, struct err *e)
{
	int rc = drop_privileges(e);

	if (rc == 0)
		rc = close_files(dirfd, ca, e);
	return rc < 0 ? rc : close_calls(e);
}
