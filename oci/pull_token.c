// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The answer to a 401: Basic credentials, or a token from the server that the registry names. The
 * token is asked for this repository and for pulling only, whatever scope the challenge names. A
 * token server's redirects are not followed: credentials go to the host that was named, or nowhere.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/own.h"
#include "base/text.h"
#include "oci/pull.h"
#include "oci/pull_challenge.h"

#define TOKEN_LIMIT_S 60

struct answer {
	char *buf;
	size_t len;
};

static int collect(void *arg, const void *p, size_t n)
{
	struct answer *a = arg;

	if (n > PULL_ANSWER_MAX - a->len)
		return -E2BIG;
	memcpy(a->buf + a->len, p, n);
	a->len += n;
	return 0;
}

static void add_escaped(struct text *t, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		    strchr("-._~", c))
			text_addn(t, s, 1);
		else
			text_addf(t, "%%%02X", c);
	}
}

static void add_scope(const struct pull *p, const struct challenge *c, struct text *t)
{
	if (c->service[0]) {
		text_add(t, "service=");
		add_escaped(t, c->service);
		text_add(t, "&");
	}
	text_add(t, "scope=");
	add_escaped(t, "repository:");
	add_escaped(t, p->ref.repository);
	add_escaped(t, ":pull");
}

static int bad_realm(const struct pull *p, struct err *e)
{
	return err_set(e, ST_NET, 0,
		       "registry '%s' names a token server that cannot be used: it must be https",
		       p->ref.registry);
}

/* The URL to ask, into `url`; with an identity token also the form to send, into `form`. */
static int make_question(struct pull *p, const struct challenge *c, char *url, char *form,
			 size_t cap, struct err *e)
{
	struct origin o;
	struct text t;

	form[0] = '\0';
	if (!c->realm[0] || url_resolve(NULL, c->realm, url, cap, &o) < 0 ||
	    !pull_may_use(p, &o, str_eq(p->origin.scheme, "https")))
		return bad_realm(p, e);
	if (p->cred.identity[0]) {
		text_init(&t, form, cap);
		text_add(&t, "grant_type=refresh_token&client_id=jail&refresh_token=");
		add_escaped(&t, p->cred.identity);
		text_add(&t, "&");
	} else {
		t = (struct text){ .buf = url, .len = strlen(url), .cap = cap };
		text_add(&t, strchr(url, '?') ? "&" : "?");
	}
	add_scope(p, c, &t);
	return t.full ? bad_realm(p, e) : 0;
}

static int judge(struct pull *p, const struct http_call *c, const struct answer *a, struct err *e)
{
	char said[200];

	if (c->end == HTTP_STOPPED)
		return err_set(e, ST_NET, 0, "the token server of '%s' answers with too much",
			       p->ref.registry);
	if (c->end != HTTP_ANSWERED)
		return err_set(e, ST_NET, 0, "token server %s", c->why);
	message_parse(a->buf, a->len, said, sizeof(said));
	if (c->head.status == 401 || c->head.status == 403)
		return auth_refused(p, c->head.status, said, e);
	if (c->head.status != 200)
		return err_set(e, ST_NET, 0, "the token server of '%s' answers %d%s%s",
			       p->ref.registry, c->head.status, said[0] ? ": " : "", said);
	if (token_parse(a->buf, a->len, p->auth.header + 7, sizeof(p->auth.header) - 7) < 0)
		return err_set(e, ST_NET, 0, "the token server of '%s' gave no token that can be used",
			       p->ref.registry);
	memcpy(p->auth.header, "Bearer ", 7);
	p->auth.generation++;
	return 0;
}

static bool again(const struct http_call *c)
{
	return c->end == HTTP_BROKEN ||
	       (c->end == HTTP_ANSWERED && (c->head.status == 429 || c->head.status >= 500));
}

static void nap(uint64_t ms)
{
	struct timespec t = { .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000 };

	(void)nanosleep(&t, NULL);
}

static int ask(struct pull *p, struct http_call *c, struct answer *a, struct err *e)
{
	for (unsigned n = 1;; n++) {
		int rc = http_start(p->side, c, e);

		if (rc < 0)
			return rc;
		a->len = 0;
		while (!http_next(p->side, 1000))
			;
		if (!again(c) || n >= p->opt.tries || c->retry_after > PULL_WAIT_MAX_S ||
		    pull_now() > p->deadline)
			return judge(p, c, a, e);
		nap(pull_pause_ms(p, n, c->retry_after));
	}
}

static int fetch_token(struct pull *p, const struct challenge *challenge, struct err *e)
{
	const size_t cap = 4 * AUTH_SECRET_MAX;
	own_str url = malloc(cap);
	own_str form = malloc(cap);
	own_str buf = malloc(PULL_ANSWER_MAX);
	own_str basic = NULL;
	struct http_call *c = calloc(1, sizeof(*c));
	struct answer a = { .buf = buf };
	int rc = url && form && buf && c ? 0 : err_set(e, ST_NET, ENOMEM, "ask for a token");

	if (rc == 0)
		rc = make_question(p, challenge, url, form, cap, e);
	if (rc == 0 && p->cred.basic[0] && asprintf(&basic, "Basic %s", p->cred.basic) < 0) {
		basic = NULL;
		rc = err_set(e, ST_NET, ENOMEM, "ask for a token");
	}
	if (rc == 0) {
		*c = (struct http_call){ .url = url,
					 .form = form[0] ? form : NULL,
					 .authorization = form[0] ? NULL : basic,
					 .limit_s = TOKEN_LIMIT_S,
					 .body = collect,
					 .arg = &a };
		rc = ask(p, c, &a, e);
	}
	free(c);
	return rc;
}

int auth_refused(const struct pull *p, int status, const char *said, struct err *e)
{
	const struct credentials *c = &p->cred;
	const char *host = p->ref.registry, *repo = p->ref.repository;
	const char *sep = said[0] ? ": " : "";

	if (c->basic[0] || c->identity[0])
		return err_set(e, ST_NET, 0,
			       "registry '%s' refuses '%s' (%d%s%s) to the credentials in '%s'",
			       host, repo, status, sep, said, c->from);
	if (c->helper[0])
		return err_set(
			e, ST_NET, 0,
			"registry '%s' refuses '%s' (%d%s%s); '%s' leaves the credentials to the helper '%s', and jail runs no helpers: log in with a file, as skopeo login does",
			host, repo, status, sep, said, c->from, c->helper);
	return err_set(
		e, ST_NET, 0,
		"registry '%s' refuses '%s' (%d%s%s): no such image, or a login is needed and neither containers/auth.json nor ~/.docker/config.json has one",
		host, repo, status, sep, said);
}

int auth_answer(struct pull *p, const char *challenge, struct err *e)
{
	struct challenge c;

	if (challenge_parse(challenge, &c) < 0)
		return err_set(e, ST_NET, 0,
			       "registry '%s' asks for a login in a way that cannot be read",
			       p->ref.registry);
	if (c.bearer)
		return fetch_token(p, &c, e);
	if (!c.basic || !p->cred.basic[0] || p->auth.header[0])
		return auth_refused(p, 401, "", e);
	(void)snprintf(p->auth.header, sizeof(p->auth.header), "Basic %s", p->cred.basic);
	p->auth.generation++;
	return 0;
}
