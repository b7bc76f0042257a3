/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One attempt per command, for tests that run it inside a jail and read the line it prints. */
#ifndef JAIL_TESTS_HELPERS_PROBE_H
#define JAIL_TESTS_HELPERS_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A line is "name rc error": rc is 0 and the error OK when the attempt succeeded, -1 with the
 * errno's name (or that of the signal it died of) when it was refused, and -2 when a step before
 * the attempt failed, so that nothing is known. The exit status is 0, 1 or 3 for these, 2 for a
 * wrong command line. Nothing is left behind by an attempt that succeeds.
 */
enum {
	PROBE_UNREADY = -2, /* errno is of the step before */
	PROBE_USAGE = -3,
	PROBE_SAID = -4,   /* it has printed its own line: there was something to tell */
	PROBE_DENIED = -5, /* the same, and it was refused */
};

struct call {
	const char *name;
	char **argv;   /* ends with NULL */
	uint64_t data; /* what tells apart the probes that share a function */
};

struct probe {
	const char *name;
	const char *usage; /* its arguments, for the list */
	size_t least, most;
	long (*run)(const struct call *c); /* 0 or more, -1 with errno, or one of the above */
	uint64_t data;
};

extern const struct probe probes_mount[], probes_namespace[], probes_process[], probes_kernel[],
	probes_net[], probes_tty[], probes_file[], probes_self[], probes_limit[], probes_filter[],
	probes_without[], probes_egress[];

/* A whole number in decimal, or in hexadecimal after 0x. */
bool probe_number(const char *s, uint64_t max, uint64_t *ret);

/*
 * Runs attempt in a child. It returns an errno, 0 for success; a signal that kills it is told too.
 */
long probe_in_child(const struct call *c, int (*attempt)(uint64_t arg), uint64_t arg);

/* "OK" for 0. */
const char *probe_errno_name(int code);

#endif
