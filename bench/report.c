// SPDX-License-Identifier: GPL-2.0-or-later
/* Percentiles, ratios and their printing for the benchmark. */

#include "bench/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/own.h"
#include "base/text.h"

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* By nearest rank. */
static uint64_t percentile(const uint64_t *sorted, size_t n, size_t p)
{
	size_t rank = (n * p + 99) / 100;

	return sorted[rank ? rank - 1 : 0];
}

static uint64_t ratio(uint64_t a, uint64_t b)
{
	return b ? (a * 1000 + b / 2) / b : 0;
}

/*
 * The thirds say how far to trust the ratio of the whole: each is a measurement of its own, taken
 * at another time. Their medians are taken before the samples lose their order.
 */
void report_compute(struct report *r)
{
	uint64_t third[PEERS_MAX][THIRDS];
	size_t len = r->n / THIRDS;

	for (size_t i = 0; i < r->peers; i++) {
		struct series *s = &r->series[i];

		for (size_t t = 0; t < THIRDS; t++) {
			qsort(s->ns + t * len, len, sizeof(*s->ns), compare);
			third[i][t] = percentile(s->ns + t * len, len, 50);
		}
		qsort(s->ns, r->n, sizeof(*s->ns), compare);
		s->p10 = percentile(s->ns, r->n, 10);
		s->p50 = percentile(s->ns, r->n, 50);
		s->p99 = percentile(s->ns, r->n, 99);
	}
	if (r->reference == r->peers)
		return;
	for (size_t i = 0; i < r->peers; i++) {
		r->series[i].ratio = ratio(r->series[i].p50, r->series[r->reference].p50);
		for (size_t t = 0; t < THIRDS; t++)
			r->series[i].third_ratio[t] = ratio(third[i][t], third[r->reference][t]);
	}
}

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

static void print_row(const struct series *s)
{
	printf("%-10s %8.2f %8.2f %8.2f", s->name, ms(s->p10), ms(s->p50), ms(s->p99));
	if (s->ratio) {
		printf("   %6.2f  ", (double)s->ratio / 1000);
		for (size_t t = 0; t < THIRDS; t++)
			printf(" %5.2f", (double)s->third_ratio[t] / 1000);
	}
	printf("\n");
}

void report_print(const struct report *r)
{
	struct utsname u = { 0 };
	char head[32] = "";

	(void)uname(&u);
	printf("payload %s: %zu rounds after %zu to warm up, spawned to reaped\n", r->payload, r->n,
	       r->warmup);
	printf("%s %s %s, %ld processors, load %.2f before and %.2f after\n", u.sysname, u.release,
	       u.machine, sysconf(_SC_NPROCESSORS_ONLN), r->load_before, r->load_after);
	if (r->reference < r->peers)
		(void)snprintf(head, sizeof(head), "of %s", r->series[r->reference].name);
	printf("\n%-10s %8s %8s %8s   %-8s  %s\n", "", "p10 ms", "p50 ms", "p99 ms", head,
	       *head ? "each third" : "");
	for (size_t i = 0; i < r->peers; i++)
		print_row(&r->series[i]);
	printf("\n");
	for (size_t i = 0; i < r->peers; i++)
		printf("%-10s %s%s%s\n", r->series[i].name, r->series[i].version,
		       *r->series[i].version ? ": " : "", r->series[i].argv);
}

static void json_series(struct json *j, const struct series *s)
{
	json_open(j, NULL, '{');
	json_str(j, "name", s->name);
	json_str(j, "command", s->argv);
	json_str(j, "version", s->version);
	json_int(j, "p10_ns", (int64_t)s->p10);
	json_int(j, "p50_ns", (int64_t)s->p50);
	json_int(j, "p99_ns", (int64_t)s->p99);
	if (s->ratio) {
		json_int(j, "ratio_permille", (int64_t)s->ratio);
		json_open(j, "third_ratio_permille", '[');
		for (size_t t = 0; t < THIRDS; t++)
			json_int(j, NULL, (int64_t)s->third_ratio[t]);
		json_close(j, ']');
	}
	json_close(j, '}');
}

int report_write_json(const struct report *r, int fd)
{
	static char buf[65536];
	struct utsname u = { 0 };
	struct text t;
	struct json j;

	(void)uname(&u);
	text_init(&t, buf, sizeof(buf));
	json_init(&j, &t);
	json_open(&j, NULL, '{');
	json_str(&j, "payload", r->payload);
	json_int(&j, "rounds", (int64_t)r->n);
	json_int(&j, "warmup", (int64_t)r->warmup);
	json_str(&j, "kernel", u.release);
	json_str(&j, "machine", u.machine);
	json_int(&j, "processors", sysconf(_SC_NPROCESSORS_ONLN));
	json_int(&j, "load_before_permille", (int64_t)(r->load_before * 1000));
	json_int(&j, "load_after_permille", (int64_t)(r->load_after * 1000));
	if (r->reference < r->peers)
		json_str(&j, "reference", r->series[r->reference].name);
	json_open(&j, "peers", '[');
	for (size_t i = 0; i < r->peers; i++)
		json_series(&j, &r->series[i]);
	json_close(&j, ']');
	json_close(&j, '}');
	text_add(&t, "\n");
	if (t.full)
		return -EFBIG;
	return fs_write_all(fd, t.buf, t.len);
}
