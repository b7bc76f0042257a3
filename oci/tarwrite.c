// SPDX-License-Identifier: GPL-2.0-or-later
/* Writing tar in the pax format; a child of jail-image, which ends afterwards. */
#include "oci/tarwrite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/text.h"

#define BLOCK	  512
#define DEPTH_MAX 512
#define OCTAL_MAX ((uint64_t)077777777777) /* what a header's size holds */

struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100],
		magic[6], version[2], rest[247];
};

/* A directory that is being read. */
struct level {
	struct dirent **names;
	int n, at, fd;
	size_t len; /* of its path */
};

/* A file with several names, and the first of them. */
struct inode {
	dev_t dev;
	ino_t ino;
	char path[];
};

struct writer {
	int out;
	char path[PATH_MAX]; /* of the entry at hand */
	size_t len;
	struct level *levels;
	size_t depth;
	void *inodes;
	char *buf;
	struct err *e;
};

static int failed(const struct writer *w, const char *doing)
{
	return err_set(w->e, ST_IMAGE, errno ? errno : EIO, "%s '%.200s'", doing, w->path);
}

static int emit(const struct writer *w, const void *data, size_t n)
{
	static const char zeros[BLOCK];
	int rc = fs_write_all(w->out, data, n);

	if (rc == 0 && n % BLOCK)
		rc = fs_write_all(w->out, zeros, BLOCK - n % BLOCK);
	return rc < 0 ? err_set(w->e, ST_IMAGE, -rc, "write a tar") : 0;
}

static void octal(char *field, size_t size, uint64_t value)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%0*llo", (int)size - 1, (unsigned long long)value);
	memcpy(field, text, size);
}

static void put(char *field, size_t size, const char *value)
{
	size_t n = strlen(value);

	memcpy(field, value, n < size ? n : size);
}

static int emit_header(const struct writer *w, char type, const char *name, const char *link,
		       const struct stat *st, uint64_t size)
{
	struct header h = { .type = type, .magic = "ustar", .version = { '0', '0' } };
	unsigned sum = 0;

	_Static_assert(sizeof(h) == BLOCK, "a tar header is one block");
	put(h.name, sizeof(h.name), name);
	put(h.link, sizeof(h.link), link);
	octal(h.mode, sizeof(h.mode), st->st_mode & 07777);
	octal(h.uid, sizeof(h.uid), 0);
	octal(h.gid, sizeof(h.gid), 0);
	octal(h.size, sizeof(h.size), size > OCTAL_MAX ? 0 : size);
	octal(h.mtime, sizeof(h.mtime),
	      st->st_mtime < 0 || (uint64_t)st->st_mtime > OCTAL_MAX ? 0 : (uint64_t)st->st_mtime);
	memset(h.sum, ' ', sizeof(h.sum));
	for (size_t i = 0; i < sizeof(h); i++)
		sum += ((const unsigned char *)&h)[i];
	(void)snprintf(h.sum, sizeof(h.sum), "%06o", sum);
	return emit(w, &h, sizeof(h));
}

/* "LENGTH key=value\n", where LENGTH counts itself. */
static void record(struct text *t, const char *key, const char *value)
{
	size_t n = strlen(key) + strlen(value) + 3, digits = 1, total;

	for (total = n + digits; total >= (digits == 1	 ? 10u
					   : digits == 2 ? 100u
					   : digits == 3 ? 1000u
							 : 10000u);
	     total = n + digits)
		digits++;
	text_addf(t, "%zu %s=%s\n", total, key, value);
}

static int emit_entry(struct writer *w, char type, const char *link, const struct stat *st,
		      uint64_t size)
{
	char pax[3 * PATH_MAX], value[64];
	struct text t;
	int rc = 0;

	text_init(&t, pax, sizeof(pax));
	if (w->len >= 100)
		record(&t, "path", w->path);
	if (strlen(link) >= 100)
		record(&t, "linkpath", link);
	if (size > OCTAL_MAX) {
		(void)snprintf(value, sizeof(value), "%llu", (unsigned long long)size);
		record(&t, "size", value);
	}
	if (st->st_mtim.tv_nsec && st->st_mtime >= 0) {
		(void)snprintf(value, sizeof(value), "%lld.%09ld", (long long)st->st_mtime,
			       st->st_mtim.tv_nsec);
		record(&t, "mtime", value);
	} else if (st->st_mtime < 0) {
		(void)snprintf(value, sizeof(value), "%lld", (long long)st->st_mtime);
		record(&t, "mtime", value);
	}
	if (t.len) {
		struct stat plain = { .st_mode = 0644 };

		rc = emit_header(w, 'x', "pax", "", &plain, t.len);
		if (rc == 0)
			rc = emit(w, pax, t.len);
	}
	return rc < 0 ? rc : emit_header(w, type, w->path, link, st, size);
}

static int by_inode(const void *a, const void *b)
{
	const struct inode *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return x->dev == y->dev ? 0 : x->dev < y->dev ? -1 : 1;
}

/* The name under which this file went out before; NULL when this is its first. */
static const char *seen(struct writer *w, const struct stat *st)
{
	struct inode *one, **found;

	if (st->st_nlink < 2)
		return NULL;
	one = malloc(sizeof(*one) + w->len + 1);
	if (!one)
		return NULL;
	one->dev = st->st_dev;
	one->ino = st->st_ino;
	memcpy(one->path, w->path, w->len + 1);
	found = tsearch(one, &w->inodes, by_inode);
	if (!found || *found == one)
		return NULL;
	free(one);
	return (*found)->path;
}

#define CHUNK ((size_t)256 << 10)

static int emit_file(struct writer *w, int dir, const char *name, const struct stat *st)
{
	own_fd fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	uint64_t left = (uint64_t)st->st_size;
	int rc;

	if (fd < 0)
		return failed(w, "open");
	rc = emit_entry(w, '0', "", st, left);
	while (rc == 0 && left) {
		size_t want = left < CHUNK ? (size_t)left : CHUNK, n = 0;

		while (n < want) {
			ssize_t got = read(fd, w->buf + n, want - n);

			if (got < 0 && errno == EINTR)
				continue;
			if (got <= 0) {
				errno = got ? errno : 0;
				return failed(w, "it became shorter, or cannot be read:");
			}
			n += (size_t)got;
		}
		rc = emit(w, w->buf, n); /* CHUNK is a multiple of BLOCK: padded at the end only */
		left -= n;
	}
	return rc;
}

static int enter(struct writer *w, int dir, const char *name)
{
	struct level *l = &w->levels[w->depth];

	if (w->depth == DEPTH_MAX)
		return err_set(w->e, ST_IMAGE, ENAMETOOLONG, "enter '%.200s'", w->path);
	l->fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	l->n = l->fd < 0 ? -1 : scandirat(l->fd, ".", &l->names, NULL, alphasort);
	if (l->n < 0)
		return failed(w, "read the directory");
	l->at = 0;
	l->len = w->len;
	w->depth++;
	return 0;
}

static int emit_one(struct writer *w, int dir, const char *name)
{
	char text[PATH_MAX];
	const char *first;
	struct stat st;
	ssize_t n;
	int rc;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return failed(w, "look at");
	if (S_ISDIR(st.st_mode)) {
		rc = emit_entry(w, '5', "", &st, 0);
		return rc < 0 ? rc : enter(w, dir, name);
	}
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode) && !S_ISFIFO(st.st_mode))
		return 0;
	first = seen(w, &st);
	if (first)
		return emit_entry(w, '1', first, &st, 0);
	if (S_ISREG(st.st_mode))
		return emit_file(w, dir, name, &st);
	if (S_ISFIFO(st.st_mode))
		return emit_entry(w, '6', "", &st, 0);
	n = readlinkat(dir, name, text, sizeof(text) - 1);
	if (n < 0)
		return failed(w, "read the link");
	text[n] = '\0';
	return emit_entry(w, '2', text, &st, 0);
}

static bool is_dot(const char *name)
{
	return str_eq(name, ".") || str_eq(name, "..");
}

/* The next name of the directory at hand; done with it, its parent goes on. */
static int step(struct writer *w)
{
	struct level *l = &w->levels[w->depth - 1];
	const char *name;
	size_t n;

	if (l->at == l->n) {
		for (int i = 0; i < l->n; i++)
			free(l->names[i]);
		free(l->names);
		fd_release(&l->fd);
		w->depth--;
		return 0;
	}
	name = l->names[l->at++]->d_name;
	n = strlen(name);
	if (is_dot(name))
		return 0;
	if (l->len + n + 2 > sizeof(w->path))
		return err_set(w->e, ST_IMAGE, ENAMETOOLONG, "enter '%.200s'", w->path);
	w->len = l->len;
	w->path[w->len++] = '/';
	memcpy(w->path + w->len, name, n + 1);
	w->len += n;
	return emit_one(w, l->fd, name);
}

int tar_write(const char *path, int out, struct err *e)
{
	static const char end[2 * BLOCK];
	struct writer w = { .out = out, .path = ".", .len = 1, .e = e };
	own_fd top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = 0;

	if (top < 0)
		return err_set(e, ST_IMAGE, errno, "open '%.200s'", path);
	w.levels = calloc(DEPTH_MAX, sizeof(w.levels[0]));
	w.buf = malloc(CHUNK);
	if (!w.levels || !w.buf)
		rc = err_set(e, ST_IMAGE, ENOMEM, "write a tar");
	if (rc == 0)
		rc = emit_one(&w, top, ".");
	while (rc == 0 && w.depth)
		rc = step(&w);
	if (rc == 0)
		rc = emit(&w, end, sizeof(end));
	free(w.levels);
	free(w.buf);
	return rc;
}
