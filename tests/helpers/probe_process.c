// SPDX-License-Identifier: GPL-2.0-or-later
/* Attempts to look into or signal other processes; runs inside a jail. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/helpers/probe.h"

#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif
#ifndef MADV_COLD
#define MADV_COLD 20
#endif

static bool to_pid(const char *s, pid_t *ret)
{
	uint64_t n;

	if (!probe_number(s, INT_MAX, &n))
		return false;
	*ret = (pid_t)n;
	return true;
}

static long try_traceme(const struct call *c)
{
	(void)c;
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

/* Seizing does not stop it, and it is let go when this process ends. */
static long try_seize(const struct call *c)
{
	pid_t pid;

	if (!to_pid(c->argv[0], &pid))
		return PROBE_USAGE;
	return ptrace(PTRACE_SEIZE, pid, NULL, NULL);
}

/* EFAULT says that it was allowed: only the address is not one of the other process. */
static long try_vm_readv(const struct call *c)
{
	char byte = 0;
	struct iovec here = { &byte, 1 }, there = { &byte, 1 };
	pid_t pid;

	if (!to_pid(c->argv[0], &pid))
		return PROBE_USAGE;
	return process_vm_readv(pid, &here, 1, &there, 1, 0);
}

static long try_pidfd_getfd(const struct call *c)
{
	own_fd pidfd = FD_NONE;
	uint64_t fd;
	pid_t pid;

	if (!to_pid(c->argv[0], &pid) || !probe_number(c->argv[1], INT_MAX, &fd))
		return PROBE_USAGE;
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0)
		return PROBE_UNREADY;
	return syscall(SYS_pidfd_getfd, pidfd, (int)fd, 0);
}

static long try_kill(const struct call *c)
{
	uint64_t number;
	pid_t pid;

	if (!to_pid(c->argv[0], &pid) || !probe_number(c->argv[1], 64, &number))
		return PROBE_USAGE;
	return kill(pid, (int)number);
}

static long try_kcmp(const struct call *c)
{
	pid_t pid;

	if (!to_pid(c->argv[0], &pid))
		return PROBE_USAGE;
	return syscall(SYS_kcmp, getpid(), pid, KCMP_VM, 0, 0);
}

/* On a page of its own when the process is this one. */
static long try_process_madvise(const struct call *c)
{
	static char page[2 * 4096];
	struct iovec range = { (void *)(((uintptr_t)page + 4095) & ~(uintptr_t)4095), 4096 };
	own_fd pidfd = FD_NONE;
	pid_t pid;

	if (!to_pid(c->argv[0], &pid))
		return PROBE_USAGE;
	pidfd = (int)syscall(SYS_pidfd_open, pid ? pid : getpid(), 0);
	if (pidfd < 0)
		return PROBE_UNREADY;
	return syscall(SYS_process_madvise, pidfd, &range, 1, MADV_COLD, 0);
}

/* Some files are opened freely, and refuse only what is then asked of them. */
static long look_into(int fd)
{
	own_dir dir = fdopendir(fd);
	const struct dirent *d;
	char text[PATH_MAX];

	if (!dir)
		return read(fd, text, 1) < 0 && (errno == EPERM || errno == EACCES) ? -1 : 0;
	errno = 0;
	while ((d = readdir(dir)))
		if (d->d_name[0] != '.')
			return readlinkat(dirfd(dir), d->d_name, text, sizeof(text)) < 0 &&
					       errno != EINVAL
				       ? -1
				       : 0;
	return errno ? -1 : 0;
}

static long try_open(const struct call *c)
{
	char path[PATH_MAX];
	pid_t pid;
	int fd;

	if (!to_pid(c->argv[0], &pid))
		return PROBE_USAGE;
	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, c->argv[1]);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? -1 : look_into(fd);
}

/* This program again, from memory that has no name: whoever looks at paths sees none. */
static long exec_memory(const struct call *c)
{
	own_fd self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	own_fd memory = memfd_create("jail-probe", MFD_CLOEXEC);
	char *argv[8] = { "probe" };
	struct stat st;

	if (self < 0 || memory < 0 || fstat(self, &st) < 0)
		return PROBE_UNREADY;
	while (st.st_size > 0) {
		ssize_t n = sendfile(memory, self, NULL, (size_t)st.st_size);

		if (n <= 0)
			return PROBE_UNREADY;
		st.st_size -= n;
	}
	for (size_t i = 0; c->argv[i]; i++)
		argv[i + 1] = c->argv[i];
	return fexecve(memory, argv, environ);
}

const struct probe probes_process[] = {
	{ "ptrace-traceme", "", 0, 0, try_traceme, 0 },
	{ "ptrace-seize", "PID", 1, 1, try_seize, 0 },
	{ "process_vm_readv", "PID", 1, 1, try_vm_readv, 0 },
	{ "pidfd_getfd", "PID FD", 2, 2, try_pidfd_getfd, 0 },
	{ "kcmp", "PID", 1, 1, try_kcmp, 0 },
	{ "process_madvise", "PID (0 is its own)", 1, 1, try_process_madvise, 0 },
	{ "kill", "PID SIGNAL", 2, 2, try_kill, 0 },
	{ "dumpable-open", "PID FILE", 2, 2, try_open, 0 },
	{ "memfd-exec", "PROBE [ARGUMENTS]", 1, 6, exec_memory, 0 },
	{ 0 },
};
