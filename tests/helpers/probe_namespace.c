// SPDX-License-Identifier: GPL-2.0-or-later
/* Attempts to make or enter namespaces, which end with the process; runs inside a jail. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/own.h"
#include "tests/helpers/probe.h"

static long try_unshare(const struct call *c)
{
	return unshare((int)c->data);
}

static long reap(long pid)
{
	if (!pid)
		_exit(0);
	return pid > 0 && waitpid((pid_t)pid, NULL, 0) != pid ? PROBE_UNREADY : pid;
}

/*
 * The stack argument is 0, so the child goes on with a copy of ours, like fork; the rest differs
 * by architecture and is 0 too.
 */
static long try_clone(const struct call *c)
{
	return reap(syscall(SYS_clone, c->data | SIGCHLD, 0, 0, 0, 0));
}

/* All 64 bits of the flags are the caller's. */
static long clone_with(const struct call *c)
{
	uint64_t flags;

	if (!probe_number(c->argv[0], UINT64_MAX, &flags))
		return PROBE_USAGE;
	return reap(syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0));
}

static long try_clone3(const struct call *c)
{
	struct k_clone_args args = { .flags = c->data, .exit_signal = SIGCHLD };

	return reap(syscall(K_NR_clone3, &args, sizeof(args)));
}

static long try_setns(const struct call *c)
{
	own_fd fd = open(c->argv[0], O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return PROBE_UNREADY;
	return setns(fd, 0);
}

static long setns_inherited(const struct call *c)
{
	uint64_t fd;

	if (!probe_number(c->argv[0], INT_MAX, &fd))
		return PROBE_USAGE;
	return setns((int)fd, 0);
}

static long setns_process(const struct call *c)
{
	own_fd pidfd = FD_NONE;
	uint64_t pid;

	if (!probe_number(c->argv[0], INT_MAX, &pid))
		return PROBE_USAGE;
	pidfd = (int)syscall(SYS_pidfd_open, pid ? (pid_t)pid : getpid(), 0);
	if (pidfd < 0)
		return PROBE_UNREADY;
	return setns(pidfd, CLONE_NEWNET);
}

const struct probe probes_namespace[] = {
	{ "unshare-user", "", 0, 0, try_unshare, CLONE_NEWUSER },
	{ "unshare-mnt", "", 0, 0, try_unshare, CLONE_NEWNS },
	{ "unshare-pid", "", 0, 0, try_unshare, CLONE_NEWPID },
	{ "unshare-net", "", 0, 0, try_unshare, CLONE_NEWNET },
	{ "unshare-ipc", "", 0, 0, try_unshare, CLONE_NEWIPC },
	{ "unshare-uts", "", 0, 0, try_unshare, CLONE_NEWUTS },
	{ "unshare-cgroup", "", 0, 0, try_unshare, CLONE_NEWCGROUP },
	{ "unshare-time", "", 0, 0, try_unshare, K_CLONE_NEWTIME },
	{ "clone-plain", "", 0, 0, try_clone, 0 },
	{ "clone-user", "", 0, 0, try_clone, CLONE_NEWUSER },
	{ "clone3-plain", "", 0, 0, try_clone3, 0 },
	{ "clone3-user", "", 0, 0, try_clone3, CLONE_NEWUSER },
	{ "clone", "FLAGS", 1, 1, clone_with, 0 },
	{ "setns", "PATH", 1, 1, try_setns, 0 },
	{ "setns-fd", "FD", 1, 1, setns_inherited, 0 },
	{ "setns-pidfd", "PID (0 is its own)", 1, 1, setns_process, 0 },
	{ 0 },
};
