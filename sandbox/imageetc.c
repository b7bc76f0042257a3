// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What an image needs to know of its caller, and its caller of it: users, and the directory to
 * start in; P0.
 *
 * The image's passwd and group stay, with ours behind: programs look their own users up by name,
 * although nobody can become one. Lines are copied whole or not at all, and lines for our own name
 * or number are not.
 */
#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "sandbox/image.h"
#include "sandbox/imagetree.h"
#include "sandbox/shown.h"

#define USERS_MAX ((size_t)64 << 10)

struct field {
	const char *at;
	size_t n;
};

/* The fields of a line that ends at a newline or a NUL; how many there are. */
static size_t split(const char *line, struct field *fields, size_t max)
{
	size_t k = 0;

	for (;;) {
		size_t n = strcspn(line, ":\n");

		if (k < max)
			fields[k] = (struct field){ line, n };
		k++;
		if (line[n] != ':')
			return k;
		line += n + 1;
	}
}

static bool same(const struct field *a, const struct field *b)
{
	return a->n == b->n && memcmp(a->at, b->at, a->n) == 0;
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return *line ? line + 1 : line;
}

/* Is a line with this name or this number among ours? */
static bool ours(const char *text, const struct field *theirs)
{
	struct field f[3];

	for (; *text; text = next_line(text)) {
		if (split(text, f, 3) >= 3 && (same(&f[0], &theirs[0]) || same(&f[2], &theirs[2])))
			return true;
	}
	return false;
}

/* A line as it must be: so many fields, a name, a number, and nothing that is not text. */
static bool is_entry(const char *line, size_t want, struct field *f)
{
	size_t n = strcspn(line, "\n");

	if (split(line, f, want) != want || !f[0].n || !f[2].n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
			return false;
	}
	for (size_t i = 0; i < f[2].n; i++) {
		if (f[2].at[i] < '0' || f[2].at[i] > '9')
			return false;
	}
	return strchr("+-#", *line) == NULL;
}

static const char *merge(struct arena *a, const struct image *i, const char *file, size_t fields,
			 const char *text)
{
	const char *theirs = image_read(a, i, file, USERS_MAX);
	struct field f[7];
	struct text t;
	char *buf;
	size_t size;

	if (!theirs)
		return text;
	size = strlen(text) + strlen(theirs) + 2;
	buf = arena_alloc(a, size);
	text_init(&t, buf, size);
	text_add(&t, text);
	for (; *theirs; theirs = next_line(theirs)) {
		if (!is_entry(theirs, fields, f) || ours(text, f))
			continue;
		text_addn(&t, theirs, strcspn(theirs, "\n"));
		text_add(&t, "\n");
	}
	return buf;
}

const char *image_passwd(struct arena *a, const struct image *i, const char *text)
{
	return merge(a, i, "/etc/passwd", 7, text);
}

const char *image_group(struct arena *a, const struct image *i, const char *text)
{
	return merge(a, i, "/etc/group", 4, text);
}

const char *image_find_user(struct arena *a, const struct image *i, const char *user)
{
	const char *line = image_read(a, i, "/etc/passwd", USERS_MAX);
	const struct field name = { user, strcspn(user, ":") };
	struct field f[7];

	if (strspn(user, "0123456789") == name.n)
		return arena_printf(a, "uid %.*s", (int)name.n, user);
	for (; line && *line; line = next_line(line)) {
		if (is_entry(line, 7, f) && same(&f[0], &name))
			return arena_printf(a, "uid %.*s of its passwd", (int)f[2].n, f[2].at);
	}
	return NULL;
}

/* What we put at a path, whatever the image has there. */
enum ours { NOT_OURS, ON_OURS /* a tree of our own, that it lies on */, OUR_DIR, OUR_FILE };

static enum ours what_is_ours(const struct mount_draft *m, const char *path)
{
	enum ours ours = NOT_OURS;

	for (size_t k = 0; k < m->n; k++) {
		const struct mount_op *op = &m->ops[k];

		if (path_beneath(op->target, path) && !str_eq(op->target, path))
			return OUR_DIR; /* on the way to something */
		if (str_eq(op->target, path) && op->kind != MK_SYMLINK)
			return op->kind == MK_FILE || (op->kind == MK_BIND && !op->is_dir) ? OUR_FILE
											   : OUR_DIR;
		if (op->kind == MK_TMPFS && path_beneath(path, op->target))
			ours = ON_OURS;
	}
	return ours;
}

/* In the image: `made` when it is made where it is missing. */
static int enter(struct mount_draft *m, struct plan *p, const char *what, const char *path,
		 bool made, struct err *e)
{
	static const char *const own[] = { "/proc", "/dev", "/run/jail" };
	struct image_place place = { .fd = FD_NONE };
	own_fd fd = FD_NONE;
	enum ours ours;
	int rc = image_resolve(m->arena, p->image, path, &place);

	if (rc < 0)
		return err_set(e, ST_IMAGE, -rc, "%s '%s'", what, path);
	fd = place.fd;
	for (size_t k = 0; k < ARRAY_SIZE(own); k++) {
		if (path_beneath(place.path, own[k]))
			return err_set(e, ST_IMAGE, 0, "%s '%s' is in %s, which is jail's own",
				       what, path, own[k]);
	}
	ours = what_is_ours(m, place.path);
	if (ours == OUR_FILE || (ours != OUR_DIR && fd >= 0 && !S_ISDIR(place.st.st_mode)))
		return err_set(e, ST_IMAGE, ENOTDIR, "%s '%s'", what, path);
	if (fd < 0 && !made && ours != OUR_DIR)
		return err_set(
			e, ST_IMAGE, 0,
			"%s '%s' does not exist inside: neither the image has it nor --ro or --rw",
			what, path);
	p->cwd = place.path;
	if (!made || ours == OUR_DIR || (ours == NOT_OURS && fd >= 0))
		return 0;
	return mounts_add(m, MK_DIR, place.path, NULL, e);
}

int image_choose_cwd(struct mount_draft *m, struct plan *p, struct err *e)
{
	const struct value *v = draft_get(p->draft, OPT_CHDIR);
	const char *workdir = p->image->record.workdir, *path;
	struct resolved r;

	if (!v && workdir && !str_eq(workdir, "/"))
		return enter(m, p, "the image's working directory", workdir, true, e);
	if (!v) {
		p->cwd = path_beneath(p->caller->cwd, p->workspace) ? p->caller->cwd : p->workspace;
		return 0;
	}
	path = path_absolute(m->arena, p->caller->cwd, v->text);
	if (path_resolve(m->arena, path, &r, e) == 0) {
		fd_release(&r.fd);
		if (S_ISDIR(r.st.st_mode) && shown_by_user(m, r.path)) {
			p->cwd = r.path;
			return 0;
		}
	}
	return e->stage ? -EINVAL : enter(m, p, "chdir", path, false, e);
}
