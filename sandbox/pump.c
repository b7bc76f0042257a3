// SPDX-License-Identifier: GPL-2.0-or-later
/* The relay between the jail's descriptors and the caller's; P0. */
#include "sandbox/pump.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"

bool pump_alive(const struct pump *p)
{
	return p->to >= 0 && (p->len || p->from >= 0);
}

struct pollfd pump_wants(const struct pump *p)
{
	if (p->len)
		return (struct pollfd){ .fd = p->to, .events = POLLOUT };
	if (p->from < 0 || p->to < 0 || p->paused)
		return (struct pollfd){ .fd = -1 };
	return (struct pollfd){ .fd = p->from, .events = POLLIN };
}

static void note_error(struct pump *p)
{
	if (errno != EPIPE && errno != ECONNRESET && !p->error)
		p->error = errno;
}

/* Nobody reads any more: the writer learns it when we let go of its pipe. */
static void give_up(struct pump *p)
{
	p->len = 0;
	fd_release(&p->from);
	if (p->close_to)
		fd_release(&p->to);
	p->to = FD_NONE;
}

static void end_of_input(struct pump *p)
{
	fd_release(&p->from);
	if (p->close_to && !p->len)
		fd_release(&p->to);
}

static void fill(struct pump *p)
{
	char raw[PUMP_SIZE];
	ssize_t n = read(p->from, p->filter ? raw : p->buf, PUMP_SIZE);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0)
		note_error(p);
	if (n <= 0) { /* EIO is how a terminal says that its last user is gone */
		end_of_input(p);
		return;
	}
	p->off = 0;
	p->len = p->filter ? ttyfilter_run(p->filter, raw, (size_t)n, p->buf) : (size_t)n;
}

/*
 * A socket may be shared with the caller's other processes, so it is not made non-blocking for
 * them: we ask each time.
 */
static ssize_t put(int fd, const char *buf, size_t n)
{
	ssize_t done = send(fd, buf, n, MSG_DONTWAIT | MSG_NOSIGNAL);

	return done < 0 && errno == ENOTSOCK ? write(fd, buf, n) : done;
}

static void drain(struct pump *p)
{
	ssize_t n = put(p->to, p->buf + p->off, p->len);

	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR) {
			note_error(p);
			give_up(p);
		}
		return;
	}
	p->off += (size_t)n;
	p->len -= (size_t)n;
	if (!p->len && p->from < 0)
		end_of_input(p);
}

void pump_run(struct pump *p, short revents)
{
	if (!revents)
		return;
	if (!p->len)
		fill(p);
	if (p->len)
		drain(p);
}
