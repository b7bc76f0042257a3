// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The shipped programs in the real kernel: each case runs in a child that has loaded one; a test
 * program. Ends with how long loading takes.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "sandbox/filter.h"
#include "tests/seccomp/tap.h"

#define NR_clone3 435
#define LOADS	  101

/* A child's exit code: 0 the call worked, else its errno; 255 when no filter could be loaded. */
#define NOT_LOADED 255

static bool load(const char *preset)
{
	struct filter f = filter_shipped(preset);
	struct sock_filter code[4096];
	struct sock_fprog prog = { .len = (unsigned short)f.len, .filter = code };

	memcpy(code, f.code, f.len * sizeof(*code));
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) == 0;
}

/* Not _exit: before a call that does not return, AddressSanitizer makes calls of its own. */
static void leave(int code)
{
	(void)syscall(SYS_exit_group, code);
}

static int result(long r)
{
	return r < 0 ? errno : 0;
}

static int do_nothing(void)
{
	return 0;
}

static int do_file(void)
{
	own_fd fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	char byte;

	return fd < 0 ? errno : result(read(fd, &byte, 1));
}

static int do_fork(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(0);
	return pid < 0 ? errno : result(waitpid(pid, &status, 0));
}

static void *thread_body(void *arg)
{
	return arg;
}

static int do_thread(void)
{
	pthread_t t;
	int r = pthread_create(&t, NULL, thread_body, NULL);

	return r ? r : pthread_join(t, NULL);
}

static int do_exec(void)
{
	(void)execl("/bin/true", "true", (char *)NULL);
	return errno;
}

static int do_tcp(void)
{
	own_fd fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return result(fd);
}

static int do_vsock(void)
{
	return result(socket(AF_VSOCK, SOCK_STREAM, 0));
}

static int do_ping(void)
{
	return result(socket(AF_INET, SOCK_DGRAM, 1));
}

static int do_unix(void)
{
	own_fd fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return result(fd);
}

static int do_pair(void)
{
	int fds[2];

	return result(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds));
}

static int do_unshare(void)
{
	return result(unshare(CLONE_NEWUSER));
}

static int do_clone(void)
{
	long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);

	if (!pid)
		_exit(0);
	return result(pid);
}

static int do_clone3(void)
{
	return result(syscall(NR_clone3, NULL, 0));
}

static int do_io_uring(void)
{
	return result(syscall(425, 1, NULL));
}

static int do_sti(void)
{
	return result(syscall(SYS_ioctl, 0, TIOCSTI | 1ull << 32, "x"));
}

static int do_personality(void)
{
	return result(personality(ADDR_NO_RANDOMIZE));
}

static int do_ptrace(void)
{
	return result(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static int do_device(void)
{
	return result(mknod("/tmp/jail-test-native", S_IFCHR | 0600, 0x103));
}

static int do_minus_one(void)
{
	return result(syscall(-1));
}

#if defined(__x86_64__)
static int do_x32(void)
{
	return result(syscall(0x40000000 | SYS_getpid));
}

/* getpid by the 32-bit entry: number 20, which is writev in the 64-bit table. */
static int do_int80(void)
{
	long r = 20;

	__asm__ volatile("int $0x80" : "+a"(r) : : "r8", "r9", "r10", "r11", "memory");
	return r < 0 ? (int)-r : 0;
}
#endif

/* What the child is to end with: an errno, 0, or a signal as 1000 + its number. */
#define KILLED (1000 + SIGSYS)

static const struct {
	const char *preset, *what;
	int (*run)(void);
	int wanted;
} cases[] = {
	{ "agent", "nothing", do_nothing, 0 },
	{ "agent", "reading a file", do_file, 0 },
	{ "agent", "fork", do_fork, 0 },
	{ "agent", "a thread", do_thread, 0 },
	{ "agent", "exec", do_exec, 0 },
	{ "agent", "a TCP socket", do_tcp, 0 },
	{ "agent", "a Unix socket", do_unix, 0 },
	{ "agent", "a datagram pair", do_pair, 0 },
	{ "agent", "a VSOCK socket", do_vsock, EPERM },
	{ "agent", "a ping socket", do_ping, EPERM },
	{ "agent", "unshare(NEWUSER)", do_unshare, EPERM },
	{ "agent", "clone(NEWUSER)", do_clone, EPERM },
	{ "agent", "clone3", do_clone3, ENOSYS },
	{ "agent", "io_uring_setup", do_io_uring, ENOSYS },
	{ "agent", "TIOCSTI with a high bit", do_sti, EPERM },
	{ "agent", "personality(ADDR_NO_RANDOMIZE)", do_personality, EPERM },
	{ "agent", "ptrace", do_ptrace, EPERM },
	{ "agent", "a device node", do_device, EPERM },
	{ "agent", "call -1", do_minus_one, ENOSYS },
	{ "strict", "exec", do_exec, 0 },
	{ "strict", "a thread", do_thread, 0 },
	{ "strict", "a Unix socket", do_unix, EPERM },
	{ "strict", "a datagram pair", do_pair, EPERM },
	{ "debug", "ptrace", do_ptrace, 0 },
	{ "debug", "personality(ADDR_NO_RANDOMIZE)", do_personality, 0 },
	{ "browser", "clone3", do_clone3, ENOSYS },
	{ "init", "nothing", do_nothing, 0 },
	{ "init", "reading a file", do_file, KILLED },
	{ "init", "fork", do_fork, KILLED },
#if defined(__x86_64__)
	{ "agent", "an x32 call", do_x32, KILLED },
	{ "agent", "a 32-bit call", do_int80, KILLED },
#endif
};

static int run_case(const char *preset, int (*run)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		leave(load(preset) ? run() : NOT_LOADED);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -1;
	return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int compare_times(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

static void print_load_time(const char *preset)
{
	long *ns = mmap(NULL, LOADS * sizeof(*ns), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; ns != MAP_FAILED && i < LOADS; i++) {
		struct timespec from, to;
		pid_t pid = fork();

		if (!pid) {
			(void)clock_gettime(CLOCK_MONOTONIC, &from);
			if (!load(preset))
				_exit(1);
			(void)clock_gettime(CLOCK_MONOTONIC, &to);
			ns[i] = (to.tv_sec - from.tv_sec) * 1000000000L + to.tv_nsec - from.tv_nsec;
			_exit(0);
		}
		(void)waitpid(pid, NULL, 0);
	}
	if (ns == MAP_FAILED)
		return;
	qsort(ns, LOADS, sizeof(*ns), compare_times);
	printf("# %s: %zu instructions, loaded in %ld us (median of %d)\n", preset,
	       filter_shipped(preset).len, ns[LOADS / 2] / 1000, LOADS);
	(void)munmap(ns, LOADS * sizeof(*ns));
}

int main(void)
{
	struct tap t = { 0 };

	if (run_case("agent", do_nothing) == NOT_LOADED) {
		printf("1..0 # SKIP the kernel takes no seccomp filter here\n");
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int got = run_case(cases[i].preset, cases[i].run);

		if (got != cases[i].wanted)
			printf("# ended with %d, %d wanted\n", got, cases[i].wanted);
		tap_is(&t, got == cases[i].wanted, "%s: %s", cases[i].preset, cases[i].what);
	}
	tap_is(&t, !filter_shipped("nonesuch").len, "an unknown preset has no program");
	print_load_time("agent");
	print_load_time("init");
	return tap_done(&t);
}
