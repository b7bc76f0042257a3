// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the head of an HTTP/1.x request, in the gate: the request line, then one field after the
 * other. Only what decides for whom a request is and where it ends is understood; the rest has to
 * be well formed (RFC 9110, RFC 9112) and is left alone.
 */
#include "gate/http_head.h"

#include <string.h>
#include <strings.h>

#include "base/own.h"

struct slice {
	const char *at;
	size_t n;
};

size_t http_lines_end(const char *data, size_t n, size_t *seen)
{
	size_t i = *seen;

	for (; i < n; i++) {
		unsigned char c = (unsigned char)data[i];

		if (c == '\r') {
			if (i + 1 == n)
				break; /* looked at again, with what follows it */
			if (data[i + 1] != '\n')
				return SIZE_MAX;
			if (i == 0 || data[i - 1] == '\n')
				return i + 2;
			i++;
		} else if ((c < 0x20 && c != '\t') || c == 0x7f) {
			return SIZE_MAX;
		}
	}
	*seen = i;
	return 0;
}

/* The next line without its end; they are all whole. */
static struct slice next_line(const char *data, size_t n, size_t *pos)
{
	const char *start = data + *pos, *end = memchr(start, '\r', n - *pos);
	struct slice line = { start, end ? (size_t)(end - start) : n - *pos };

	*pos += line.n + 2;
	return line;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_token_char(char c)
{
	char lower = (char)(c | 0x20);

	return (lower >= 'a' && lower <= 'z') || is_digit(c) ||
	       (c && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

bool http_head_begins(char c)
{
	return is_token_char(c);
}

static size_t token_length(struct slice s)
{
	size_t n = 0;

	while (n < s.n && is_token_char(s.at[n]))
		n++;
	return n;
}

static bool slice_is(struct slice s, const char *text)
{
	return s.n == strlen(text) && !memcmp(s.at, text, s.n);
}

/* Decimal, digits only, no more than fit into 63 bits. */
static bool read_decimal(struct slice s, uint64_t *ret)
{
	uint64_t v = 0;

	if (s.n == 0 || s.n > 18)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (!is_digit(s.at[i]))
			return false;
		v = v * 10 + (uint64_t)(s.at[i] - '0');
	}
	*ret = v;
	return true;
}

/* The port of a URL or a Host field: as it would be printed, or left out when it is 80. */
static bool is_port(struct slice s, uint16_t port)
{
	uint64_t v;

	return s.n && s.at[0] != '0' && read_decimal(s, &v) && v == port;
}

/* host[:port], which must be what the connection was made to. */
static const char *check_authority(struct http *h, struct slice s)
{
	const char *colon = memchr(s.at, ':', s.n);
	size_t n = colon ? (size_t)(colon - s.at) : s.n;
	char name[NAME_SIZE];

	if (name_canonical(s.at, n, name) < 0)
		return "a host that is no host name";
	if (strcmp(name, h->name) != 0) {
		h->mismatch = true;
		memcpy(h->other, name, sizeof(name));
		return "a request for another host";
	}
	if (colon ? !is_port((struct slice){ colon + 1, s.n - n - 1 }, h->port) : h->port != 80)
		return "a request for another port";
	return NULL;
}

static const char *check_absolute(struct http *h, struct slice target)
{
	static const char scheme[] = "http://";
	struct slice authority = { target.at + sizeof(scheme) - 1, 0 };
	size_t left;

	if (target.n < sizeof(scheme) || strncasecmp(target.at, scheme, sizeof(scheme) - 1) != 0)
		return "a request target that is not known";
	left = target.n - (sizeof(scheme) - 1);
	while (authority.n < left && !strchr("/?", authority.at[authority.n]))
		authority.n++;
	return check_authority(h, authority);
}

static const char *check_target(struct http *h, struct slice method, struct slice target)
{
	for (size_t i = 0; i < target.n; i++) {
		if (target.at[i] <= 0x20 || target.at[i] > 0x7e || target.at[i] == '#')
			return "a malformed request target";
	}
	if (target.n && target.at[0] == '/')
		return NULL;
	if (slice_is(target, "*"))
		return slice_is(method, "OPTIONS") ? NULL : "a request target that is not known";
	return check_absolute(h, target);
}

static const char *read_request_line(struct http *h, struct slice line, struct slice *ret_method,
				     bool *ret_1_0)
{
	struct slice method = { line.at, token_length(line) }, target, version;
	const char *space;

	if (!method.n || method.n == line.n || line.at[method.n] != ' ')
		return "a malformed request line";
	target.at = line.at + method.n + 1;
	space = memchr(target.at, ' ', line.n - method.n - 1);
	if (!space)
		return "a malformed request line";
	target.n = (size_t)(space - target.at);
	version.at = space + 1;
	version.n = line.n - (size_t)(version.at - line.at);
	if (!slice_is(version, "HTTP/1.1") && !slice_is(version, "HTTP/1.0"))
		return "not HTTP/1.1 or HTTP/1.0";
	if (method.n == 7 && !strncasecmp(method.at, "CONNECT", 7))
		return "CONNECT";
	*ret_method = method;
	*ret_1_0 = version.at[7] == '0';
	return check_target(h, method, target);
}

/* The name up to its colon, the value without the spaces around it. */
static bool split_field(struct slice line, struct slice *ret_name, struct slice *ret_value)
{
	struct slice name = { line.at, token_length(line) }, value;

	if (!name.n || name.n == line.n || line.at[name.n] != ':')
		return false; /* a folded line, too */
	value.at = line.at + name.n + 1;
	value.n = line.n - name.n - 1;
	while (value.n && (value.at[0] == ' ' || value.at[0] == '\t')) {
		value.at++;
		value.n--;
	}
	while (value.n && (value.at[value.n - 1] == ' ' || value.at[value.n - 1] == '\t'))
		value.n--;
	*ret_name = name;
	*ret_value = value;
	return true;
}

enum field {
	FIELD_HOST,
	FIELD_LENGTH,
	FIELD_ENCODING,
	FIELD_UPGRADE,
	FIELD_LOOKALIKE,
	FIELD_OTHER
};

/*
 * What only looks like one of those that frame a body is refused: some servers hand names on with
 * underscores, and http-parser takes Transfer-EncodingX for a Transfer-Encoding.
 */
static enum field which_field(struct slice name)
{
	static const char *const known[] = { "host", "content-length", "transfer-encoding",
					     "upgrade" };

	for (unsigned f = 0; f < ARRAY_SIZE(known); f++) {
		size_t n = strlen(known[f]);
		bool same = name.n >= n && (name.n == n || f == FIELD_LENGTH || f == FIELD_ENCODING),
		     exact = name.n == n;

		for (size_t i = 0; same && i < n; i++) {
			bool under = name.at[i] == '_';

			exact = exact && !under;
			same = (under ? '-' : (name.at[i] | 0x20)) == known[f][i];
		}
		if (same)
			return exact ? (enum field)f : FIELD_LOOKALIKE;
	}
	return FIELD_OTHER;
}

static const char *take_field(struct http *h, struct slice line, unsigned *hosts,
			      struct http_head *head)
{
	struct slice name, value;

	if (!split_field(line, &name, &value))
		return "a malformed header line";
	switch (which_field(name)) {
	case FIELD_HOST:
		return (*hosts)++ ? "two Host headers" : check_authority(h, value);
	case FIELD_LENGTH:
		if (head->has_length || !read_decimal(value, &head->length))
			return "a Content-Length that is not one number";
		head->has_length = true;
		return NULL;
	case FIELD_ENCODING:
		if (head->chunked || !slice_is(value, "chunked"))
			return "a Transfer-Encoding other than chunked";
		head->chunked = true;
		return NULL;
	case FIELD_UPGRADE:
		head->upgrade = head->upgrade || !slice_is(value, "h2c");
		return NULL;
	case FIELD_LOOKALIKE:
		return "a header that looks like another";
	default:
		return NULL;
	}
}

const char *http_head_parse(struct http *h, const char *data, size_t n, struct http_head *ret)
{
	struct http_head head = { 0 };
	struct slice method = { 0 };
	unsigned hosts = 0;
	bool old = false;
	size_t pos = 0;
	const char *why = read_request_line(h, next_line(data, n, &pos), &method, &old);

	while (!why && pos + 2 < n)
		why = take_field(h, next_line(data, n, &pos), &hosts, &head);
	if (why)
		return why;
	if (!hosts)
		return "no Host header";
	if (head.chunked && (head.has_length || old))
		return "a Transfer-Encoding beside a Content-Length, or in HTTP/1.0";
	/* Many servers leave such a body unread: what stands in it would be their next request. */
	if ((head.chunked || head.length) &&
	    (head.upgrade || slice_is(method, "GET") || slice_is(method, "HEAD")))
		return head.upgrade ? "an Upgrade with a body" : "a GET or HEAD with a body";
	head.method = method.n;
	*ret = head;
	return NULL;
}

const char *http_trailers_check(const char *data, size_t n)
{
	struct slice name, value;

	for (size_t pos = 0; pos + 2 < n;) {
		if (!split_field(next_line(data, n, &pos), &name, &value))
			return "a malformed trailer";
		if (which_field(name) != FIELD_OTHER)
			return "a trailer that belongs into a head";
	}
	return NULL;
}
