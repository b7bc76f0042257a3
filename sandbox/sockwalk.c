// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walking trees for the sockets in them; P0.
 *
 * One directory is open at a time, and those that are still to be read wait in a queue of paths:
 * how deep a tree is does not matter, and what a program listens on is mostly found near the top.
 * Whoever made the tree may have made it to wear this walk out, so everything is bounded: names by
 * w->left, the queue by its size, a path by PATH_MAX. What lies beyond is not looked at, and the
 * caller is told.
 */
#include "sandbox/sockwalk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/kernel.h"
#include "base/own.h"
#include "base/text.h"
#include "sandbox/resolve.h"

#define QUEUE_SIZE   ((size_t)2 << 20)
#define ENTRIES_SIZE 32768

/* Paths below the top, each with its zero byte; "" is the top itself. */
struct queue {
	char *buf; /* NULL: directories are passed over */
	size_t head, tail;
};

struct directory {
	int fd;
	const char *top, *below;
};

/*
 * What went away, became something else, or is where another mount begins, has nothing for us. What
 * may not be read may well have: its owner can change that.
 */
static int passed_over(struct sockwalk *w, int code, const char *path, struct err *e)
{
	if (code == ENOENT || code == ENOTDIR || code == ELOOP || code == EXDEV)
		return 0;
	if (!path_absent(code))
		return err_set(e, ST_PLAN, code, "look for sockets in '%s'", path);
	w->cut = true;
	return 0;
}

static void push(struct sockwalk *w, struct queue *q, const char *below, const char *name)
{
	struct text t;

	if (!q->buf)
		return;
	text_init(&t, q->buf + q->tail, QUEUE_SIZE - q->tail);
	text_addf(&t, "%s%s%s", below, *below ? "/" : "", name);
	if (t.full || t.len >= PATH_MAX)
		w->cut = true;
	else
		q->tail += t.len + 1;
}

static int look_at(struct sockwalk *w, const struct directory *d, const char *name,
		   const struct stat *st, struct err *e)
{
	const bool root = str_eq(d->top, "/");
	char path[PATH_MAX];
	struct text t;

	text_init(&t, path, sizeof(path));
	text_addf(&t, "%s%s%s/%s", root ? "" : d->top, *d->below ? "/" : "", d->below, name);
	if (t.full) {
		w->cut = true;
		return 0;
	}
	return w->met(w->arg, path, st, e);
}

static int take_entry(struct sockwalk *w, struct queue *q, const struct directory *d,
		      const char *name, unsigned type, struct err *e)
{
	struct stat st = { 0 };

	if (type == DT_UNKNOWN || type == DT_SOCK) {
		if (fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return passed_over(w, errno, d->top, e);
		if (S_ISSOCK(st.st_mode))
			return look_at(w, d, name, &st, e);
	}
	if (type == DT_DIR || S_ISDIR(st.st_mode))
		push(w, q, d->below, name);
	return 0;
}

static int read_directory(struct sockwalk *w, struct queue *q, const struct directory *d,
			  struct err *e)
{
	_Alignas(struct k_dirent) char buf[ENTRIES_SIZE];
	long n;

	while ((n = k_getdents64(d->fd, buf, sizeof(buf))) > 0) {
		for (long at = 0; at < n;) {
			const struct k_dirent *entry = (const struct k_dirent *)(buf + at);
			int rc;

			at += entry->reclen;
			if (str_eq(entry->name, ".") || str_eq(entry->name, ".."))
				continue;
			if (!w->left) {
				w->cut = true;
				return 0;
			}
			w->left--;
			rc = take_entry(w, q, d, entry->name, entry->type, e);
			if (rc)
				return rc;
		}
	}
	return n < 0 ? passed_over(w, errno, d->top, e) : 0;
}

/* The next path, and room for more behind the others. */
static void pop(struct queue *q, char *ret, size_t size)
{
	struct text t;

	text_init(&t, ret, size);
	text_add(&t, q->buf + q->head);
	q->head += t.len + 1;
	if (q->head > QUEUE_SIZE / 2) {
		q->tail -= q->head;
		memmove(q->buf, q->buf + q->head, q->tail);
		q->head = 0;
	}
}

int sockwalk_tree(struct sockwalk *w, const char *top, struct err *e)
{
	const uint64_t links = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
	const uint64_t how = links | RESOLVE_BENEATH | (w->cross ? 0 : RESOLVE_NO_XDEV);
	own_fd root = fs_openat2(AT_FDCWD, top, O_RDONLY | O_DIRECTORY, links);
	own_str buf = malloc(QUEUE_SIZE);
	struct queue q = { .buf = buf };
	int rc = 0;

	if (!buf)
		return err_set(e, ST_PLAN, ENOMEM, "look for sockets in '%s'", top);
	if (root < 0)
		return passed_over(w, -root, top, e);
	push(w, &q, "", "");
	while (rc == 0 && q.head < q.tail && !(w->cut && !w->left)) {
		char below[PATH_MAX];
		own_fd fd = FD_NONE;

		pop(&q, below, sizeof(below));
		fd = fs_openat2(root, *below ? below : ".", O_RDONLY | O_DIRECTORY, how);
		rc = fd < 0 ? passed_over(w, -fd, top, e)
			    : read_directory(w, &q, &(struct directory){ fd, top, below }, e);
	}
	return rc;
}

int sockwalk_directory(struct sockwalk *w, const char *path, struct err *e)
{
	own_fd fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct directory d = { .fd = fd, .top = path, .below = "" };
	struct queue none = { .buf = NULL };

	if (fd < 0)
		return passed_over(w, errno, path, e);
	return read_directory(w, &none, &d, e);
}
