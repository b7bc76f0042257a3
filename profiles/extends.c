// SPDX-License-Identifier: GPL-2.0-or-later
/* One profile and its ancestors, read into a batch; in P0. */
#include <errno.h>
#include <string.h>

#include "base/fs.h"
#include "base/own.h"
#include "profiles/batch.h"
#include "profiles/locate.h"
#include "profiles/reader.h"

/* Profiles in one line of descent. */
#define EXTENDS_MAX 8

struct loaded {
	struct draft *draft;
	struct profile_file *file;
	const char *shown;	  /* in messages: "agent.ini", "./my.ini" */
	const struct setting *up; /* its `extends`, or NULL */
	struct batch batch;
};

static int take_entry(void *arg, const struct entry *entry, struct err *e)
{
	struct loaded *l = arg;
	const struct origin origin = { ORIGIN_FILE, l->shown, entry->line };
	struct setting **end = l->batch.end;
	struct err why = { 0 };
	int r = batch_add(l->draft, &l->batch, entry->id, entry->value, entry->required, &origin,
			  &why);

	if (r < 0)
		return profile_err(e, l->shown, entry->line, "%s = %.100s: %s",
				   options[entry->id].key, entry->value, why.what);
	if (entry->id == OPT_EXTENDS)
		l->up = *end;
	return 0;
}

/* Open the file behind a name; when an `extends` named it, the error says where that stands. */
static int open_profile(struct draft *d, const char *name, const struct setting *by, int *ret_fd,
			const char **ret_path, struct err *e)
{
	struct err why = { 0 };
	int r = profile_open(d, name, ret_fd, ret_path, by ? &why : e);

	if (r >= 0 || !by)
		return r;
	return profile_err(e, by->value.origin.file, by->value.origin.line,
			   "extends = %.60s: %s%s%s", by->value.text, why.what,
			   why.code ? ": " : "", why.code ? strerror(why.code) : "");
}

static int load(struct draft *d, const char *name, const struct setting *by, struct loaded *ret,
		struct err *e)
{
	own_str text = NULL;
	own_fd fd = FD_NONE;
	const char *path;
	size_t len = strlen(name);
	bool by_path = strchr(name, '/') != NULL;
	bool has_suffix = len > 4 && str_eq(name + len - 4, ".ini");
	ssize_t n;
	int r = open_profile(d, name, by, &fd, &path, e);

	if (r < 0)
		return r;
	*ret = (struct loaded){ .draft = d, .file = arena_new(d->arena, struct profile_file) };
	batch_init(&ret->batch);
	ret->shown = arena_printf(d->arena, "%s%s", name, by_path || has_suffix ? "" : ".ini");
	*ret->file = (struct profile_file){
		.name = arena_strdup(d->arena, name),
		.path = path,
		.by_path = by_path,
	};
	text = malloc(PROFILE_FILE_MAX + 1);
	if (!text)
		return err_set(e, ST_PROFILE, ENOMEM, "read profile '%s'", path);
	n = fs_read_fd(fd, text, PROFILE_FILE_MAX + 1);
	if (n < 0 && n != -EFBIG)
		return err_set(e, ST_PROFILE, (int)-n, "read profile '%s'", path);
	return profile_read(ret->shown, text, n < 0 ? PROFILE_FILE_MAX + 1 : (size_t)n, take_entry,
			    ret, e);
}

static bool has_file(const struct profile_file *f, const char *path)
{
	for (; f; f = f->next) {
		if (str_eq(f->path, path))
			return true;
	}
	return false;
}

/* What `extends` names: a bare name as it is, a path as seen from the file that says it. */
static const char *parent_name(struct draft *d, const struct loaded *l)
{
	const char *name = l->up->value.text;
	const char *from = l->file->by_path ? l->file->name : l->file->path;
	const char *slash = strrchr(from, '/');

	if (!strchr(name, '/') || name[0] == '/')
		return name;
	return arena_printf(d->arena, "%.*s%s", (int)(slash - from + 1), from, name);
}

/* The line of descent, the youngest first; ends early at a file that is in force anyway. */
static int load_line(struct draft *d, const struct batch *b, const char *name,
		     struct loaded line[EXTENDS_MAX], size_t *ret_n, struct err *e)
{
	size_t n = 0;

	for (;;) {
		struct loaded *l = &line[n];
		const struct setting *by = n ? line[n - 1].up : NULL;
		int r = load(d, by ? parent_name(d, l - 1) : name, by, l, e);

		if (r < 0)
			return r;
		if (has_file(d->files, l->file->path) || has_file(b->files, l->file->path))
			break;
		for (size_t i = 0; i < n; i++) {
			if (str_eq(line[i].file->path, l->file->path))
				return profile_err(
					e, line[n - 1].shown, by->value.origin.line,
					"extends = %.60s: '%.100s' would extend itself; name another, such as agent",
					by->value.text, l->shown);
		}
		n++;
		if (!l->up)
			break;
		if (n == EXTENDS_MAX)
			return profile_err(e, l->shown, l->up->value.origin.line,
					   "extends = %.60s: more than %d profiles deep",
					   l->up->value.text, EXTENDS_MAX);
	}
	*ret_n = n;
	return 0;
}

int batch_add_profile(struct draft *d, struct batch *b, const char *name, struct err *e)
{
	struct loaded line[EXTENDS_MAX];
	size_t n = 0;
	int r = load_line(d, b, name, line, &n, e);

	if (r < 0)
		return r;
	while (n--) {
		struct loaded *l = &line[n];

		*b->files_end = l->file;
		b->files_end = &l->file->next;
		if (!l->batch.first)
			continue;
		*b->end = l->batch.first;
		b->end = l->batch.end;
	}
	return 0;
}
