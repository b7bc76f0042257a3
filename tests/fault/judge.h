/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether jail did right when a call failed; tests only. */
#ifndef JAIL_TESTS_FAULT_JUDGE_H
#define JAIL_TESTS_FAULT_JUDGE_H

#include "tests/fault/room.h"

enum verdict {
	VERDICT_NONE,	 /* not tried */
	VERDICT_REFUSED, /* 125 (126, 127), one line, no command, nothing left */
	VERDICT_HARMLESS, /* the command ran exactly as it always does, and the list says why that is right */
	VERDICT_ENDED, /* PHASE_RUN: the command had all its confinement, and its end was told */
	VERDICT_LIBC,  /* PHASE_LIBC: the C library gave up in its own words, before main */
	VERDICT_UNREACHED,
	VERDICT_WRONG,
	VERDICTS,
};

#define JUDGE_WHY 700

/* `base` is the run in which nothing failed. Fills why, for VERDICT_WRONG. */
enum verdict judge(const struct config *c, const struct fault *f, const struct outcome *o,
		   const struct outcome *base, char why[JUDGE_WHY]);

/* Is the run in which nothing failed what a jail should be? NULL, or what is wrong with it. */
const char *judge_base(const struct outcome *base);

/* Read the list of calls whose failure is harmless. False when there is none. */
bool harmless_read(const char *path);
/* Is the call on it? */
bool harmless_known(const struct seen *s);

#endif
