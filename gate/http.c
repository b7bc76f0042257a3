// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Follows a client's HTTP/1.x stream, in the gate: head, body, head... A step eats what it can judge
 * at once; a head, a size line or trailers that are not whole are left for the next call.
 */
#include "gate/http.h"

#include "gate/http_head.h"

enum {
	AT_HEAD, /* http_init() */
	IN_BODY,
	AT_SIZE, /* of a chunk */
	IN_CHUNK,
	AT_CHUNK_END,
	AT_TRAILERS,
	BROKEN,
};

/* Of a chunk's size: more would not be a number of ours, and nobody writes them. */
#define SIZE_DIGITS 15

void http_init(struct http *h, const char *name, uint16_t port)
{
	*h = (struct http){ .name = name, .port = port, .state = AT_HEAD };
}

/* Lines up to an empty one, no more than HTTP_HEAD_MAX; *ret_n 0: more is needed. */
static const char *find_lines(struct http *h, const char *data, size_t n, size_t *ret_n)
{
	size_t max = n < HTTP_HEAD_MAX ? n : HTTP_HEAD_MAX;
	size_t end = http_lines_end(data, max, &h->seen);

	if (end == SIZE_MAX)
		return "a byte that does not belong into a head";
	if (!end && max == HTTP_HEAD_MAX)
		return "a head that is too long";
	if (end)
		h->seen = 0;
	*ret_n = end;
	return NULL;
}

static const char *eat_head(struct http *h, const char *data, size_t n, size_t *ret_n)
{
	struct http_head head;
	size_t end = 0;
	const char *why;

	if (!http_head_begins(data[0]))
		return "no HTTP request";
	why = find_lines(h, data, n, &end);
	if (why || !end)
		return why;
	why = http_head_parse(h, data, end, &head);
	if (why)
		return why;
	h->requests++;
	h->body = head.length;
	h->state = head.chunked ? AT_SIZE : head.length ? IN_BODY : AT_HEAD;
	*ret_n = end;
	return NULL;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The two bytes of a line's end at data[0]: 1, 0 when more is needed, -1. */
static int at_crlf(const char *data, size_t n)
{
	if ((n > 0 && data[0] != '\r') || (n > 1 && data[1] != '\n'))
		return -1;
	return n > 1;
}

/* Extensions are refused: they mean nothing to anyone, and parsers disagree about their end. */
static const char *eat_size(struct http *h, const char *data, size_t n, size_t *ret_n)
{
	uint64_t size = 0;
	size_t i = 0;
	int ended;

	while (i < n && i <= SIZE_DIGITS && hex_value(data[i]) >= 0)
		size = size << 4 | (uint64_t)hex_value(data[i++]);
	ended = at_crlf(data + i, n - i);
	if (i > SIZE_DIGITS || (i == 0 && n) || ended < 0)
		return "a malformed chunk size";
	if (!ended)
		return NULL;
	h->body = size;
	h->state = size ? IN_CHUNK : AT_TRAILERS;
	*ret_n = i + 2;
	return NULL;
}

static const char *eat_chunk_end(struct http *h, const char *data, size_t n, size_t *ret_n)
{
	int ended = at_crlf(data, n);

	if (ended < 0)
		return "a chunk that is longer than its size";
	if (ended) {
		h->state = AT_SIZE;
		*ret_n = 2;
	}
	return NULL;
}

static const char *eat_trailers(struct http *h, const char *data, size_t n, size_t *ret_n)
{
	size_t end = 0;
	const char *why = find_lines(h, data, n, &end);

	if (why || !end)
		return why;
	why = http_trailers_check(data, end);
	if (why)
		return why;
	h->state = AT_HEAD;
	*ret_n = end;
	return NULL;
}

static size_t eat_body(struct http *h, size_t n)
{
	size_t here = h->body < n ? (size_t)h->body : n;

	h->body -= here;
	if (!h->body)
		h->state = h->state == IN_CHUNK ? AT_CHUNK_END : AT_HEAD;
	return here;
}

/* n is not 0. *ret_n stays 0 when more is needed. */
static const char *step(struct http *h, const char *data, size_t n, size_t *ret_n)
{
	switch (h->state) {
	case AT_HEAD:
		return eat_head(h, data, n, ret_n);
	case IN_BODY:
	case IN_CHUNK:
		*ret_n = eat_body(h, n);
		return NULL;
	case AT_SIZE:
		return eat_size(h, data, n, ret_n);
	case AT_CHUNK_END:
		return eat_chunk_end(h, data, n, ret_n);
	case AT_TRAILERS:
		return eat_trailers(h, data, n, ret_n);
	default:
		return h->why;
	}
}

enum http_verdict http_check(struct http *h, const char *data, size_t n, size_t *ret_pass)
{
	unsigned before = h->requests;
	size_t pos = 0, used;

	do {
		const char *why;

		used = 0;
		why = pos < n || h->state == BROKEN ? step(h, data + pos, n - pos, &used) : NULL;
		if (why) {
			h->state = BROKEN;
			h->why = why;
			h->requests = before;
			*ret_pass = 0;
			return HTTP_BAD;
		}
		pos += used;
	} while (used);
	*ret_pass = pos;
	return HTTP_MORE;
}

enum http_verdict http_step(struct http *h, const char *data, size_t n, size_t *ret_n)
{
	const char *why;

	*ret_n = 0;
	h->seen = 0; /* what was looked at before may be other bytes now */
	why = n || h->state == BROKEN ? step(h, data, n, ret_n) : NULL;
	if (!why)
		return HTTP_MORE;
	h->state = BROKEN;
	h->why = why;
	return HTTP_BAD;
}

uint64_t http_body(const struct http *h)
{
	return h->state == IN_BODY || h->state == IN_CHUNK ? h->body : 0;
}

void http_skip(struct http *h, uint64_t n)
{
	(void)eat_body(h, (size_t)n);
}
