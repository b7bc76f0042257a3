// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Path resolution that remembers the links; P0.
 *
 * The kernel could resolve a path in one call, but would not say which links it passed, and both a
 * link and its target must exist inside (stow, Nix, /home -> /var/home). So the links are walked
 * here by name, and then the canonical path is opened by openat2 with links forbidden: if somebody
 * swaps a component in between, the open fails instead of following.
 */
#include "sandbox/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/text.h"

#define LINKS_MAX 40

struct walk {
	char done[PATH_MAX]; /* canonical so far; empty means "/" */
	size_t done_len;
	char rest[2 * PATH_MAX];
	unsigned links;
};

/* Take the next component off w->rest into name; false when there is none. */
static bool next_component(struct walk *w, char *name, size_t size)
{
	char *p = w->rest;
	size_t n;

	while (*p == '/')
		p++;
	n = strcspn(p, "/");
	if (!n || n >= size)
		return false;
	memcpy(name, p, n);
	name[n] = '\0';
	memmove(w->rest, p + n, strlen(p + n) + 1);
	return true;
}

/* Put a link's text before what is left to walk. */
static int follow(struct walk *w, const char *text)
{
	char tail[2 * PATH_MAX];
	struct text t;

	if (++w->links > LINKS_MAX)
		return -ELOOP;
	memcpy(tail, w->rest, strlen(w->rest) + 1);
	text_init(&t, w->rest, sizeof(w->rest));
	text_add(&t, text);
	text_add(&t, tail);
	if (t.full)
		return -ENAMETOOLONG;
	if (text[0] == '/')
		w->done_len = 0;
	w->done[w->done_len] = '\0';
	return 0;
}

static int step(struct arena *a, struct walk *w, const char *name, struct link_passed ***tail)
{
	size_t before = w->done_len, n = strlen(name);
	char text[PATH_MAX];
	struct link_passed *l;
	ssize_t len;

	if (str_eq(name, "."))
		return 0;
	if (str_eq(name, "..")) {
		char *slash = strrchr(w->done, '/');

		if (slash)
			*slash = '\0';
		w->done_len = strlen(w->done);
		return 0;
	}
	if (before + 1 + n >= sizeof(w->done))
		return -ENAMETOOLONG;
	w->done[before] = '/';
	memcpy(w->done + before + 1, name, n + 1);
	w->done_len = before + 1 + n;
	len = readlink(w->done, text, sizeof(text) - 1);
	if (len < 0)
		return errno == EINVAL ? 0 : -errno; /* EINVAL: it is no link */
	text[len] = '\0';
	l = arena_new(a, struct link_passed);
	l->at = arena_strdup(a, w->done);
	l->text = arena_strdup(a, text);
	**tail = l;
	*tail = &l->next;
	w->done_len = before;
	w->done[before] = '\0';
	return follow(w, text);
}

/* No empty, "." or ".." component: such a path is canonical if no link is on it. */
static bool is_plain(const char *path)
{
	const char *p = path;

	while (*p == '/') {
		size_t n = strcspn(++p, "/");

		if (!n || (n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.'))
			return false;
		p += n;
	}
	return path[0] == '/' && path[1];
}

static int walk_links(struct arena *a, const char *path, struct resolved *r)
{
	struct link_passed **tail = &r->links;
	struct walk w = { .done_len = 0 };
	char name[NAME_MAX + 1];

	memcpy(w.rest, path, strlen(path) + 1);
	while (next_component(&w, name, sizeof(name))) {
		int rc = step(a, &w, name, &tail);

		if (rc < 0)
			return rc;
	}
	if (w.rest[strspn(w.rest, "/")])
		return -ENAMETOOLONG;
	r->path = w.done_len ? arena_strdup(a, w.done) : "/";
	return 0;
}

bool path_absent(int code)
{
	static const int said_of_it[] = { ENOENT,   ENOTDIR, EACCES,	ELOOP,	  ENAMETOOLONG,
					  ENOTCONN, ESTALE,  EHOSTDOWN, ETIMEDOUT /* a network's that is gone */ };

	for (size_t i = 0; i < ARRAY_SIZE(said_of_it); i++) {
		if (code == said_of_it[i])
			return true;
	}
	return false;
}

static int failed(const char *path, int code, struct err *e)
{
	return path_absent(code) ? -code : err_set(e, ST_PLAN, code, "look for '%s'", path);
}

int path_resolve(struct arena *a, const char *path, struct resolved *ret, struct err *e)
{
	struct resolved r = { .fd = -ELOOP };
	int rc;

	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (is_plain(path)) {
		r.path = arena_strdup(a, path);
		r.fd = fs_openat2(AT_FDCWD, path, O_PATH, RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
	}
	if (r.fd == -ELOOP) {
		rc = walk_links(a, path, &r);
		if (rc < 0)
			return failed(path, -rc, e);
		r.fd = fs_openat2(AT_FDCWD, r.path, O_PATH,
				  RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
	}
	if (r.fd == -ENOSYS)
		return err_set(e, ST_KERNEL, ENOSYS, "openat2");
	if (r.fd < 0)
		return failed(path, -r.fd, e);
	if (fstat(r.fd, &r.st) < 0) {
		rc = failed(path, errno, e);
		fd_release(&r.fd);
		return rc;
	}
	*ret = r;
	return 0;
}

const char *path_absolute(struct arena *a, const char *cwd, const char *path)
{
	if (path[0] == '/')
		return path;
	return arena_printf(a, "%s/%s", str_eq(cwd, "/") ? "" : cwd, path);
}
