// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What of a jail need not be waited for; P0.
 *
 * When the last process of a mount namespace ends, the kernel unmounts everything in it first, and
 * whoever waits for the process waits for that: a third of a millisecond. So the supervisor holds the
 * namespace a little longer than pid 1, and lets go of it in a way that makes the kernel's own
 * threads do the work.
 *
 * That way is a socket with a message in its queue that carries the socket itself and the namespace.
 * Once closed it can be reached from nowhere, and is left to the collector of such sockets, which
 * works in the background since Linux 6.10. Where it does not, or anything here fails, the namespace
 * goes when this process does, and the caller has waited for it.
 *
 * Not earlier than at the end: as long as such a socket exists, the collector looks for it at every
 * close of any unix socket on the machine.
 */
#include "sandbox/afterwards.h"

#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/kernel.h"
#include "base/own.h"
#include "base/pass.h"

int afterwards_hold(int pidfd)
{
	int fd = ioctl(pidfd, K_PIDFD_GET_MNT_NAMESPACE, 0);

	return fd < 0 ? FD_NONE : fd;
}

void afterwards_let_go(int *ns)
{
	int pair[2];

	if (*ns < 0 || socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) < 0)
		return;
	(void)pass_send(pair[1], "", 1, (const int[]){ pair[0], *ns }, 2);
	fd_release(ns);
	fd_release(&pair[0]);
	fd_release(&pair[1]);
}
