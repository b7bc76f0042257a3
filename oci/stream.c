// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pipeline of jail-unpack. One thread reads, hashes the blob and decompresses into a ring of
 * slots; another hashes what is in the slots; the caller takes the same slots as a tar. A slot is
 * written again when both have passed it.
 *
 *	stdin -> [decode: read, hash, inflate] -> ring -> [sum: hash]
 *					               -> caller: tar, files
 */
#include "oci/stream.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "oci/hash.h"
#include "oci/inflate.h"

#define SLOTS	  16
#define SLOT_SIZE ((size_t)256 << 10)
#define READ_SIZE ((size_t)128 << 10)

enum reader { READ_TAR, READ_SUM, READERS };

struct stream {
	int fd;
	struct stream_limits limits;
	struct hash *of_blob, *of_tar;
	struct gunzip *gunzip;
	struct unzstd *unzstd;
	uint8_t *in, *slots;
	bool same_hash; /* one algorithm for both: a plain tar is hashed once */

	/* the decoding thread's own, until it ended */
	enum codec codec;
	bool between; /* behind a member's end: more members, or zeros, or nothing may follow */
	bool padding; /* zeros were seen there: nothing else may follow */
	uint64_t size, bytes;
	struct err why;

	pthread_t decoder, summer;
	pthread_mutex_t mutex;
	pthread_cond_t moved;
	/* under the mutex */
	size_t filled[SLOTS];
	uint64_t head, tail[READERS]; /* slots published, and passed by each reader */
	bool ended, give_up;	      /* the tar's reader is not waited for any more */

	bool holding; /* the caller's own: it has a slot */
};

static int no_memory(struct err *e)
{
	return err_set(e, ST_IMAGE, ENOMEM, "unpack");
}

int stream_new(int fd, const struct stream_limits *limits, const struct digest *digest,
	       const struct digest *diff_id, struct stream **ret, struct err *e)
{
	struct stream *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return no_memory(e);
	s->fd = fd;
	s->limits = *limits;
	s->same_hash = digest_algorithm(digest) == digest_algorithm(diff_id);
	s->gunzip = gunzip_new();
	s->unzstd = unzstd_new();
	s->in = malloc(READ_SIZE);
	s->slots = malloc(SLOTS * SLOT_SIZE);
	if (!s->gunzip || !s->unzstd || !s->in || !s->slots)
		return no_memory(e); /* the process ends */
	(void)pthread_mutex_init(&s->mutex, NULL);
	(void)pthread_cond_init(&s->moved, NULL);
	rc = hash_start(digest, &s->of_blob, e);
	if (rc == 0)
		rc = hash_start(diff_id, &s->of_tar, e);
	if (rc == 0)
		*ret = s;
	return rc;
}

/* ---- the ring */

/* A slot to fill, once both readers are done with it. */
static uint8_t *slot_empty(struct stream *s)
{
	uint8_t *slot;

	(void)pthread_mutex_lock(&s->mutex);
	while (s->head - s->tail[READ_SUM] >= SLOTS ||
	       (!s->give_up && s->head - s->tail[READ_TAR] >= SLOTS))
		(void)pthread_cond_wait(&s->moved, &s->mutex);
	slot = s->slots + s->head % SLOTS * SLOT_SIZE;
	(void)pthread_mutex_unlock(&s->mutex);
	return slot;
}

static void slot_publish(struct stream *s, size_t n)
{
	(void)pthread_mutex_lock(&s->mutex);
	if (n) {
		s->filled[s->head % SLOTS] = n;
		s->head++;
	}
	(void)pthread_cond_broadcast(&s->moved);
	(void)pthread_mutex_unlock(&s->mutex);
}

static void ring_end(struct stream *s)
{
	(void)pthread_mutex_lock(&s->mutex);
	s->ended = true;
	(void)pthread_cond_broadcast(&s->moved);
	(void)pthread_mutex_unlock(&s->mutex);
}

/* The next slot for a reader; `pass` gives the one before back. */
static size_t slot_next(struct stream *s, enum reader who, bool pass, const uint8_t **ret)
{
	size_t n = 0;

	(void)pthread_mutex_lock(&s->mutex);
	if (pass) {
		s->tail[who]++;
		(void)pthread_cond_broadcast(&s->moved);
	}
	while (s->tail[who] == s->head && !s->ended)
		(void)pthread_cond_wait(&s->moved, &s->mutex);
	if (s->tail[who] != s->head) {
		*ret = s->slots + s->tail[who] % SLOTS * SLOT_SIZE;
		n = s->filled[s->tail[who] % SLOTS];
	}
	(void)pthread_mutex_unlock(&s->mutex);
	return n;
}

/* ---- the decoding thread */

/* The next piece of the blob; 0 at its end or after a failure. */
static size_t read_in(struct stream *s, uint8_t *buf, size_t size)
{
	ssize_t n;

	do {
		n = read(s->fd, buf, size);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		(void)err_set(&s->why, ST_IMAGE, errno, "read the blob");
		return 0;
	}
	s->size += (uint64_t)n;
	return s->size > s->limits.size ? 0 : (size_t)n; /* too much: the size check will say so */
}

static bool over(struct stream *s)
{
	if (s->bytes > s->limits.bytes)
		(void)err_set(&s->why, ST_IMAGE, 0, "bytes unpacked: expected at most %llu, got more",
			      (unsigned long long)s->limits.bytes);
	else if (s->bytes > s->limits.ratio_from && s->bytes / s->limits.ratio > s->size)
		(void)err_set(
			&s->why, ST_IMAGE, 0,
			"compression ratio: expected at most %llu, got more: %llu bytes out of %llu",
			(unsigned long long)s->limits.ratio, (unsigned long long)s->bytes,
			(unsigned long long)s->size);
	return s->why.stage != ST_NONE;
}

/* Behind a member: another one, or zeros to the end. True when the input was dealt with. */
static bool skip_padding(struct stream *s, struct flow *f)
{
	if (!s->between)
		return false;
	while (f->in_n && !*f->in) {
		f->in++;
		f->in_n--;
		s->padding = true;
	}
	if (f->in_n && s->padding)
		(void)err_set(&s->why, ST_IMAGE, 0, "%s: data behind the padding",
			      codec_name(s->codec));
	return !f->in_n || s->padding;
}

/* Decompress all of f->in; false on failure. */
static bool inflate_all(struct stream *s, struct flow *f)
{
	while (!s->why.stage && !skip_padding(s, f)) {
		size_t in = f->in_n, out = f->out_n;
		enum step step = s->codec == CODEC_GZIP ? gunzip_step(s->gunzip, f)
							: unzstd_step(s->unzstd, f);

		s->bytes += out - f->out_n;
		if (step == STEP_BAD)
			(void)err_set(&s->why, ST_IMAGE, 0, "%s: expected valid data, got damaged",
				      codec_name(s->codec));
		if (over(s))
			return false;
		s->between = step == STEP_MEMBER;
		if (!f->out_n) {
			slot_publish(s, SLOT_SIZE);
			f->out = slot_empty(s);
			f->out_n = SLOT_SIZE;
			continue; /* there may be more without new input */
		}
		if (step == STEP_MORE && (!f->in_n || (in == f->in_n && out == f->out_n)))
			break;
	}
	return !s->why.stage;
}

static void decode(struct stream *s, size_t n)
{
	struct flow f = { .out = slot_empty(s), .out_n = SLOT_SIZE };

	while (n) {
		f.in = s->in;
		f.in_n = n;
		if (!inflate_all(s, &f))
			return;
		n = read_in(s, s->in, READ_SIZE);
		hash_add(s->of_blob, s->in, n);
	}
	slot_publish(s, SLOT_SIZE - f.out_n);
	if (!s->between)
		(void)err_set(&s->why, ST_IMAGE, 0, "%s: expected more data, got its end",
			      codec_name(s->codec));
}

/* No compression: what is read is what is published. s->in has the first n bytes. */
static void pass_on(struct stream *s, size_t n)
{
	uint8_t *slot = slot_empty(s);

	memcpy(slot, s->in, n);
	while (n) {
		if (!s->same_hash)
			hash_add(s->of_blob, slot, n);
		s->bytes += n;
		if (over(s))
			return;
		slot_publish(s, n);
		slot = slot_empty(s);
		n = read_in(s, slot, SLOT_SIZE);
	}
}

static void *decoder(void *arg)
{
	struct stream *s = arg;
	size_t n = 0, more;

	/* Enough for every magic, however the bytes trickle in. */
	do {
		more = read_in(s, s->in + n, READ_SIZE - n);
		n += more;
	} while (more && n < 16);
	s->codec = codec_sniff(s->in, n);
	if (s->codec != CODEC_PLAIN)
		hash_add(s->of_blob, s->in, n);
	if (s->codec == CODEC_GZIP || s->codec == CODEC_ZSTD)
		decode(s, n);
	else if (s->codec == CODEC_PLAIN)
		pass_on(s, n);
	else
		(void)err_set(&s->why, ST_IMAGE, 0, "compression: expected gzip, zstd or none, got %s",
			      codec_name(s->codec));
	ring_end(s);
	/* After a failure the digest is still worth knowing. */
	while (s->why.stage && s->codec != CODEC_PLAIN && (n = read_in(s, s->in, READ_SIZE)))
		hash_add(s->of_blob, s->in, n);
	return NULL;
}

static void *summer(void *arg)
{
	struct stream *s = arg;
	const uint8_t *p = NULL;
	size_t n = slot_next(s, READ_SUM, false, &p);

	while (n) {
		hash_add(s->of_tar, p, n);
		n = slot_next(s, READ_SUM, true, &p);
	}
	return NULL;
}

/* ---- the caller */

int stream_start(struct stream *s, struct err *e)
{
	int rc = pthread_create(&s->decoder, NULL, decoder, s);

	if (rc == 0)
		rc = pthread_create(&s->summer, NULL, summer, s);
	return rc ? err_set(e, ST_IMAGE, rc, "start a thread") : 0;
}

size_t stream_next(struct stream *s, const void **ret)
{
	const uint8_t *p = NULL;
	size_t n = slot_next(s, READ_TAR, s->holding, &p);

	s->holding = n > 0;
	*ret = p;
	return n;
}

static void give_up(struct stream *s)
{
	(void)pthread_mutex_lock(&s->mutex);
	s->give_up = true;
	(void)pthread_cond_broadcast(&s->moved);
	(void)pthread_mutex_unlock(&s->mutex);
}

/* The blob itself, before anything that was made of it. */
static int check_blob(const struct stream *s, const struct digest *want, const struct digest *got,
		      bool whole, struct err *e)
{
	if (s->limits.size != UINT64_MAX && s->size != s->limits.size)
		return err_set(e, ST_IMAGE, 0, "size: expected %llu bytes, got %s%llu",
			       (unsigned long long)s->limits.size,
			       s->size > s->limits.size ? "at least " : "",
			       (unsigned long long)s->size);
	if (whole && want->text[0] && !digest_eq(want, got))
		return err_set(e, ST_IMAGE, 0, "digest: expected %s, got %s", want->text, got->text);
	return 0;
}

int stream_finish(struct stream *s, int failed, const struct digest *want,
		  struct stream_result *ret, struct err *e)
{
	struct stream_result r = { 0 };
	bool whole;
	int rc;

	give_up(s);
	(void)pthread_join(s->decoder, NULL);
	(void)pthread_join(s->summer, NULL);
	r.size = s->size;
	r.bytes = s->bytes;
	/* a plain tar is hashed in the ring, which a failure leaves early */
	whole = s->codec != CODEC_PLAIN || !s->why.stage;
	rc = hash_finish(s->of_blob, &r.digest, e);
	if (rc == 0)
		rc = hash_finish(s->of_tar, &r.diff_id, e);
	s->of_blob = s->of_tar = NULL;
	if (s->codec == CODEC_PLAIN && s->same_hash)
		r.digest = r.diff_id;
	if (rc == 0)
		rc = check_blob(s, want, &r.digest, whole, e);
	if (rc == 0 && s->why.stage) {
		*e = s->why;
		rc = s->why.code ? -s->why.code : -EINVAL;
	}
	if (rc == 0 && !failed)
		*ret = r;
	return rc;
}

void stream_free(struct stream *s)
{
	if (!s)
		return;
	hash_release(&s->of_blob);
	hash_release(&s->of_tar);
	gunzip_free(s->gunzip);
	unzstd_free(s->unzstd);
	free(s->in);
	free(s->slots);
	free(s);
}
