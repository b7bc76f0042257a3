// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paths of a layer: cleaned, and resolved link by link beneath the root; jail-unpack.
 *
 * The usual case is one openat2 that refuses links. Only where that fails the path is walked: a link
 * of this layer, or one that the layers below were said to have, is replaced by what it says, as
 * text, and '..' in it ends at the root. Nothing is ever opened through a link.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/text.h"
#include "oci/layer_impl.h"

#define LINKS_MAX 40

static int bad(struct err *e, const char *raw, const char *why)
{
	return err_set(e, ST_IMAGE, 0, "entry '%.200s': %s", raw, why);
}

int layer_clean_path(const char *raw, struct where *ret, struct err *e)
{
	struct text t;
	unsigned depth = 0;
	const char *s = raw;

	text_init(&t, ret->path, sizeof(ret->path));
	ret->parent[0] = '\0';
	ret->base = ret->path;
	while (*s) {
		size_t n = strcspn(s, "/");

		if (n == 2 && s[0] == '.' && s[1] == '.')
			return bad(e, raw, "path: expected no '..', got one");
		if (n > NAME_MAX)
			return bad(e, raw, "name: expected at most 255 bytes, got more");
		if (n && !(n == 1 && *s == '.')) {
			if (str_starts(ret->base, ".wh."))
				return bad(e, raw, "whiteout: expected a file, got a directory");
			if (++depth > DEPTH_MAX)
				return bad(e, raw, "depth: expected at most 512, got more");
			memcpy(ret->parent, ret->path, t.len + 1);
			if (t.len)
				text_add(&t, "/");
			ret->base = ret->path + t.len;
			text_addn(&t, s, n);
		}
		s += n;
		s += *s == '/';
	}
	if (t.full)
		return bad(e, raw, "path: expected at most 4095 bytes, got more");
	return t.len ? 0 : 1;
}

void layer_forget(struct layer *l)
{
	fd_release(&l->parent);
}

static int beneath(const struct layer *l, const char *path, uint64_t flags)
{
	return fs_openat2(l->root, *path ? path : ".", flags, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
}

int layer_set_opaque(struct layer *l, int dirfd, const char *name, struct err *e)
{
	own_fd fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	(void)l;
	if (fd >= 0 && fsetxattr(fd, "user.overlay.opaque", "y", 1, 0) == 0)
		return 0;
	if (errno == EOPNOTSUPP)
		return err_set(
			e, ST_IMAGE, 0,
			"this file system has no user extended attributes, which opaque directories of images need: set XDG_DATA_HOME to one that has");
	return err_set(e, ST_IMAGE, errno, "mark '%s' as opaque", name);
}

/* A walk: what is resolved, and what is still to go. */
struct walk {
	char done[PATH_MAX], todo[2 * PATH_MAX];
	unsigned links;
};

static void pop(char *path)
{
	char *slash = strrchr(path, '/');

	*(slash ? slash : path) = '\0';
}

/* done is the link itself: its text takes its place. */
static int follow(struct walk *w, const char *text, const char *rest, struct err *e)
{
	char todo[sizeof(w->todo)];
	struct text t;

	text_init(&t, todo, sizeof(todo));
	text_addf(&t, "%s/%s", text, rest);
	if (t.full || ++w->links > LINKS_MAX)
		return err_set(e, ST_IMAGE, 0,
			       "links: expected at most %u in a path, got more at '%.200s'",
			       LINKS_MAX, w->done);
	memcpy(w->todo, todo, t.len + 1);
	if (*text == '/')
		w->done[0] = '\0';
	else
		pop(w->done);
	return 0;
}

static const char *alias_of(const struct layer *l, const char *path)
{
	for (size_t i = 0; i < l->n_aliases; i++) {
		if (l->aliases[i].from && str_eq(l->aliases[i].from, path))
			return l->aliases[i].to;
	}
	return NULL;
}

/* A directory that no entry described, or not yet. */
static int make_implicit(struct layer *l, const char *path, struct err *e)
{
	struct dir *d;

	if (mkdirat(l->root, path, 0700) < 0)
		return err_set(e, ST_IMAGE, errno, "make '%.200s'", path);
	d = dirs_at(&l->dirs, path);
	if (!d)
		return err_set(e, ST_IMAGE, 0, "directories: too many");
	*d = (struct dir){ .path = d->path, .mode = 0755, .implicit = true };
	return 0;
}

/* done names something that is there; say what is to become of it. */
static int look(struct layer *l, struct walk *w, const struct stat *st, const char *rest, bool make,
		struct err *e)
{
	char text[PATH_MAX];
	ssize_t n;
	int rc;

	if (S_ISDIR(st->st_mode))
		return 0;
	if (S_ISLNK(st->st_mode)) {
		n = readlinkat(l->root, w->done, text, sizeof(text) - 1);
		if (n < 0)
			return err_set(e, ST_IMAGE, errno, "read the link '%.200s'", w->done);
		text[n] = '\0';
		rc = follow(w, text, rest, e);
		return rc < 0 ? rc : 1;
	}
	if (!S_ISCHR(st->st_mode))
		return err_set(e, ST_IMAGE, 0, "entry '%.200s': expected a directory, got a file",
			       w->done);
	if (!make)
		return -ENOENT;
	/* Our own whiteout: the layer has the name again, and nothing of what was below. */
	if (unlinkat(l->root, w->done, 0) < 0)
		return err_set(e, ST_IMAGE, errno, "remove '%.200s'", w->done);
	rc = make_implicit(l, w->done, e);
	if (rc < 0)
		return rc;
	dirs_at(&l->dirs, w->done)->implicit = false;
	return layer_set_opaque(l, l->root, w->done, e);
}

/* One component further. */
static int step(struct layer *l, struct walk *w, bool make, struct err *e)
{
	size_t n = strcspn(w->todo, "/"), len = strlen(w->done);
	char rest[sizeof(w->todo)];
	const char *alias;
	struct stat st;
	int rc;

	memcpy(rest, w->todo + n + (w->todo[n] == '/'), strlen(w->todo + n + (w->todo[n] == '/')) + 1);
	w->todo[n] = '\0';
	if (str_eq(w->todo, "..")) {
		pop(w->done);
	} else if (n && !str_eq(w->todo, ".")) {
		if (n > NAME_MAX || len + 1 + n >= sizeof(w->done))
			return err_set(e, ST_IMAGE, ENAMETOOLONG, "resolve '%.200s'", w->done);
		if (len)
			w->done[len++] = '/';
		memcpy(w->done + len, w->todo, n + 1);
		alias = alias_of(l, w->done);
		if (fstatat(l->root, w->done, &st, AT_SYMLINK_NOFOLLOW) == 0)
			rc = look(l, w, &st, rest, make, e);
		else if (errno != ENOENT)
			return err_set(e, ST_IMAGE, errno, "look at '%.200s'", w->done);
		else if (alias)
			rc = follow(w, alias, rest, e) < 0 ? -EINVAL : 1;
		else
			rc = make ? make_implicit(l, w->done, e) : -ENOENT;
		if (rc)
			return rc < 0 ? rc : 0; /* 1: todo is new */
	}
	memcpy(w->todo, rest, strlen(rest) + 1);
	return 0;
}

static int walk(struct layer *l, const char *name, bool make, struct err *e)
{
	struct walk w = { .links = 0 };

	memcpy(w.todo, name, strlen(name) + 1);
	while (w.todo[0]) {
		int rc = step(l, &w, make, e);

		if (rc < 0)
			return rc;
	}
	l->parent = beneath(l, w.done, O_PATH | O_DIRECTORY);
	if (l->parent < 0)
		return err_set(e, ST_IMAGE, -l->parent, "open '%.200s'", w.done);
	memcpy(l->parent_path, w.done, sizeof(w.done));
	return 0;
}

int layer_enter(struct layer *l, const char *name, bool make, struct err *e)
{
	int rc = 0;

	if (l->parent >= 0 && str_eq(l->parent_name, name))
		return 0;
	layer_forget(l);
	l->parent = beneath(l, name, O_PATH | O_DIRECTORY);
	if (l->parent >= 0)
		memcpy(l->parent_path, name, strlen(name) + 1);
	else
		rc = walk(l, name, make, e);
	if (rc < 0)
		return rc;
	memcpy(l->parent_name, name, strlen(name) + 1);
	return 0;
}

int layer_full_path(const struct layer *l, const char *base, char ret[PATH_MAX], struct err *e)
{
	struct text t;

	text_init(&t, ret, PATH_MAX);
	if (l->parent_path[0])
		text_addf(&t, "%s/", l->parent_path);
	text_add(&t, base);
	return t.full ? err_set(e, ST_IMAGE, ENAMETOOLONG, "entry '%.200s'", base) : 0;
}
