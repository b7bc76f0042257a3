// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fault injection (RT-08): every system call of jail's set-up fails once, and the command either does not start or runs exactly as it
 * always does.
 *
 * A run without a fault is written down, call by call. Then each of these calls is made to fail in a run of its own. jail must refuse
 * (125, one line, nothing ran, nothing left), or the failure must change nothing at all, and tests/fault/harmless.txt must say why that
 * is right. With JAIL_FAULT_FULL=1 it is every call, else the first and the last of each kind.
 *
 *   test_fault                                   the test
 *   test_fault list CONFIG                       the calls of a run
 *   test_fault one CONFIG ROLE CALL NTH CODE     fail that one (CODE: an errno number, or kill) and show what happens
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "tests/fault/points.h"
#include "tests/fault/special.h"

static const char *const no_flags[] = { NULL };
static const char *const strict_flags[] = { "--profile", "strict", NULL };

static const char *const gate_flags[] = { "--network",	 "gate", "--allow", "x.test 192.0.2.1:22",
					  "--host-port", "4711", NULL };

static const struct config configs[] = {
	{ "pipes", IO_PIPES, false, no_flags, NULL, NULL },
	{ "terminal", IO_TERMINAL, false, no_flags, NULL, NULL },
	{ "files", IO_FILES, false, no_flags, NULL, NULL },
	{ "strict", IO_PIPES, false, strict_flags, NULL, NULL },
	{ "old mounts", IO_PIPES, false, no_flags, "fsopen", NULL },
	{ "gate", IO_PIPES, false, gate_flags, NULL, NULL },
	{ "root", IO_PIPES, true, no_flags, NULL, NULL },
	{ "root gate", IO_PIPES, true, gate_flags, NULL, NULL },
	{ "root terminal", IO_TERMINAL, true, no_flags, NULL, NULL },
	{ "image", IO_PIPES, false, no_flags, NULL, "none" },
	{ "image, old mounts", IO_PIPES, false, no_flags, "fsopen", "none" },
	{ "image, root", IO_PIPES, true, no_flags, NULL, "none" },
};

static struct seen seen[SEEN_MAX];
static struct outcome outcome;

/* ---- the plan of what to try */

/* The first configuration gets every call; the others are much the same, and of them it is each kind unless all are asked for. */
static void add_config(struct points *p, const struct config *c, size_t n, bool full)
{
	static const enum role roles[] = { ROLE_P0, ROLE_MAP, ROLE_P1, ROLE_NET, ROLE_STUB, ROLE_P2 };
	const bool first = c == configs;
	bool all = full || first;

	if (all && !call_sanitized)
		points_add(p, c, seen, n, ROLE_P0, PHASE_LIBC, FAULT_ERROR, EPERM, true);
	for (size_t i = 0; i < ARRAY_SIZE(roles); i++) {
		/* Most of what these two do is a gate's alone. */
		all = full || first ||
		      (c->flags == gate_flags && (roles[i] == ROLE_NET || roles[i] == ROLE_STUB));
		points_add(p, c, seen, n, roles[i], PHASE_SETUP, FAULT_ERROR, EPERM, all);
		points_add(p, c, seen, n, roles[i], PHASE_RUN, FAULT_ERROR, EPERM, full);
		if (all)
			points_add(p, c, seen, n, roles[i], PHASE_SETUP, FAULT_ERROR,
				   roles[i] == ROLE_P0 ? ENOMEM : EIO, full || roles[i] != ROLE_P0);
		if (all || c->root || c->io == IO_TERMINAL) {
			points_add(p, c, seen, n, roles[i], PHASE_SETUP, FAULT_KILL, 0, full);
			points_add(p, c, seen, n, roles[i], PHASE_RUN, FAULT_KILL, 0, full);
		}
	}
}

static void report_case(struct tap *t, const struct points *p, unsigned number)
{
	unsigned count[VERDICTS] = { 0 };
	char how[16] = "kill";

	for (size_t i = 0; i < p->n; i++) {
		const struct job *j = &p->jobs[i];

		if (j->in_case != number)
			continue;
		count[j->verdict]++;
		if (j->fault.kind == FAULT_ERROR)
			(void)snprintf(how, sizeof(how), "%d", j->fault.code);
		if (j->verdict == VERDICT_WRONG || j->verdict == VERDICT_NONE)
			printf("# %s %s, number %u of its kind (test_fault one '%s' %s %s %u %s): %s\n",
			       role_name(j->seen.role), j->seen.text, j->seen.nth, j->config->name,
			       role_name(j->seen.role), call_name(j->seen.nr), j->seen.nth, how,
			       j->why);
	}
	tap_is(t, !count[VERDICT_WRONG] && !count[VERDICT_NONE],
	       "%s (%u refused, %u harmless, %u ended, %u in libc, %u not reached, %u wrong)",
	       p->cases[number], count[VERDICT_REFUSED], count[VERDICT_HARMLESS],
	       count[VERDICT_ENDED], count[VERDICT_LIBC], count[VERDICT_UNREACHED],
	       count[VERDICT_WRONG] + count[VERDICT_NONE]);
}

/* The harmless ones by name, each once. */
static void report_harmless(const struct points *p)
{
	unsigned total[VERDICTS] = { 0 };

	for (size_t i = 0; i < p->n; i++)
		total[p->jobs[i].verdict]++;
	printf("# %zu points: %u refused, %u harmless, %u ended in the run, %u in libc, %u not reached, %u wrong\n",
	       p->n, total[VERDICT_REFUSED], total[VERDICT_HARMLESS], total[VERDICT_ENDED],
	       total[VERDICT_LIBC], total[VERDICT_UNREACHED], total[VERDICT_WRONG]);
	for (int nr = 0; nr < 512; nr++) {
		unsigned n = 0;

		for (size_t i = 0; i < p->n; i++)
			n += p->jobs[i].seen.nr == nr && p->jobs[i].verdict == VERDICT_HARMLESS;
		if (n)
			printf("# harmless: %s %u\n", call_name(nr), n);
	}
}

/* ---- by hand */

static const struct config *config_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(configs); i++) {
		if (str_eq(configs[i].name, name))
			return &configs[i];
	}
	return NULL;
}

static int list(const struct room *r, const struct config *c)
{
	const struct fault none = { 0 };
	static const char *const phases[] = { "libc", "setup", "run" };

	if (room_run(r, c, &none, seen, SEEN_MAX, &outcome) < 0)
		return 1;
	for (size_t i = 0; i < outcome.trace.seen_n; i++)
		printf("%s %s %s %u = %lld\n", role_name(seen[i].role), phases[seen[i].phase],
		       seen[i].text, seen[i].nth, (long long)seen[i].result);
	printf("%s%sstatus %x\n", outcome.report, outcome.err, outcome.trace.status);
	return 0;
}

static int one(const struct room *r, const struct config *c, char **argv)
{
	static struct outcome base;
	struct fault f = { .kind = str_eq(argv[3], "kill") ? FAULT_KILL : FAULT_ERROR,
			   .nr = call_number(argv[1]) };
	uint64_t nth, code = 0;
	char why[JUDGE_WHY];
	enum verdict v;

	for (int role = ROLE_P0; role < ROLE_OTHER; role++) {
		if (str_eq(role_name((enum role)role), argv[0]))
			f.role = (enum role)role;
	}
	if (!str_to_u64(argv[2], UINT32_MAX, &nth) ||
	    (f.kind == FAULT_ERROR && !str_to_u64(argv[3], 4095, &code)))
		return 2;
	f.nth = (unsigned)nth;
	f.code = (int)code;
	if (room_run(r, c, &(struct fault){ 0 }, NULL, 0, &base) < 0 ||
	    room_run(r, c, &f, NULL, 0, &outcome) < 0)
		return 1;
	v = judge(c, &f, &outcome, &base, why);
	printf("verdict %d: %s\nhit %s\nstatus %x\nstderr %sreport %zu bytes, stdout '%s'\n", v,
	       why, outcome.trace.hit.text, outcome.trace.status, outcome.err,
	       strlen(outcome.report), outcome.out);
	return v == VERDICT_WRONG;
}

static int by_hand(struct room *r, int argc, char **argv)
{
	const struct config *c = argc > 2 ? config_of(argv[2]) : NULL;

	if (c && argc == 3 && str_eq(argv[1], "list"))
		return list(r, c);
	if (c && argc == 7 && str_eq(argv[1], "one"))
		return one(r, c, argv + 3);
	fprintf(stderr, "usage: test_fault [list CONFIG | one CONFIG ROLE CALL NTH CODE]\n");
	return 2;
}

/* ---- the test */

static bool can(const struct config *c, const struct site *s)
{
	if (!c->root || s->user != (uid_t)-1)
		return true;
	printf("# %s: not tried, run as root\n", c->name);
	return false;
}

static int test(const struct site *site, const struct room *room)
{
	const char *full = getenv("JAIL_FAULT_FULL"), *workers = getenv("JAIL_FAULT_JOBS");
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	struct tap t = { 0 };
	struct points p;
	uint64_t given;

	points_init(&p);
	for (size_t i = 0; i < ARRAY_SIZE(configs); i++) {
		const struct fault none = { 0 };
		const char *wrong = "it could not be run";

		if (!can(&configs[i], site))
			continue;
		if (room_run(room, &configs[i], &none, seen, SEEN_MAX, &outcome) == 0)
			wrong = judge_base(&outcome);
		tap_is(&t, !wrong, "%s: %zu calls when nothing fails%s%s", configs[i].name,
		       outcome.trace.seen_n, wrong ? ": " : "", wrong ? wrong : "");
		if (wrong)
			continue;
		special_faults(&t, room, &configs[i], seen, outcome.trace.seen_n);
		add_config(&p, &configs[i], outcome.trace.seen_n, full && *full);
	}
	special_small(&t, room);
	if (workers && str_to_u64(workers, 64, &given))
		n = (long)given;
	points_run(&p, site, n < 1 ? 1 : n > 16 ? 16 : (unsigned)n);
	for (unsigned i = 0; i < p.cases_n; i++)
		report_case(&t, &p, i);
	report_harmless(&p);
	return tap_done(&t);
}

int main(int argc, char **argv)
{
	const char *top = getenv("top_srcdir");
	struct room room;
	struct site site;
	char path[4096];
	int rc;

	(void)snprintf(path, sizeof(path), "%s/tests/fault/harmless.txt", top ? top : ".");
	if (!harmless_read(path)) {
		printf("Bail out! %s: cannot be read\n", path);
		return 99;
	}
	site_make(&site);
	room_make(&room, &site, 0);
	rc = argc > 1 ? by_hand(&room, argc, argv) : test(&site, &room);
	site_remove(&site);
	return rc;
}
