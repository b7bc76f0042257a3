// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Listing Unix sockets by unix_diag; P0.
 *
 * One request, answered by messages of which several come in a read, and a last one that says so.
 * Nothing is taken from them but by memcpy, after its length was looked at.
 */
#include "sandbox/sockdiag.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"

#define SEQUENCE 1

struct request {
	struct nlmsghdr head;
	struct unix_diag_req body;
};

int sockdiag_open(struct sockdiag *d)
{
	const struct request ask = {
		.head = {
			.nlmsg_len = sizeof(ask),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
			.nlmsg_seq = SEQUENCE,
		},
		.body = {
			.sdiag_family = AF_UNIX,
			.udiag_states = 1u << TCP_LISTEN | 1u << TCP_CLOSE | 1u << TCP_ESTABLISHED,
			.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_VFS | UDIAG_SHOW_UID,
		},
	};
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	ssize_t n;

	d->done = false;
	d->used = d->next = 0;
	d->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (d->fd < 0) {
		d->fd = FD_NONE;
		return -errno;
	}
	n = sendto(d->fd, &ask, sizeof(ask), 0, (const struct sockaddr *)&kernel, sizeof(kernel));
	return n == (ssize_t)sizeof(ask) ? 0 : n < 0 ? -errno : -EIO;
}

/*
 * The answer to a request is there when sendto returns, and more of it when a read does: whoever
 * has to wait will wait for ever.
 */
static int fill(struct sockdiag *d)
{
	struct sockaddr_nl from = { 0 };
	socklen_t size = sizeof(from);
	ssize_t n = recvfrom(d->fd, d->buf, sizeof(d->buf), MSG_DONTWAIT | MSG_TRUNC,
			     (struct sockaddr *)&from, &size);

	d->used = d->next = 0;
	if (n < 0)
		return -errno;
	if ((size_t)n > sizeof(d->buf))
		return -EMSGSIZE;
	if (!n || size != sizeof(from) || from.nl_pid)
		return -EBADMSG;
	d->used = (size_t)n;
	return 0;
}

/* Headers and what follows them begin at multiples of four; the last may end before the next. */
static size_t step_over(size_t n, size_t left)
{
	const size_t aligned = (n + 3) & ~(size_t)3;

	return aligned < left ? aligned : left;
}

static int take_name(const char *data, size_t n, struct bound_socket *s)
{
	size_t len = strnlen(data, n);

	if (len > SOCKET_NAME_MAX)
		return -EBADMSG;
	memcpy(s->name, data, len);
	s->name[len] = '\0';
	return 0;
}

/* The attributes of one socket; 1 when it has a file. */
static int take_attributes(const char *p, size_t left, struct bound_socket *s)
{
	int has_file = 0;

	while (left) {
		struct nlattr a;
		struct unix_diag_vfs vfs;
		const char *data = p + sizeof(a);
		size_t n, step;

		if (left < sizeof(a))
			return -EBADMSG;
		memcpy(&a, p, sizeof(a));
		if (a.nla_len < sizeof(a) || a.nla_len > left)
			return -EBADMSG;
		n = a.nla_len - sizeof(a);
		switch (a.nla_type & NLA_TYPE_MASK) {
		case UNIX_DIAG_NAME:
			if (take_name(data, n, s) < 0)
				return -EBADMSG;
			break;
		case UNIX_DIAG_VFS:
			if (n != sizeof(vfs))
				return -EBADMSG;
			memcpy(&vfs, data, sizeof(vfs));
			s->dev = vfs.udiag_vfs_dev;
			s->ino = vfs.udiag_vfs_ino;
			has_file = 1;
			break;
		case UNIX_DIAG_UID:
			if (n != sizeof(s->uid))
				return -EBADMSG;
			memcpy(&s->uid, data, sizeof(s->uid));
			break;
		default:
			break;
		}
		step = step_over(a.nla_len, left);
		p += step;
		left -= step;
	}
	return has_file;
}

/*
 * 1 and a socket, or 0. The end of a connection has the name of the socket that took it, and there
 * may be thousands: nobody can connect to one. A datagram socket can leave its peer.
 */
static int take_socket(const char *p, size_t n, struct bound_socket *ret)
{
	struct bound_socket s = { .uid = (uid_t)-1 };
	struct unix_diag_msg msg;
	int rc;

	if (n < sizeof(msg))
		return -EBADMSG;
	memcpy(&msg, p, sizeof(msg));
	if (msg.udiag_family != AF_UNIX)
		return -EBADMSG;
	rc = take_attributes(p + sizeof(msg), n - sizeof(msg), &s);
	if (rc < 0 || (msg.udiag_state == TCP_ESTABLISHED && msg.udiag_type != SOCK_DGRAM))
		return rc < 0 ? rc : 0;
	if (rc)
		*ret = s;
	return rc;
}

/* What a message of the protocol itself says: NLMSG_ERROR and NLMSG_DONE begin with -errno or 0. */
static int take_end(struct sockdiag *d, unsigned type, const char *p, size_t n)
{
	int code;

	if (n < sizeof(code))
		return -EBADMSG;
	memcpy(&code, p, sizeof(code));
	if (code > 0 || (type == NLMSG_ERROR && !code))
		return -EBADMSG;
	d->done = type == NLMSG_DONE;
	return code;
}

static int take_message(struct sockdiag *d, const struct nlmsghdr *h, const char *p,
			struct bound_socket *ret)
{
	const size_t n = h->nlmsg_len - sizeof(*h);

	if (h->nlmsg_seq != SEQUENCE)
		return -EBADMSG;
	switch (h->nlmsg_type) {
	case NLMSG_NOOP:
		return 0;
	case NLMSG_ERROR:
	case NLMSG_DONE:
		return take_end(d, h->nlmsg_type, p, n);
	case SOCK_DIAG_BY_FAMILY:
		return take_socket(p, n, ret);
	default:
		return -EBADMSG;
	}
}

int sockdiag_parse(struct sockdiag *d, struct bound_socket *ret)
{
	int rc = 0;

	while (rc == 0 && !d->done && d->next < d->used) {
		const char *p = d->buf + d->next;
		const size_t left = d->used - d->next;
		struct nlmsghdr h;

		if (left < sizeof(h))
			return -EBADMSG;
		memcpy(&h, p, sizeof(h));
		if (h.nlmsg_len < sizeof(h) || h.nlmsg_len > left)
			return -EBADMSG;
		d->next += step_over(h.nlmsg_len, left);
		rc = take_message(d, &h, p + sizeof(h), ret);
	}
	return rc;
}

int sockdiag_next(struct sockdiag *d, struct bound_socket *ret)
{
	int rc = sockdiag_parse(d, ret);

	while (rc == 0 && !d->done) {
		rc = fill(d);
		if (rc == 0)
			rc = sockdiag_parse(d, ret);
	}
	return rc;
}
