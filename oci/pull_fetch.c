// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One manifest or blob on its way here, as a small machine: asked for at the registry, sent on by
 * redirects, let in after a 401, asked for again after a broken transfer from where it broke; and the
 * loop that keeps several of them going. Runs in jail-pull, confined.
 *
 * Authorization goes to the registry's own origin and nowhere else. A retry begins at the registry
 * again: what it redirects to may have been good for a minute only.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/text.h"
#include "oci/manifest.h"
#include "oci/pull.h"

#define MANIFEST_LIMIT_S 120
#define REPORT_MS	 100u
#define PROGRESS	 ((uint64_t)64 << 10)

static const char manifest_types[] = MEDIA_OCI_INDEX ", " MEDIA_OCI_MANIFEST ", " MEDIA_DOCKER_LIST
						     ", " MEDIA_DOCKER_MANIFEST;

enum state { FETCH_WAITS, FETCH_RUNS, FETCH_THERE };

struct fetch {
	struct pull *p;
	bool manifest;
	struct digest want; /* "" for a manifest that only a tag names */
	uint64_t size;
	enum state state;
	struct http_call call;
	char url[HTTP_URL_MAX], first[HTTP_URL_MAX];
	struct origin origin; /* of url */
	struct sink sink;     /* a blob's */
	char *text;	      /* a manifest, or what came with an error */
	size_t len;
	struct err err; /* of the body callback */
	unsigned redirects, tries, generation, refusals;
	bool again_whole; /* a wrong digest was already tried again */
	uint64_t not_before, tried_at_len, reported, reported_at;
};

/* ---- what comes in ------------------------------------------------------------------------------ */

static bool good(int status)
{
	return status == 200 || status == 206;
}

static const char *name(const struct fetch *f)
{
	return f->want.text[0] ? f->want.text : f->p->opt.reference;
}

/* A length that cannot be right is not worth its bytes. */
static int check_head(struct fetch *f, const struct http_head *h)
{
	uint64_t left = f->size - (h->status == 206 ? f->call.from : 0);

	if (h->status == 206 &&
	    (!h->has_range || h->range_from != f->call.from || h->range_all != f->size))
		return err_set(&f->err, ST_IMAGE, 0,
			       "%s: asked for the rest from byte %llu, the registry sends another part",
			       name(f), (unsigned long long)f->call.from);
	if (h->has_length && h->length != left)
		return err_set(&f->err, ST_IMAGE, 0, "%s: %llu bytes are offered where %llu are due",
			       name(f), (unsigned long long)h->length, (unsigned long long)left);
	return 0;
}

static int keep_text(struct fetch *f, const void *p, size_t n, size_t max)
{
	if (n > max - f->len)
		return err_set(&f->err, ST_IMAGE, 0, "%s: larger than %zu bytes", name(f), max);
	memcpy(f->text + f->len, p, n);
	f->len += n;
	return 0;
}

static int on_body(void *arg, const void *p, size_t n)
{
	struct fetch *f = arg;
	const struct http_head *h = &f->call.head;
	size_t max = f->manifest && f->size ? (size_t)f->size : (size_t)PULL_MANIFEST_MAX;
	int rc = 0;

	if (!good(h->status)) {
		if (n <= PULL_ANSWER_MAX - f->len)
			return keep_text(f, p, n, PULL_ANSWER_MAX);
		return 0; /* a long error is still only an error */
	}
	if (f->manifest)
		return keep_text(f, p, n, max);
	if (h->status == 200 && f->call.from) {
		/* Ranges are not for this registry: all of it, from the start. */
		rc = sink_restart(&f->sink, &f->err);
		f->call.from = 0;
	}
	if (rc == 0 && f->sink.len == f->call.from) /* the first piece */
		rc = check_head(f, h);
	return rc < 0 ? rc : sink_add(&f->sink, p, n, &f->err);
}

/* ---- asking ------------------------------------------------------------------------------------- */

static int start(struct fetch *f, struct err *e)
{
	struct pull *p = f->p;
	bool home = origin_eq(&f->origin, &p->origin);
	int rc;

	f->len = 0;
	f->generation = p->auth.generation;
	f->tried_at_len = f->sink.len;
	f->call = (struct http_call){
		.url = f->url,
		.authorization = home && p->auth.header[0] ? p->auth.header : NULL,
		.accept = f->manifest ? manifest_types : NULL,
		.from = f->sink.len,
		.limit_s = f->manifest ? MANIFEST_LIMIT_S : 0,
		.body = on_body,
		.arg = f,
	};
	rc = http_start(p->http, &f->call, e);
	if (rc == 0)
		f->state = FETCH_RUNS;
	return rc;
}

static void go_home(struct fetch *f)
{
	memcpy(f->url, f->first, sizeof(f->url));
	f->origin = f->p->origin;
	f->redirects = 0;
	f->state = FETCH_WAITS;
}

/* Another try, or the reason why there is none; `why` is for people. */
static int once_more(struct fetch *f, const char *why, struct err *e)
{
	/* Who never answered is asked twice: the network may be gone, and people wait. */
	const uint64_t max = f->p->reached || f->p->opt.tries < 2 ? f->p->opt.tries : 2;
	unsigned after = f->call.retry_after;
	uint64_t pause;

	/* A byte a try is no progress. */
	if (f->sink.len >= f->tried_at_len + PROGRESS)
		f->tries = 0;
	f->tries++;
	if (after > PULL_WAIT_MAX_S)
		return err_set(e, ST_NET, 0, "%s; it asks to come back in %u s", why, after);
	if (f->tries >= max)
		return err_set(e, ST_NET, 0, "%s; gave up after %u tries", why, f->tries);
	pause = pull_pause_ms(f->p, f->tries, after);
	pull_say("note %.*s: %s; trying again in %llu.%llu s\n",
		 f->want.text[0] ? 19 : REF_TEXT_MAX, name(f), why,
		 (unsigned long long)(pause / 1000), (unsigned long long)(pause % 1000 / 100));
	go_home(f);
	f->not_before = pull_now() + pause;
	return 0;
}

static int redirect(struct fetch *f, struct err *e)
{
	bool from_https = str_eq(f->origin.scheme, "https");
	char url[HTTP_URL_MAX];
	struct origin o;

	if (++f->redirects > PULL_REDIRECTS)
		return err_set(e, ST_NET, 0, "%s: more than %u redirects", name(f), PULL_REDIRECTS);
	if (!f->call.head.location[0] ||
	    url_resolve(f->url, f->call.head.location, url, sizeof(url), &o) < 0)
		return err_set(e, ST_NET, 0, "%s: '%s' redirects to nothing that can be read",
			       name(f), f->origin.host);
	if (!pull_may_use(f->p, &o, from_https))
		return err_set(e, ST_NET, 0, "%s: '%s' redirects to '%s' without TLS", name(f),
			       f->origin.host, o.host);
	memcpy(f->url, url, sizeof(url));
	f->origin = o;
	f->state = FETCH_WAITS;
	return 0;
}

static int log_in(struct fetch *f, const char *said, struct err *e)
{
	struct pull *p = f->p;
	int rc = 0;

	/* Only the registry may ask who we are. */
	if (!origin_eq(&f->origin, &p->origin))
		return err_set(e, ST_NET, 0, "%s: '%s', to which the registry redirects, answers 401",
			       name(f), f->origin.host);
	if (++f->refusals > 2)
		return auth_refused(p, 401, said, e);
	if (f->generation == p->auth.generation)
		rc = auth_answer(p, f->call.head.challenge, e);
	go_home(f);
	return rc;
}

/* ---- what came of it ---------------------------------------------------------------------------- */

static int there(struct fetch *f)
{
	f->state = FETCH_THERE;
	f->reported = f->size;
	sink_close(&f->sink);
	pull_say("progress %s %llu %llu\nblob %s %llu %s\n", f->want.text,
		 (unsigned long long)f->size, (unsigned long long)f->size, f->want.text,
		 (unsigned long long)f->size, f->sink.name);
	return 0;
}

static int wrong_digest(const struct fetch *f, const struct digest *got, struct err *e)
{
	return err_set(e, ST_IMAGE, 0, "%s: what the registry sent has the digest %s", name(f),
		       got->text);
}

static int blob_ended(struct fetch *f, struct err *e)
{
	struct digest got;
	bool pieces = f->sink.old;
	int rc;

	if (f->sink.len < f->size)
		return once_more(f, "the registry sent less than it should", e);
	rc = sink_finish(&f->sink, &got, e);
	if (rc < 0)
		return rc;
	if (rc == 0)
		return there(f);
	/* What an earlier run left may be what is wrong. */
	if (!pieces || f->again_whole)
		return wrong_digest(f, &got, e);
	f->again_whole = true;
	go_home(f);
	return 0;
}

static int hash_text(const struct fetch *f, const struct digest *like, struct digest *ret,
		     struct err *e)
{
	struct hash *h = NULL;
	int rc = hash_start(like, &h, e);

	if (rc < 0)
		return rc;
	hash_add(h, f->text, f->len);
	return hash_finish(h, ret, e);
}

static int manifest_ended(struct fetch *f, struct err *e)
{
	struct digest said = { .text = "" }, got;
	const char *type = f->call.head.type;
	int rc;

	if (f->size && f->len != f->size)
		return err_set(e, ST_IMAGE, 0, "%s: %zu bytes came where %llu are due", name(f),
			       f->len, (unsigned long long)f->size);
	if (!f->want.text[0])
		(void)digest_parse(f->call.head.digest, &said);
	rc = hash_text(f, f->want.text[0] ? &f->want : &said, &got, e);
	if (rc < 0)
		return rc;
	if ((f->want.text[0] && !digest_eq(&got, &f->want)) ||
	    (said.text[0] && !digest_eq(&got, &said)))
		return wrong_digest(f, &got, e);
	/* It is a word of a line that jail-image reads. */
	if (type[strspn(type, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+-/_")])
		type = "";
	f->state = FETCH_THERE;
	pull_say("manifest %s %zu %s\n", got.text, f->len, type[0] ? type : "-");
	pull_hand_over(f->text, f->len);
	return 0;
}

static int answered(struct fetch *f, struct err *e)
{
	int status = f->call.head.status;
	char said[200] = "", why[300];
	const char *sep;

	if (good(status))
		return f->manifest ? manifest_ended(f, e) : blob_ended(f, e);
	if (status == 301 || status == 302 || status == 303 || status == 307 || status == 308)
		return redirect(f, e);
	message_parse(f->text, f->len, said, sizeof(said));
	sep = said[0] ? ": " : "";
	switch (status) {
	case 401:
		return log_in(f, said, e);
	case 403:
		return auth_refused(f->p, status, said, e);
	case 404:
		return f->manifest ? err_set(e, ST_NET, 0, "registry '%s' has no '%s' (404%s%s)",
					     f->p->ref.registry, f->p->opt.reference, sep, said)
				   : err_set(e, ST_NET, 0, "registry '%s' has no blob %s (404%s%s)",
					     f->p->ref.registry, f->want.text, sep, said);
	case 416:
		if (f->sink.len && sink_restart(&f->sink, e) < 0)
			return -EIO;
		return once_more(f, "the registry does not resume (416)", e);
	default:
		break;
	}
	(void)snprintf(why, sizeof(why), "'%s' %s (%d%s%s)", f->origin.host,
		       status == 429 ? "says that it was asked too often" : "cannot answer now",
		       status, sep, said);
	if (status == 408 || status == 429 || status >= 500)
		return once_more(f, why, e);
	return err_set(e, ST_NET, 0, "%s: '%s' answers %d%s%s", name(f), f->origin.host, status,
		       sep, said);
}

/* A registry on this machine may do without TLS: found out by the first request. */
static bool try_plain(struct fetch *f)
{
	struct pull *p = f->p;
	struct origin o;
	char url[HTTP_URL_MAX];

	if (!host_is_loopback(p->origin.host) || !str_starts(f->first, "https://") || f->redirects)
		return false;
	(void)snprintf(p->base, sizeof(p->base), "http://%s", p->ref.registry);
	(void)snprintf(url, sizeof(url), "http%s", f->first + strlen("https"));
	if (url_resolve(NULL, url, f->first, sizeof(f->first), &o) < 0)
		return false;
	p->origin = o;
	go_home(f);
	return true;
}

static int ended(struct fetch *f, struct err *e)
{
	if (f->err.stage != ST_NONE) {
		*e = f->err;
		return e->code ? -e->code : -EINVAL;
	}
	f->p->reached |= f->call.head.status != 0;
	switch (f->call.end) {
	case HTTP_ANSWERED:
		return answered(f, e);
	case HTTP_AWAY: /* which is no news from a registry that never was there */
		if (!f->p->reached)
			break;
		return once_more(f, f->call.why, e);
	case HTTP_BROKEN:
		return once_more(f, f->call.why, e);
	case HTTP_NO_TLS:
		if (try_plain(f))
			return 0;
		break;
	default:
		break;
	}
	return err_set(e, ST_NET, 0, "registry %s", f->call.why);
}

/* ---- all of them -------------------------------------------------------------------------------- */

static void report(struct fetch *f, uint64_t now)
{
	if (f->manifest || f->sink.len == f->reported || now - f->reported_at < REPORT_MS)
		return;
	f->reported = f->sink.len;
	f->reported_at = now;
	pull_say("progress %s %llu %llu\n", f->want.text, (unsigned long long)f->sink.len,
		 (unsigned long long)f->size);
}

/* Start what may be started; how many are not there yet. */
static int keep_going(struct fetch **list, size_t n, size_t *ret_left, struct err *e)
{
	uint64_t now = pull_now();
	size_t running = 0, left = 0;
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		running += list[i]->state == FETCH_RUNS;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct fetch *f = list[i];

		left += f->state != FETCH_THERE;
		report(f, now);
		if (f->state != FETCH_WAITS || running >= PULL_SIDE_BY_SIDE || now < f->not_before)
			continue;
		/* Not before: an image may have more blobs than we may have files. */
		if (!f->manifest && f->sink.fd < 0)
			rc = sink_open(&f->sink, f->p->dirfd, &f->want, f->size, e);
		if (rc == 0 && !f->manifest && f->sink.len == f->size)
			rc = blob_ended(f, e); /* all of it was there before */
		else if (rc == 0)
			rc = start(f, e);
		running += f->state == FETCH_RUNS;
	}
	*ret_left = left;
	return rc;
}

int fetch_all(struct pull *p, struct fetch **list, size_t n, struct err *e)
{
	for (;;) {
		struct http_call *c;
		size_t left;
		int rc = keep_going(list, n, &left, e);

		if (rc < 0 || !left)
			return rc;
		if (pull_now() > p->deadline)
			return err_set(e, ST_NET, ETIMEDOUT, "not all of '%s' came in %llu s",
				       p->opt.reference, (unsigned long long)p->opt.total_s);
		c = http_next(p->http, REPORT_MS / 2);
		if (!c)
			continue;
		rc = ended(c->arg, e);
		if (rc < 0)
			return rc;
	}
}

int fetch_new(struct pull *p, bool manifest, const struct digest *want, uint64_t size,
	      struct fetch **ret, struct err *e)
{
	size_t cap = manifest ? (size_t)PULL_MANIFEST_MAX : PULL_ANSWER_MAX;
	struct fetch *f = calloc(1, sizeof(*f));
	struct text t;

	if (!f || !(f->text = malloc(cap))) {
		free(f);
		return err_set(e, ST_IMAGE, ENOMEM, "fetch");
	}
	*f = (struct fetch){ .p = p, .manifest = manifest, .want = *want, .size = size, .text = f->text };
	f->sink.fd = FD_NONE;
	text_init(&t, f->first, sizeof(f->first));
	text_addf(&t, "%s/v2/%s/%s/%s", p->base, p->ref.repository,
		  manifest ? "manifests" : "blobs", want->text[0] ? want->text : p->ref.tag);
	go_home(f);
	*ret = f;
	return 0;
}

void fetch_free(struct pull *p, struct fetch *f)
{
	if (!f)
		return;
	if (f->state == FETCH_RUNS)
		http_drop(p->http, &f->call);
	sink_close(&f->sink);
	free(f->text);
	free(f);
}
