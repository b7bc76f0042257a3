// SPDX-License-Identifier: GPL-2.0-or-later
/* The verbs that make a plan: run a command, run a profile, explain; P0. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/paths.h"
#include "sandbox/afterwards.h"
#include "sandbox/cgroup.h"
#include "sandbox/events.h"
#include "sandbox/explain.h"
#include "sandbox/idmap.h"
#include "sandbox/image.h"
#include "sandbox/mountlist.h"
#include "sandbox/scope.h"
#include "sandbox/supervise.h"
#include "sandbox/verbs.h"

struct request {
	struct caller caller;
	struct draft draft;
	char **words; /* the command, or NULL */
};

static void print(int fd, const char *s)
{
	(void)fs_write_all(fd, s, strlen(s));
}

int verb_show(const struct text *t, struct err *e)
{
	int rc = t->full ? -E2BIG : fs_write_all(STDOUT_FILENO, t->buf, t->len);

	return rc < 0 ? err_set(e, ST_USAGE, -rc, "write to stdout") : EXIT_OK;
}

int verb_help(struct call *c, struct err *e)
{
	static char buf[16 << 10];
	struct text t;

	(void)c;
	text_init(&t, buf, sizeof(buf));
	text_add(&t,
		 "jail [OPTIONS] [--] COMMAND [ARG...]   run COMMAND in a jail, in this directory\n"
		 "jail run [OPTIONS] PROFILE [ARG...]    run the command that a profile names\n"
		 "jail explain [OPTIONS] [COMMAND...]    what would be, and why; runs nothing\n"
		 "jail doctor                            what this machine can do, and what to fix\n"
		 "jail selftest                          try every known way out of a jail\n"
		 "jail image pull | import | ls | inspect | rm | prune\n"
		 "jail profile ls | show NAME | check FILE\n\n");
	options_help(&t);
	return verb_show(&t, e);
}

static int show_version(struct err *e)
{
	char buf[64];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_addf(&t, "jail %s\n", path_version);
	return verb_show(&t, e);
}

/* argv and the profiles it names; 1 when --help or --version was all there was to do. */
static int read_request(struct call *c, struct request *r, struct err *e)
{
	int first = 0, rc = caller_read(c->arena, c->env, &r->caller, e);

	if (rc == 0)
		rc = draft_init(&r->draft, c->arena, &r->caller.expand, e);
	if (rc == 0)
		rc = draft_from_argv(&r->draft, c->argc, c->argv, true, &first, e);
	if (rc < 0)
		return rc;
	r->words = first < c->argc ? c->argv + first : NULL;
	if (draft_get(&r->draft, OPT_HELP)->number)
		rc = verb_help(c, e);
	else if (draft_get(&r->draft, OPT_VERSION)->number)
		rc = show_version(e);
	else
		return 0;
	return rc < 0 ? rc : 1;
}

static size_t count_words(const char *s)
{
	size_t n = 0;

	while (*s) {
		n++;
		s += strcspn(s, " ");
		s += strspn(s, " ");
	}
	return n;
}

/* The command line: the profile's own words when `prefix`, then what the caller gave. */
static char **command_of(struct arena *a, const struct draft *d, char **words, bool prefix)
{
	const struct value *v = prefix ? draft_get(d, OPT_COMMAND) : NULL;
	const char *s = v ? v->text : "";
	size_t n = 0, given = 0;
	char **out;

	while (words && words[given])
		given++;
	out = arena_array(a, char *, count_words(s) + given + 1);
	while (*s) {
		size_t len = strcspn(s, " ");

		out[n++] = arena_strndup(a, s, len);
		s += len;
		s += strspn(s, " ");
	}
	for (size_t i = 0; i < given; i++)
		out[n++] = arena_strdup(a, words[i]);
	return n ? out : NULL;
}

/*
 * Where to say how it ended. It is looked for before anything else is read, so that whoever waits
 * there hears of a bad profile too.
 */
static int open_status(struct call *c, int *ret, struct err *e)
{
	struct value v = { 0 };
	int fd, mode;

	if (!argv_find(c->arena, c->argc, c->argv, OPT_STATUS_FD, &v))
		return 0;
	fd = v.number > INT_MAX ? FD_NONE : (int)v.number;
	mode = fcntl(fd, F_GETFL);
	if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY)
		return err_set(e, ST_USAGE, 0,
			       "--status-fd %s: the descriptor is not open for writing", v.text);
	if (fd > STDERR_FILENO)
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	/* One of our own: 1 and 2 are the command's too. */
	*ret = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return *ret < 0 ? err_set(e, ST_USAGE, errno, "--status-fd %s", v.text) : 0;
}

static void say_notes(const struct plan *p)
{
	for (const struct note *n = p->notes; n; n = n->next) {
		char line[700];
		struct text t;

		if (!n->weak && !n->said)
			continue;
		text_init(&t, line, sizeof(line));
		text_add(&t, n->weak ? "jail: weak: " : "jail: note: ");
		text_add_clean(&t, n->text);
		text_add(&t, "\n");
		print(STDERR_FILENO, line);
	}
}

static bool is_program(const char *file)
{
	struct stat st;

	return stat(file, &st) == 0 && S_ISREG(st.st_mode) && access(file, X_OK) == 0;
}

/*
 * The command is not there inside. Is it on the host, where the user has every reason to expect it?
 */
static void explain_not_found(const struct plan *p, struct err *e)
{
	const char *path = caller_getenv(p->caller, "PATH"), *name = p->argv[0];
	char file[PATH_MAX];
	struct text t;

	if (p->image) {
		e->stage = ST_NONE;
		(void)err_set(e, ST_EXEC, ENOENT, "run '%s': it is not in the image '%s'", name,
			      p->image->named);
		return;
	}
	if (strchr(name, '/')) {
		/* Shown, and still not found: what its first line names is missing. */
		if (name[0] == '/' && is_program(name) && !mounts_show(&p->mounts, name)) {
			e->stage = ST_NONE;
			(void)err_set(
				e, ST_EXEC, ENOENT,
				"run '%s': it is on the host, but not shown inside (--ro shows a path)",
				name);
		}
		return;
	}
	while (path && *path) {
		size_t n = strcspn(path, ":");

		text_init(&t, file, sizeof(file));
		text_addn(&t, path, n);
		text_addf(&t, "/%s", name);
		if (*name && n && !t.full && path[0] == '/' && is_program(file)) {
			e->stage = ST_NONE;
			(void)err_set(
				e, ST_EXEC, ENOENT,
				"run '%s': it is '%s' on the host, which is not shown inside (--ro shows a path)",
				name, file);
			return;
		}
		path += n;
		path += *path == ':';
	}
}

/* The kernel kills without a word; the user should not have to guess why. */
static void explain_out_of_memory(const struct plan *p, const struct outcome *out, struct err *e)
{
	const char *memory = draft_get(p->draft, OPT_MEMORY)->text;
	char line[256];
	struct text t;

	if (!out->started) {
		e->stage = ST_NONE;
		(void)err_set(e, ST_CGROUP, 0, "a memory limit of %s is too little to start in",
			      memory);
		return;
	}
	text_init(&t, line, sizeof(line));
	text_addf(&t,
		  "jail: the memory limit of %s was reached: the kernel killed the command and all it had started\n",
		  memory);
	print(STDERR_FILENO, line);
}

static void say_time_limit(const struct plan *p)
{
	char line[128];
	struct text t;

	text_init(&t, line, sizeof(line));
	text_addf(&t, "jail: the time limit of %s was reached\n", draft_get(p->draft, OPT_TIME)->text);
	print(STDERR_FILENO, line);
}

/*
 * Ctrl-C ended the command. A shell that runs a list or a loop goes on to the next command unless
 * this one dies of the key as well: 130 alone it takes for a program's own answer.
 */
static void die_of_interrupt(const struct session *s)
{
	struct sigaction act = { .sa_handler = SIG_DFL };

	(void)sigaction(SIGINT, &act, NULL);
	(void)raise(SIGINT);
	(void)sigprocmask(SIG_SETMASK, &s->mask, NULL);
}

static int run_plan(struct call *c, struct plan *p, bool in_scope, int status_fd, struct err *e)
{
	own_fd signals = FD_NONE;
	struct outcome out = { .code = EXIT_JAIL };
	struct cgroup group;
	struct gateway gate;
	struct session s;
	struct jail j;
	int rc;

	session_init(&s);
	cgroup_init(&group);
	gateway_init(&gate);
	say_notes(p);
	rc = events_open(p, e);
	if (rc == 0)
		rc = idmap_trees(p, e);
	if (rc == 0)
		rc = session_open(&s, p->remap ? JAIL_KUID : p->caller->uid, e);
	if (rc == 0)
		rc = supervise_prepare(&s, &signals, e);
	if (rc == 0)
		rc = cgroup_make(p, in_scope, &group, e);
	if (rc == 0)
		rc = gateway_open(c->arena, p, &gate, e);
	if (rc == 0)
		rc = arena_seal(c->arena, e);
	if (rc == 0) {
		s.umask = umask(0);
		(void)umask(s.umask);
		s.cgroup = group.fd >= 0;
		rc = launch(p, &s, &gate, group.fd, c->launcher_argv, c->env, &j, e);
	}
	if (rc == 0) {
		supervise(p, &s, &gate, &j, signals, status_fd, &out, e);
		afterwards_let_go(&j.mounts);
		rc = out.code;
	}
	gateway_close(&gate);
	if (cgroup_ran_out_of_memory(&group))
		explain_out_of_memory(p, &out, e);
	cgroup_remove(&group);
	session_close(&s);
	if (out.timed_out)
		say_time_limit(p);
	if (out.code == EXIT_NOTFOUND && e->stage)
		explain_not_found(p, e);
	if (rc >= 0)
		status_ended(status_fd, &out, e);
	if (s.tty && rc == 128 + SIGINT)
		die_of_interrupt(&s);
	return rc;
}

/*
 * Limits for a jail as a whole need a cgroup. Where none is ours, systemd may give one: then this
 * program starts again, in it.
 */
static void seek_cgroup(struct call *c, const struct plan *p)
{
	const struct value *status = draft_get(p->draft, OPT_STATUS_FD);
	const int keep[] = { status ? (int)status->number : FD_NONE, events_number(p->draft) };
	const unsigned needs = cgroup_needs(p);

	if (needs && !cgroup_found(needs, false))
		scope_enter(c->arena, p->caller, c->launcher_argv, keep, ARRAY_SIZE(keep));
}

static int no_command(struct err *e)
{
	return err_set(e, ST_USAGE, 0,
		       "no command: jail [OPTIONS] -- COMMAND [ARG...]; see jail --help");
}

static int run_request(struct call *c, struct request *r, bool prefix, int status_fd, struct err *e)
{
	const bool in_scope = scope_entered(c->env);
	char **argv = command_of(c->arena, &r->draft, r->words, prefix || !r->words);
	struct plan *p = NULL;
	int rc;

	if (!argv && !image_wanted(&r->draft))
		return no_command(e);
	rc = in_scope ? 0 /* it was done before */ : image_fetch(c->arena, &r->draft, &r->caller, e);
	if (rc == 0)
		rc = plan_build(c->arena, &r->draft, &r->caller, argv, &p, e);
	if (rc)
		return rc;
	if (!p->argv)
		return no_command(e);
	if (!in_scope)
		seek_cgroup(c, p);
	return run_plan(c, p, in_scope, status_fd, e);
}

/* A run, or no run: one line tells its end. */
static int run_told(struct call *c, int (*run)(struct call *c, int status_fd, struct err *e),
		    struct err *e)
{
	own_fd status_fd = FD_NONE;
	int rc = open_status(c, &status_fd, e);

	if (rc == 0)
		rc = run(c, status_fd, e);
	if (rc < 0)
		status_ended(status_fd, &(struct outcome){ .code = EXIT_JAIL }, e);
	return rc;
}

static int run_command(struct call *c, int status_fd, struct err *e)
{
	struct request r = { 0 };
	int rc = read_request(c, &r, e);

	if (rc)
		return rc < 0 ? rc : EXIT_OK;
	return run_request(c, &r, false, status_fd, e);
}

int verb_command(struct call *c, struct err *e)
{
	return run_told(c, run_command, e);
}

/*
 * `jail run [OPTIONS] PROFILE [ARG...]` is `jail [OPTIONS] --profile PROFILE`, with the profile's
 * command before ARG.
 */
static int run_profile(struct call *c, int status_fd, struct err *e)
{
	struct request probe = { 0 }, r = { 0 };
	struct call named = *c;
	int first = 0, n = 0, rc = caller_read(c->arena, c->env, &probe.caller, e);

	if (rc == 0)
		rc = draft_init(&probe.draft, c->arena, &probe.caller.expand, e);
	if (rc == 0)
		rc = draft_from_argv(&probe.draft, c->argc, c->argv, false, &first, e);
	if (rc < 0)
		return rc;
	if (draft_get(&probe.draft, OPT_HELP)->number)
		return verb_help(c, e);
	if (first >= c->argc)
		return err_set(
			e, ST_USAGE, 0,
			"run: no profile: jail run PROFILE [ARG...]; `jail profile ls` lists them");
	named.argv = arena_array(c->arena, char *, (size_t)c->argc + 4);
	named.argv[n++] = c->argv[0];
	for (int i = 1; i < first; i++) {
		if (!str_eq(c->argv[i], "--"))
			named.argv[n++] = c->argv[i];
	}
	named.argv[n++] = arena_strdup(c->arena, "--profile");
	named.argv[n++] = c->argv[first];
	named.argv[n++] = arena_strdup(c->arena, "--");
	for (int i = first + 1; i < c->argc; i++)
		named.argv[n++] = c->argv[i];
	named.argc = n;
	rc = read_request(&named, &r, e);
	if (rc)
		return rc < 0 ? rc : EXIT_OK;
	if (!draft_get(&r.draft, OPT_COMMAND) && !image_wanted(&r.draft))
		return err_set(e, ST_USAGE, 0,
			       "run: the profile '%s' names no command: jail --profile %s -- COMMAND",
			       c->argv[first], c->argv[first]);
	return run_request(&named, &r, true, status_fd, e);
}

int verb_run(struct call *c, struct err *e)
{
	return run_told(c, run_profile, e);
}

int verb_explain(struct call *c, struct err *e)
{
	static char buf[2 << 20];
	struct request r = { 0 };
	struct plan *p;
	struct text t;
	int rc = read_request(c, &r, e);

	if (rc)
		return rc < 0 ? rc : EXIT_OK;
	rc = plan_build(c->arena, &r.draft, &r.caller,
			command_of(c->arena, &r.draft, r.words, !r.words), &p, e);
	if (rc < 0)
		return rc;
	text_init(&t, buf, sizeof(buf));
	if (draft_get(&r.draft, OPT_JSON)->number)
		explain_json(p, &t);
	else
		explain_text(p, &t);
	return verb_show(&t, e);
}

int verb_completion(struct call *c, struct err *e)
{
	static char buf[64 << 10];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	if (c->argc != 2 || !options_completion(c->argv[1], &t))
		return err_set(e, ST_USAGE, 0, "completion: name a shell: bash, zsh or fish");
	return verb_show(&t, e);
}
