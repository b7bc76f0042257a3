// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Removing trees; jail-image and jail-unpack.
 *
 * No recursion and one descriptor at a time, however deep the tree is: going down, a directory is
 * opened beneath the one at hand; coming up, "..", and the name that was left is removed. Images have
 * directories without write permission (0555): they get it first.
 */
#include "oci/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"

/* Where a removal stands: names of the directories that it is inside of, one after another. */
struct descent {
	char names[1 << 16];
	size_t len;
};

static bool push(struct descent *d, const char *name)
{
	size_t n = strlen(name) + 1;

	if (n > sizeof(d->names) - d->len)
		return false;
	memcpy(d->names + d->len, name, n);
	d->len += n;
	return true;
}

/* The last name, which stays valid until the next push. */
static const char *pop(struct descent *d)
{
	size_t at = d->len - 1;

	while (at && d->names[at - 1])
		at--;
	d->len = at;
	return d->names + at;
}

static int open_dir(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && errno == EACCES && fchmodat(dirfd, name, 0700, 0) == 0)
		fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		(void)!fchmod(fd, 0700);
	return fd < 0 ? -errno : fd;
}

static bool is_dot(const char *name)
{
	return str_eq(name, ".") || str_eq(name, "..");
}

/*
 * Remove what is no directory from fd; the name of the first directory found goes to `sub`, "" when
 * there is none.
 */
static int remove_files(int fd, char *sub, size_t size)
{
	own_fd again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	own_dir dir = again < 0 ? NULL : fdopendir(again);
	const struct dirent *d;
	struct text t;

	text_init(&t, sub, size);
	if (!dir)
		return -errno;
	(void)fd_take(&again);
	for (errno = 0; (d = readdir(dir)); errno = 0) {
		if (is_dot(d->d_name))
			continue;
		if (unlinkat(fd, d->d_name, 0) == 0)
			continue;
		if (errno != EISDIR && errno != EPERM)
			return -errno;
		/* EPERM may also mean that it is no directory but immutable: opening it tells. */
		if (!t.len)
			text_add(&t, d->d_name);
	}
	return -errno;
}

int tree_remove(int dirfd, const char *name)
{
	struct descent d = { .len = 0 };
	char sub[NAME_MAX + 1];
	own_fd at = FD_NONE;
	int next;

	if (unlinkat(dirfd, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -errno;
	next = open_dir(dirfd, name);
	if (next < 0)
		return next;
	at = next;
	for (;;) {
		int rc = remove_files(at, sub, sizeof(sub));

		if (rc < 0)
			return rc;
		if (sub[0]) {
			next = open_dir(at, sub);
			if (next >= 0 && !push(&d, sub)) {
				(void)close(next);
				next = -ENAMETOOLONG;
			}
		} else if (d.len) {
			next = openat(at, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			next = next < 0 ? -errno : next;
			if (next >= 0 && unlinkat(next, pop(&d), AT_REMOVEDIR) < 0) {
				rc = -errno;
				(void)close(next);
				return rc;
			}
		} else {
			return unlinkat(dirfd, name, AT_REMOVEDIR) < 0 ? -errno : 0;
		}
		if (next < 0)
			return next;
		fd_release(&at);
		at = next;
	}
}

int tree_make_path(const char *path, unsigned mode)
{
	char part[PATH_MAX];
	size_t n = strlen(path);

	if (n >= sizeof(part))
		return -ENAMETOOLONG;
	memcpy(part, path, n + 1);
	for (size_t i = 1; i <= n; i++) {
		if (part[i] != '/' && part[i] != '\0')
			continue;
		part[i] = '\0';
		if (mkdir(part, mode) < 0 && errno != EEXIST)
			return -errno;
		part[i] = i == n ? '\0' : '/';
	}
	return 0;
}
