/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One error, filled where it happened, fixed in size so that it can cross a fork as one record. */
#ifndef JAIL_BASE_ERR_H
#define JAIL_BASE_ERR_H

#include <stdarg.h>

/*
 * Where a failure happened. The names are stable: scripts and the event log see them. The order is
 * that of a run.
 */
enum stage {
	ST_NONE,
	ST_USAGE,
	ST_PROFILE,
	ST_PLAN,
	ST_IMAGE,
	ST_KERNEL,
	ST_FILTER,
	ST_CGROUP,
	ST_IDMAP,
	ST_CLONE,
	ST_USERNS,
	ST_SYSCTL,
	ST_MOUNT,
	ST_NET,
	ST_TTY,
	ST_LIMITS,
	ST_CAPS,
	ST_LANDLOCK,
	ST_SECCOMP,
	ST_EXEC,
	ST_WIRE,
	ST_SUPERVISE,
	ST_COUNT,
};

struct err {
	int code; /* errno value, 0 = none */
	enum stage stage;
	char what[488]; /* operation and operand, lower case, no full stop: open '/srv/x' */
};

/*
 * Fill *e and return -code. The first error wins: a later call on a filled *e changes nothing, so
 * that clean-up cannot hide the cause. A code of 0 means "not an errno": the text alone tells the
 * story, and -EINVAL is returned.
 */
int err_set(struct err *e, enum stage stage, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The stable name of a stage: "mount", "landlock". Never NULL. */
const char *stage_name(enum stage stage);

/*
 * Write the one line a user sees, without the "jail: " prefix and without a newline: what, why, and
 * where one is known, what to do about it. Control bytes are escaped: a profile or a file name may
 * hold anything.
 */
void err_format(const struct err *e, char *buf, unsigned long size);

/* What to do about it, or NULL: the table keyed by stage and errno. */
const char *err_hint(const struct err *e);

#endif
