/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs jail under ptrace, writes down the system calls of its processes, and makes one of them fail or its maker die; tests only.
 *
 * A call is named by who makes it, what it is, and how many of that kind he made before: that stays the same from run to run, whatever
 * the processes do to each other in between.
 */
#ifndef JAIL_TESTS_FAULT_TRACE_H
#define JAIL_TESTS_FAULT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum role {
	ROLE_P0,
	ROLE_MAP, /* the child that only lends its user namespace (idmap.c) */
	ROLE_P1,
	ROLE_NET,   /* P1's thread that works beside the mounts */
	ROLE_STUB,  /* holds the gate's sockets, until it becomes the gate */
	ROLE_P2,    /* until its exec; then it is the command */
	ROLE_OTHER, /* the command, its children, and helpers: not looked at */
};

enum phase {
	PHASE_LIBC,  /* P0 before main */
	PHASE_SETUP, /* until P0 waits, P1 is confined, P2 has called exec */
	PHASE_RUN,   /* the command may run */
};

enum fault_kind { FAULT_NONE, FAULT_ERROR, FAULT_KILL };

struct fault {
	enum fault_kind kind;
	enum role role;
	int nr;
	unsigned nth; /* from 1 */
	int code;     /* FAULT_ERROR: the errno value */
};

#define SEEN_TEXT 120

struct seen {
	enum role role;
	enum phase phase;
	int nr;
	unsigned nth;
	uint64_t args[6];
	int64_t result;
	char text[SEEN_TEXT]; /* name(what it is about) */
};

struct trace_job {
	char *const *argv, *const *envp;
	const char *cwd;
	uid_t uid; /* become this one first; (uid_t)-1: stay */
	int io[3];
	bool terminal; /* io[0] becomes the controlling terminal */
	struct fault always; /* part of the circumstances: happens in every run, the one that is written down too */
	struct fault fault;
	/* NULL, or room for the calls that are made */
	struct seen *seen;
	size_t seen_max;
};

struct trace_result {
	size_t seen_n;
	struct seen hit; /* the call that failed; text is empty when it was not reached */
	struct seen wrote; /* a call of P0's that would make or change a file, before the fault; likewise */
	int status;    /* P0's, as wait() gives it */
	unsigned left; /* processes that outlived P0 for more than a moment */
	bool hung;     /* nothing ended: everything was killed */
};

/* 0, or -errno when the trace itself does not work. */
int trace_run(const struct trace_job *job, struct trace_result *ret);

const char *role_name(enum role role);

/* calls.c: "openat(/etc/passwd)"; reads the process's memory where it may. */
void call_describe(struct seen *s, pid_t pid);
const char *call_name(int nr);
/* The number of a call, or -1. */
int call_number(const char *name);
/* What tells calls of one kind apart, such as the option of prctl; 0 for most. */
uint64_t call_kind(const struct seen *s);
/* Does it make, change or remove a file? */
bool call_writes(const struct seen *s);
/* Was jail built with sanitizers, as this program is? */
extern const bool call_sanitized;
/* No such thing as a failure: the kernel's manual says so. */
bool call_cannot_fail(const struct seen *s);

#endif
