// SPDX-License-Identifier: GPL-2.0-or-later
/* Looking through the layers below, as overlayfs would; jail-image. */
#include "oci/chain.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/text.h"
#include "oci/record.h"

#define SAFE (RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS)
/* What no image has: a directory that was made here, and that no entry described since. */
#define MODE_OURS 0741u
#define LINKS_MAX 40

static bool opaque(int tree, const char *dir)
{
	own_fd fd = fs_openat2(tree, dir, O_RDONLY | O_DIRECTORY, SAFE);
	char value = 0;

	return fd >= 0 && fgetxattr(fd, "user.overlay.opaque", &value, 1) == 1 && value == 'y';
}

/* lstat beneath a tree; only real directories on the way. */
static int stat_in(int tree, const char *path, struct stat *st)
{
	char parent[PATH_MAX];
	const char *slash = strrchr(path, '/');
	own_fd fd = FD_NONE;
	struct text t;

	text_init(&t, parent, sizeof(parent));
	text_addn(&t, slash ? path : ".", slash ? (size_t)(slash - path) : 1);
	fd = fs_openat2(tree, parent, O_PATH | O_DIRECTORY, SAFE);
	if (fd < 0)
		return fd;
	return fstatat(fd,
		       slash   ? slash + 1
		       : *path ? path
			       : ".",
		       st, AT_SYMLINK_NOFOLLOW) < 0
		       ? -errno
		       : 0;
}

/* Whether something in this layer hides the path from those below it: 1, else 0. */
static bool hides(int tree, const char *path)
{
	char part[PATH_MAX];

	for (size_t i = 0; path[i]; i++) {
		struct stat st;

		if (i && path[i] == '/') {
			memcpy(part, path, i);
			part[i] = '\0';
			if (stat_in(tree, part, &st) == 0 &&
			    (!S_ISDIR(st.st_mode) || opaque(tree, part)))
				return true;
		}
	}
	return false;
}

/* The topmost node of that name, which no link is on the way to; its layer, or -ENOENT. */
static int find(const struct below *b, const char *path, struct stat *st)
{
	for (size_t i = b->n; i-- > 0;) {
		if (stat_in(b->trees[i], path, st) == 0)
			return S_ISCHR(st->st_mode) ? -ENOENT : (int)i;
		if (hides(b->trees[i], path))
			break;
	}
	return -ENOENT;
}

/* ---- what a job's notes ask for */

/* The next note of a kind, unescaped; false at the end. */
static bool next_note(const char **at, const char *kind, char path[PATH_MAX])
{
	size_t k = strlen(kind);

	while (**at) {
		const char *line = *at;
		size_t n = strcspn(line, "\n");

		*at = line + n + (line[n] == '\n');
		if (n < k || memcmp(line, kind, k) != 0 || n - k >= 3 * (size_t)PATH_MAX)
			continue;
		{
			char raw[3 * PATH_MAX];

			memcpy(raw, line + k, n - k);
			raw[n - k] = '\0';
			if (!record_unescape(raw) || strlen(raw) >= PATH_MAX)
				continue;
			memcpy(path, raw, strlen(raw) + 1);
		}
		return true;
	}
	return false;
}

static int add_alias(struct job *j, const struct below *b, int layer, const char *path, struct err *e)
{
	char parent[PATH_MAX], text[PATH_MAX], line[6 * PATH_MAX];
	const char *slash = strrchr(path, '/');
	own_fd fd = FD_NONE;
	struct text t;
	ssize_t n;

	text_init(&t, parent, sizeof(parent));
	text_addn(&t, slash ? path : ".", slash ? (size_t)(slash - path) : 1);
	fd = fs_openat2(b->trees[layer], parent, O_PATH | O_DIRECTORY, SAFE);
	n = fd < 0 ? -1 : readlinkat(fd, slash ? slash + 1 : path, text, sizeof(text) - 1);
	if (n < 0 || j->n_aliases == ALIASES_PER_JOB)
		return err_set(e, ST_IMAGE, 0,
			       "%s: '%.150s': links below: expected at most %d, got more", j->what,
			       path, ALIASES_PER_JOB);
	text[n] = '\0';
	text_init(&t, line, sizeof(line));
	record_escape(&t, path, NULL);
	/* the first '=' divides: one in the name is escaped */
	for (char *c = line; (c = strchr(c, '=')); c += 3) {
		memmove(c + 3, c + 1, strlen(c));
		memcpy(c, "%3D", 3);
		t.len += 2;
	}
	text_add(&t, "=");
	record_escape(&t, text, NULL);
	for (size_t i = 0; i < j->n_aliases; i++) {
		if (str_eq(j->aliases[i], line))
			return 0;
	}
	j->aliases[j->n_aliases] = strdup(line);
	if (!j->aliases[j->n_aliases])
		return err_set(e, ST_IMAGE, ENOMEM, "%s", j->what);
	j->n_aliases++;
	return 0;
}

static bool looks_default(const char *path, const struct stat *st)
{
	/* The time of the root is nobody's: the jail has a layer of its own above it. */
	return (st->st_mode & 07777) == 0755 && (!*path || st->st_mtime == 0);
}

/*
 * Where a path leads in the layers below, links followed but for the last name; links on the way
 * become aliases. The layer, or -ENOENT.
 */
static int resolve(struct job *j, const struct below *b, char path[PATH_MAX], struct stat *st,
		   struct err *e)
{
	for (unsigned links = 0; links < LINKS_MAX; links++) {
		char part[PATH_MAX], text[PATH_MAX], next[2 * PATH_MAX];
		int layer = -ENOENT;
		size_t i = 0;
		struct text t;
		ssize_t n;

		for (;;) {
			i += strcspn(path + i, "/");
			memcpy(part, path, i);
			part[i] = '\0';
			layer = find(b, part, st);
			if (layer < 0 || !path[i] || S_ISLNK(st->st_mode))
				break;
			i++;
		}
		if (layer < 0 || !path[i])
			return layer;
		if (add_alias(j, b, layer, part, e) < 0)
			return -EINVAL;
		{
			own_fd fd = fs_openat2(b->trees[layer], ".", O_PATH | O_DIRECTORY, SAFE);

			n = fd < 0 ? -1 : readlinkat(fd, part, text, sizeof(text) - 1);
		}
		if (n < 0)
			return -ENOENT;
		text[n] = '\0';
		/* The usual forms, /x and x beside it; '..' is left to jail-unpack. */
		if (strstr(text, ".."))
			return -ENOENT;
		text_init(&t, next, sizeof(next));
		if (text[0] != '/' && strrchr(part, '/'))
			text_addn(&t, part, (size_t)(strrchr(part, '/') - part) + 1);
		text_addf(&t, "%s%s", text + (text[0] == '/'), path + i);
		if (t.full || t.len >= PATH_MAX)
			return -ENOENT;
		memcpy(path, next, t.len + 1);
	}
	return -ELOOP;
}

int chain_needs(struct job *j, const struct below *b, struct needs *ret, struct err *e)
{
	struct needs needs = { 0 };
	const char *at = j->notes;
	char path[PATH_MAX], target[PATH_MAX];
	struct stat st;
	int rc = 0;

	while (rc == 0 && next_note(&at, "implicit ", path)) {
		int layer = find(b, path, &st);

		if (layer < 0)
			continue;
		if (S_ISLNK(st.st_mode)) {
			needs.again = true;
			rc = add_alias(j, b, layer, path, e);
		} else if (S_ISDIR(st.st_mode) && !looks_default(path, &st)) {
			needs.looks = true;
		}
	}
	for (at = j->notes; rc == 0 && next_note(&at, "missing ", path);) {
		memcpy(target, path, sizeof(target));
		needs.again = true;
		rc = resolve(j, b, target, &st, e) < 0 || S_ISDIR(st.st_mode)
			     ? err_set(e, ST_IMAGE, 0,
				       "%s: hard link: expected its target '%.150s' before it, got none",
				       j->what, path)
			     : 0;
	}
	if (rc == 0)
		*ret = needs;
	return rc;
}

/* ---- filling and dressing a tree */

static int copy_file(int from, int to, const char *name, const struct stat *st)
{
	const struct timespec times[2] = { st->st_atim, st->st_mtim };
	own_fd in = openat(from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	own_fd out = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	off_t left = st->st_size;

	if (in < 0 || out < 0)
		return -errno;
	while (left > 0) {
		ssize_t n = copy_file_range(in, NULL, out, NULL, (size_t)left, 0);

		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		left -= n;
	}
	if (fchmod(out, st->st_mode & 01777) < 0 || futimens(out, times) < 0)
		return -errno;
	return 0;
}

static int copy_node(int from, int to, const char *name, const struct stat *st)
{
	const struct timespec times[2] = { st->st_atim, st->st_mtim };
	char text[PATH_MAX];
	ssize_t n;

	if (S_ISREG(st->st_mode))
		return copy_file(from, to, name, st);
	if (!S_ISLNK(st->st_mode))
		return mknodat(to, name, S_IFIFO | (st->st_mode & 0777), 0) < 0 ? -errno : 0;
	n = readlinkat(from, name, text, sizeof(text) - 1);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	if (symlinkat(text, to, name) < 0 || utimensat(to, name, times, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	return 0;
}

/* The directories on the way to a path, in the new tree, marked as ours; the last one's descriptor. */
static int make_parents(int tree, const char *path)
{
	own_fd at = fs_openat2(tree, ".", O_PATH | O_DIRECTORY, SAFE);

	while (at >= 0 && strchr(path, '/')) {
		char name[NAME_MAX + 1];
		size_t n = strcspn(path, "/");
		int next;

		if (n > NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(name, path, n);
		name[n] = '\0';
		if (mkdirat(at, name, 0700) == 0) {
			if (fchmodat(at, name, MODE_OURS, 0) < 0)
				return -errno;
		} else if (errno != EEXIST) {
			return -errno;
		}
		next = fs_openat2(at, name, O_PATH | O_DIRECTORY, SAFE);
		fd_release(&at);
		at = next;
		path += n + 1;
	}
	return fd_take(&at);
}

static int fill_one(int tree, const struct below *b, int layer, const char *path,
		    const struct stat *st)
{
	const char *slash = strrchr(path, '/');
	char parent[PATH_MAX];
	own_fd from = FD_NONE, to = make_parents(tree, path);
	struct stat now;
	struct text t;

	text_init(&t, parent, sizeof(parent));
	text_addn(&t, slash ? path : ".", slash ? (size_t)(slash - path) : 1);
	from = fs_openat2(b->trees[layer], parent, O_PATH | O_DIRECTORY, SAFE);
	if (to < 0 || from < 0)
		return to < 0 ? to : from;
	path = slash ? slash + 1 : path;
	if (fstatat(to, path, &now, AT_SYMLINK_NOFOLLOW) == 0)
		return 0; /* two links to one file */
	return copy_node(from, to, path, st);
}

int chain_fill(struct job *j, const char *notes, const struct below *b, struct err *e)
{
	own_fd tree = openat(j->dir, "tree", O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	size_t filled_n = 0;
	own_file filled = NULL;
	char path[PATH_MAX], line[3 * PATH_MAX];
	struct stat st;
	struct text t;

	str_release(&j->filled);
	filled = open_memstream(&j->filled, &filled_n);
	if (!filled)
		return err_set(e, ST_IMAGE, ENOMEM, "%s", j->what);
	while (next_note(&notes, "missing ", path)) {
		int rc = resolve(j, b, path, &st, e);

		if (rc >= 0)
			rc = fill_one(tree, b, rc, path, &st);
		if (rc < 0)
			return err_set(e, ST_IMAGE, -rc, "%s: copy '%.150s' from a layer below",
				       j->what, path);
		text_init(&t, line, sizeof(line));
		record_escape(&t, path, NULL);
		(void)fprintf(filled, "filled %s\n", line);
	}
	return 0;
}

static int dress(int tree, const struct below *b, const char *path)
{
	own_fd fd = fs_openat2(tree, *path ? path : ".", O_RDONLY | O_DIRECTORY, SAFE);
	struct stat st;

	if (fd < 0 || find(b, path, &st) < 0 || !S_ISDIR(st.st_mode))
		return fd == -ENOENT ? 0 : fd < 0 ? fd : 0;
	{
		const struct timespec times[2] = { st.st_atim, st.st_mtim };

		return fchmod(fd, st.st_mode & 01777) < 0 || futimens(fd, times) < 0 ? -errno : 0;
	}
}

/* Those that chain_fill made and that jail-unpack had no entry for: on the way to each file. */
static int dress_filled(int tree, const struct below *b, char path[PATH_MAX])
{
	char *slash;
	struct stat st;
	int rc = 0;

	while (rc == 0 && (slash = strrchr(path, '/'))) {
		*slash = '\0';
		if (stat_in(tree, path, &st) == 0 && (st.st_mode & 07777) == MODE_OURS)
			rc = dress(tree, b, path);
	}
	return rc;
}

int chain_dress(struct job *j, const struct below *b, struct err *e)
{
	own_fd tree = openat(j->dir, "tree", O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	const char *at = j->notes;
	char path[PATH_MAX];
	int rc = 0;

	while (rc == 0 && next_note(&at, "implicit ", path))
		rc = dress(tree, b, path);
	for (at = j->filled ? j->filled : ""; rc == 0 && next_note(&at, "filled ", path);)
		rc = dress_filled(tree, b, path);
	return rc < 0 ? err_set(e, ST_IMAGE, -rc, "%s: set the mode of '%.150s'", j->what, path) : 0;
}
