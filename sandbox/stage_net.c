// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The network namespace; P1.
 *
 * Making one takes the kernel as long as all the mounts together, and neither needs the other: so a
 * thread of P1 makes it, and the loopback in it, while P1 builds the root. Then P1 joins. The thread
 * leaves a socket behind, which knows the namespace it was made in: no path has to be opened, while
 * the root is being changed under both.
 *
 * The thread shares our memory and libc's errno with it. A call of its own that fails fails the run,
 * so the worst that can come of this is an error with the wrong reason.
 */
#include <errno.h>
#include <linux/futex.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/setup.h"
#include "sandbox/weak.h"

#ifndef SIOCGSKNS
#define SIOCGSKNS 0x894C
#endif

static int net_main(void *arg)
{
	struct setup *s = arg;
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	struct err *e = &s->net.err;

	if (unshare(CLONE_NEWNET) < 0)
		return err_set(e, ST_NET, errno, "make the network namespace");
	s->net.socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s->net.socket < 0)
		return err_set(e, ST_NET, errno, "open a socket in the network namespace");
	if (s->plan->loopback && ioctl(s->net.socket, SIOCSIFFLAGS, &lo) < 0)
		return err_set(e, ST_NET, errno, "bring lo up");
	s->net.made = true;
	return 0;
}

int stage_net_begin(struct setup *s, struct err *e)
{
	static char stack[32 << 10] __attribute__((aligned(64)));
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			  CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;

	if (!s->plan->new_netns || weakened(WEAK_NETNS))
		return 0;
	s->net.alive = 1;
	if (clone(net_main, stack + sizeof(stack), flags, s, NULL, NULL, &s->net.alive) < 0)
		return err_set(e, ST_NET, errno, "start to make the network namespace");
	return 0;
}

int stage_net(struct setup *s, struct err *e)
{
	own_fd ns = FD_NONE;
	uint32_t alive;

	if (!s->plan->new_netns || weakened(WEAK_NETNS))
		return 0;
	while ((alive = s->net.alive))
		(void)syscall(SYS_futex, &s->net.alive, FUTEX_WAIT, alive, NULL, NULL, 0);
	if (!s->net.made) {
		*e = s->net.err;
		return err_set(e, ST_NET, 0, "the network namespace's thread died");
	}
	ns = ioctl(s->net.socket, SIOCGSKNS);
	if (ns < 0 || setns(ns, CLONE_NEWNET) < 0)
		return err_set(e, ST_NET, errno, "join the network namespace");
	fd_release(&s->net.socket);
	return 0;
}
