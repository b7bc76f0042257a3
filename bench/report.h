/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a measurement found: percentiles and ratios, as a table and as JSON. */
#ifndef JAIL_BENCH_REPORT_H
#define JAIL_BENCH_REPORT_H

#include <stddef.h>
#include <stdint.h>

#define THIRDS	  3
#define PEERS_MAX 16

struct series {
	const char *name;
	const char *argv; /* as one line, for the reader */
	const char *version;
	uint64_t *ns; /* n samples, in the order in which they were taken */
	uint64_t p10, p50, p99;
	uint64_t ratio; /* of p50 to the reference, in thousandths; 0: no reference */
	uint64_t third_ratio[THIRDS];
};

struct report {
	const char *payload;
	size_t n; /* samples per series */
	size_t warmup;
	size_t peers;
	size_t reference; /* index of the series that ratios are taken to; peers: none */
	double load_before, load_after;
	struct series series[PEERS_MAX];
};

/* Work out percentiles and ratios; sorts the samples. */
void report_compute(struct report *r);
void report_print(const struct report *r);
/* 0 or -errno. */
int report_write_json(const struct report *r, int fd);

#endif
