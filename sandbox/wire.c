// SPDX-License-Identifier: GPL-2.0-or-later
/* Sending and receiving records; P0 and P1, no allocation. */
#include "sandbox/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/own.h"
#include "base/pass.h"

int wire_pair(int ret[2], struct err *e)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ret) < 0)
		return err_set(e, ST_WIRE, errno, "socketpair");
	return 0;
}

int wire_send(int wire, const struct record *r, int fd)
{
	return pass_send(wire, r, sizeof(*r), &fd, fd >= 0);
}

bool wire_valid(const struct record *r, unsigned long n)
{
	return n == sizeof(*r) && r->type >= REC_GO && r->type <= REC_EXIT &&
	       (unsigned)r->err.stage < ST_COUNT && memchr(r->err.what, '\0', sizeof(r->err.what));
}

/*
 * The one descriptor a message may carry, or FD_NONE; there is no room for others, and what has
 * none is closed by the kernel.
 */
static int descriptor_of(struct msghdr *msg)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
		    c->cmsg_len == CMSG_LEN(sizeof(int))) {
			int fd;

			memcpy(&fd, CMSG_DATA(c), sizeof(fd));
			return fd;
		}
	}
	return FD_NONE;
}

int wire_receive(int wire, struct record *ret, int *ret_fd, bool block)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct record r;
	struct iovec iov = { .iov_base = &r, .iov_len = sizeof(r) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.buf,
		/* not CMSG_SPACE: its padding has room for a second one */
		.msg_controllen = CMSG_LEN(sizeof(int)),
	};
	own_fd fd = FD_NONE;
	ssize_t n;

	/*
	 * ECONNRESET comes once, from a peer that ended without having read everything, and ahead
	 * of what the peer itself had said: its last words, and then the end of file.
	 */
	do
		n = recvmsg(wire, &msg, MSG_CMSG_CLOEXEC | (block ? 0 : MSG_DONTWAIT));
	while (n < 0 && (errno == EINTR || errno == ECONNRESET));
	if (n < 0)
		return -errno;
	fd = descriptor_of(&msg);
	if (n == 0)
		return 0;
	if ((msg.msg_flags & MSG_TRUNC) || !wire_valid(&r, (unsigned long)n))
		return -EBADMSG;
	if (ret_fd && r.type == REC_TERMINAL)
		*ret_fd = fd_take(&fd);
	*ret = r;
	return 1;
}
