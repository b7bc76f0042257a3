/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The client's side of an HTTP/1.x connection: each request must be for one name. Pure functions.
 *
 * Strict, because the server behind is not ours: what two parsers could read in two ways is
 * refused. After a refusal the connection is closed, so nothing has to be skipped.
 *
 * One Host in every request, also in HTTP/1.0; its port is the connection's, and may be missing when
 * that is 80; a target in absolute form agrees with it. CONNECT, HTTP/2, chunk extensions, folded
 * lines, and a body whose length is said in more than one way, or in an unusual one, are refused. So
 * is what follows an Upgrade, unless it is HTTP/1.x again: web sockets need a TLS rule, or a plain one.
 */
#ifndef JAIL_GATE_HTTP_H
#define JAIL_GATE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/name.h"

#define HTTP_HEAD_MAX 16384 /* of one request */

enum http_verdict {
	HTTP_MORE, /* *ret_pass bytes may go on; of the rest, which begins a head or the size of a
		      chunk, more is needed: never more than HTTP_HEAD_MAX - 1 */
	HTTP_BAD,  /* `why`; nothing of this call may go on */
};

struct http {
	const char *name; /* canonical: what every request must be for */
	uint16_t port;
	int state;	   /* http.c's */
	uint64_t body;	   /* bytes of a body, or of a chunk, that are still to come */
	size_t seen;	   /* bytes of a head that is not whole, which were looked at */
	unsigned requests; /* that were let through */
	const char *why;   /* HTTP_BAD: one phrase */
	bool mismatch;	   /* HTTP_BAD because a request is for another name: */
	char other[NAME_SIZE];
};

void http_init(struct http *h, const char *name, uint16_t port);

/*
 * data[0..n) is what came from the client and was not passed on yet, in order; a head that is not
 * whole is presented again with more behind it.
 */
enum http_verdict http_check(struct http *h, const char *data, size_t n, size_t *ret_pass);

/* The same for one head, size line, end or trailers alone; *ret_n 0: more is needed. */
enum http_verdict http_step(struct http *h, const char *data, size_t n, size_t *ret_n);

/* Bytes of a body or chunk that come next, whatever they are; and so many of them went on. */
uint64_t http_body(const struct http *h);
void http_skip(struct http *h, uint64_t n);

#endif
