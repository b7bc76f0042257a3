// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is done beside the mounts; a thread of P1, while P1 builds the root.
 *
 * Making a network namespace takes the kernel as long as all the mounts together, and each file of
 * /proc/sys as long as a mount; neither needs the root, nor the root them. P1 joins the network
 * before any privilege is dropped.
 *
 * A gate's network takes longer still: it is made while P1 goes on. Then the thread waits for the
 * pivot and takes the host's root away, for which the kernel waits until no processor looks at it
 * any more. It stands on a root and a directory of its own, not P1's, and is gone before the command
 * is started.
 *
 * The network namespace is handed over as a socket, which knows the one it was made in: no path has
 * to be opened while the root is being changed. The settings are written through a procfs that
 * nothing else could have been laid over.
 *
 * The thread shares our memory and libc's errno with it, and P1 asks errno whether a directory was
 * there before. So nothing here may write it but a call that fails, and with it the run: the worst
 * that can come of this is an error with the wrong reason. What may fail on a good kernel P1 does
 * itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/text.h"
#include "sandbox/futex.h"
#include "sandbox/setup.h"
#include "sandbox/weak.h"

#ifndef SIOCGSKNS
#define SIOCGSKNS 0x894C
#endif

/*
 * Written before capabilities go: the command, and whatever it becomes, can make no namespace of
 * any kind. That of mount namespaces comes last, after the join: the kernel keeps a mount that is
 * attached nowhere in one.
 */
static const char *const namespace_limits[] = {
	"max_user_namespaces", "max_pid_namespaces",	"max_ipc_namespaces",
	"max_uts_namespaces",  "max_cgroup_namespaces", "max_net_namespaces",
};

/*
 * What the kernel counts for the caller too, wherever it is used: ours, and the machine's for one
 * user.
 */
static const struct {
	const char *own, *all;
} shared_limits[] = {
	{ "user/max_inotify_instances", "fs/inotify/max_user_instances" },
	{ "user/max_inotify_watches", "fs/inotify/max_user_watches" },
};

/* Half of it at most: the caller's own programs must find some left. */
static int leave_some(const struct setup *s, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(shared_limits) && s->beside.inotify; i++) {
		char number[32];
		uint64_t all;
		ssize_t n = fs_read_file_at(s->beside.sys, shared_limits[i].all, number,
					    sizeof(number), false);
		int rc = n < 0 ? (int)n : 0;

		if (rc == 0) {
			number[strcspn(number, "\n")] = '\0';
			rc = str_to_u64(number, INT_MAX, &all) ? 0 : -ERANGE;
		}
		if (rc == 0) {
			(void)snprintf(number, sizeof(number), "%ju", (uintmax_t)all / 2);
			rc = fs_write_file_at(s->beside.sys, shared_limits[i].own, number);
		}
		if (rc < 0)
			return err_set(e, ST_SYSCTL, -rc, "set '/proc/sys/%s'", shared_limits[i].own);
	}
	return 0;
}

static bool may_nest(const struct setup *s)
{
	return s->plan->nested_userns || weakened(WEAK_SYSCTL);
}

static int forbid(const struct setup *s, const char *limit, struct err *e)
{
	char path[64];
	int rc;

	(void)snprintf(path, sizeof(path), "user/%s", limit);
	rc = fs_write_file_at(s->beside.sys, path, "0");
	return rc < 0 ? err_set(e, ST_SYSCTL, -rc, "set user.%s to 0", limit) : 0;
}

static int write_limits(struct setup *s, struct err *e)
{
	int rc = leave_some(s, e);

	if (rc < 0 || may_nest(s))
		return rc;
	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(namespace_limits); i++)
		rc = forbid(s, namespace_limits[i], e);
	if (rc < 0)
		return rc;
	s->beside.mount_limit =
		openat(s->beside.sys, "user/max_mnt_namespaces", O_WRONLY | O_CLOEXEC);
	return s->beside.mount_limit < 0
		       ? err_set(e, ST_SYSCTL, errno, "open user.max_mnt_namespaces")
		       : 0;
}

static bool has_gate(const struct setup *s)
{
	return s->gateway->policy != NULL;
}

static int make_network(struct setup *s, struct err *e)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };

	if (unshare(CLONE_NEWNET) < 0)
		return err_set(e, ST_NET, errno, "make the network namespace");
	s->beside.socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s->beside.socket < 0)
		return err_set(e, ST_NET, errno, "open a socket in the network namespace");
	if (s->plan->loopback && !has_gate(s) && ioctl(s->beside.socket, SIOCSIFFLAGS, &lo) < 0)
		return err_set(e, ST_NET, errno, "bring lo up");
	return 0;
}

static bool has_network(const struct setup *s)
{
	return s->plan->new_netns && !weakened(WEAK_NETNS);
}

/* The host's root lies on top of ours, which pivot_root has given to this thread too. */
static int detach_host(struct setup *s, struct err *e)
{
	if (chdir("/") < 0)
		return err_set(e, ST_MOUNT, errno, "enter '/'");
	return mount_detach_host(&s->api, s->root, e);
}

static int beside_main(void *arg)
{
	struct setup *s = arg;
	int rc = has_network(s) ? make_network(s, &s->beside.err) : 0;

	if (rc == 0) {
		futex_await(&s->beside.settings, NULL);
		rc = write_limits(s, &s->beside.err);
	}
	if (rc < 0)
		return 0;
	futex_set(&s->beside.made, 1);
	if (has_gate(s) && !s->gateway->without_nft)
		rc = net_make(s->gateway, &s->beside.err);
	if (rc == 0)
		futex_await(&s->beside.pivoted, NULL);
	if (rc == 0 && s->beside.pivoted == BESIDE_DETACH)
		rc = detach_host(s, &s->beside.err);
	/* Where a call that fails is no failure, P1 must be past its mounts. */
	if (rc == 0 && has_gate(s) && s->gateway->without_nft)
		rc = net_make(s->gateway, &s->beside.err);
	s->beside.done = rc == 0;
	return 0;
}

/* A kernel without time namespaces has none to make. */
static int forbid_time(const struct setup *s, struct err *e)
{
	int rc = may_nest(s) ? 0 : forbid(s, "max_time_namespaces", e);

	if (rc == -ENOENT)
		*e = (struct err){ 0 };
	return rc == -ENOENT ? 0 : rc;
}

/* Nor has every kernel inotify. */
static int look_for_inotify(struct setup *s, struct err *e)
{
	s->beside.inotify = faccessat(s->beside.sys, shared_limits[0].own, F_OK, 0) == 0;
	if (!s->beside.inotify && errno != ENOENT)
		return err_set(e, ST_SYSCTL, errno, "look at user.max_inotify_instances");
	if (weakened(WEAK_LIMITS))
		s->beside.inotify = false;
	return 0;
}

int stage_beside(struct setup *s, struct err *e)
{
	static char stack[32 << 10] __attribute__((aligned(64)));
	const int flags = CLONE_VM | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
			  CLONE_CHILD_CLEARTID;

	s->beside.alive = 1;
	if (clone(beside_main, stack + sizeof(stack), flags, s, NULL, NULL, &s->beside.alive) < 0)
		return err_set(e, ST_CLONE, errno, "start a thread for the network");
	return 0;
}

int stage_settings(struct setup *s, struct err *e)
{
	int rc;

	/* What will cover this directory does not lie on the way from it. */
	s->beside.sys = openat(s->proc, "sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (s->beside.sys < 0)
		return err_set(e, ST_SYSCTL, errno, "open the settings of the kernel");
	rc = look_for_inotify(s, e);
	if (rc == 0)
		rc = forbid_time(s, e);
	if (rc == 0)
		futex_set(&s->beside.settings, 1);
	return rc;
}

static int thread_failed(const struct setup *s, struct err *e)
{
	*e = s->beside.err;
	return err_set(e, ST_NET, 0, "the thread beside the mounts died");
}

int stage_join(struct setup *s, struct err *e)
{
	own_fd ns = FD_NONE;

	futex_await(&s->beside.made, &s->beside.alive);
	if (!s->beside.made)
		return thread_failed(s, e);
	if (has_network(s)) {
		ns = ioctl(s->beside.socket, SIOCGSKNS);
		if (ns < 0 || setns(ns, CLONE_NEWNET) < 0)
			return err_set(e, ST_NET, errno, "join the network namespace");
	}
	if (!may_nest(s) && write(s->beside.mount_limit, "0", 1) != 1)
		return err_set(e, ST_SYSCTL, errno, "set user.max_mnt_namespaces to 0");
	fd_release(&s->beside.socket);
	fd_release(&s->beside.mount_limit);
	fd_release(&s->beside.sys);
	return 0;
}

void beside_pivoted(struct setup *s, enum beside_last last)
{
	futex_set(&s->beside.pivoted, last);
}

int stage_alone(struct setup *s, struct err *e)
{
	uint32_t alive;

	while ((alive = s->beside.alive))
		futex_sleep(&s->beside.alive, alive);
	fd_release(&s->root);
	return s->beside.done ? 0 : thread_failed(s, e);
}
