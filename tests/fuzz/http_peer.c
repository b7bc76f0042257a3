// SPDX-License-Identifier: GPL-2.0-or-later
/* Compares the gate's HTTP check with http-parser, where that is installed. Tests only. */
#include "tests/fuzz/http_peer.h"

#ifndef HAVE_HTTP_PARSER

bool http_peer_here(void)
{
	return false;
}

const char *http_peer_disagrees(const char *in, size_t n)
{
	(void)in;
	(void)n;
	return NULL;
}

#else

#include <http_parser.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "gate/http.h"
#include "gate/http_head.h"

enum { HEADS_MAX = 512, VALUE_MAX = 512 };

struct seen {
	size_t end; /* of the head */
	char method[16];
	bool has_length, chunked;
	uint64_t length;
};

struct stream {
	struct seen head[HEADS_MAX];
	size_t heads, n;
	char *bytes; /* what is passed, each method that http-parser does not know made a GET */
};

static const char *known_method(const char *at, size_t n)
{
	for (unsigned m = 0; m <= HTTP_SOURCE; m++) {
		const char *name = http_method_str((enum http_method)m);

		if (strlen(name) == n && !memcmp(name, at, n))
			return name;
	}
	return NULL;
}

static void copy(struct stream *s, const char *at, size_t n)
{
	memcpy(s->bytes + s->n, at, n);
	s->n += n;
}

/* A head that has passed. */
static const char *note_head(struct stream *s, const char *at, size_t n)
{
	struct http h;
	struct http_head head;
	struct seen *seen = &s->head[s->heads++];
	const char *method;

	http_init(&h, "a.test", 80);
	if (http_head_parse(&h, at, n, &head))
		return "a head that passed is refused";
	method = known_method(at, head.method);
	method = method ? method : "GET";
	copy(s, method, strlen(method));
	copy(s, at + head.method, n - head.method);
	(void)snprintf(seen->method, sizeof(seen->method), "%s", method);
	seen->end = s->n;
	seen->has_length = head.has_length;
	seen->length = head.length;
	seen->chunked = head.chunked;
	return NULL;
}

/* The gate's reading, one byte more at a time, so that a head passes alone. */
static const char *read_ours(const char *in, size_t n, struct stream *s)
{
	struct http h;
	size_t start = 0;

	http_init(&h, "a.test", 80);
	for (size_t end = 1; end <= n && s->heads < HEADS_MAX; end++) {
		unsigned before = h.requests;
		size_t pass;
		const char *why;

		if (http_check(&h, in + start, end - start, &pass) == HTTP_BAD)
			break;
		if (h.requests == before) {
			copy(s, in + start, pass);
		} else {
			why = note_head(s, in + start, pass);
			if (why)
				return why;
		}
		start += pass;
	}
	return NULL;
}

struct theirs {
	const struct stream *ours;
	size_t at, heads, hosts;
	char field[VALUE_MAX], value[VALUE_MAX];
	size_t field_n, value_n;
	bool in_value;
	const char *why;
};

static void field_done(struct theirs *t)
{
	char name[NAME_SIZE];
	size_t n = t->value_n;

	if (t->in_value && t->field_n == 4 && !strncasecmp(t->field, "Host", 4)) {
		while (n && strchr(" \t", t->value[n - 1]))
			n--;
		if (n > 3 && !memcmp(t->value + n - 3, ":80", 3))
			n -= 3;
		t->hosts++;
		if (name_canonical(t->value, n, name) < 0 || strcmp(name, "a.test") != 0)
			t->why = "the host";
	}
	t->field_n = t->value_n = 0;
	t->in_value = false;
}

static void append(char *buf, size_t *n, const char *at, size_t more)
{
	for (size_t i = 0; i < more && *n < VALUE_MAX; i++)
		buf[(*n)++] = at[i];
}

static int on_field(http_parser *p, const char *at, size_t n)
{
	struct theirs *t = p->data;

	if (t->in_value)
		field_done(t);
	append(t->field, &t->field_n, at, n);
	return 0;
}

static int on_value(http_parser *p, const char *at, size_t n)
{
	struct theirs *t = p->data;

	t->in_value = true;
	append(t->value, &t->value_n, at, n);
	return 0;
}

static int on_begin(http_parser *p)
{
	struct theirs *t = p->data;

	t->hosts = 0;
	return 0;
}

static int on_head(http_parser *p)
{
	struct theirs *t = p->data;
	const struct seen *o = &t->ours->head[t->heads];
	bool chunked = p->flags & F_CHUNKED, has_length = p->content_length != UINT64_MAX;

	field_done(t);
	if (t->heads++ >= t->ours->heads)
		t->why = "one head more";
	else if (t->at + 1 != o->end)
		t->why = "where a head ends";
	else if (strcmp(http_method_str((enum http_method)p->method), o->method) != 0)
		t->why = "the method";
	else if (t->hosts != 1)
		t->why = "the number of hosts";
	else if (chunked != o->chunked)
		t->why = "chunks";
	else if (has_length != o->has_length || (has_length && p->content_length != o->length))
		t->why = "the length of a body";
	/* The gate reads on after these; so must it. */
	p->upgrade = 0;
	p->flags &= (unsigned char)(0xff ^ F_CONNECTION_CLOSE);
	p->http_minor = 1;
	return t->why != NULL;
}

static const char *read_theirs(const struct stream *s)
{
	static char said[128];
	http_parser_settings settings;
	struct theirs t = { .ours = s };
	http_parser p;

	http_parser_settings_init(&settings);
	settings.on_message_begin = on_begin;
	settings.on_header_field = on_field;
	settings.on_header_value = on_value;
	settings.on_headers_complete = on_head;
	http_parser_init(&p, HTTP_REQUEST);
	p.data = &t;
	for (; t.at < s->n; t.at++) {
		size_t n = http_parser_execute(&p, &settings, s->bytes + t.at, 1);

		if (t.why)
			return t.why;
		if (n == 1 && HTTP_PARSER_ERRNO(&p) == HPE_OK)
			continue;
		(void)snprintf(said, sizeof(said), "it refuses byte %zu: %s", t.at,
			       http_errno_name(HTTP_PARSER_ERRNO(&p)));
		return said;
	}
	return t.heads == s->heads ? NULL : "one head less";
}

bool http_peer_here(void)
{
	return true;
}

const char *http_peer_disagrees(const char *in, size_t n)
{
	own_str bytes = malloc(4 * n + 1); /* a method of one letter may grow to three */
	static struct stream s;
	const char *why;

	s = (struct stream){ .bytes = bytes };
	if (!bytes)
		abort();
	why = read_ours(in, n, &s);
	return why ? why : read_theirs(&s);
}

#endif
