// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of the HTTP check: each row fed whole, byte by byte, and cut once at every place. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/own.h"
#include "gate/http.h"
#include "gate/refuse.h"

#define E      "\r\n"
#define HOST   "Host: a.test" E
#define GET    "GET / HTTP/1.1" E HOST
#define POST   "POST /x HTTP/1.1" E HOST
#define CHUNKS POST "Transfer-Encoding: chunked" E E
#define N(s)   s, sizeof(s) - 1

/* Taken: all of it passes but `held` bytes, which wait for more. Refused: why. */
static const struct row {
	const char *title, *in;
	size_t n, requests, held;
	const char *why, *other;
	size_t port; /* 0: 80 */
} rows[] = {
	{ "nothing", N(""), 0, 0, NULL, NULL, 0 },
	{ "a request", N(GET E), 1, 0, NULL, NULL, 0 },
	{ "two at once", N(GET E GET E), 2, 0, NULL, NULL, 0 },
	{ "half of a second", N(GET E "GET / HT"), 1, 8, NULL, NULL, 0 },
	{ "not a whole line", N("GET"), 0, 3, NULL, NULL, 0 },
	{ "HTTP/1.0 with a Host", N("GET / HTTP/1.0" E HOST E), 1, 0, NULL, NULL, 0 },
	{ "other fields", N(GET "Accept: */*" E "X-Y: \"a\xc3\xa9\tb\"" E "Empty:" E E), 1, 0, NULL,
	  NULL, 0 },
	{ "any method that is a token", N("M-SEARCH! / HTTP/1.1" E HOST E), 1, 0, NULL, NULL, 0 },
	{ "a query", N("GET /a?b=c&d=%00|{}\" HTTP/1.1" E HOST E), 1, 0, NULL, NULL, 0 },

	/* for whom */
	{ "capitals and a dot", N("GET / HTTP/1.1" E "hOST:A.Test." E E), 1, 0, NULL, NULL, 0 },
	{ "spaces around", N("GET / HTTP/1.1" E "Host:\t a.test \t" E E), 1, 0, NULL, NULL, 0 },
	{ "with the port", N("GET / HTTP/1.1" E "Host: a.test:80" E E), 1, 0, NULL, NULL, 0 },
	{ "another port", N("GET / HTTP/1.1" E "Host: a.test:81" E E), 0, 0, "another port", NULL, 0 },
	{ "port 8080", N("GET / HTTP/1.1" E "Host: a.test:8080" E E), 1, 0, NULL, NULL, 8080 },
	{ "8080 is not left out", N(GET E), 0, 0, "another port", NULL, 8080 },
	{ "a port with a zero", N("GET / HTTP/1.1" E "Host: a.test:080" E E), 0, 0, "another port",
	  NULL, 0 },
	{ "an empty port", N("GET / HTTP/1.1" E "Host: a.test:" E E), 0, 0, "another port", NULL, 0 },
	{ "a port past 65535", N("GET / HTTP/1.1" E "Host: a.test:65616" E E), 0, 0, "another port",
	  NULL, 0 },
	{ "two ports", N("GET / HTTP/1.1" E "Host: a.test:80:80" E E), 0, 0, "another port", NULL, 0 },
	{ "another host", N("GET / HTTP/1.1" E "Host: B.test" E E), 0, 0, "another host", "b.test", 0 },
	{ "one above", N("GET / HTTP/1.1" E "Host: test" E E), 0, 0, "another host", "test", 0 },
	{ "one beneath", N("GET / HTTP/1.1" E "Host: x.a.test" E E), 0, 0, "another host",
	  "x.a.test", 0 },
	{ "the second is for another", N(GET E "GET / HTTP/1.1" E "Host: b.test" E E), 0, 0,
	  "another host", "b.test", 0 },
	{ "no Host", N("GET / HTTP/1.1" E E), 0, 0, "no Host", NULL, 0 },
	{ "no Host, HTTP/1.0", N("GET / HTTP/1.0" E E), 0, 0, "no Host", NULL, 0 },
	{ "two Hosts", N(GET HOST E), 0, 0, "two Host", NULL, 0 },
	{ "an empty Host", N("GET / HTTP/1.1" E "Host:" E E), 0, 0, "no host name", NULL, 0 },
	{ "a list of hosts", N("GET / HTTP/1.1" E "Host: a.test, b.test" E E), 0, 0, "no host name",
	  NULL, 0 },
	{ "a user", N("GET / HTTP/1.1" E "Host: a.test@b.test" E E), 0, 0, "no host name", NULL, 0 },
	{ "a path", N("GET / HTTP/1.1" E "Host: a.test/" E E), 0, 0, "no host name", NULL, 0 },
	{ "an address", N("GET / HTTP/1.1" E "Host: 127.0.0.1" E E), 0, 0, "no host name", NULL, 0 },
	{ "an address in brackets", N("GET / HTTP/1.1" E "Host: [::1]" E E), 0, 0, "no host name",
	  NULL, 0 },
	{ "not ASCII", N("GET / HTTP/1.1" E "Host: a\xe3\x80\x82test" E E), 0, 0, "no host name",
	  NULL, 0 },

	/* the request line */
	{ "absolute", N("GET http://a.test/x HTTP/1.1" E HOST E), 1, 0, NULL, NULL, 0 },
	{ "absolute, other ways to say it", N("GET HTTP://A.test:80?q HTTP/1.1" E HOST E), 1, 0,
	  NULL, NULL, 0 },
	{ "absolute for another", N("GET http://b.test/ HTTP/1.1" E HOST E), 0, 0, "another host",
	  "b.test", 0 },
	{ "absolute, the Host is another", N("GET http://a.test/ HTTP/1.1" E "Host: b.test" E E), 0,
	  0, "another host", "b.test", 0 },
	{ "absolute, another port", N("GET http://a.test:81/ HTTP/1.1" E HOST E), 0, 0,
	  "another port", NULL, 0 },
	{ "absolute with a user", N("GET http://a.test@b.test/ HTTP/1.1" E HOST E), 0, 0,
	  "no host name", NULL, 0 },
	{ "absolute with a backslash", N("GET http://b.test\\a.test/ HTTP/1.1" E HOST E), 0, 0,
	  "no host name", NULL, 0 },
	{ "absolute without a host", N("GET http:///x HTTP/1.1" E HOST E), 0, 0, "no host name",
	  NULL, 0 },
	{ "absolute, nothing behind", N("GET http:// HTTP/1.1" E HOST E), 0, 0, "target", NULL, 0 },
	{ "https", N("GET https://a.test/ HTTP/1.1" E HOST E), 0, 0, "target", NULL, 0 },
	{ "ftp", N("GET ftp://a.test/ HTTP/1.1" E HOST E), 0, 0, "target", NULL, 0 },
	{ "OPTIONS *", N("OPTIONS * HTTP/1.1" E HOST E), 1, 0, NULL, NULL, 0 },
	{ "GET *", N("GET * HTTP/1.1" E HOST E), 0, 0, "target", NULL, 0 },
	{ "CONNECT", N("CONNECT a.test:80 HTTP/1.1" E HOST E), 0, 0, "CONNECT", NULL, 0 },
	{ "connect /", N("connect / HTTP/1.1" E HOST E), 0, 0, "CONNECT", NULL, 0 },
	{ "no path", N("GET a.test HTTP/1.1" E HOST E), 0, 0, "target", NULL, 0 },
	{ "a fragment", N("GET /#a HTTP/1.1" E HOST E), 0, 0, "target", NULL, 0 },
	{ "a tab in the target", N("GET /\tx HTTP/1.1" E HOST E), 0, 0, "target", NULL, 0 },
	{ "a target that is not ASCII", N("GET /\xc3\xa9 HTTP/1.1" E HOST E), 0, 0, "target", NULL, 0 },
	{ "no target", N("GET  HTTP/1.1" E HOST E), 0, 0, "target", NULL, 0 },
	{ "a space in the target", N("GET /a b HTTP/1.1" E HOST E), 0, 0, "not HTTP/1", NULL, 0 },
	{ "two spaces", N("GET  / HTTP/1.1" E HOST E), 0, 0, "not HTTP/1", NULL, 0 },
	{ "a space behind", N("GET / HTTP/1.1 " E HOST E), 0, 0, "not HTTP/1", NULL, 0 },
	{ "a space ahead", N(" GET / HTTP/1.1" E HOST E), 0, 0, "no HTTP request", NULL, 0 },
	{ "no method", N("/ HTTP/1.1" E HOST E), 0, 0, "no HTTP request", NULL, 0 },
	{ "HTTP/0.9", N("GET /" E E), 0, 0, "request line", NULL, 0 },
	{ "HTTP/1.2", N("GET / HTTP/1.2" E HOST E), 0, 0, "not HTTP/1", NULL, 0 },
	{ "lower case", N("GET / http/1.1" E HOST E), 0, 0, "not HTTP/1", NULL, 0 },
	{ "HTTP/2", N("PRI * HTTP/2.0" E E "SM" E E), 0, 0, "not HTTP/1", NULL, 0 },
	{ "an empty line first", N(E GET E), 0, 0, "no HTTP request", NULL, 0 },

	/* lines */
	{ "TLS", N("\x16\x03\x01\x02"), 0, 0, "no HTTP request", NULL, 0 },
	{ "a lone LF", N("GET / HTTP/1.1\n"), 0, 0, "byte", NULL, 0 },
	{ "a lone LF among lines", N(GET "A: b\nC: d" E E), 0, 0, "byte", NULL, 0 },
	{ "a lone CR", N(GET "A: b\rC: d" E E), 0, 0, "byte", NULL, 0 },
	{ "CR twice", N(GET "A: b\r" E E), 0, 0, "byte", NULL, 0 },
	{ "NUL", N(GET "A: b\0c" E E), 0, 0, "byte", NULL, 0 },
	{ "NUL in Host", N("GET / HTTP/1.1" E "Host: a.test\0.b.test" E E), 0, 0, "byte", NULL, 0 },
	{ "DEL", N(GET "A: \x7f" E E), 0, 0, "byte", NULL, 0 },
	{ "a folded line", N(GET "A: b" E " c" E E), 0, 0, "header line", NULL, 0 },
	{ "a folded Host", N("GET / HTTP/1.1" E "Host:" E "\ta.test" E E), 0, 0, "no host name",
	  NULL, 0 },
	{ "a fold first", N("GET / HTTP/1.1" E " A: b" E HOST E), 0, 0, "header line", NULL, 0 },
	{ "a space before the colon", N("GET / HTTP/1.1" E "Host : a.test" E E), 0, 0,
	  "header line", NULL, 0 },
	{ "no colon", N(GET "A" E E), 0, 0, "header line", NULL, 0 },
	{ "no name", N(GET ": b" E E), 0, 0, "header line", NULL, 0 },
	{ "a name that is no token", N(GET "A(b): c" E E), 0, 0, "header line", NULL, 0 },

	/* bodies */
	{ "a body", N(POST "Content-Length: 3" E E "abc" GET E), 2, 0, NULL, NULL, 0 },
	{ "a part of a body", N(POST "Content-Length: 30" E E "abc"), 1, 0, NULL, NULL, 0 },
	{ "a body of bytes", N(POST "content-length: 5" E E "\0\r\n\n\xff" GET E), 2, 0, NULL, NULL,
	  0 },
	{ "a body of a GET", N(GET "Content-Length: 3" E E "abc"), 0, 0,
	  "a GET or HEAD with a body", NULL, 0 },
	{ "chunks of a HEAD", N("HEAD / HTTP/1.1" E HOST "Transfer-Encoding: chunked" E E), 0, 0,
	  "a GET or HEAD with a body", NULL, 0 },
	{ "a GET with an empty body", N(GET "Content-Length: 0" E E), 1, 0, NULL, NULL, 0 },
	{ "a body behind an Upgrade", N(POST "Upgrade: websocket" E "Content-Length: 3" E E "abc"),
	  0, 0, "an Upgrade with a body", NULL, 0 },
	{ "one that a server may refuse", N(POST "Upgrade: h2c" E "Content-Length: 3" E E "abc"), 1,
	  0, NULL, NULL, 0 },
	{ "no body", N(POST "Content-Length: 0" E E GET E), 2, 0, NULL, NULL, 0 },
	{ "a body that is too long", N(POST "Content-Length: 3" E E "abcd" E E), 0, 0,
	  "request line", NULL, 0 },
	{ "a request in a body",
	  N(POST "Content-Length: 32" E E "GET / HTTP/1.1" E "Host: b.test" E E), 1, 0, NULL, NULL,
	  0 },
	{ "a request behind it", N(POST "Content-Length: 0" E E "GET / HTTP/1.1" E "Host: b.test" E E),
	  0, 0, "another host", "b.test", 0 },
	{ "two lengths", N(POST "Content-Length: 3" E "Content-Length: 3" E E "abc"), 0, 0,
	  "Content-Length", NULL, 0 },
	{ "a list of lengths", N(POST "Content-Length: 3, 3" E E "abc"), 0, 0, "Content-Length",
	  NULL, 0 },
	{ "a sign", N(POST "Content-Length: +3" E E "abc"), 0, 0, "Content-Length", NULL, 0 },
	{ "hexadecimal", N(POST "Content-Length: 0x3" E E "abc"), 0, 0, "Content-Length", NULL, 0 },
	{ "an empty length", N(POST "Content-Length:" E E "abc"), 0, 0, "Content-Length", NULL, 0 },
	{ "a length past 64 bits", N(POST "Content-Length: 18446744073709551619" E E "abc"), 0, 0,
	  "Content-Length", NULL, 0 },
	{ "a length by another name", N(POST "Content_Length: 3" E E "abc"), 0, 0, "looks like",
	  NULL, 0 },
	{ "an encoding with a tail", N(POST "Transfer-EncodingX: chunked" E E), 0, 0, "looks like",
	  NULL, 0 },
	{ "both", N(POST "Content-Length: 3" E "Transfer-Encoding: chunked" E E), 0, 0,
	  "Transfer-Encoding", NULL, 0 },
	{ "both, the other way round", N(POST "Transfer-Encoding: chunked" E "Content-Length: 3" E E),
	  0, 0, "Transfer-Encoding", NULL, 0 },
	{ "chunked in HTTP/1.0", N("POST / HTTP/1.0" E HOST "Transfer-Encoding: chunked" E E), 0, 0,
	  "Transfer-Encoding", NULL, 0 },
	{ "gzip, chunked", N(POST "Transfer-Encoding: gzip, chunked" E E), 0, 0,
	  "Transfer-Encoding", NULL, 0 },
	{ "identity", N(POST "Transfer-Encoding: identity" E E), 0, 0, "Transfer-Encoding", NULL, 0 },
	{ "chunked in capitals", N(POST "Transfer-Encoding: Chunked" E E), 0, 0,
	  "Transfer-Encoding", NULL, 0 },
	{ "chunked twice", N(POST "Transfer-Encoding: chunked" E "Transfer-Encoding: chunked" E E),
	  0, 0, "Transfer-Encoding", NULL, 0 },
	{ "xchunked", N(POST "Transfer-Encoding: xchunked" E E), 0, 0, "Transfer-Encoding", NULL, 0 },

	/* chunks */
	{ "chunks", N(CHUNKS "3" E "abc" E "01A" E "0123456789abcdefghijklmnop" E "0" E E GET E), 2,
	  0, NULL, NULL, 0 },
	{ "a size that is not whole", N(CHUNKS "3"), 1, 1, NULL, NULL, 0 },
	{ "a size without its LF", N(CHUNKS "3\r"), 1, 2, NULL, NULL, 0 },
	{ "trailers", N(CHUNKS "0" E "A: b" E "C: d" E E GET E), 2, 0, NULL, NULL, 0 },
	{ "trailers that are not whole", N(CHUNKS "0" E "A: b" E), 1, 6, NULL, NULL, 0 },
	{ "no size", N(CHUNKS E "abc"), 0, 0, "chunk size", NULL, 0 },
	{ "a size that is none", N(CHUNKS "g" E), 0, 0, "chunk size", NULL, 0 },
	{ "a size with 0x", N(CHUNKS "0x3" E "abc"), 0, 0, "chunk size", NULL, 0 },
	{ "a size past 60 bits", N(CHUNKS "1000000000000000" E), 0, 0, "chunk size", NULL, 0 },
	{ "an extension", N(CHUNKS "3;a=b" E "abc"), 0, 0, "chunk size", NULL, 0 },
	{ "a space behind a size", N(CHUNKS "3 " E "abc"), 0, 0, "chunk size", NULL, 0 },
	{ "a size with LF", N(CHUNKS "3\nabc"), 0, 0, "chunk size", NULL, 0 },
	{ "a chunk too long", N(CHUNKS "3" E "abcd" E), 0, 0, "longer than its size", NULL, 0 },
	{ "a chunk with LF", N(CHUNKS "3" E "abc\n0" E), 0, 0, "longer than its size", NULL, 0 },
	{ "a Host in trailers", N(CHUNKS "0" E HOST E), 0, 0, "trailer", NULL, 0 },
	{ "a length in trailers", N(CHUNKS "0" E "Content-Length: 3" E E), 0, 0, "trailer", NULL, 0 },
	{ "a malformed trailer", N(CHUNKS "0" E "A" E E), 0, 0, "trailer", NULL, 0 },
	{ "a request for another behind", N(CHUNKS "0" E E "GET / HTTP/1.1" E "Host: b.test" E E),
	  0, 0, "another host", "b.test", 0 },

	/* what the server might begin to speak instead is not known here */
	{ "a web socket", N(GET "Connection: Upgrade" E "Upgrade: websocket" E E "\x81\x85"), 0, 0,
	  "no HTTP request", NULL, 0 },
	{ "h2c", N(GET "Upgrade: h2c" E "HTTP2-Settings: AAMAAABkAAQAAP__" E E "PRI * HTTP/2.0" E E),
	  0, 0, "not HTTP/1", NULL, 0 },
};

/* A connection as the gate has it: what came and was not passed yet is kept, and shown again. */
struct feed {
	struct http h;
	char held[2 * HTTP_HEAD_MAX];
	size_t n, passed;
	bool bad;
};

static void feed_start(struct feed *f, size_t port)
{
	http_init(&f->h, "a.test", port ? (uint16_t)port : 80);
	f->n = f->passed = 0;
	f->bad = false;
}

static void feed_bytes(struct feed *f, const char *in, size_t n)
{
	char *exact = malloc(f->n + n + 1);
	size_t pass = 1234567;

	assert_non_null(exact);
	memcpy(exact, f->held, f->n);
	if (n)
		memcpy(exact + f->n, in, n);
	n += f->n;
	if (http_check(&f->h, exact, n, &pass) == HTTP_BAD) {
		f->bad = true;
		pass = 0;
	}
	assert_true(pass <= n);
	memcpy(f->held, exact + pass, n - pass);
	f->n = n - pass;
	f->passed += pass;
	free(exact);
}

static void check_row(const struct feed *f, const struct row *r)
{
	assert_int_equal(f->bad, r->why != NULL);
	assert_string_equal(f->h.other, r->other ? r->other : "");
	assert_int_equal(f->h.mismatch, r->other != NULL);
	if (r->why) {
		if (!strstr(f->h.why, r->why))
			fail_msg("%s, not: %s", f->h.why, r->why);
		return;
	}
	assert_null(f->h.why);
	assert_int_equal(f->h.requests, r->requests);
	assert_int_equal(f->n, r->held);
	assert_int_equal(f->passed, r->n - r->held);
}

static void test_rows(void **state)
{
	static struct feed f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];

		print_message("# %s\n", r->title);
		feed_start(&f, r->port);
		feed_bytes(&f, r->in, r->n);
		check_row(&f, r);
		if (r->why)
			assert_int_equal(f.passed, 0);
		for (size_t cut = 0; cut <= r->n; cut++) {
			feed_start(&f, r->port);
			feed_bytes(&f, r->in, cut);
			feed_bytes(&f, r->in + cut, r->n - cut);
			check_row(&f, r);
		}
		feed_start(&f, r->port);
		for (size_t k = 0; k < r->n; k++)
			feed_bytes(&f, r->in + k, 1);
		check_row(&f, r);
		feed_bytes(&f, NULL, 0); /* bad stays bad */
		check_row(&f, r);
	}
}

/* A head of exactly n bytes, or its trailers. */
static size_t long_head(char *buf, const char *start, size_t n)
{
	int used = snprintf(buf, n, "%sX: ", start);

	memset(buf + used, 'x', n - (size_t)used);
	for (size_t i = 1; i <= 4; i++)
		buf[n - i] = i % 2 ? '\n' : '\r';
	return n;
}

static void test_long(void **state)
{
	static char buf[2 * HTTP_HEAD_MAX];
	static struct feed f;
	size_t n;

	(void)state;
	for (size_t over = 0; over < 2; over++) {
		n = long_head(buf, GET, HTTP_HEAD_MAX + over);
		feed_start(&f, 80);
		feed_bytes(&f, buf, n);
		assert_int_equal(f.bad, over);
		feed_start(&f, 80);
		for (size_t i = 0; i < n; i += 100)
			feed_bytes(&f, buf + i, n - i < 100 ? n - i : 100);
		assert_int_equal(f.bad, over);
		assert_int_equal(f.h.requests, !over);

		n = long_head(buf, "T: u" E, HTTP_HEAD_MAX + over);
		feed_start(&f, 80);
		feed_bytes(&f, N(CHUNKS "0" E));
		feed_bytes(&f, buf, n);
		assert_int_equal(f.bad, over);
	}
	/* More is never held than one head. */
	memset(buf, 'A', sizeof(buf));
	feed_start(&f, 80);
	feed_bytes(&f, buf, 5);
	feed_bytes(&f, buf, HTTP_HEAD_MAX - 6);
	assert_false(f.bad);
	feed_bytes(&f, buf, 1);
	assert_true(f.bad);
}

static void test_large_body(void **state)
{
	static const char head[] = POST "Content-Length: 999999999999999999" E E;
	static char buf[HTTP_HEAD_MAX];
	static struct feed f;

	(void)state;
	feed_start(&f, 80);
	feed_bytes(&f, head, sizeof(head) - 1);
	for (int i = 0; i < 100; i++)
		feed_bytes(&f, buf, sizeof(buf));
	assert_false(f.bad);
	assert_int_equal(f.n, 0);
	assert_int_equal(f.h.body, 999999999999999999 - 100 * sizeof(buf));
}

/* ---- the answers ---- */

static size_t said_length(const char *out)
{
	const char *p = strstr(out, "Content-Length: ");

	assert_non_null(p);
	return (size_t)strtoumax(p + 16, NULL, 10);
}

static void test_refusal(void **state)
{
	struct rule rule = { .text = "a.test:80", .origin = "x.ini:3" };
	struct refusal r = { .why = "a request for another host",
			     .host = "b.test",
			     .port = 80,
			     .asked = "a.test",
			     .rule = &rule,
			     .advice = ADVICE_ALLOW };
	char out[REFUSE_HTTP_MAX + 1];
	size_t n = refuse_http(&r, out);
	const char *body;

	(void)state;
	out[n] = '\0';
	assert_int_equal(strlen(out), n);
	assert_ptr_equal(strstr(out, "HTTP/1.1 403 Forbidden" E), out);
	assert_non_null(strstr(out, E "Connection: close" E));
	body = strstr(out, E E) + 4;
	assert_int_equal(strlen(body), said_length(out));
	assert_non_null(strstr(body, "a request for another host\n"));
	assert_non_null(strstr(body, "host: b.test\n"));
	assert_non_null(strstr(body, "connected to: a.test\n"));
	assert_non_null(strstr(body, "rule: a.test:80 (x.ini:3)\n"));
	assert_non_null(strstr(body, "    allow = b.test:80\n"));

	r = (struct refusal){ .why = "no Host header", .port = 80 };
	n = refuse_http(&r, out);
	out[n] = '\0';
	assert_null(strstr(out, "allow ="));
	assert_null(strstr(out, "host: "));
}

static void test_advice(void **state)
{
	struct refusal r = { .why = "x", .host = "b.test", .port = 80, .advice = ADVICE_CONNECT };
	char out[REFUSE_HTTP_MAX + 1];

	(void)state;
	out[refuse_http(&r, out)] = '\0';
	assert_non_null(strstr(out, "\nb.test is allowed: connect to it itself\n"));
	assert_null(strstr(out, "allow ="));
	r.advice = ADVICE_ADDRESS;
	out[refuse_http(&r, out)] = '\0';
	assert_non_null(strstr(out, "    resolve = b.test=ADDRESS\n"));
	assert_non_null(strstr(out, "    allow = ADDRESS:80\n"));
	r = (struct refusal){ .why = "no answer", .host = "b.test", .port = 80, .failed = true };
	out[refuse_http(&r, out)] = '\0';
	assert_ptr_equal(strstr(out, "HTTP/1.1 502 Bad Gateway" E), out);
	assert_non_null(strstr(out, E E "jail could not reach this host: no answer\n"));
}

/* The longest that can be said still fits, and nothing in it can end a header or move a cursor. */
static void test_refusal_bounds(void **state)
{
	struct rule rule;
	char name[NAME_SIZE], out[REFUSE_HTTP_MAX + 1];
	struct refusal r = {
		.host = name, .asked = name, .rule = &rule, .port = 65535, .advice = ADVICE_ALLOW
	};
	size_t n;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memset(&rule, 'r', sizeof(rule));
	rule.text[sizeof(rule.text) - 1] = rule.origin[sizeof(rule.origin) - 1] = '\0';
	r.why = "a header that looks like another";
	n = refuse_http(&r, out);
	out[n] = '\0';
	assert_int_equal(strlen(strstr(out, E E) + 4), said_length(out));
	assert_non_null(strstr(out, "n:65535\n"));
	assert_ptr_equal(strstr(out, "n:65535\n") + 8, out + n);

	memset(rule.text, '\033', sizeof(rule.text) - 1);
	n = refuse_http(&r, out);
	assert_true(n <= REFUSE_HTTP_MAX);
	assert_null(memchr(out, '\033', n));
	out[n] = '\0';
	assert_int_equal(strlen(strstr(out, E E) + 4), said_length(out));
}

static void test_alert(void **state)
{
	uint8_t out[REFUSE_TLS_SIZE];

	(void)state;
	refuse_tls(ALERT_UNRECOGNIZED_NAME, out);
	assert_memory_equal(out, "\x15\x03\x03\x00\x02\x02\x70", 7);
	refuse_tls(ALERT_ACCESS_DENIED, out);
	assert_memory_equal(out, "\x15\x03\x03\x00\x02\x02\x31", 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),	   cmocka_unit_test(test_long),
		cmocka_unit_test(test_large_body), cmocka_unit_test(test_refusal),
		cmocka_unit_test(test_alert),	   cmocka_unit_test(test_refusal_bounds),
		cmocka_unit_test(test_advice),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
