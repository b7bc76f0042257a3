/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which calls are made to fail, and the processes that try them; tests only. */
#ifndef JAIL_TESTS_FAULT_POINTS_H
#define JAIL_TESTS_FAULT_POINTS_H

#include "tests/fault/judge.h"

#define JOBS_MAX  40000
#define CASES_MAX 200
#define SEEN_MAX  8192

struct job {
	const struct config *config;
	unsigned in_case;
	struct fault fault;
	struct seen seen;
	enum verdict verdict;
	char why[JUDGE_WHY];
};

/* The jobs are in memory that the workers share. */
struct points {
	struct job *jobs;
	size_t n;
	char cases[CASES_MAX][80]; /* a TAP case each */
	unsigned cases_n;
};

void points_init(struct points *p);

/* One case more: these of the calls that were seen. `all` false takes the first and the last of each kind. */
void points_add(struct points *p, const struct config *c, const struct seen *seen, size_t n,
		enum role role, enum phase phase, enum fault_kind kind, int code, bool all);

/* Try them all, in `workers` processes at once. */
void points_run(struct points *p, const struct site *site, unsigned workers);

#endif
