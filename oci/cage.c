// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cage of jail-unpack, in this order: namespaces, the target as the root, capabilities, Landlock,
 * seccomp. What the unpacker then gets wrong happens inside the directory that is thrown away.
 */
#include "oci/cage.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/kernel.h"
#include "base/own.h"
#include "base/shed.h"
#include "landlock/ruleset.h"

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#error "jail-unpack's list of system calls knows x86_64 and aarch64"
#endif

#define SETID (S_ISUID | S_ISGID)

/* Made as they are; those that are made for every file come first. */
static const unsigned plain_calls[] = {
	SYS_write,
	SYS_futex,
	SYS_close,
	SYS_utimensat,
	SYS_pwrite64,
	SYS_read,
	SYS_openat2,
	SYS_symlinkat,
	SYS_linkat,
	SYS_newfstatat,
	SYS_unlinkat,
	SYS_ftruncate,
	SYS_fsetxattr,
	SYS_readlinkat,
	SYS_getdents64,
	SYS_fstat,
	SYS_statx,
	SYS_lseek,
	SYS_fcntl,
	SYS_pread64,
	SYS_writev,
	SYS_munmap,
	SYS_mremap,
	SYS_madvise,
	SYS_brk,
	SYS_rseq,
	SYS_exit,
	SYS_exit_group,
	SYS_gettid,
	SYS_getpid,
	SYS_tgkill,
	SYS_rt_sigaction,
	SYS_rt_sigreturn,
	SYS_sigaltstack,
	SYS_getrandom,
	SYS_rt_sigprocmask,
	SYS_sched_yield,
	SYS_set_robust_list,
	SYS_clock_gettime,
	SYS_clock_nanosleep,
	SYS_restart_syscall,
	SYS_sched_getaffinity,
};

/* Refused with EPERM when the argument has one of the bits. */
static const struct {
	unsigned nr, arg, bits;
} masked_calls[] = {
	{ SYS_openat, 3, SETID },   { SYS_mkdirat, 2, SETID },	{ SYS_fchmod, 1, SETID },
	{ SYS_fchmodat, 2, SETID }, { SYS_mmap, 2, PROT_EXEC }, { SYS_mprotect, 2, PROT_EXEC },
};

struct program {
	struct sock_filter code[256];
	unsigned short n;
};

static void add(struct program *p, unsigned code, unsigned k, unsigned jt, unsigned jf)
{
	p->code[p->n++] = (struct sock_filter){ (unsigned short)code, (unsigned char)jt,
						(unsigned char)jf, k };
}

static void ret(struct program *p, unsigned action)
{
	add(p, BPF_RET | BPF_K, action, 0, 0);
}

static void load(struct program *p, size_t offset)
{
	add(p, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

/* The low half: modes, flags and device numbers are all of 32 bits (aarch64 and x86_64 are little). */
static void load_arg(struct program *p, unsigned arg)
{
	load(p, offsetof(struct seccomp_data, args) + arg * sizeof(uint64_t));
}

static void equal(struct program *p, unsigned k, unsigned jt, unsigned jf)
{
	add(p, BPF_JMP | BPF_JEQ | BPF_K, k, jt, jf);
}

static void has_bits(struct program *p, unsigned k, unsigned jt, unsigned jf)
{
	add(p, BPF_JMP | BPF_JSET | BPF_K, k, jt, jf);
}

#define DENY (SECCOMP_RET_ERRNO | EPERM)

/* A FIFO, or a character device 0:0: an overlay whiteout, and no device at all. */
static void add_mknod(struct program *p)
{
	equal(p, SYS_mknodat, 0, 8);
	load_arg(p, 2);
	add(p, BPF_ALU | BPF_AND | BPF_K, S_IFMT | SETID, 0, 0);
	equal(p, S_IFIFO, 3, 0);
	equal(p, S_IFCHR, 0, 3);
	load_arg(p, 3);
	equal(p, 0, 0, 1);
	ret(p, SECCOMP_RET_ALLOW);
	ret(p, DENY);
}

static void build(struct program *p)
{
	load(p, offsetof(struct seccomp_data, arch));
	equal(p, NATIVE_ARCH, 1, 0);
	ret(p, SECCOMP_RET_KILL_PROCESS);
	load(p, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < ARRAY_SIZE(plain_calls); i++) {
		equal(p, plain_calls[i], 0, 1);
		ret(p, SECCOMP_RET_ALLOW);
	}
	for (size_t i = 0; i < ARRAY_SIZE(masked_calls); i++) {
		equal(p, masked_calls[i].nr, 0, 4);
		load_arg(p, masked_calls[i].arg);
		has_bits(p, masked_calls[i].bits, 0, 1);
		ret(p, DENY);
		ret(p, SECCOMP_RET_ALLOW);
	}
	add_mknod(p);
	equal(p, SYS_clone, 0, 4); /* threads; clone3 is absent, its flags cannot be seen */
	load_arg(p, 0);
	has_bits(p, CLONE_THREAD, 1, 0);
	ret(p, DENY);
	ret(p, SECCOMP_RET_ALLOW);
	ret(p, SECCOMP_RET_ERRNO | ENOSYS);
}

static int filter(struct err *e)
{
	struct program p = { .n = 0 };
	struct sock_fprog prog = { .filter = p.code };

	build(&p);
	prog.len = p.n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) < 0)
		return err_set(e, ST_SECCOMP, errno, "load the system call filter");
	return 0;
}

static int restrict_files(struct err *e)
{
	own_fd ruleset = FD_NONE, root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int missing, abi = landlock_abi(&missing), rc;

	if (!abi)
		return err_set(e, ST_LANDLOCK, missing, "ask the kernel for Landlock");
	/*
	 * The first ABI refuses every link across directories, and images are full of them: there
	 * the root that holds one directory has to do (jail-image(1) says so).
	 */
	if (abi < 2)
		return 0;
	if (root < 0)
		return err_set(e, ST_LANDLOCK, errno, "open the target");
	rc = ruleset_create(abi, true, &ruleset, e);
	if (rc == 0)
		rc = ruleset_add(ruleset, root, "/", ACCESS_LAYER, abi, e);
	if (rc == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		rc = err_set(e, ST_LANDLOCK, errno, "set no_new_privs");
	return rc < 0 ? rc : ruleset_apply(ruleset, e);
}

/* The target becomes all there is; no old root is left to climb to. */
static int pivot(const char *dir, struct err *e)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount(dir, dir, NULL, MS_BIND, NULL) < 0)
		return err_set(e, ST_MOUNT, errno, "bind '%s'", dir);
	if (chdir(dir) < 0 || k_pivot_root(".", ".") < 0 || umount2(".", MNT_DETACH) < 0 ||
	    chdir("/") < 0)
		return err_set(e, ST_MOUNT, errno, "make '%s' the root", dir);
	return 0;
}

int cage_enter(const char *dir, struct err *e)
{
	const struct rlimit no_core = { 0, 0 }, files = { 64, 64 };
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int rc;

	if (setrlimit(RLIMIT_CORE, &no_core) < 0 || setrlimit(RLIMIT_NOFILE, &files) < 0)
		return err_set(e, ST_LIMITS, errno, "set limits");
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) < 0)
		return err_set(e, ST_CLONE, errno, "make namespaces for jail-unpack");
	rc = map_one_id(uid, uid, gid, gid, e);
	if (rc == 0)
		rc = pivot(dir, e);
	if (rc == 0)
		rc = shed_capabilities(e);
	/* Said by jail-image too; new credentials may have made the kernel forget. */
	if (rc == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		rc = err_set(e, ST_CAPS, errno, "die with jail-image");
	if (rc == 0)
		rc = restrict_files(e);
	return rc < 0 ? rc : filter(e);
}
