// SPDX-License-Identifier: GPL-2.0-or-later
/* A blob on its way into a file: hashed as it comes, resumed where it broke; jail-pull. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/own.h"
#include "oci/pull.h"

static int failed(const struct sink *s, int code, const char *what, struct err *e)
{
	return err_set(e, ST_IMAGE, code, "%s '%s'", what, s->part);
}

static int start_hash(struct sink *s, struct err *e)
{
	hash_release(&s->hash);
	return hash_start(&s->want, &s->hash, e);
}

int sink_restart(struct sink *s, struct err *e)
{
	s->len = 0;
	s->old = false;
	if (ftruncate(s->fd, 0) < 0 || lseek(s->fd, 0, SEEK_SET) < 0)
		return failed(s, errno, "empty", e);
	return start_hash(s, e);
}

/* The bytes of an earlier run count only by their hash. */
static int take_over(struct sink *s, struct err *e)
{
	own_str buf = malloc(256 << 10);

	if (!buf)
		return failed(s, ENOMEM, "read", e);
	for (;;) {
		ssize_t n = read(s->fd, buf, 256 << 10);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return failed(s, errno, "read", e);
		if (n == 0)
			break;
		hash_add(s->hash, buf, (size_t)n);
		s->len += (uint64_t)n;
	}
	s->old = s->len > 0;
	return s->len > s->size ? sink_restart(s, e) : 0;
}

int sink_open(struct sink *s, int dirfd, const struct digest *want, uint64_t size, struct err *e)
{
	struct stat st;
	int rc;

	*s = (struct sink){ .dirfd = dirfd, .fd = FD_NONE, .want = *want, .size = size };
	(void)snprintf(s->name, sizeof(s->name), "%s", digest_name(want).text);
	(void)snprintf(s->part, sizeof(s->part), "%s.part", s->name);
	s->fd = openat(dirfd, s->part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (s->fd < 0)
		return failed(s, errno, "open", e);
	if (fstat(s->fd, &st) < 0 || !S_ISREG(st.st_mode))
		return failed(s, EINVAL, "not a file:", e);
	if (flock(s->fd, LOCK_EX | LOCK_NB) < 0)
		return failed(s, errno, "another process is filling", e);
	rc = start_hash(s, e);
	return rc < 0 ? rc : take_over(s, e);
}

int sink_add(struct sink *s, const void *p, size_t n, struct err *e)
{
	int rc;

	if (n > s->size - s->len)
		return err_set(e, ST_IMAGE, 0,
			       "%s: more than the %llu bytes that the manifest promises",
			       s->want.text, (unsigned long long)s->size);
	rc = fs_write_all(s->fd, p, n);
	if (rc < 0) {
		/* What is in the file and not in the hash must not be counted. */
		if (ftruncate(s->fd, (off_t)s->len) < 0)
			(void)unlinkat(s->dirfd, s->part, 0);
		return failed(s, -rc, "write", e);
	}
	hash_add(s->hash, p, n);
	s->len += n;
	return 0;
}

int sink_finish(struct sink *s, struct digest *ret_got, struct err *e)
{
	struct hash *h = s->hash;
	int rc;

	s->hash = NULL;
	rc = hash_finish(h, ret_got, e);
	if (rc < 0)
		return rc;
	if (!digest_eq(ret_got, &s->want)) {
		rc = sink_restart(s, e);
		return rc < 0 ? rc : 1;
	}
	/* The name is a promise that outlives a power cut. */
	if (fdatasync(s->fd) < 0)
		return failed(s, errno, "write", e);
	if (renameat(s->dirfd, s->part, s->dirfd, s->name) < 0)
		return failed(s, errno, "rename", e);
	return 0;
}

void sink_close(struct sink *s)
{
	hash_release(&s->hash);
	fd_release(&s->fd);
}
