// SPDX-License-Identifier: GPL-2.0-or-later
/* Building the environment; P0, pure but for looking where PATH's directories lead. */
#include "sandbox/environ.h"

#include <limits.h>
#include <string.h>

#include "base/own.h"
#include "sandbox/image.h"
#include "sandbox/mountlist.h"
#include "sandbox/root.h"
#include "sandbox/weak.h"

#define ENV_MAX 512

/* Passed in every jail: how to draw on a terminal, and in which language. */
static const char *const always[] = { "TERM", "COLORTERM", "LANG", "LANGUAGE", "LC_*", "TZ" };

static const char usual[] = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

struct env {
	struct arena *arena;
	char *vars[ENV_MAX + 1];
	size_t n;
	struct err *e;
};

/* Set "NAME=VALUE"; a later one replaces an earlier one. */
static int put(struct env *v, const char *assignment)
{
	size_t name = strcspn(assignment, "=") + 1;
	size_t i = 0;

	while (i < v->n && strncmp(v->vars[i], assignment, name) != 0)
		i++;
	if (i == ENV_MAX)
		return err_set(v->e, ST_PLAN, 0, "more than %d environment variables", ENV_MAX);
	v->vars[i] = arena_strdup(v->arena, assignment);
	v->n += i == v->n;
	return 0;
}

static int put_pair(struct env *v, const char *name, const char *value)
{
	return put(v, arena_printf(v->arena, "%s=%s", name, value));
}

/* `pattern` is a name, or a prefix that ends in '*'; n is its length. */
static bool matches(const char *assignment, const char *pattern, size_t n)
{
	if (n && pattern[n - 1] == '*')
		return strncmp(assignment, pattern, n - 1) == 0;
	return strncmp(assignment, pattern, n) == 0 && assignment[n] == '=';
}

static int pass(struct env *v, const struct caller *c, const char *pattern, size_t n)
{
	int rc = 0;

	for (char *const *var = c->env; rc == 0 && var && *var; var++) {
		if (strchr(*var, '=') && matches(*var, pattern, n))
			rc = put(v, *var);
	}
	return rc;
}

static int pass_words(struct env *v, const struct caller *c, const char *words)
{
	int rc = 0;

	while (rc == 0 && *words) {
		size_t n = strcspn(words, " ");

		rc = pass(v, c, words, n);
		words += n;
		words += strspn(words, " ");
	}
	return rc;
}

/*
 * The caller's PATH, less what does not exist inside: a directory that is not shown could only be
 * searched in vain. NULL on failure.
 */
static const char *inner_path(struct arena *a, const struct plan *p, struct err *e)
{
	const char *path = caller_getenv(p->caller, "PATH");
	char kept[4096], dir[PATH_MAX];
	struct text t;

	text_init(&t, kept, sizeof(kept));
	for (path = path ? path : usual; *path;) {
		size_t n = strcspn(path, ":");

		if (n && n < sizeof(dir) && path[0] == '/') {
			struct resolved r;

			memcpy(dir, path, n);
			dir[n] = '\0';
			if (path_resolve(a, dir, &r, e) == 0) {
				if (S_ISDIR(r.st.st_mode) && mounts_show(&p->mounts, r.path))
					text_addf(&t, "%s%s", t.len ? ":" : "", dir);
				fd_release(&r.fd);
			}
			if (e->stage)
				return NULL;
		}
		path += n;
		path += *path == ':';
	}
	return arena_strdup(a, t.len && !t.full ? kept : usual);
}

/*
 * What an image sets comes first, so that jail's own, the caller's and a profile's win; but of PATH
 * it knows more than the caller.
 */
static int put_image(struct env *v, const struct image *i)
{
	int rc = put_pair(v, "PATH", usual);

	for (char *const *var = i->record.env; rc == 0 && *var; var++)
		rc = put(v, *var);
	return rc;
}

static int put_own(struct env *v, struct plan *p)
{
	const char *path = p->image ? "" : inner_path(v->arena, p, v->e);
	int rc = !path ? -v->e->code : p->image ? put_image(v, p->image) : 0;

	if (rc == 0)
		rc = put_pair(v, "HOME", p->home_spelled);

	if (rc == 0)
		rc = put_pair(v, "USER", p->user);
	if (rc == 0)
		rc = put_pair(v, "LOGNAME", p->user);
	if (rc == 0)
		rc = put_pair(v, "SHELL", root_shell(p));
	if (rc == 0 && !p->image)
		rc = put_pair(v, "PATH", path);
	if (rc == 0)
		rc = put_pair(v, "PWD", p->cwd);
	return rc;
}

int environ_build(struct arena *a, struct plan *p, struct err *e)
{
	struct env v = { .arena = a, .e = e };
	char **out;
	int rc = put_own(&v, p);

	if (rc == 0 && weakened(WEAK_ENV))
		rc = pass_words(&v, p->caller, "*");
	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(always); i++)
		rc = pass(&v, p->caller, always[i], strlen(always[i]));
	for (const struct value *w = draft_get(p->draft, OPT_PASS); rc == 0 && w; w = w->next)
		rc = pass_words(&v, p->caller, w->text);
	for (const struct value *s = draft_get(p->draft, OPT_SET); rc == 0 && s; s = s->next)
		rc = put(&v, s->text);
	if (rc < 0)
		return rc;
	out = arena_array(a, char *, v.n + 1);
	memcpy(out, v.vars, v.n * sizeof(*out));
	p->envp = out;
	for (size_t i = 0; i < v.n; i++) {
		if (str_starts(v.vars[i], "PATH="))
			p->path = v.vars[i] + 5;
	}
	return 0;
}
