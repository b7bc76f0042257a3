// SPDX-License-Identifier: GPL-2.0-or-later
/* The entries of a layer become files; jail-unpack. Contract and theory are in layer.h. */
#include "oci/layer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/text.h"
#include "oci/layer_impl.h"
#include "oci/record.h"
#include "oci/tree.h"

/* setuid and setgid never get in; the sticky bit may. */
#define MODE_KEPT 01777u

int layer_new(int root, const struct layer_limits *limits, FILE *owners, struct layer **ret,
	      struct err *e)
{
	struct layer *l = calloc(1, sizeof(*l));

	if (!l)
		return err_set(e, ST_IMAGE, ENOMEM, "unpack");
	l->root = root;
	l->limits = *limits;
	l->owners = owners;
	l->parent = FD_NONE;
	l->missing_out = open_memstream(&l->missing, &l->missing_n);
	if (!l->missing_out || !dirs_at(&l->dirs, "")) {
		layer_free(l);
		return err_set(e, ST_IMAGE, ENOMEM, "unpack");
	}
	*ret = l;
	return 0;
}

void layer_free(struct layer *l)
{
	if (!l)
		return;
	file_release(&l->missing_out);
	free(l->missing);
	for (size_t i = 0; i < l->n_aliases; i++) {
		free(l->aliases[i].from);
		free(l->aliases[i].to);
	}
	layer_forget(l);
	dirs_free(&l->dirs);
	free(l);
}

int layer_add_alias(struct layer *l, const char *from, const char *to, struct err *e)
{
	struct alias a = { strdup(from), strdup(to) };

	if (a.from && a.to && l->n_aliases < ALIASES_MAX) {
		l->aliases[l->n_aliases++] = a;
		return 0;
	}
	free(a.from);
	free(a.to);
	return err_set(e, ST_IMAGE, 0, "links in layers below: more than %d", ALIASES_MAX);
}

/* ---- one entry */

/* What stood under the name goes, however much it was. */
static int clear(struct layer *l, const char *base, struct err *e)
{
	int rc = tree_remove(l->parent, base);

	if (rc < 0)
		return err_set(e, ST_IMAGE, -rc, "remove '%.200s'", base);
	/* The way that led here may have gone with it; where it led to is still there. */
	memcpy(l->parent_name, l->parent_path, sizeof(l->parent_name));
	return 0;
}

static bool kept_xattr(const char *name)
{
	return str_starts(name, "user.") && !str_starts(name, "user.overlay.");
}

/* user.* as far as the file system has it: others are the host's business. */
static int set_xattrs(int fd, const char *path, const struct entry_source *src, struct err *e)
{
	const char *name;
	const void *value;
	size_t n;

	while (src->xattr && src->xattr(src->arg, &name, &value, &n) > 0) {
		if (!kept_xattr(name) || fsetxattr(fd, name, value, n, 0) == 0)
			continue;
		if (errno != EOPNOTSUPP && errno != E2BIG && errno != ERANGE)
			return err_set(e, ST_IMAGE, errno, "set '%.60s' of '%.200s'", name, path);
	}
	return 0;
}

static int write_data(int fd, const struct entry *en, const struct entry_source *src, struct err *e)
{
	uint64_t end = 0;

	for (;;) {
		const char *p;
		int64_t at;
		size_t n;
		int rc = src->data(src->arg, (const void **)&p, &n, &at, e);

		if (rc <= 0) {
			/* a hole at the end, or all of one */
			if (rc == 0 && end < en->size && ftruncate(fd, (off_t)en->size) < 0)
				rc = err_set(e, ST_IMAGE, errno, "write '%.200s'", en->path);
			return rc;
		}
		if (at < 0 || (uint64_t)at + n > en->size)
			return err_set(e, ST_IMAGE, 0, "entry '%.200s': data beyond its size",
				       en->path);
		end = (uint64_t)at + n;
		while (n) {
			ssize_t done = pwrite(fd, p, n, at);

			if (done < 0 && errno == EINTR)
				continue;
			if (done < 0)
				return err_set(e, ST_IMAGE, errno, "write '%.200s'", en->path);
			p += done;
			at += done;
			n -= (size_t)done;
		}
	}
}

static int add_file(struct layer *l, const char *base, const struct entry *en,
		    const struct entry_source *src, struct err *e)
{
	const struct timespec times[2] = { { en->sec, en->nsec }, { en->sec, en->nsec } };
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	/* Extended attributes want a file that its owner can write. */
	unsigned mode = en->mode & 0777;
	own_fd fd = openat(l->parent, base, flags, mode | 0200);
	int rc = 0;

	if (en->size > l->limits.bytes - l->counts.bytes)
		return err_set(e, ST_IMAGE, 0, "bytes of files: expected at most %llu, got more",
			       (unsigned long long)l->limits.bytes);
	l->counts.bytes += en->size;
	if (fd < 0 && errno == EEXIST) {
		rc = clear(l, base, e);
		if (rc == 0)
			fd = openat(l->parent, base, flags, mode | 0200);
	}
	if (rc < 0)
		return rc;
	if (fd < 0)
		return err_set(e, ST_IMAGE, errno, "make '%.200s'", en->path);
	rc = write_data(fd, en, src, e);
	if (rc == 0)
		rc = set_xattrs(fd, en->path, src, e);
	if (rc < 0)
		return rc;
	if ((en->mode & MODE_KEPT) != (mode | 0200) && fchmod(fd, en->mode & MODE_KEPT) < 0)
		return err_set(e, ST_IMAGE, errno, "chmod '%.200s'", en->path);
	if (futimens(fd, times) < 0)
		return err_set(e, ST_IMAGE, errno, "set the time of '%.200s'", en->path);
	return 0;
}

static int describe_dir(struct layer *l, const char *path, const struct entry *en, struct err *e)
{
	struct dir *d = dirs_at(&l->dirs, path);

	if (!d)
		return err_set(e, ST_IMAGE, 0, "directories: too many");
	*d = (struct dir){
		.path = d->path, .mode = en->mode & MODE_KEPT, .sec = en->sec, .nsec = en->nsec
	};
	return 0;
}

static int add_dir(struct layer *l, const char *base, const struct entry *en,
		   const struct entry_source *src, struct err *e)
{
	own_fd fd = FD_NONE;
	char path[PATH_MAX];
	struct stat st;
	int rc = 0;

	if (mkdirat(l->parent, base, 0700) < 0) {
		if (errno != EEXIST || fstatat(l->parent, base, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return err_set(e, ST_IMAGE, errno, "make '%.200s'", en->path);
		if (!S_ISDIR(st.st_mode)) {
			rc = clear(l, base, e);
			if (rc == 0 && mkdirat(l->parent, base, 0700) < 0)
				rc = err_set(e, ST_IMAGE, errno, "make '%.200s'", en->path);
			/* What it took the place of had hidden all that is below. */
			if (rc == 0)
				rc = layer_set_opaque(l, l->parent, base, e);
		}
	}
	if (rc == 0)
		rc = layer_full_path(l, base, path, e);
	if (rc == 0)
		rc = describe_dir(l, path, en, e);
	if (rc < 0)
		return rc;
	fd = openat(l->parent, base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_set(e, ST_IMAGE, errno, "open '%.200s'", en->path);
	return set_xattrs(fd, en->path, src, e);
}

static int set_time(const struct layer *l, const char *base, const struct entry *en, struct err *e)
{
	const struct timespec times[2] = { { en->sec, en->nsec }, { en->sec, en->nsec } };

	if (utimensat(l->parent, base, times, AT_SYMLINK_NOFOLLOW) < 0)
		return err_set(e, ST_IMAGE, errno, "set the time of '%.200s'", en->path);
	return 0;
}

static int add_symlink(struct layer *l, const char *base, const struct entry *en, struct err *e)
{
	int rc = 0;

	if (!en->link || !*en->link || strlen(en->link) >= PATH_MAX)
		return err_set(e, ST_IMAGE, 0, "entry '%.200s': not a link's text", en->path);
	if (symlinkat(en->link, l->parent, base) < 0) {
		if (errno == EEXIST)
			rc = clear(l, base, e);
		if (rc == 0 && symlinkat(en->link, l->parent, base) < 0)
			rc = err_set(e, ST_IMAGE, errno, "make the link '%.200s'", en->path);
	}
	return rc < 0 ? rc : set_time(l, base, en, e);
}

static int add_fifo(struct layer *l, const char *base, const struct entry *en, struct err *e)
{
	mode_t mode = S_IFIFO | (en->mode & 0777);
	int rc = 0;

	if (mknodat(l->parent, base, mode, 0) < 0) {
		if (errno == EEXIST)
			rc = clear(l, base, e);
		if (rc == 0 && mknodat(l->parent, base, mode, 0) < 0)
			rc = err_set(e, ST_IMAGE, errno, "make '%.200s'", en->path);
	}
	return rc < 0 ? rc : set_time(l, base, en, e);
}

/* ---- hard links */

/* A target that is not here may be in a layer below: the caller looks, and comes again. */
static int note_missing(struct layer *l, const char *target)
{
	char line[3 * PATH_MAX];
	struct text t;

	text_init(&t, line, sizeof(line));
	record_escape(&t, target, NULL);
	(void)fprintf(l->missing_out, "missing %s\n", line);
	return 0;
}

static int link_from(struct layer *l, int from, const struct where *target, const char *base,
		     const struct entry *en, struct err *e)
{
	struct stat is, was;
	int rc = 0;

	if (fstatat(from, target->base, &is, AT_SYMLINK_NOFOLLOW) < 0 || S_ISCHR(is.st_mode))
		return note_missing(l, target->path);
	if (S_ISDIR(is.st_mode))
		return err_set(e, ST_IMAGE, 0,
			       "hard link '%.150s': expected a file, got a directory '%.150s'",
			       en->path, en->link);
	if (fstatat(l->parent, base, &was, AT_SYMLINK_NOFOLLOW) == 0) {
		if (was.st_ino == is.st_ino && was.st_dev == is.st_dev)
			return 0;
		rc = clear(l, base, e);
	}
	if (rc == 0 && linkat(from, target->base, l->parent, base, 0) < 0)
		rc = err_set(e, ST_IMAGE, errno, "link '%.150s' to '%.150s'", en->path, en->link);
	return rc;
}

static int add_hardlink(struct layer *l, const struct where *w, const struct entry *en, struct err *e)
{
	own_fd from = FD_NONE;
	struct where target;
	int rc = layer_clean_path(en->link ? en->link : "", &target, e);

	if (rc == 1)
		return err_set(e, ST_IMAGE, 0, "hard link '%.200s': expected a file, got the root",
			       en->path);
	if (rc == 0)
		rc = layer_enter(l, target.parent, false, e);
	if (rc == -ENOENT && e->stage == ST_NONE)
		return note_missing(l, target.path);
	if (rc < 0)
		return rc;
	from = fcntl(l->parent, F_DUPFD_CLOEXEC, 3);
	if (from < 0)
		return err_set(e, ST_IMAGE, errno, "link '%.200s'", en->path);
	rc = layer_enter(l, w->parent, true, e);
	return rc < 0 ? rc : link_from(l, from, &target, w->base, en, e);
}

/* ---- whiteouts */

static int add_whiteout(struct layer *l, const char *name, const struct entry *en, struct err *e)
{
	struct stat st;

	if (!*name || str_eq(name, ".") || str_eq(name, ".."))
		return err_set(e, ST_IMAGE, 0, "whiteout '%.200s': expected a name, got none",
			       en->path);
	/* An entry of this layer stays. A directory must not show what is below it, though. */
	if (fstatat(l->parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return S_ISDIR(st.st_mode) ? layer_set_opaque(l, l->parent, name, e) : 0;
	if (mknodat(l->parent, name, S_IFCHR, makedev(0, 0)) < 0)
		return err_set(
			e, ST_IMAGE, errno,
			"make a whiteout for '%.200s' (needs Linux 5.8 and a file system with device nodes)",
			en->path);
	return 0;
}

static int add_marker(struct layer *l, const struct where *w, const struct entry *en, struct err *e)
{
	int rc;

	if (str_starts(w->base, ".wh..wh.") && !str_eq(w->base, ".wh..wh..opq"))
		return 0; /* another program's book-keeping */
	rc = layer_enter(l, w->parent, true, e);
	if (rc < 0)
		return rc;
	if (!str_eq(w->base, ".wh..wh..opq"))
		return add_whiteout(l, w->base + strlen(".wh."), en, e);
	if (!l->parent_path[0]) {
		l->opaque_root = true;
		return 0;
	}
	return layer_set_opaque(l, l->root, l->parent_path, e);
}

/* ---- all of it */

static void note_owner(struct layer *l, const char *path, const struct entry *en)
{
	char line[3 * PATH_MAX];
	struct text t;

	if (!l->owners || (!en->uid && !en->gid))
		return;
	text_init(&t, line, sizeof(line));
	record_escape(&t, path, NULL);
	(void)fprintf(l->owners, "%llu %llu %s\n", (unsigned long long)en->uid,
		      (unsigned long long)en->gid, line);
}

/* An entry under the very name of a link below takes its place. */
static void drop_alias(struct layer *l, const char *base)
{
	char path[PATH_MAX];
	struct err e = { 0 };

	if (!l->n_aliases || layer_full_path(l, base, path, &e) < 0)
		return;
	for (size_t i = 0; i < l->n_aliases; i++) {
		if (l->aliases[i].from && str_eq(l->aliases[i].from, path))
			str_release(&l->aliases[i].from);
	}
}

int layer_add(struct layer *l, const struct entry *en, const struct entry_source *src, struct err *e)
{
	struct where w;
	int rc;

	if (++l->counts.entries > l->limits.entries)
		return err_set(e, ST_IMAGE, 0, "entries: expected at most %llu, got more",
			       (unsigned long long)l->limits.entries);
	rc = layer_clean_path(en->path, &w, e);
	if (rc < 0)
		return rc;
	if (rc == 1) /* the root: its looks, if it is a directory, and nothing else */
		return en->kind == ENTRY_DIR ? describe_dir(l, "", en, e) : 0;
	if (str_starts(w.base, ".wh."))
		return add_marker(l, &w, en, e);
	if (en->kind == ENTRY_SKIP) {
		l->counts.skipped++;
		return 0;
	}
	note_owner(l, w.path, en);
	if (en->kind == ENTRY_HARDLINK)
		return add_hardlink(l, &w, en, e);
	rc = layer_enter(l, w.parent, true, e);
	if (rc < 0)
		return rc;
	drop_alias(l, w.base);
	if (en->kind == ENTRY_FILE)
		return add_file(l, w.base, en, src, e);
	if (en->kind == ENTRY_DIR)
		return add_dir(l, w.base, en, src, e);
	return en->kind == ENTRY_SYMLINK ? add_symlink(l, w.base, en, e) : add_fifo(l, w.base, en, e);
}

int layer_finish(struct layer *l, FILE *out, struct layer_counts *ret, struct err *e)
{
	int rc;

	layer_forget(l);
	rc = dirs_finish(&l->dirs, l->root);
	if (rc < 0)
		return err_set(e, ST_IMAGE, -rc, "set the mode of a directory");
	if (fflush(l->missing_out) || (l->owners && fflush(l->owners)))
		return err_set(e, ST_IMAGE, errno, "write what was noticed");
	dirs_tell(&l->dirs, out);
	if (l->opaque_root)
		(void)fputs("opaque-root\n", out);
	(void)fwrite(l->missing, 1, l->missing_n, out);
	*ret = l->counts;
	return 0;
}
