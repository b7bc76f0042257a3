// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The paths a profile names; P0.
 *
 * Two things are refused however they are spelled: making writable what jail or the user's session
 * trusts (the home as a whole, jail's own profiles and state, shared directories), and following a
 * link that lies where the command itself could have put it: an earlier run may have turned
 * ws/cache into a link to ~/.ssh and be waiting for the next one to bind it.
 */
#include "sandbox/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/paths.h"
#include "sandbox/image.h"
#include "sandbox/weak.h"

/* Nothing may be bound over these: they are jail's own inside. */
static const char *const own_trees[] = { "/proc", "/sys", "/dev", "/etc", "/run", "/var/run" };

/* Shared by programs that trust each other: sockets and files in them are doors. */
static const char *const shared_dirs[] = { "/tmp",  "/var/tmp", "/var", "/usr", "/opt",
					   "/home", "/boot",	"/bin", "/lib" };

struct wish {
	enum opt option;
	const struct value *value;
	bool readonly;
	struct resolved r;
	bool missing;
};

static int refuse(struct err *e, const struct wish *w, int code, const char *why)
{
	char origin[256];
	struct text t;

	text_init(&t, origin, sizeof(origin));
	origin_format(&w->value->origin, w->option, &t);
	/* A flag's origin is its name, which says it already. */
	return err_set(e, ST_PLAN, code, "%s%s%s '%s'%s%s", origin,
		       w->value->origin.kind == ORIGIN_FLAG ? "" : ": ",
		       w->value->origin.kind == ORIGIN_FLAG ? "" : options[w->option].key,
		       w->value->text, *why ? " " : "", why);
}

static int resolve_wish(struct arena *a, const struct plan *p, struct wish *w, struct err *e)
{
	int rc = path_resolve(a, path_absolute(a, p->caller->cwd, w->value->text), &w->r, e);

	if (rc == 0 || e->stage)
		return rc;
	if (rc == -ENOENT && !w->value->required && w->option != OPT_WORKSPACE &&
	    w->option != OPT_CHDIR) {
		w->missing = true;
		return 0;
	}
	return refuse(e, w, -rc, "");
}

/*
 * jail's own directory in one of the XDG ones, canonical as far as it exists: ~/.cache may be a
 * link. NULL when that cannot be told.
 */
static const char *own_dir_in(struct arena *a, const char *base, struct err *e)
{
	struct resolved r;

	if (path_resolve(a, base, &r, e) < 0)
		return e->stage ? NULL : arena_printf(a, "%s/jail", base);
	fd_release(&r.fd);
	return arena_printf(a, "%s/jail", r.path);
}

/* A command that can replace the program behind the next run has left this one already. */
static bool holds_this_program(const char *path)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n < 0)
		return true; /* what cannot be told is not allowed */
	exe[n] = '\0';
	return path_beneath(exe, path);
}

/* Would a writable `path` let the command change what decides about the next command? */
static const char *why_not_writable(struct arena *a, const struct plan *p, const char *path,
				    struct err *e)
{
	const struct expansion *x = &p->caller->expand;
	const char *const trusted[] = { x->config_home, x->data_home, x->cache_home, x->state_home };

	if (weakened(WEAK_TRUSTED))
		return NULL;
	if (path_beneath(p->caller->home, path))
		return "is your home directory or holds it: name a directory inside it";
	for (size_t i = 0; i < ARRAY_SIZE(shared_dirs); i++) {
		if (str_eq(path, shared_dirs[i]))
			return "is shared with the rest of the system: name a directory inside it";
	}
	for (size_t i = 0; i < ARRAY_SIZE(trusted); i++) {
		const char *own = own_dir_in(a, trusted[i], e);

		if (!own || path_beneath(own, path) || path_beneath(path, own))
			return "holds jail's own profiles or state: the command must not write there";
	}
	if (holds_this_program(path))
		return "holds the jail program itself: the command must not write there";
	if (path_beneath(path_sysconf, path) || path_beneath(path_data, path) ||
	    path_beneath(path_libexec, path) || path_beneath(path, path_sysconf) ||
	    path_beneath(path, path_libexec))
		return "holds jail itself: the command must not write there";
	return NULL;
}

static const char *why_not_shown(const struct wish *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(own_trees); i++) {
		if (path_beneath(w->r.path, own_trees[i]) && !str_starts(w->r.path, "/etc/"))
			return "is made anew inside and cannot be shown from the host";
	}
	if (str_eq(w->r.path, "/"))
		return "is the whole system: name what is needed";
	if (S_ISSOCK(w->r.st.st_mode) && weakened(WEAK_SOCKETS))
		return NULL;
	if (S_ISSOCK(w->r.st.st_mode))
		return "is a socket: whoever listens there would act outside the jail";
	if (!S_ISDIR(w->r.st.st_mode) && !S_ISREG(w->r.st.st_mode))
		return "is neither a file nor a directory";
	return NULL;
}

bool files_writable(const struct mount_draft *m, const char *path)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct mount_op *op = &m->ops[i];

		if (op->kind == MK_BIND && !op->readonly && !op->device &&
		    path_beneath(path, op->target))
			return true;
	}
	return false;
}

static int add_wish(struct mount_draft *m, const struct plan *p, struct wish *w, struct err *e)
{
	const char *why = why_not_shown(w);
	size_t first = m->n;
	int rc;

	if (!why && !w->readonly)
		why = why_not_writable(m->arena, p, w->r.path, e);
	if (why)
		return refuse(e, w, 0, why);
	rc = mounts_add_host(m, &w->r, w->readonly, w->readonly ? ACCESS_READ : ACCESS_WRITE, NULL, e);
	for (size_t i = first; rc == 0 && i < m->n; i++) {
		m->ops[i].option = w->option;
		m->ops[i].origin = w->value->origin;
	}
	return rc;
}

static int add_list(struct mount_draft *m, struct plan *p, enum opt option, bool readonly,
		    struct err *e)
{
	for (const struct value *v = draft_get(p->draft, option); v; v = v->next) {
		struct wish w = { .option = option, .value = v, .readonly = readonly };
		int rc = resolve_wish(m->arena, p, &w, e);

		if (rc == 0 && w.missing)
			plan_note(m->arena, p, false, "missing",
				  "%s '%s' is not there and was passed over", options[option].key,
				  v->text);
		if (rc == 0 && !w.missing)
			rc = add_wish(m, p, &w, e);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Every link that a named path went through must lie where the command could not have put it. */
static int check_links(const struct mount_draft *m, struct err *e)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct mount_op *op = &m->ops[i];
		char origin[256];
		struct text t;

		if (op->kind != MK_SYMLINK || op->option == OPT_COUNT ||
		    !files_writable(m, op->target) || weakened(WEAK_LINKS))
			continue;
		text_init(&t, origin, sizeof(origin));
		origin_format(&op->origin, op->option, &t);
		return err_set(e, ST_PLAN, 0,
			       "%s goes through the link '%s' inside a writable tree, where an earlier run may have planted it: "
			       "name the real path",
			       origin, op->target);
	}
	return 0;
}

/*
 * Make each directory between a writable tree's top and `path` a mount point: one that is cannot be
 * renamed, so what is mounted on `path` cannot be left behind with it.
 */
static int pin_ancestors(struct mount_draft *m, const char *path, const char *for_what, struct err *e)
{
	char dir[PATH_MAX];
	struct text t;

	text_init(&t, dir, sizeof(dir));
	text_add(&t, path);
	for (char *slash = strrchr(dir, '/'); slash > dir; slash = strrchr(dir, '/')) {
		size_t first = m->n;
		struct resolved r;
		int rc;

		*slash = '\0';
		/* Above the writable tree's top; there may be none, when the file itself was shown. */
		if (!files_writable(m, dir))
			return 0;
		for (size_t i = 0; i < m->n; i++) {
			if (m->ops[i].kind == MK_BIND && str_eq(m->ops[i].target, dir))
				return 0; /* a mount already, and so are those above */
		}
		rc = path_resolve(m->arena, dir, &r, e);
		if (rc < 0)
			return err_set(e, ST_PLAN, -rc, "open '%s'", dir);
		rc = mounts_add_host(m, &r, false, ACCESS_WRITE, NULL, e);
		if (rc < 0)
			return rc;
		m->ops[first].option = OPT_PROFILE;
		m->ops[first].origin = (struct origin){ .kind = ORIGIN_FILE, .file = for_what };
	}
	return 0;
}

/*
 * A profile that lies in a writable tree is shown read-only, and stays where it is: the command must
 * not write its own rules. One that was reached through a link there could be another tomorrow.
 */
static int protect_profile(struct mount_draft *m, const struct plan *p,
			   const struct profile_file *f, struct err *e)
{
	const char *named = f->by_path ? path_absolute(m->arena, p->caller->cwd, f->name) : f->path;
	struct resolved r;
	size_t first;
	int rc = path_resolve(m->arena, named, &r, e);

	if (rc < 0)
		return err_set(e, ST_PLAN, -rc, "open the profile '%s' again", f->path);
	for (const struct link_passed *l = r.links; l; l = l->next) {
		if (files_writable(m, l->at))
			return err_set(
				e, ST_PLAN, 0,
				"the profile '%s' is reached through the link '%s' in a writable tree: name the real path",
				f->name, l->at);
	}
	if (!files_writable(m, r.path)) {
		fd_release(&r.fd);
		return 0;
	}
	rc = pin_ancestors(m, r.path, f->name, e);
	first = m->n;
	if (rc == 0)
		rc = mounts_add_host(m, &r, true, ACCESS_READ, NULL, e);
	for (size_t i = first; rc == 0 && i < m->n; i++) {
		m->ops[i].option = OPT_PROFILE;
		m->ops[i].origin = (struct origin){ .kind = ORIGIN_FILE, .file = f->name };
	}
	return rc;
}

static int protect_profiles(struct mount_draft *m, const struct plan *p, struct err *e)
{
	int rc = 0;

	for (const struct profile_file *f = p->draft->files; rc == 0 && f; f = f->next)
		rc = protect_profile(m, p, f, e);
	for (const struct profile_file *f = p->deciding; rc == 0 && f; f = f->next)
		rc = protect_profile(m, p, f, e);
	return rc;
}

static int add_workspace(struct mount_draft *m, struct plan *p, struct err *e)
{
	const struct value *v = draft_get(p->draft, OPT_WORKSPACE);
	struct wish w = {
		.option = OPT_WORKSPACE,
		.value = v,
		.readonly = draft_get(p->draft, OPT_WORKSPACE_MODE)->number == 1,
	};
	const char *why;
	int rc = resolve_wish(m->arena, p, &w, e);

	if (rc < 0)
		return rc;
	if (!S_ISDIR(w.r.st.st_mode))
		return refuse(e, &w, ENOTDIR, "");
	if (faccessat(AT_FDCWD, w.r.path, X_OK, AT_EACCESS) < 0)
		return refuse(e, &w, errno, "");
	/*
	 * Also when it is read-only: a workspace is where the command starts and looks around, and
	 * a whole home is never that.
	 */
	why = why_not_writable(m->arena, p, w.r.path, e);
	if (why)
		return refuse(e, &w, 0,
			      arena_printf(m->arena,
					   "%s (cd into a project, or use --workspace DIR)", why));
	p->workspace = w.r.path;
	return add_wish(m, p, &w, e);
}

/* The command starts where the caller stands when that is in the workspace, and else at its top. */
static int choose_cwd(struct mount_draft *m, struct plan *p, struct err *e)
{
	const struct value *v = draft_get(p->draft, OPT_CHDIR);
	struct wish w = { .option = OPT_CHDIR, .value = v };
	int rc;

	if (p->image)
		return image_choose_cwd(m, p, e);
	if (!v) {
		p->cwd = path_beneath(p->caller->cwd, p->workspace) ? p->caller->cwd : p->workspace;
		return 0;
	}
	rc = resolve_wish(m->arena, p, &w, e);
	if (rc < 0)
		return rc;
	if (!S_ISDIR(w.r.st.st_mode))
		return refuse(e, &w, ENOTDIR, "");
	p->cwd = w.r.path;
	fd_release(&w.r.fd);
	return 0;
}

int files_add(struct mount_draft *m, struct plan *p, struct err *e)
{
	int rc = add_workspace(m, p, e);

	if (rc == 0)
		rc = add_list(m, p, OPT_RW, false, e);
	if (rc == 0)
		rc = add_list(m, p, OPT_RO, true, e);
	if (rc == 0)
		rc = protect_profiles(m, p, e);
	if (rc == 0)
		rc = check_links(m, e);
	if (rc == 0)
		rc = choose_cwd(m, p, e);
	return rc;
}
