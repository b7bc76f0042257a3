/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a preset decides about every system call, from syscalls.def and checks.def, and what a
 * profile changed in it. Runs in jail-filter and in tests.
 */
#ifndef JAIL_SANDBOX_POLICY_H
#define JAIL_SANDBOX_POLICY_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sandbox/calls.h"

enum verdict {
	V_ABSENT,  /* ENOSYS */
	V_DENY,	   /* EPERM */
	V_INVALID, /* EINVAL */
	V_ALLOW,
	V_KILL, /* the whole process */
	V_COUNT,
};

/* Holds when the low 32 bits of args[arg], with mask applied, lie from lo to hi. */
struct cond {
	uint32_t mask, lo, hi; /* a mask of 0 ends the list */
	uint8_t arg;
};

#define CONDS_MAX 3

struct rule {
	enum verdict verdict;
	struct cond conds[CONDS_MAX];
};

/* The first rule that holds decides. */
struct check {
	const char *name;
	enum verdict otherwise;
	const struct rule *rules;
	size_t n_rules;
};

/* What to do: the check decides when there is one. */
struct decision {
	enum verdict verdict;
	const struct check *check;
};

struct setting {
	char name[48];
	struct decision decision;
};

#define SETTINGS_MAX 640

struct policy {
	struct decision unlisted;
	struct setting settings[SETTINGS_MAX];
	size_t n;
};

/* Numbers from `first` up to the next range's first; the last range ends at 0xffffffff. */
struct range {
	uint32_t first;
	struct decision decision;
};

#define RANGES_MAX 1024

/* The i-th preset's name, NULL past the last. */
const char *policy_preset(size_t i);

int policy_load(struct policy *p, const char *preset, struct err *e);

/*
 * A profile's changes. An allowed call is made whatever its arguments; a denied one is EPERM. An
 * unknown name is an error that tells the nearest known one; calls without which no program runs
 * cannot be denied.
 */
int policy_allow(struct policy *p, const char *name, struct err *e);
int policy_deny(struct policy *p, const char *name, struct err *e);

/* The policy by number, in ascending order, the first from 0; neighbours differ. */
int policy_ranges(const struct policy *p, enum arch arch, struct range ret[RANGES_MAX],
		  size_t *ret_n, struct err *e);

#endif
