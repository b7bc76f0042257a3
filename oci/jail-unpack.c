// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jail-unpack: one layer of an image becomes one tree. Started by jail-image for each layer.
 *
 *	jail-unpack [--digest DIGEST] [--diff-id DIGEST] [--size N] [--max-bytes N]
 *		    [--max-entries N] [--alias FROM=TO]... DIR <BLOB
 *
 * It locks itself into DIR before it reads a byte (cage.h), and then trusts neither the blob nor its
 * label. Descriptor 3, when it is open, gets the owners (layer.h). On stdout: what the tree needs of
 * the layers below it (layer.h), and at the end one line
 *
 *	ok DIGEST DIFF-ID SIZE BYTES ENTRIES SKIPPED
 *
 * Exit 0, or 1 with one line on stderr that says which check failed, what it expected and what it
 * got.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "oci/cage.h"
#include "oci/layer.h"
#include "oci/record.h"
#include "oci/stream.h"
#include "oci/tar.h"

#define OWNERS_FD 3

struct options {
	struct digest digest, diff_id;
	struct stream_limits stream;
	struct layer_limits layer;
	const char *dir;
};

static int take_number(const char *option, const char *value, uint64_t *ret, struct err *e)
{
	return str_to_u64(value, INT64_MAX, ret)
		       ? 0
		       : err_set(e, ST_USAGE, 0, "%s: '%s' is no number", option, value);
}

static int take_digest(const char *option, const char *value, struct digest *ret, struct err *e)
{
	return digest_parse(value, ret)
		       ? 0
		       : err_set(e, ST_USAGE, 0, "%s: '%.200s' is no digest", option, value);
}

static int take_option(struct options *o, const char *option, const char *value, struct err *e)
{
	int rc;

	if (str_eq(option, "--digest"))
		return take_digest(option, value, &o->digest, e);
	if (str_eq(option, "--diff-id"))
		return take_digest(option, value, &o->diff_id, e);
	if (str_eq(option, "--size"))
		return take_number(option, value, &o->stream.size, e);
	if (str_eq(option, "--max-entries"))
		return take_number(option, value, &o->layer.entries, e);
	if (str_eq(option, "--alias"))
		return 0; /* later: there is no layer yet */
	if (!str_eq(option, "--max-bytes"))
		return err_set(e, ST_USAGE, 0, "unknown option '%s'", option);
	rc = take_number(option, value, &o->stream.bytes, e);
	o->layer.bytes = o->stream.bytes;
	return rc;
}

static int take_options(int argc, char **argv, struct options *o, struct err *e)
{
	int i, rc = 0;

	*o = (struct options){
		.stream = { .size = UINT64_MAX,
			    .bytes = (uint64_t)64 << 30,
			    .ratio = 200,
			    .ratio_from = (uint64_t)1 << 30 },
		.layer = { .entries = 2000000, .bytes = (uint64_t)64 << 30 },
	};
	for (i = 1; rc == 0 && i + 1 < argc && str_starts(argv[i], "--"); i += 2)
		rc = take_option(o, argv[i], argv[i + 1], e);
	if (rc < 0)
		return rc;
	if (i + 1 != argc || argv[i][0] != '/')
		return err_set(e, ST_USAGE, 0,
			       "jail-unpack is started by jail image; see jail-image(1)");
	o->dir = argv[i];
	return 0;
}

static int take_aliases(char **argv, struct layer *l, struct err *e)
{
	int rc = 0;

	for (size_t i = 1; rc == 0 && argv[i] && argv[i + 1]; i += 2) {
		char *equals = str_eq(argv[i], "--alias") ? strchr(argv[i + 1], '=') : NULL;

		if (!equals)
			continue;
		*equals = '\0';
		rc = record_unescape(argv[i + 1]) && record_unescape(equals + 1)
			     ? layer_add_alias(l, argv[i + 1], equals + 1, e)
			     : err_set(e, ST_USAGE, 0, "--alias: not two escaped paths");
	}
	return rc;
}

static size_t input(void *arg, const void **ret)
{
	return stream_next(arg, ret);
}

/* The tar, then what the hashes say. An error about the blob itself comes before all others. */
static int unpack(const struct options *o, struct stream *s, struct layer *l, struct err *e)
{
	struct err tar = { 0 };
	struct stream_result r = { 0 };
	struct layer_counts counts = { 0 };
	int failed, rc = stream_start(s, e);

	if (rc < 0)
		return rc;
	failed = tar_apply(input, s, l, &tar);
	rc = stream_finish(s, failed, &o->digest, &r, e);
	if (rc < 0)
		return rc;
	if (failed < 0) {
		*e = tar;
		return failed;
	}
	if (o->diff_id.text[0] && !digest_eq(&o->diff_id, &r.diff_id))
		return err_set(e, ST_IMAGE, 0, "diff-id: expected %s, got %s", o->diff_id.text,
			       r.diff_id.text);
	rc = layer_finish(l, stdout, &counts, e);
	if (rc < 0)
		return rc;
	printf("ok %s %s %llu %llu %llu %llu\n", r.digest.text, r.diff_id.text,
	       (unsigned long long)r.size, (unsigned long long)counts.bytes,
	       (unsigned long long)counts.entries, (unsigned long long)counts.skipped);
	return fflush(stdout) ? err_set(e, ST_IMAGE, errno, "write the result") : 0;
}

static int run(int argc, char **argv, struct err *e)
{
	FILE *owners = fcntl(OWNERS_FD, F_GETFD) < 0 ? NULL : fdopen(OWNERS_FD, "w");
	struct stream *s = NULL;
	struct layer *l = NULL;
	struct options o;
	own_fd root = FD_NONE;
	int rc = take_options(argc, argv, &o, e);

	if (rc == 0)
		rc = stream_new(STDIN_FILENO, &o.stream, &o.digest, &o.diff_id, &s, e);
	if (rc == 0)
		rc = cage_enter(o.dir, e);
	if (rc < 0)
		return rc;
	root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	rc = layer_new(root, &o.layer, owners, &l, e);
	if (rc == 0)
		rc = take_aliases(argv, l, e);
	return rc < 0 ? rc : unpack(&o, s, l, e);
}

int main(int argc, char **argv)
{
	struct err e = { 0 };
	char line[1200];

	(void)umask(0);
	(void)alarm(3600); /* nothing takes an hour but an attack, or a disk that died */
	if (run(argc, argv, &e) < 0) {
		err_format(&e, line, sizeof(line));
		(void)fprintf(stderr, "%s\n", line);
		(void)fflush(stderr);
		_exit(1);
	}
	/* Threads and libraries want calls on their way out that are not on the list. */
	_exit(0);
}
