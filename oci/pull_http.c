// SPDX-License-Identifier: GPL-2.0-or-later
/* libcurl, kept on a short lead: HTTP/1.1 only, no redirects, no cookies, no netrc; jail-pull. */
#include "oci/pull_http.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "base/text.h"

#define SLOW_BYTES_S 1024L
#define RECEIVE_SIZE (256L << 10)

struct http {
	CURLM *multi;
	struct http_limits limits;
};

int http_load(struct err *e)
{
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return err_set(e, ST_NET, 0, "libcurl does not start");
	return 0;
}

void http_ca_paths(const char **ret_file, const char **ret_dir)
{
	const curl_version_info_data *v = curl_version_info(CURLVERSION_NOW);

	*ret_file = *ret_dir = NULL;
#if LIBCURL_VERSION_NUM >= 0x074600
	if (v->age >= CURLVERSION_SEVENTH) {
		*ret_file = v->cainfo;
		*ret_dir = v->capath;
	}
#endif
}

int http_new(const struct http_limits *l, struct http **ret, struct err *e)
{
	struct http *h = calloc(1, sizeof(*h));

	if (!h)
		return err_set(e, ST_NET, ENOMEM, "start libcurl");
	h->limits = *l;
	h->multi = curl_multi_init();
	if (!h->multi) {
		free(h);
		return err_set(e, ST_NET, ENOMEM, "start libcurl");
	}
	*ret = h;
	return 0;
}

void http_free(struct http *h)
{
	if (!h)
		return;
	(void)curl_multi_cleanup(h->multi);
	free(h);
}

/* ---- the head of an answer ---------------------------------------------------------------------- */

static void keep(char *out, size_t cap, const char *value)
{
	struct text t;

	text_init(&t, out, cap);
	text_add(&t, value);
	if (t.full)
		out[0] = '\0';
}

static void keep_type(struct http_head *h, char *value)
{
	value[strcspn(value, "; \t")] = '\0';
	keep(h->type, sizeof(h->type), value);
}

static void keep_challenge(struct http_head *h, const char *value)
{
	size_t n = strlen(h->challenge);

	/* What does not fit is not asked for: a cut challenge would be another one. */
	if (n + 2 + strlen(value) >= sizeof(h->challenge))
		return;
	(void)snprintf(h->challenge + n, sizeof(h->challenge) - n, "%s%s", n ? ", " : "", value);
}

/* bytes FROM-TO/ALL */
static void keep_range(struct http_head *h, char *value)
{
	char *dash, *slash;

	if (strncasecmp(value, "bytes ", 6) != 0)
		return;
	value += 6;
	dash = strchr(value, '-');
	slash = strchr(value, '/');
	if (!dash || !slash || slash < dash)
		return;
	*dash = '\0';
	h->has_range = str_to_u64(value, INT64_MAX, &h->range_from) &&
		       str_to_u64(slash + 1, INT64_MAX, &h->range_all);
}

static void keep_header(struct http_head *h, const char *name, char *value)
{
	if (strcasecmp(name, "content-length") == 0)
		h->has_length = str_to_u64(value, INT64_MAX, &h->length);
	else if (strcasecmp(name, "content-range") == 0)
		keep_range(h, value);
	else if (strcasecmp(name, "content-type") == 0)
		keep_type(h, value);
	else if (strcasecmp(name, "docker-content-digest") == 0)
		keep(h->digest, sizeof(h->digest), value);
	else if (strcasecmp(name, "location") == 0)
		keep(h->location, sizeof(h->location), value);
	else if (strcasecmp(name, "www-authenticate") == 0)
		keep_challenge(h, value);
}

static size_t on_header(char *p, size_t one, size_t n, void *arg)
{
	struct http_call *c = arg;
	char line[HTTP_URL_MAX + 64], *value, *end;

	(void)one;
	if (n >= 5 && memcmp(p, "HTTP/", 5) == 0) {
		memset(&c->head, 0, sizeof(c->head)); /* a 100 came first */
		return n;
	}
	if (n >= sizeof(line) || memchr(p, '\0', n))
		return n;
	memcpy(line, p, n);
	line[n] = '\0';
	value = strchr(line, ':');
	if (!value)
		return n;
	*value++ = '\0';
	value += strspn(value, " \t");
	end = value + strlen(value);
	while (end > value && strchr(" \t\r\n", end[-1]))
		*--end = '\0';
	keep_header(&c->head, line, value);
	return n;
}

static size_t on_body(char *p, size_t one, size_t n, void *arg)
{
	struct http_call *c = arg;

	(void)one;
	if (!c->head.status) {
		long status = 0;

		(void)curl_easy_getinfo(c->private[0], CURLINFO_RESPONSE_CODE, &status);
		c->head.status = (int)status;
	}
	return !c->body || c->body(c->arg, p, n) < 0 ? 0 : n;
}

/* ---- asking ------------------------------------------------------------------------------------- */

static int set_headers(CURL *easy, struct http_call *c)
{
	/* Basic credentials or a token: as large as a registry's token may be. */
	static const char *const names[] = { "Authorization", "Accept" };
	const char *values[] = { c->authorization, c->accept };
	struct curl_slist *list = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct curl_slist *longer;
		own_str line = NULL;

		if (!values[i])
			continue;
		if (asprintf(&line, "%s: %s", names[i], values[i]) < 0) {
			line = NULL;
			return -1;
		}
		longer = curl_slist_append(list, line);
		if (!longer) {
			curl_slist_free_all(list);
			return -1;
		}
		list = longer;
	}
	c->private[1] = list;
	return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, list) != CURLE_OK;
}

static bool set_protocols(CURL *easy)
{
#if LIBCURL_VERSION_NUM >= 0x075500
	return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") != CURLE_OK;
#else
	return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS) != CURLE_OK;
#endif
}

#define SET(option, value) (bad |= curl_easy_setopt(easy, option, value) != CURLE_OK)

static bool set_limits(CURL *easy, const struct http_limits *l, const struct http_call *c)
{
	bool bad = false;

	SET(CURLOPT_CONNECTTIMEOUT, (long)l->connect_s);
	SET(CURLOPT_LOW_SPEED_LIMIT, SLOW_BYTES_S);
	SET(CURLOPT_LOW_SPEED_TIME, (long)l->stall_s);
	SET(CURLOPT_TIMEOUT, (long)c->limit_s);
	SET(CURLOPT_BUFFERSIZE, RECEIVE_SIZE);
	if (l->ca)
		SET(CURLOPT_CAINFO, l->ca);
	return bad;
}

static bool set_options(CURL *easy, const struct http *h, struct http_call *c)
{
	struct origin o;
	char absolute[HTTP_URL_MAX];
	bool bad = set_protocols(easy) || set_limits(easy, &h->limits, c) || set_headers(easy, c);

	SET(CURLOPT_URL, c->url);
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	SET(CURLOPT_USERAGENT, "jail-pull/" PACKAGE_VERSION);
	SET(CURLOPT_HEADERFUNCTION, on_header);
	SET(CURLOPT_HEADERDATA, c);
	SET(CURLOPT_WRITEFUNCTION, on_body);
	SET(CURLOPT_WRITEDATA, c);
	SET(CURLOPT_ERRORBUFFER, c->why);
	SET(CURLOPT_PRIVATE, c);
	/* Not CURLOPT_RESUME_FROM: a whole answer instead is no error to us. */
	if (c->from) {
		(void)snprintf(absolute, sizeof(absolute), "%llu-", (unsigned long long)c->from);
		SET(CURLOPT_RANGE, absolute);
	}
	if (c->form)
		SET(CURLOPT_POSTFIELDS, c->form);
	/* A proxy for the world is none for this machine. */
	if (url_resolve(NULL, c->url, absolute, sizeof(absolute), &o) == 0 && host_is_loopback(o.host))
		SET(CURLOPT_PROXY, "");
	return bad;
}

int http_start(struct http *h, struct http_call *c, struct err *e)
{
	CURL *easy = curl_easy_init();

	memset(&c->head, 0, sizeof(c->head));
	c->why[0] = '\0';
	c->retry_after = 0;
	c->private[0] = easy;
	c->private[1] = NULL;
	if (!easy)
		return err_set(e, ST_NET, ENOMEM, "start a request");
	if (set_options(easy, h, c) || curl_multi_add_handle(h->multi, easy) != CURLM_OK) {
		http_drop(h, c);
		return err_set(e, ST_NET, 0, "libcurl refuses an option that jail-pull needs");
	}
	return 0;
}

void http_drop(struct http *h, struct http_call *c)
{
	if (c->private[0]) {
		(void)curl_multi_remove_handle(h->multi, c->private[0]);
		curl_easy_cleanup(c->private[0]);
	}
	curl_slist_free_all(c->private[1]);
	c->private[0] = c->private[1] = NULL;
}

/* ---- what came of it ---------------------------------------------------------------------------- */

/* Everything that is not listed is a broken transfer: it may work the next time. */
static const struct {
	CURLcode code;
	enum http_end end;
	const char *what;
} ends[] = {
	{ CURLE_OK, HTTP_ANSWERED, "" },
	{ CURLE_WRITE_ERROR, HTTP_STOPPED, "" },
	{ CURLE_COULDNT_RESOLVE_HOST, HTTP_AWAY,
	  "has no address that can be found: no network, or a wrong name" },
	{ CURLE_COULDNT_RESOLVE_PROXY, HTTP_AWAY, "is behind a proxy whose name has no address" },
	{ CURLE_COULDNT_CONNECT, HTTP_AWAY, "does not take connections" },
	{ CURLE_OPERATION_TIMEDOUT, HTTP_BROKEN, "is too slow or does not answer" },
	{ CURLE_PARTIAL_FILE, HTTP_BROKEN, "closed the connection before the end" },
	{ CURLE_GOT_NOTHING, HTTP_BROKEN, "closed the connection without an answer" },
	{ CURLE_RECV_ERROR, HTTP_BROKEN, "closed the connection before the end" },
	{ CURLE_SSL_CONNECT_ERROR, HTTP_NO_TLS, "does not speak TLS as it should" },
	{ CURLE_PEER_FAILED_VERIFICATION, HTTP_REFUSED, "has a certificate that is not trusted" },
	{ CURLE_SSL_CACERT_BADFILE, HTTP_REFUSED,
	  "cannot be checked: no file of trusted certificates" },
	{ CURLE_SSL_CERTPROBLEM, HTTP_REFUSED, "wants a certificate from us" },
	{ CURLE_UNSUPPORTED_PROTOCOL, HTTP_REFUSED, "does not speak HTTP" },
	{ CURLE_WEIRD_SERVER_REPLY, HTTP_REFUSED, "does not speak HTTP" },
	{ CURLE_BAD_CONTENT_ENCODING, HTTP_REFUSED, "does not speak HTTP as it should" },
	{ CURLE_URL_MALFORMAT, HTTP_REFUSED, "is no host" },
	{ CURLE_OUT_OF_MEMORY, HTTP_REFUSED, "needs more memory than there is" },
};

static void tell_end(struct http_call *c, CURLcode code)
{
	const char *what = "broke the connection", *detail = c->why;
	char said[sizeof(c->why)];
	struct origin o = { .host = "?" };
	char url[HTTP_URL_MAX];
	struct text t;

	c->end = HTTP_BROKEN;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		if (ends[i].code == code) {
			c->end = ends[i].end;
			what = ends[i].what;
		}
	}
	if (c->end == HTTP_ANSWERED || c->end == HTTP_STOPPED)
		return;
	keep(said, sizeof(said), detail[0] ? detail : curl_easy_strerror(code));
	(void)url_resolve(NULL, c->url, url, sizeof(url), &o);
	text_init(&t, c->why, sizeof(c->why));
	text_addf(&t, "'%s:%s' %s", o.host, o.port, what);
	/* There is nothing to add to an absence. */
	if (c->end != HTTP_AWAY) {
		text_add(&t, " (");
		text_add_clean(&t, said);
		text_add(&t, ")");
	}
}

struct http_call *http_next(struct http *h, int ms)
{
	struct http_call *c = NULL;
	CURLMsg *m;
	int running, left;
	curl_off_t after = 0;
	long status = 0;

	(void)curl_multi_perform(h->multi, &running);
	m = curl_multi_info_read(h->multi, &left);
	if (!m && ms > 0) {
		(void)curl_multi_poll(h->multi, NULL, 0, ms, NULL);
		(void)curl_multi_perform(h->multi, &running);
		m = curl_multi_info_read(h->multi, &left);
	}
	if (!m || m->msg != CURLMSG_DONE)
		return NULL;
	(void)curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&c);
	(void)curl_easy_getinfo(m->easy_handle, CURLINFO_RESPONSE_CODE, &status);
	(void)curl_easy_getinfo(m->easy_handle, CURLINFO_RETRY_AFTER, &after);
	c->head.status = (int)status;
	c->retry_after = after > 0 && after < INT32_MAX ? (unsigned)after : 0;
	tell_end(c, m->data.result);
	http_drop(h, c);
	return c;
}

/* ---- URLs --------------------------------------------------------------------------------------- */

static int part(CURLU *u, CURLUPart which, char *out, size_t cap)
{
	char *got = NULL;
	struct text t;

	if (curl_url_get(u, which, &got, CURLU_DEFAULT_PORT) != CURLUE_OK)
		return -EINVAL;
	text_init(&t, out, cap);
	text_add(&t, got);
	curl_free(got);
	return t.full ? -EINVAL : 0;
}

static int take_apart(CURLU *u, const char *base, const char *to, char *out, size_t cap,
		      struct origin *ret)
{
	struct origin o;
	char *url = NULL;
	struct text t;

	if (base && curl_url_set(u, CURLUPART_URL, base, CURLU_DISALLOW_USER) != CURLUE_OK)
		return -EINVAL;
	if (curl_url_set(u, CURLUPART_URL, to, CURLU_DISALLOW_USER) != CURLUE_OK)
		return -EINVAL;
	(void)curl_url_set(u, CURLUPART_FRAGMENT, NULL, 0);
	if (part(u, CURLUPART_SCHEME, o.scheme, sizeof(o.scheme)) < 0 ||
	    part(u, CURLUPART_HOST, o.host, sizeof(o.host)) < 0 ||
	    part(u, CURLUPART_PORT, o.port, sizeof(o.port)) < 0)
		return -EINVAL;
	if (!str_eq(o.scheme, "http") && !str_eq(o.scheme, "https"))
		return -EINVAL;
	for (char *p = o.host; *p; p++) {
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p - 'A' + 'a');
	}
	if (curl_url_get(u, CURLUPART_URL, &url, 0) != CURLUE_OK)
		return -EINVAL;
	text_init(&t, out, cap);
	text_add(&t, url);
	curl_free(url);
	if (t.full)
		return -EINVAL;
	*ret = o;
	return 0;
}

int url_resolve(const char *base, const char *to, char *out, size_t cap, struct origin *ret)
{
	CURLU *u;
	int rc;

	for (const char *p = to; *p; p++) {
		if (*p <= 0x20 || *p == 0x7f) /* bytes above are negative: refused too */
			return -EINVAL;
	}
	u = curl_url();
	if (!u)
		return -ENOMEM;
	rc = take_apart(u, base, to, out, cap, ret);
	curl_url_cleanup(u);
	return rc;
}

bool origin_eq(const struct origin *a, const struct origin *b)
{
	return str_eq(a->scheme, b->scheme) && str_eq(a->host, b->host) && str_eq(a->port, b->port);
}

bool host_is_loopback(const char *host)
{
	struct in_addr v4;

	if (str_eq(host, "localhost") || str_eq(host, "[::1]"))
		return true;
	return inet_pton(AF_INET, host, &v4) == 1 && (ntohl(v4.s_addr) >> 24) == 127;
}
