/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One head of a request, once it is whole, and the trailers of a chunked body. For http.c alone. */
#ifndef JAIL_GATE_HTTP_HEAD_H
#define JAIL_GATE_HTTP_HEAD_H

#include "gate/http.h"

struct http_head {
	size_t method;	 /* bytes of it, at the start */
	bool has_length; /* Content-Length was there: */
	uint64_t length;
	bool chunked;
	bool upgrade; /* to something else than h2c, which begins behind the body */
};

/*
 * Where do the lines of data[0..n) end, counted with the empty line that ends them? 0: not yet, and
 * *seen need not be looked at again. SIZE_MAX: a byte that has no business there.
 */
size_t http_lines_end(const char *data, size_t n, size_t *seen);

/* Can this be the first byte of a request? So that another protocol need not send a line first. */
bool http_head_begins(char c);

/*
 * Both take whole lines, the empty one included, and return NULL or what is wrong. A request for
 * another name sets h->mismatch and h->other.
 */
const char *http_head_parse(struct http *h, const char *data, size_t n, struct http_head *ret);
const char *http_trailers_check(const char *data, size_t n);

#endif
