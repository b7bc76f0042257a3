// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command's input; P0.
 *
 * The caller's descriptor itself never crosses: one for a pipe can be opened again for writing
 * through /proc/self/fd, and whoever reads the pipe's other data would obey. So bytes are shown
 * first (pread, tee, MSG_PEEK) and taken only when the command has read them, which the fill of its
 * own pipe tells. For pipes and sockets that pipe holds one page: it is writable again when, and
 * only when, all that was offered has been read.
 */
#include "sandbox/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"

#define PAGE 4096

bool feed_open(struct feed *f, int *from, int *to, int *watch)
{
	struct stat st;

	*f = (struct feed){ .kind = FEED_NONE, .from = FD_NONE, .to = FD_NONE, .watch = FD_NONE };
	if (fstat(*from, &st) < 0)
		return false;
	if (S_ISREG(st.st_mode))
		f->kind = FEED_FILE;
	else if (S_ISFIFO(st.st_mode))
		f->kind = FEED_PIPE;
	else if (S_ISSOCK(st.st_mode))
		f->kind = FEED_SOCKET;
	if (f->kind == FEED_NONE || (f->kind != FEED_FILE && fcntl(*to, F_SETPIPE_SZ, PAGE) < 0)) {
		f->kind = FEED_NONE;
		return false;
	}
	f->from = fd_take(from);
	f->to = fd_take(to);
	f->watch = fd_take(watch);
	return true;
}

struct pollfd feed_wants(const struct feed *f)
{
	if (f->from < 0 || f->to < 0)
		return (struct pollfd){ .fd = -1 };
	if (f->kind == FEED_FILE || f->offered)
		return (struct pollfd){ .fd = f->to, .events = POLLOUT };
	return (struct pollfd){ .fd = f->from, .events = POLLIN };
}

/* Take from the caller what the command has read. */
static void settle(struct feed *f)
{
	char gone[PAGE];
	size_t read_by_command;
	int left = 0;

	if (!f->offered || ioctl(f->watch, FIONREAD, &left) < 0 || left < 0 ||
	    (size_t)left > f->offered)
		return;
	read_by_command = f->offered - (size_t)left;
	f->offered = (size_t)left;
	if (f->kind == FEED_FILE) {
		(void)lseek(f->from, (off_t)read_by_command, SEEK_CUR);
		return;
	}
	while (read_by_command) {
		size_t want = read_by_command < sizeof(gone) ? read_by_command : sizeof(gone);
		ssize_t n = f->kind == FEED_SOCKET ? recv(f->from, gone, want, MSG_DONTWAIT)
						   : read(f->from, gone, want);

		if (n <= 0)
			return; /* somebody else has taken them: the input is shared */
		read_by_command -= (size_t)n;
	}
}

static ssize_t offer_file(struct feed *f)
{
	char buf[4 * PAGE];
	off_t at = lseek(f->from, 0, SEEK_CUR);
	ssize_t n = at < 0 ? -1 : pread(f->from, buf, sizeof(buf), at + (off_t)f->offered);

	return n > 0 ? write(f->to, buf, (size_t)n) : n;
}

static ssize_t offer_socket(struct feed *f)
{
	char buf[PAGE];
	ssize_t n = recv(f->from, buf, sizeof(buf), MSG_PEEK | MSG_DONTWAIT);

	return n > 0 ? write(f->to, buf, (size_t)n) : n;
}

void feed_run(struct feed *f, short revents)
{
	ssize_t n;

	if (!revents)
		return;
	settle(f);
	if (f->kind != FEED_FILE && f->offered)
		return;
	if (f->kind == FEED_FILE)
		n = offer_file(f);
	else if (f->kind == FEED_PIPE)
		n = tee(f->from, f->to, PAGE, SPLICE_F_NONBLOCK);
	else
		n = offer_socket(f);
	if (n > 0)
		f->offered += (size_t)n;
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	if (n < 0 && errno != ECONNRESET)
		f->error = errno;
	fd_release(&f->to); /* the command sees the end when it has read the rest */
}

void feed_close(struct feed *f)
{
	if (f->from >= 0)
		settle(f);
	fd_release(&f->from);
	fd_release(&f->to);
	fd_release(&f->watch);
	f->offered = 0;
}
