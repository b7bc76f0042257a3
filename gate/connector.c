// SPDX-License-Identifier: GPL-2.0-or-later
/* The connector: a child of the gate's that makes connected sockets inside, and does nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "base/kernel.h"
#include "base/own.h"
#include "base/pass.h"
#include "gate/confine.h"
#include "gate/ports.h"
#include "net/gate.h"

#define SOCKET_NAMESPACE 0x894c /* SIOCGSKNS: linux/sockios.h does not go with libc's headers */

/* The network that a socket is in, and whose it is. The user's own jails are the user's to enter. */
static int enter(int socket)
{
	own_fd net = ioctl(socket, SOCKET_NAMESPACE), user = FD_NONE;

	if (net < 0)
		return -errno;
	user = ioctl(net, NS_GET_USERNS);
	if (user < 0)
		return -errno;
	/* EINVAL: it is our own already, as when root has made the network without one. */
	if (setns(user, CLONE_NEWUSER) < 0 && errno != EINVAL)
		return -errno;
	return setns(net, CLONE_NEWNET) < 0 ? -errno : 0;
}

static int connect_inside(uint32_t port)
{
	const struct sockaddr_in to = { .sin_family = AF_INET,
					.sin_port = htons((uint16_t)port),
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	own_fd fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) < 0 && errno != EINPROGRESS)
		return -errno;
	return fd_take(&fd);
}

static bool answer(int wire, struct connector_record *r)
{
	own_fd fd = r->port && r->port <= UINT16_MAX ? connect_inside(r->port) : -EINVAL;

	r->port = fd < 0 ? (uint32_t)-fd : 0;
	return pass_send(wire, r, sizeof(*r), &fd, fd >= 0) == 0;
}

static void serve(int wire)
{
	struct connector_record r;

	while (recv(wire, &r, sizeof(r), 0) == (ssize_t)sizeof(r))
		if (!answer(wire, &r))
			return;
}

/* In the child. The filter is last: it lets through what serve() does. */
static int prepare(int *wire, int inside)
{
	struct err e = { 0 };
	int rc = enter(inside);

	if (rc == 0 && *wire != GATE_POLICY) {
		if (dup3(*wire, GATE_POLICY, O_CLOEXEC) < 0)
			return -errno;
		*wire = GATE_POLICY;
	}
	if (rc == 0 && k_close_range(GATE_POLICY + 1, ~0u, 0) < 0)
		return -errno;
	return rc < 0 ? rc : confine(CONFINE_CONNECTOR, &e);
}

static void be_connector(int wire, int inside)
{
	struct connector_record ready = { 0 };
	int rc = prepare(&wire, inside);

	ready.port = (uint32_t)-rc;
	if (send(wire, &ready, sizeof(ready), MSG_NOSIGNAL) == (ssize_t)sizeof(ready) && rc == 0)
		serve(wire);
}

int connector_start(int inside)
{
	struct connector_record ready = { 0 };
	own_fd ours = FD_NONE, theirs = FD_NONE;
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	ours = pair[0];
	theirs = pair[1];
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		be_connector(theirs, inside);
		leave(0);
	}
	fd_release(&theirs);
	if (recv(ours, &ready, sizeof(ready), 0) != (ssize_t)sizeof(ready))
		return -EPIPE;
	if (ready.port)
		return -(int)ready.port;
	return fd_take(&ours);
}
