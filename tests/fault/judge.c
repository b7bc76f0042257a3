// SPDX-License-Identifier: GPL-2.0-or-later
/* The verdicts, and the list of what may fail without harm; tests only. */
#include "tests/fault/judge.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/text.h"
#include "landlock/ruleset.h"

#define ROWS_MAX 256

static struct {
	const char *role, *call;
} rows[ROWS_MAX];
static size_t rows_n;

/* "P0 readlink(*)	why": role, space, a pattern for the call, tab, the reason. */
bool harmless_read(const char *path)
{
	static char text[64 << 10];
	char *line = text;

	if (fs_read_file_at(AT_FDCWD, path, text, sizeof(text), true) < 0)
		return false;
	while (line && *line) {
		char *end = strchr(line, '\n'), *call, *reason;

		if (end)
			*end++ = '\0';
		call = strchr(line, ' ');
		reason = strchr(line, '\t');
		if (line[0] != '#' && line[0]) {
			if (!call || !reason || rows_n == ROWS_MAX)
				return false;
			*call++ = *reason = '\0';
			rows[rows_n].role = line;
			rows[rows_n++].call = call;
		}
		line = end;
	}
	return true;
}

bool harmless_known(const struct seen *s)
{
	for (size_t i = 0; i < rows_n; i++) {
		if (str_eq(rows[i].role, role_name(s->role)) && fnmatch(rows[i].call, s->text, 0) == 0)
			return true;
	}
	return false;
}

static bool one_line(const char *err)
{
	const char *end = strchr(err, '\n');

	return str_starts(err, "jail: ") && end && !end[1];
}

/* Where two reports part. */
static void show_difference(struct text *t, const char *was, const char *is)
{
	const char *a = was, *b = is;

	while (*was && *was == *is) {
		if (*was == '\n') {
			a = was + 1;
			b = is + 1;
		}
		was++;
		is++;
	}
	text_addf(t, "usually '%.*s', now '%.*s'", (int)strcspn(a, "\n"), a, (int)strcspn(b, "\n"), b);
}

/* What no run may leave, whatever failed in it. */
static bool tidy(const struct config *c, const struct outcome *o, struct text *t)
{
	const struct seen *hit = &o->trace.hit;

	if (o->trace.hung)
		text_add(t, "it hung");
	else if (o->trace.left)
		text_addf(t, "%u processes are left", o->trace.left);
	else if (o->left[0])
		text_addf(t, "left: %s", o->left);
	else if (o->trace.wrote.text[0])
		text_addf(t, "P0 writes to the host: %s", o->trace.wrote.text);
	/* Who cannot give the terminal back has not given it back, and who is dead neither. */
	else if (c->io == IO_TERMINAL && o->terminal_changed && !str_starts(hit->text, "ioctl(") &&
		 hit->role != ROLE_P0)
		text_add(t, "the terminal is not as it was");
	else
		return true;
	return false;
}

static bool refused(const struct fault *f, const struct outcome *o)
{
	const int code = WIFEXITED(o->trace.status) ? WEXITSTATUS(o->trace.status) : -1;
	/* The command's process asks for the kind of file too when an exec has failed, to say it in better words. */
	const bool exec = str_starts(o->trace.hit.text, "execve(") ||
			  (o->trace.hit.role == ROLE_P2 && strstr(o->trace.hit.text, "stat"));

	/* Killed in the exec itself: who could tell it from a command that is killed at once? */
	if (f->kind == FAULT_KILL && exec && code == 137)
		return !o->report[0] && !o->err[0];
	return !o->report[0] && one_line(o->err) &&
	       (code == 125 || (exec && (code == 126 || code == 127)));
}

static bool as_usual(const struct outcome *o, const struct outcome *base)
{
	return o->trace.status == base->trace.status && str_eq(o->report, base->report) &&
	       str_eq(o->out, base->out) && str_eq(o->err, base->err);
}

/* The same, but for the files in which the jail describes itself. */
static bool same_but_policy(const char *a, const char *b)
{
	while (*a && *b) {
		const size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");

		if ((n != m || memcmp(a, b, n) != 0) && (!str_starts(a, "tree /run/jail/policy.") ||
							 !str_starts(b, "tree /run/jail/policy.")))
			return false;
		a += n + (a[n] != '\0');
		b += m + (b[m] != '\0');
	}
	return *a == *b;
}

/* As usual, and said to be not quite. */
static bool noted(const struct outcome *o, const struct outcome *base)
{
	return o->trace.status == base->trace.status && same_but_policy(o->report, base->report) &&
	       same_but_policy(o->out, base->out) && str_eq(o->err, base->err);
}

/* Where the command's own part of the report ends. */
static size_t about_pid1(const char *report)
{
	const char *at = strstr(report, "\n/proc/1/status");

	return at ? (size_t)(at - report) : strlen(report);
}

/* In the run itself: 125 and why, or 137 as for any command that is killed; and nobody ran with less than he should have had. */
static bool ended(const struct outcome *o, const struct outcome *base)
{
	const int code = WIFEXITED(o->trace.status) ? WEXITSTATUS(o->trace.status) : -1;
	size_t n = strlen(o->report);

	/* It may have been killed while it wrote. */
	if (n > about_pid1(base->report))
		n = about_pid1(base->report);
	if (memcmp(o->report, base->report, n) != 0)
		return false;
	if (code == 0) /* what a relay could not write is lost, and nothing else */
		return str_eq(o->report, base->report) && !o->err[0];
	return (code == 137 && !o->err[0]) || ((code == 125 || code == 137) && one_line(o->err));
}

/* A jail that lost its gate lives on, and its user is told. */
static bool lost_gate(const struct outcome *o, const struct outcome *base)
{
	return o->trace.hit.role == ROLE_STUB && o->trace.status == base->trace.status &&
	       str_eq(o->report, base->report) && str_eq(o->out, base->out) && one_line(o->err) &&
	       str_starts(o->err, "jail: the gate died (");
}

static void describe(const struct outcome *o, const struct outcome *base, struct text *t)
{
	if (WIFSIGNALED(o->trace.status))
		text_addf(t, "signal %d; ", WTERMSIG(o->trace.status));
	else
		text_addf(t, "exit %d; ", WEXITSTATUS(o->trace.status));
	text_addf(t, "stderr '%.*s'; ", (int)strcspn(o->err, "\n"), o->err);
	if (!o->report[0])
		text_add(t, "the command did not run");
	else if (str_eq(o->report, base->report))
		text_add(t, "the command ran as usual");
	else {
		text_add(t, "the command ran otherwise: ");
		show_difference(t, base->report, o->report);
	}
}

enum verdict judge(const struct config *c, const struct fault *f, const struct outcome *o,
		   const struct outcome *base, char why[JUDGE_WHY])
{
	const struct seen *hit = &o->trace.hit;
	const bool gone = f->kind == FAULT_KILL && f->role == ROLE_P0; /* who is dead says nothing */
	struct text t;

	text_init(&t, why, JUDGE_WHY);
	if (!hit->text[0])
		return VERDICT_UNREACHED;
	if (!tidy(c, o, &t))
		return VERDICT_WRONG;
	if (gone && WIFSIGNALED(o->trace.status) && (!o->report[0] || hit->phase == PHASE_RUN))
		return VERDICT_REFUSED;
	if (refused(f, o))
		return VERDICT_REFUSED;
	if (as_usual(o, base)) {
		/* Before main it is the C library's and the loader's own business. */
		if (hit->phase != PHASE_SETUP || harmless_known(hit))
			return VERDICT_HARMLESS;
		text_add(&t, "its failure changes nothing, and it is not in harmless.txt");
		return VERDICT_WRONG;
	}
	if (noted(o, base) && harmless_known(hit))
		return VERDICT_HARMLESS;
	if (hit->phase == PHASE_LIBC && !o->report[0] && o->trace.status)
		return VERDICT_LIBC;
	if (hit->phase == PHASE_RUN && (ended(o, base) || lost_gate(o, base)))
		return VERDICT_ENDED;
	describe(o, base, &t);
	return VERDICT_WRONG;
}

const char *judge_base(const struct outcome *base)
{
	static const char *const wanted[] = {
		"CapInh:\t0000000000000000\n",
		"CapPrm:\t0000000000000000\n",
		"CapEff:\t0000000000000000\n",
		"CapBnd:\t0000000000000000\n",
		"CapAmb:\t0000000000000000\n",
		"NoNewPrivs:\t1\n",
		"Seccomp:\t2\n",
		"Seccomp_filters:\t1\n",
		"\nfd 2 ",
		"\nlimit 4 0 0\n", /* core */
	};
	static const char *const unwanted[] = { "unshare user: allowed", "unshare mnt: allowed",
						"setting it: allowed", "\nfd 3 " };
	static char text[256];
	int ignored;

	if (base->trace.status || base->trace.hung || base->trace.left || base->left[0] ||
	    base->trace.wrote.text[0]) {
		(void)snprintf(text, sizeof(text),
			       "status %x, %u left, '%.60s', '%.40s', stderr '%.80s'",
			       base->trace.status, base->trace.left, base->left,
			       base->trace.wrote.text, base->err);
		return text;
	}
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		if (!strstr(base->report, wanted[i]))
			return wanted[i];
	}
	for (size_t i = 0; i < ARRAY_SIZE(unwanted); i++) {
		if (strstr(base->report, unwanted[i]))
			return unwanted[i];
	}
	if (landlock_abi(&ignored) >= 3 && strstr(base->report, "truncate allowed"))
		return "truncate allowed";
	return base->terminal_changed ? "the terminal is not as it was" : NULL;
}
