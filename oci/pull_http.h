/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTTP for jail-pull: requests that run side by side, and URLs. The one owner of libcurl. Nothing is
 * followed, repeated or authorised here: what an answer means is the caller's business.
 */
#ifndef JAIL_OCI_PULL_HTTP_H
#define JAIL_OCI_PULL_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define HTTP_URL_MAX	   8192
#define HTTP_CHALLENGE_MAX 4096

struct http; /* connections that are kept, and the calls under way */

struct http_limits {
	unsigned connect_s; /* to be connected, TLS included */
	unsigned stall_s;   /* this long below a kilobyte a second is a broken transfer */
	const char *ca;	    /* a file of certificates instead of the system's, or NULL */
};

/* What an answer's head said, of what matters here. Strings are empty when absent or too long. */
struct http_head {
	int status;
	bool has_length, has_range;
	uint64_t length;		/* Content-Length */
	uint64_t range_from, range_all; /* Content-Range: from, and the size of the whole */
	char type[128];			/* Content-Type, without parameters */
	char digest[160];		/* Docker-Content-Digest */
	char location[HTTP_URL_MAX];
	char challenge[HTTP_CHALLENGE_MAX]; /* every WWW-Authenticate, joined by commas */
};

enum http_end {
	HTTP_ANSWERED, /* a whole answer, whatever its status */
	HTTP_BROKEN,   /* worth another try: cut, timed out */
	HTTP_AWAY,     /* nobody there: no address, no connection */
	HTTP_NO_TLS,   /* the other end does not speak TLS */
	HTTP_REFUSED,  /* not worth one: bad certificate, a malformed answer */
	HTTP_STOPPED,  /* the body callback wanted no more */
};

struct http_call {
	/* what to ask; the pointers outlive the call */
	const char *url;
	const char *authorization; /* header value, or NULL */
	const char *accept;	   /* header value, or NULL */
	const char *form;	   /* a body: POST instead of GET */
	uint64_t from;		   /* resume here */
	unsigned limit_s;	   /* for the whole call; 0 is none */
	/* Each piece of the body, in order, the head being complete; below 0 stops the call. */
	int (*body)(void *arg, const void *p, size_t n);
	void *arg;

	/* what came of it */
	struct http_head head;
	enum http_end end;
	unsigned retry_after; /* seconds; 0 when not said */
	char why[256];	      /* when it did not end in an answer: in words, with the host's name */

	void *private[2];
};

/* Before confinement: loads what libcurl loads once for all. */
int http_load(struct err *e);
/* The file and the directory of certificates that libcurl would use itself; NULL where unknown. */
void http_ca_paths(const char **ret_file, const char **ret_dir);

int http_new(const struct http_limits *l, struct http **ret, struct err *e);
void http_free(struct http *h);

/* `c` stays where it is until http_next() returned it or http_drop() took it back. */
int http_start(struct http *h, struct http_call *c, struct err *e);
void http_drop(struct http *h, struct http_call *c);
/* Waits at most `ms`; a call that ended, or NULL. */
struct http_call *http_next(struct http *h, int ms);

struct origin {
	char scheme[8]; /* http or https */
	char host[256]; /* lower case; an IPv6 address in brackets */
	char port[8];	/* always given */
};

/*
 * Make `to`, absolute or relative to `base` (NULL: absolute), into `out` and tell its origin.
 * -EINVAL for anything but http and https, for a user name, and for what is no URL or too long.
 */
int url_resolve(const char *base, const char *to, char *out, size_t cap, struct origin *ret);
bool origin_eq(const struct origin *a, const struct origin *b);
/* 127.0.0.0/8, ::1 and localhost, which libcurl never asks a server for. */
bool host_is_loopback(const char *host);

#endif
