// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paths in a stack of layers; P0.
 *
 * The rules are overlayfs's own: the topmost layer that has a name wins; a whiteout (a character
 * device 0:0) or something that is no directory hides what is below; a directory marked opaque is
 * not merged with those below it. The layers are a stranger's: no link is ever followed by the
 * kernel here, only by name, from the image's root.
 */
#include "sandbox/imagetree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"

#define INSIDE (RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_BENEATH)

#define LINKS_MAX 40

struct walk {
	char done[PATH_MAX]; /* "/a/b", or "" for the root */
	size_t done_len;
	char rest[2 * PATH_MAX];
	unsigned links;
};

static bool is_opaque(int fd)
{
	char path[32], value[4];
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = getxattr(path, "user.overlay.opaque", value, sizeof(value));
	return n == 1 && value[0] == 'y';
}

static bool is_whiteout(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && !st->st_rdev;
}

/*
 * What one layer says of a path ("a/b"): 1 and a descriptor when it has it; 0 when it says nothing
 * and the next one is to be asked; -ENOENT when it says that there is nothing, or none below may.
 */
static int ask_layer(int layer, const char *path, int *ret_fd, struct stat *ret_st)
{
	bool last = false;
	char part[PATH_MAX];

	for (size_t n = 0;; n++) {
		own_fd fd = FD_NONE;
		struct stat st;

		n += strcspn(path + n, "/");
		memcpy(part, path, n);
		part[n] = '\0';
		fd = fs_openat2(layer, part, O_PATH | O_NOFOLLOW, INSIDE);
		if (fd == -ENOENT)
			return last ? -ENOENT : 0;
		if (fd < 0)
			return fd;
		if (fstat(fd, &st) < 0)
			return -errno;
		if (is_whiteout(&st))
			return -ENOENT;
		if (!path[n]) {
			*ret_st = st;
			*ret_fd = fd_take(&fd);
			return 1;
		}
		if (!S_ISDIR(st.st_mode))
			return -ENOENT;
		last = last || is_opaque(fd);
	}
}

static int lookup(const struct image *i, const char *path, int *ret_fd, struct stat *ret_st)
{
	for (size_t k = 0; k < i->layers_n; k++) {
		int rc = ask_layer(i->layers[k].fd, path, ret_fd, ret_st);

		if (rc)
			return rc < 0 ? rc : 0;
	}
	return -ENOENT;
}

/* Take the next component off w->rest into name; 0 when there is none. */
static int next_component(struct walk *w, char *name, size_t size)
{
	const char *p = w->rest + strspn(w->rest, "/");
	size_t n = strcspn(p, "/");

	if (n >= size)
		return -ENAMETOOLONG;
	memcpy(name, p, n);
	name[n] = '\0';
	memmove(w->rest, p + n, strlen(p + n) + 1);
	return n > 0;
}

static int append(struct walk *w, const char *name)
{
	size_t n = strlen(name);

	if (w->done_len + n + 2 > sizeof(w->done))
		return -ENAMETOOLONG;
	w->done[w->done_len] = '/';
	memcpy(w->done + w->done_len + 1, name, n + 1);
	w->done_len += n + 1;
	return 0;
}

/* Back to the directory above; the root is above itself. */
static void up(struct walk *w)
{
	char *slash = strrchr(w->done, '/');

	w->done_len = slash ? (size_t)(slash - w->done) : 0;
	w->done[w->done_len] = '\0';
}

/* Walk on by the link that was the last component. */
static int follow(struct walk *w, int fd)
{
	char text[PATH_MAX], rest[2 * PATH_MAX];
	ssize_t n = readlinkat(fd, "", text, sizeof(text) - 1);
	struct text t;

	if (n < 0)
		return -errno;
	text[n] = '\0';
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	up(w);
	if (text[0] == '/')
		w->done_len = 0;
	w->done[w->done_len] = '\0';
	text_init(&t, rest, sizeof(rest));
	text_addf(&t, "%s/%s", text, w->rest);
	if (t.full)
		return -ENAMETOOLONG;
	memcpy(w->rest, rest, t.len + 1);
	return 0;
}

/* One component; what it is, is in *fd and *st, or nothing is and nothing below can be. */
static int step(struct walk *w, const struct image *i, const char *name, int *fd, struct stat *st)
{
	int rc;

	fd_release(fd);
	if (str_eq(name, ".") || str_eq(name, "..")) {
		if (name[1])
			up(w);
		return w->done_len ? lookup(i, w->done + 1, fd, st) : 0;
	}
	rc = append(w, name);
	return rc < 0 ? rc : lookup(i, w->done + 1, fd, st);
}

/* Behind what does not exist there are names only, and no way back out of it. */
static int append_rest(struct walk *w)
{
	char name[NAME_MAX + 1];
	int rc;

	while ((rc = next_component(w, name, sizeof(name))) > 0) {
		if (str_eq(name, ".."))
			return -ENOENT;
		rc = str_eq(name, ".") ? 0 : append(w, name);
		if (rc < 0)
			return rc;
	}
	return rc;
}

int image_resolve(struct arena *a, const struct image *i, const char *path, struct image_place *ret)
{
	struct walk w = { .done_len = 0 };
	struct image_place p = { .fd = FD_NONE };
	char name[NAME_MAX + 1];
	own_fd fd = FD_NONE;
	int rc;

	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(w.rest, path, strlen(path) + 1);
	while ((rc = next_component(&w, name, sizeof(name))) > 0) {
		rc = step(&w, i, name, &fd, &p.st);
		if (rc == -ENOENT) {
			rc = append_rest(&w);
			break;
		}
		if (rc == 0 && fd >= 0 && S_ISLNK(p.st.st_mode))
			rc = follow(&w, fd);
		else if (rc == 0 && fd >= 0 && !S_ISDIR(p.st.st_mode) && w.rest[strspn(w.rest, "/")])
			rc = -ENOTDIR;
		if (rc < 0)
			return rc;
	}
	if (rc < 0)
		return rc;
	p.path = w.done_len ? arena_strdup(a, w.done) : "/";
	if (!w.done_len) { /* the topmost layer's: every layer has a root */
		fd_release(&fd);
		fd = fcntl(i->layers[0].fd, F_DUPFD_CLOEXEC, 3);
		if (fd < 0 || fstat(fd, &p.st) < 0)
			return -errno;
	}
	p.fd = fd_take(&fd);
	*ret = p;
	return 0;
}

char *image_read(struct arena *a, const struct image *i, const char *path, size_t max)
{
	struct image_place p = { .fd = FD_NONE };
	own_fd place = FD_NONE;
	own_fd fd = FD_NONE;
	char proc[32], *text;
	ssize_t n;

	if (image_resolve(a, i, path, &p) < 0)
		return NULL;
	place = p.fd;
	if (place < 0 || !S_ISREG(p.st.st_mode) || p.st.st_size < 0 || (size_t)p.st.st_size > max)
		return NULL;
	(void)snprintf(proc, sizeof(proc), "/proc/self/fd/%d", place);
	fd = open(proc, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	text = arena_alloc(a, (size_t)p.st.st_size + 1);
	n = fs_read_fd(fd, text, (size_t)p.st.st_size + 1);
	return n < 0 || strlen(text) != (size_t)n ? NULL : text;
}
