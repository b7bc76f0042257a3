/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of test_table; each prints its own TAP lines. Runs in tests. */
#ifndef JAIL_TESTS_SECCOMP_SUITE_H
#define JAIL_TESTS_SECCOMP_SUITE_H

#include "sandbox/policy.h"
#include "tests/seccomp/shipped.h"
#include "tests/seccomp/tap.h"

/* Every row of table.txt in the folder `data`, with its high-bits variants. */
void rows_test(struct tap *t, const char *data);

/* The programs against a plain reading of the policy, at and around every boundary. */
void oracle_test(struct tap *t);

/* What a check says by a plain reading of its rules; and a verdict as interp_verdict names it. */
enum verdict oracle_judge(const struct check *check, const __u64 args[6]);
const char *verdict_name(enum verdict v);

/* The compiler on policies that nobody wrote: long programs, overlapping rules. */
void synthetic_test(struct tap *t);

/* Every number from 0 to 1023 against the census files in `data`; `update` writes them instead. */
void census_test(struct tap *t, const char *data, bool update);

#endif
