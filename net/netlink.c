// SPDX-License-Identifier: GPL-2.0-or-later
/* Writing netlink messages, sending them, reading what the kernel says to each; P0 and P1. */
#include "net/netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

/* Everything begins at a multiple of four. */
static size_t aligned(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

void netlink_init(struct netlink *nl, uint8_t *bytes, size_t size)
{
	*nl = (struct netlink){ .bytes = bytes, .size = size };
}

static void add(struct netlink *nl, const void *data, size_t n)
{
	if (nl->full || aligned(n) > nl->size - nl->used) {
		nl->full = true;
		return;
	}
	if (n)
		memcpy(nl->bytes + nl->used, data, n);
	memset(nl->bytes + nl->used + n, 0, aligned(n) - n);
	nl->used += aligned(n);
}

size_t netlink_begin(struct netlink *nl, uint16_t type, uint16_t flags, uint32_t seq,
		     const void *head, size_t n)
{
	const struct nlmsghdr h = { .nlmsg_type = type, .nlmsg_flags = flags, .nlmsg_seq = seq };
	const size_t at = nl->used;

	add(nl, &h, sizeof(h));
	add(nl, head, n);
	return at;
}

void netlink_end(struct netlink *nl, size_t at)
{
	const uint32_t n = (uint32_t)(nl->used - at);

	if (!nl->full)
		memcpy(nl->bytes + at + offsetof(struct nlmsghdr, nlmsg_len), &n, sizeof(n));
}

void netlink_put(struct netlink *nl, uint16_t type, const void *data, size_t n)
{
	const struct nlattr a = { .nla_len = (uint16_t)(sizeof(a) + n), .nla_type = type };

	add(nl, &a, sizeof(a));
	add(nl, data, n);
}

size_t netlink_open(struct netlink *nl, uint16_t type)
{
	const size_t at = nl->used;

	netlink_put(nl, type | NLA_F_NESTED, NULL, 0);
	return at;
}

void netlink_close(struct netlink *nl, size_t at)
{
	const size_t n = nl->used - at;
	const uint16_t length = (uint16_t)n;

	if (n > UINT16_MAX)
		nl->full = true;
	if (!nl->full)
		memcpy(nl->bytes + at + offsetof(struct nlattr, nla_len), &length, sizeof(length));
}

void netlink_copy(struct netlink *nl, const void *message, size_t n, uint32_t seq)
{
	const size_t at = nl->used;

	add(nl, message, n);
	if (!nl->full)
		memcpy(nl->bytes + at + offsetof(struct nlmsghdr, nlmsg_seq), &seq, sizeof(seq));
}

int netlink_socket(int protocol)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);

	return fd < 0 ? -errno : fd;
}

/* An answer, without what it repeats of our message. */
struct answer {
	struct nlmsghdr head;
	struct nlmsgerr error;
};

/* How many at once: one call for the answers to a whole batch. */
enum { ANSWERS = 32 };

static int receive(int fd, struct answer *ret, unsigned n)
{
	struct sockaddr_nl from[ANSWERS] = { 0 };
	struct iovec iov[ANSWERS];
	struct mmsghdr msgs[ANSWERS] = { 0 };
	int got;

	for (unsigned i = 0; i < n; i++) {
		iov[i] = (struct iovec){ .iov_base = &ret[i], .iov_len = sizeof(ret[i]) };
		msgs[i].msg_hdr = (struct msghdr){ .msg_name = &from[i],
						   .msg_namelen = sizeof(from[i]),
						   .msg_iov = &iov[i],
						   .msg_iovlen = 1 };
	}
	/* The kernel has answered when sendto returns: whoever has to wait will wait for ever. */
	got = recvmmsg(fd, msgs, n, MSG_DONTWAIT, NULL);
	if (got < 0)
		return -errno;
	for (int i = 0; i < got; i++) {
		if (msgs[i].msg_len != sizeof(ret[i]) || from[i].nl_pid ||
		    ret[i].head.nlmsg_type != NLMSG_ERROR)
			return -EBADMSG;
	}
	return got;
}

int netlink_talk(int fd, const void *bytes, size_t length, uint32_t first, unsigned n,
		 uint32_t *ret_failed)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	ssize_t sent = sendto(fd, bytes, length, 0, (const struct sockaddr *)&kernel, sizeof(kernel));
	struct answer answers[ANSWERS];

	*ret_failed = UINT32_MAX;
	if (sent != (ssize_t)length)
		return sent < 0 ? -errno : -EIO;
	while (n) {
		int got = receive(fd, answers, n < ANSWERS ? n : ANSWERS);

		if (got <= 0)
			return got < 0 ? got : -EIO;
		for (int i = 0; i < got; i++) {
			if (answers[i].error.error < 0) {
				*ret_failed = answers[i].head.nlmsg_seq;
				return answers[i].error.error;
			}
			if (answers[i].head.nlmsg_seq != first++)
				return -EBADMSG;
		}
		n -= (unsigned)got;
	}
	return 0;
}
