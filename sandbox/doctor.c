// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jail doctor: what this machine can do, found by doing it, and the one command that mends what it
 * cannot; P0.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/own.h"
#include "base/paths.h"
#include "landlock/ruleset.h"
#include "sandbox/caller.h"
#include "sandbox/cgroup.h"
#include "sandbox/gateway.h"
#include "sandbox/groups.h"
#include "sandbox/root.h"
#include "sandbox/scope.h"
#include "sandbox/setup.h"
#include "sandbox/verbs.h"
#include "sandbox/wire.h"

enum verdict { GOOD, NOTE, BAD };

struct finding {
	enum verdict verdict;
	char said[512];
	const char *fix; /* or NULL */
};

struct exam {
	struct call *call;
	const struct caller *caller;
};

static void say(struct finding *f, enum verdict v, const char *fix, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static void say(struct finding *f, enum verdict v, const char *fix, const char *fmt, ...)
{
	va_list ap;

	f->verdict = v;
	f->fix = fix;
	va_start(ap, fmt);
	(void)vsnprintf(f->said, sizeof(f->said), fmt, ap);
	va_end(ap);
}

static bool file_says(const char *path, const char *value)
{
	char text[32];

	return fs_read_file_at(AT_FDCWD, path, text, sizeof(text), false) > 0 &&
	       str_starts(text, value) && (text[strlen(value)] == '\n' || !text[strlen(value)]);
}

static void exam_kernel(const struct exam *x, struct finding *f)
{
	struct utsname u;

	(void)x;
	if (uname(&u) < 0)
		say(f, BAD, NULL, "the kernel does not tell its name");
	else
		say(f, GOOD, NULL,
		    "%s %s; its bugs are what stands behind every wall: keep it updated", u.sysname,
		    u.release);
}

/* Unsharing in a child, since it cannot be undone here; its errno is its exit status. */
static int try_unshare(int flags)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return errno;
	if (pid == 0)
		_exit(unshare(flags) < 0 ? errno : 0);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

static void exam_userns(const struct exam *x, struct finding *f)
{
	int code = try_unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
			       CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP);

	(void)x;
	if (!code)
		say(f, GOOD, NULL,
		    "user, mount, pid, net, ipc, uts and cgroup namespaces can be made");
	else if (access(ROOT_POLICY_JSON, F_OK) == 0)
		say(f, BAD, "run it outside",
		    "you are inside a jail already, where no other can be made: %s", strerror(code));
	else if (file_says("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"))
		say(f, BAD,
		    "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0   (or install jail's package: it has an AppArmor profile)",
		    "AppArmor lets only programs with a profile make user namespaces");
	else if (file_says("/proc/sys/kernel/unprivileged_userns_clone", "0"))
		say(f, BAD, "sudo sysctl kernel.unprivileged_userns_clone=1",
		    "user namespaces are switched off for users");
	else if (file_says("/proc/sys/user/max_user_namespaces", "0"))
		say(f, BAD, "sudo sysctl user.max_user_namespaces=15000",
		    "the number of user namespaces is limited to zero");
	else
		say(f, BAD,
		    "run outside the container, or give it --security-opt seccomp=unconfined or a profile that allows unshare and clone3",
		    "namespaces are refused: %s", strerror(code));
}

static void exam_landlock(const struct exam *x, struct finding *f)
{
	int code, abi = landlock_abi(&code);
	struct text t;

	(void)x;
	if (!abi) {
		say(f, BAD,
		    "boot with lsm=landlock,... (see `cat /sys/kernel/security/lsm`), on Linux 5.13 or later",
		    "no Landlock: %s", strerror(code));
		return;
	}
	say(f, GOOD, NULL, "Landlock ABI %d", abi);
	text_init(&t, f->said + strlen(f->said), sizeof(f->said) - strlen(f->said));
	for (unsigned i = 0; i < landlock_steps_n; i++) {
		if (landlock_steps[i].abi > abi) {
			f->verdict = abi < 3 ? NOTE : GOOD;
			text_addf(&t, "; %s", landlock_steps[i].without);
		}
	}
}

static void exam_root(const struct exam *x, struct finding *f)
{
	const struct caller *c = x->caller;

	if (!c->kernel_root)
		say(f, GOOD, NULL, "uid %u, an ordinary user", c->uid);
	else if (c->can_remap)
		say(f, GOOD, NULL,
		    "root: commands run as an unprivileged user, and files they make belong to root");
	else
		say(f, BAD, "run jail as an ordinary user",
		    "root of the host inside a user namespace: commands would own the kernel's files");
}

static void exam_groups(const struct exam *x, struct finding *f)
{
	for (int i = 0; i < x->caller->groups_n; i++) {
		const char *name = group_is_dangerous(x->caller->groups[i]);

		if (name && !x->caller->kernel_root) {
			say(f, NOTE, "never show a socket or file of that group to a jail",
			    "you are in the group '%s', which is a way to root; a command keeps it, though nothing shown by default is its own",
			    name);
			return;
		}
	}
	say(f, GOOD, NULL, "no group that amounts to root");
}

/* Found by making one; where that fails, by asking systemd for one as a run would. */
static void exam_cgroup(const struct exam *x, struct finding *f)
{
	static const char fix[] =
		"log in through systemd (ssh or a console, not su; `loginctl enable-linger` for services), "
		"or let root delegate a cgroup v2 subtree to you";

	if (cgroup_try(CGROUP_MEMORY | CGROUP_PIDS | CGROUP_CPU) == 0)
		say(f, GOOD, NULL,
		    "a cgroup can be made: memory, pids and cpu are limited for a jail as a whole");
	else if (cgroup_try(CGROUP_MEMORY | CGROUP_PIDS) == 0)
		say(f, NOTE,
		    "delegate the cpu controller too: Delegate=cpu memory pids in user@.service",
		    "a cgroup can be made: memory and pids are limited for a jail as a whole, cpu not");
	else if (scope_available(x->call->arena, x->caller))
		say(f, GOOD, NULL,
		    "systemd gives a cgroup to a run that needs one: memory, pids and cpu are limited for a jail as a whole");
	else
		say(f, NOTE, fix,
		    "no cgroup is delegated, and systemd gives none: limits hold for each process");
}

static void exam_gate(const struct exam *x, struct finding *f)
{
	(void)x;
	if (access(path_gate, X_OK) == 0)
		say(f, GOOD, NULL, "'%s' can be started", path_gate);
	else
		say(f, NOTE, "install jail's packages again: it is a part of them",
		    "mode = gate cannot be had: '%s': %s", path_gate, strerror(errno));
}

/* A gate with a bit of everything that rules can ask of the kernel. */
static int make_gateway(struct arena *a, struct gateway *g, struct err *e)
{
	static const char *const words[] = { "a.test:1-2", "192.0.2.0/24:1", "[2001:db8::/32]:1" };
	struct net_policy *p = arena_alloc(a, policy_size(ARRAY_SIZE(words)));
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(words); i++)
		rc = rule_parse(words[i], &p->rule[p->rules++], e);
	gateway_init(g);
	g->policy = p;
	if (rc == 0)
		rc = batch_build(a, p, true, &g->batch, e);
	return rc < 0 ? rc : wire_pair(g->pair, e);
}

struct net_trial {
	int rc;
	bool six;
	struct err err;
};

/* What P1 does for a jail; the sockets are handed to nobody but the trial itself. */
static void try_net(struct gateway *g, struct net_trial *t)
{
	struct handed kinds[HANDED_MAX];
	ssize_t n;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) {
		t->rc = err_set(&t->err, ST_USERNS, errno, "make a network namespace");
		return;
	}
	(void)send(g->pair[1], "", 1, MSG_NOSIGNAL); /* the answer that it will wait for */
	t->rc = net_make(g, &t->err);
	n = t->rc < 0 ? 0 : recv(g->pair[1], kinds, sizeof(kinds), MSG_DONTWAIT);
	for (ssize_t i = 0; i < n / (ssize_t)sizeof(kinds[0]); i++)
		t->six |= kinds[i].kind == SOCKET_TCP6;
}

static void exam_nft(const struct exam *x, struct finding *f)
{
	struct net_trial trial = { .rc = -EIO };
	own_fd in = FD_NONE, out = FD_NONE;
	struct gateway g;
	int ends[2];
	pid_t pid;

	if (make_gateway(x->call->arena, &g, &trial.err) < 0 || pipe2(ends, O_CLOEXEC) < 0) {
		say(f, BAD, NULL, "make rules to try: %s", trial.err.what);
		return;
	}
	in = ends[0];
	out = ends[1];
	pid = fork();
	if (pid == 0) {
		try_net(&g, &trial);
		_exit(fs_write_all(out, (const char *)&trial, sizeof(trial)) < 0);
	}
	fd_release(&out);
	fd_release(&g.pair[0]);
	fd_release(&g.pair[1]);
	if (pid > 0)
		(void)fs_read_fd(in, (char *)&trial, sizeof(trial));
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (trial.rc == 0)
		say(f, GOOD, NULL, "the rules, routes and sockets of a gate can be made%s",
		    trial.six ? "" : "; no IPv6 here, so a gate has none inside either");
	else
		say(f, NOTE,
		    batch_is_missing(trial.rc)
			    ? "sudo modprobe -a nf_tables nft_chain_nat nft_redir nft_ct nft_log nft_reject_inet nfnetlink_log   (CONFIG_NF_TABLES_INET and these as modules; or without-nft = yes in a profile, which is weak)"
			    : NULL,
		    "mode = gate cannot be had: %s: %s", trial.err.what, strerror(-trial.rc));
}

/*
 * The proof of all: a jail, around a command that does nothing. Its one line of complaint is ours
 * to show.
 */
static void exam_jail(const struct exam *x, struct finding *f)
{
	char dir[] = "/tmp/jail-doctor-XXXXXX";
	/* Writable, all of them: pid 1 overwrites the words it was called with. */
	char name[] = "jail", workspace[] = "--workspace", end[] = "--", command[] = "true";
	char *argv[] = { name, workspace, dir, end, command, NULL };
	struct call call = *x->call;
	int ends[2], status = 0;
	ssize_t n = 0;
	pid_t pid;

	call.argv = call.launcher_argv = argv;
	call.argc = 5;
	if (!mkdtemp(dir) || pipe2(ends, O_CLOEXEC) < 0) {
		say(f, BAD, NULL, "make a place to try in: %s", strerror(errno));
		return;
	}
	pid = fork();
	if (pid == 0) {
		struct err e = { 0 };
		char line[1200] = "";
		int rc;

		(void)dup2(ends[1], STDERR_FILENO);
		rc = verb_command(&call, &e);
		if (e.stage)
			err_format(&e, line, sizeof(line));
		(void)fs_write_all(STDERR_FILENO, line, strlen(line));
		_exit(rc < 0 ? EXIT_JAIL : rc);
	}
	(void)close(ends[1]);
	if (pid > 0)
		n = fs_read_fd(ends[0], f->said, sizeof(f->said) - 1);
	(void)close(ends[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	(void)rmdir(dir);
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		say(f, GOOD, NULL, "a jail starts");
	else if (n <= 0)
		say(f, BAD, NULL, "a jail does not start, and did not say why");
	f->verdict = pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? GOOD : BAD;
}

static const struct {
	const char *name;
	void (*look)(const struct exam *x, struct finding *f);
} exams[] = {
	{ "kernel", exam_kernel }, { "namespaces", exam_userns }, { "landlock", exam_landlock },
	{ "user", exam_root },	   { "groups", exam_groups },	  { "cgroup", exam_cgroup },
	{ "gate", exam_gate },	   { "nftables", exam_nft },	  { "jail", exam_jail },
};

static void report(struct text *t, struct json *j, const char *name, const struct finding *f)
{
	static const char *const marks[] = { "ok", "note", "FAIL" };

	if (j) {
		json_open(j, NULL, '{');
		json_str(j, "check", name);
		json_str(j, "verdict", marks[f->verdict]);
		json_str(j, "text", f->said);
		json_str(j, "fix", f->fix);
		json_close(j, '}');
		return;
	}
	text_addf(t, "%-5s %-11s ", marks[f->verdict], name);
	text_add_clean(t, f->said);
	text_add(t, "\n");
	if (f->fix)
		text_addf(t, "%-17s fix: %s\n", "", f->fix);
}

int verb_doctor(struct call *c, struct err *e)
{
	static char buf[16 << 10];
	const bool json = c->argc == 2 && str_eq(c->argv[1], "--json");
	struct exam x = { .call = c };
	struct caller who;
	struct text t;
	struct json j;
	int rc = caller_read(c->arena, c->env, &who, e), bad = 0;

	if (rc < 0)
		return rc;
	if (c->argc > 1 && !json)
		return err_set(e, ST_USAGE, 0, "doctor: takes no argument but --json");
	x.caller = &who;
	text_init(&t, buf, sizeof(buf));
	json_init(&j, &t);
	if (json)
		json_open(&j, NULL, '[');
	for (size_t i = 0; i < ARRAY_SIZE(exams); i++) {
		struct finding f = { .verdict = BAD };

		exams[i].look(&x, &f);
		bad |= f.verdict == BAD;
		report(&t, json ? &j : NULL, exams[i].name, &f);
	}
	if (json) {
		json_close(&j, ']');
		text_add(&t, "\n");
	}
	rc = verb_show(&t, e);
	return rc == EXIT_OK && bad ? EXIT_JAIL : rc;
}
