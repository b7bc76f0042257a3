// SPDX-License-Identifier: GPL-2.0-or-later
/* Choosing the calls, and trying them side by side; tests only. */
#include "tests/fault/points.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"

#define CONFIGS_MAX 16
#define TRIES	    3

void points_init(struct points *p)
{
	*p = (struct points){ 0 };
	p->jobs = mmap(NULL, JOBS_MAX * sizeof(*p->jobs), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p->jobs == MAP_FAILED) {
		puts("Bail out! no memory");
		exit(99);
	}
}

static bool same_kind(const struct seen *a, const struct seen *b)
{
	return a->role == b->role && a->phase == b->phase && a->nr == b->nr &&
	       call_kind(a) == call_kind(b);
}

/* Neither the first nor the last of its kind. */
static bool in_between(const struct seen *seen, size_t n, size_t i)
{
	bool before = false, after = false;

	for (size_t j = 0; j < i && !before; j++)
		before = same_kind(&seen[j], &seen[i]);
	for (size_t j = i + 1; j < n && before && !after; j++)
		after = same_kind(&seen[j], &seen[i]);
	return before && after;
}

static void name_case(struct points *p, const struct config *c, enum role role, enum phase phase,
		      enum fault_kind kind, int code)
{
	const char *what = phase == PHASE_LIBC	? " before main"
			   : phase == PHASE_RUN ? " while the command runs"
						: "";
	char how[40] = "killed";

	if (kind == FAULT_ERROR)
		(void)snprintf(how, sizeof(how), "%s", strerror(code));
	(void)snprintf(p->cases[p->cases_n++], sizeof(p->cases[0]), "%s: %s%s: %s", c->name,
		       role_name(role), what, how);
}

void points_add(struct points *p, const struct config *c, const struct seen *seen, size_t n,
		enum role role, enum phase phase, enum fault_kind kind, int code, bool all)
{
	size_t before = p->n;

	for (size_t i = 0; i < n; i++) {
		if (seen[i].role != role || seen[i].phase != phase || (!all && in_between(seen, n, i)))
			continue;
		if (kind == FAULT_ERROR && call_cannot_fail(&seen[i]))
			continue;
		if (p->n == JOBS_MAX || p->cases_n == CASES_MAX) {
			puts("Bail out! too many points");
			exit(99);
		}
		p->jobs[p->n++] = (struct job){
			.config = c,
			.in_case = p->cases_n,
			.fault = { .kind = kind,
				   .role = role,
				   .nr = seen[i].nr,
				   .nth = seen[i].nth,
				   .code = code },
			.seen = seen[i],
		};
	}
	if (p->n > before)
		name_case(p, c, role, phase, kind, code);
}

/* The run without a fault in this very room, made when it is first needed. */
static const struct outcome *base_of(const struct room *r, const struct config *c)
{
	static struct {
		const struct config *config;
		struct outcome *outcome;
	} bases[CONFIGS_MAX];
	const struct fault none = { 0 };
	size_t i = 0;

	while (i < CONFIGS_MAX && bases[i].config && bases[i].config != c)
		i++;
	if (i == CONFIGS_MAX)
		return NULL;
	if (!bases[i].config) {
		bases[i].config = c;
		bases[i].outcome = malloc(sizeof(*bases[i].outcome));
		if (!bases[i].outcome || room_run(r, c, &none, NULL, 0, bases[i].outcome) < 0 ||
		    judge_base(bases[i].outcome))
			return NULL;
	}
	return bases[i].outcome;
}

static void try(const struct room *r, struct job *j)
{
	static struct outcome now;
	const struct outcome *base = base_of(r, j->config);
	enum verdict verdict = VERDICT_UNREACHED;

	for (int i = 0; i < TRIES && verdict == VERDICT_UNREACHED; i++) {
		int rc = base ? room_run(r, j->config, &j->fault, NULL, 0, &now) : -1;

		if (rc < 0) {
			(void)snprintf(j->why, sizeof(j->why), "the run could not be made: %s",
				       strerror(-rc));
			verdict = VERDICT_WRONG;
			break;
		}
		verdict = judge(j->config, &j->fault, &now, base, j->why);
	}
	j->verdict = verdict;
}

void points_run(struct points *p, const struct site *site, unsigned workers)
{
	_Atomic size_t *next =
		mmap(NULL, sizeof(*next), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (next == MAP_FAILED) {
		puts("Bail out! no memory");
		exit(99);
	}
	(void)fflush(stdout);
	for (unsigned w = 0; w < workers; w++) {
		struct room room;
		size_t i;

		if (fork() != 0)
			continue;
		room_make(&room, site, w + 1);
		while ((i = (*next)++) < p->n)
			try(&room, &p->jobs[i]);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	(void)munmap(next, sizeof(*next));
}
