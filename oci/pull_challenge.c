// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * WWW-Authenticate as RFC 9110 has it: a list of schemes, each with a token68 or a list of
 * parameters, both lists separated by commas. A word before a "=" is a parameter, any other begins
 * a challenge. In jail-pull, from the network.
 */
#include "oci/pull_challenge.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

struct scan {
	const char *p;
	struct challenge c;
	bool any;	/* a scheme came: parameters belong to one */
	bool in_bearer; /* parameters belong to the first Bearer */
};

static bool is_token(char ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') ||
	       (ch && strchr("!#$%&'*+-.^_`|~", ch));
}

static size_t token_len(const char *p)
{
	size_t n = 0;

	while (is_token(p[n]))
		n++;
	return n;
}

static void skip_space(struct scan *s)
{
	s->p += strspn(s->p, " \t");
}

/* After the "=": a token or a quoted string. */
static int value(struct scan *s, struct text *out)
{
	if (*s->p != '"') {
		size_t n = token_len(s->p);

		text_addn(out, s->p, n);
		s->p += n;
		return n && !out->full ? 0 : -EINVAL;
	}
	for (s->p++; *s->p != '"'; s->p++) {
		if (*s->p == '\\')
			s->p++;
		if ((unsigned char)*s->p < 0x20 || *s->p == 0x7f)
			return -EINVAL; /* the end of the text too */
		text_addn(out, s->p, 1);
	}
	s->p++;
	return out->full ? -EINVAL : 0;
}

static int parameter(struct scan *s, const char *name, size_t n)
{
	char unused[HTTP_CHALLENGE_MAX];
	char *to = unused;
	size_t cap = sizeof(unused);
	struct text t;

	if (s->in_bearer && n == 5 && strncasecmp(name, "realm", n) == 0) {
		to = s->c.realm;
		cap = sizeof(s->c.realm);
	} else if (s->in_bearer && n == 7 && strncasecmp(name, "service", n) == 0) {
		to = s->c.service;
		cap = sizeof(s->c.service);
	}
	if (to != unused && to[0])
		return -EINVAL; /* twice: which one is meant? */
	text_init(&t, to, cap);
	return value(s, &t);
}

static void scheme(struct scan *s, const char *name, size_t n)
{
	bool bearer = n == 6 && strncasecmp(name, "Bearer", n) == 0;

	s->any = true;
	s->in_bearer = bearer && !s->c.bearer;
	s->c.bearer |= bearer;
	s->c.basic |= n == 5 && strncasecmp(name, "Basic", n) == 0;
}

/* One word and what belongs to it. */
static int step(struct scan *s)
{
	const char *name = s->p;
	size_t n = token_len(name);

	if (!n)
		return -EINVAL;
	s->p += n;
	skip_space(s);
	if (*s->p == '=') {
		s->p++;
		skip_space(s);
		return s->any ? parameter(s, name, n) : -EINVAL;
	}
	scheme(s, name, n);
	/* A token68 may follow, as in "Negotiate oYG3...==". */
	n = strspn(s->p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/");
	n += strspn(s->p + n, "=");
	if (n && (s->p[n] == '\0' || s->p[n] == ',' || s->p[n] == ' ') &&
	    !(s->p[n] == ' ' && s->p[n + strspn(s->p + n, " \t")] == '='))
		s->p += n;
	return 0;
}

int challenge_parse(const char *header, struct challenge *ret)
{
	struct scan s = { .p = header };

	for (;;) {
		s.p += strspn(s.p, " \t,");
		if (!*s.p)
			break;
		if (step(&s) < 0)
			return -EINVAL;
	}
	*ret = s.c;
	return 0;
}
