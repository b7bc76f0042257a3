// SPDX-License-Identifier: GPL-2.0-or-later
/* Hosts out of npm's and apt's configuration; pure functions, P0. */
#include "net/sources.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

struct piece {
	const char *s;
	size_t n;
};

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct piece trim(struct piece p)
{
	while (p.n && blank(p.s[0])) {
		p.s++;
		p.n--;
	}
	while (p.n && blank(p.s[p.n - 1]))
		p.n--;
	return p;
}

/* The next line; false at the end. */
static bool next_line(struct piece *text, struct piece *ret, unsigned *line)
{
	const char *newline;

	if (!text->n)
		return false;
	newline = memchr(text->s, '\n', text->n);
	ret->s = text->s;
	ret->n = newline ? (size_t)(newline - text->s) : text->n;
	text->s += ret->n + (newline ? 1 : 0);
	text->n -= ret->n + (newline ? 1 : 0);
	(*line)++;
	return true;
}

/* The next word; of no length at the end. */
static struct piece next_word(struct piece *p)
{
	struct piece w;

	*p = trim(*p);
	w = (struct piece){ p->s, 0 };
	while (w.n < p->n && !blank(p->s[w.n]))
		w.n++;
	p->s += w.n;
	p->n -= w.n;
	return w;
}

static bool starts(struct piece p, const char *prefix)
{
	size_t n = strlen(prefix);

	return p.n >= n && strncasecmp(p.s, prefix, n) == 0;
}

static bool is(struct piece p, const char *word)
{
	return p.n == strlen(word) && strncasecmp(p.s, word, p.n) == 0;
}

static void skip(struct piece *p, size_t n)
{
	p->s += n;
	p->n -= n;
}

static int add_word(struct sources *s, const char *word)
{
	struct err ignored = { 0 };
	struct rule r;

	if (rule_parse(word, &r, &ignored) < 0)
		return -EINVAL;
	for (size_t i = 0; i < s->n; i++) {
		if (str_eq(s->word[i], word))
			return 1;
	}
	if (s->n == SOURCES_MAX)
		return -E2BIG;
	memcpy(s->word[s->n++], word, strlen(word) + 1);
	return 1;
}

/* Plain TCP for an address: there is no name to check. */
static bool is_addr(struct piece host)
{
	char text[64];
	struct addr a;

	if (!host.n || host.n >= sizeof(text))
		return false;
	memcpy(text, host.s, host.n);
	text[host.n] = '\0';
	return host.s[0] == '[' || addr_parse(text, &a);
}

static int add_host(struct sources *s, struct piece host, struct piece port, bool tls)
{
	bool usual = !port.n || is(port, tls ? "443" : "80");
	char word[sizeof(s->word[0])], name[NAME_SIZE];
	uint16_t number;
	struct text t;

	/* One host and one port: a rule could say more. */
	if ((port.n && !port_parse(port.s, port.n, &number)) ||
	    (!is_addr(host) && name_canonical(host.s, host.n, name) < 0))
		return -EINVAL;

	text_init(&t, word, sizeof(word));
	text_addn(&t, host.s, host.n);
	if (!usual)
		text_addf(&t, ":%.*s", (int)port.n, port.s);
	else if (!tls || is_addr(host))
		text_add(&t, tls ? ":443" : ":80");
	if (!usual && !is_addr(host))
		text_add(&t, tls ? "/tls" : "/http");
	return t.full || t.len != strlen(word) ? -EINVAL : add_word(s, word);
}

int sources_add_url(struct sources *s, const char *url, size_t n)
{
	struct piece p = { url, n }, host, port = { url, 0 };
	const char *at;
	size_t i = 0;
	bool tls;

	if (starts(p, "mirror+"))
		skip(&p, strlen("mirror+"));
	tls = starts(p, "https:");
	if (!tls && !starts(p, "http:") && !starts(p, "mirror:"))
		return memchr(p.s, ':', p.n) ? 0 : -EINVAL;
	skip(&p, (size_t)((const char *)memchr(p.s, ':', p.n) - p.s) + 1);
	if (!starts(p, "//"))
		return -EINVAL;
	skip(&p, 2);
	while (i < p.n && p.s[i] != '/' && p.s[i] != '?' && p.s[i] != '#')
		i++;
	p.n = i;
	/* A name and a password are npm's and apt's business, and no part of a rule. */
	at = memrchr(p.s, '@', p.n);
	if (at)
		skip(&p, (size_t)(at - p.s) + 1);
	host = p;
	if (p.n && p.s[0] == '[') {
		const char *close = memchr(p.s, ']', p.n);

		if (!close)
			return -EINVAL;
		host.n = (size_t)(close - p.s) + 1;
	} else if (memchr(p.s, ':', p.n)) {
		host.n = (size_t)((const char *)memchr(p.s, ':', p.n) - p.s);
	}
	skip(&p, host.n);
	if (p.n) {
		if (p.s[0] != ':')
			return -EINVAL;
		skip(&p, 1);
		port = p;
	}
	return add_host(s, host, port, tls);
}

static struct piece unquote(struct piece p)
{
	if (p.n >= 2 && (p.s[0] == '"' || p.s[0] == '\'') && p.s[p.n - 1] == p.s[0])
		return (struct piece){ p.s + 1, p.n - 2 };
	return p;
}

int sources_npmrc(struct sources *s, const char *text, size_t n, unsigned *ret_line)
{
	struct piece rest = { text, n }, line;

	*ret_line = 0;
	while (next_line(&rest, &line, ret_line)) {
		const char *equals;
		struct piece key, value;
		int rc;

		line = trim(line);
		equals = line.n ? memchr(line.s, '=', line.n) : NULL;
		if (!equals || line.s[0] == ';' || line.s[0] == '#' || line.s[0] == '[')
			continue;
		key = trim((struct piece){ line.s, (size_t)(equals - line.s) });
		value = unquote(
			trim((struct piece){ equals + 1, line.n - (size_t)(equals + 1 - line.s) }));
		if (!is(key, "registry") && !(key.n > 10 && key.s[0] == '@' &&
					      is((struct piece){ key.s + key.n - 9, 9 }, ":registry")))
			continue;
		rc = sources_add_url(s, value.s, value.n);
		if (rc <= 0)
			return rc < 0 ? rc : -EINVAL;
		s->registry = s->registry || key.s[0] != '@';
	}
	return 0;
}

int sources_apt_list(struct sources *s, const char *text, size_t n, unsigned *ret_line)
{
	struct piece rest = { text, n }, line;

	*ret_line = 0;
	while (next_line(&rest, &line, ret_line)) {
		struct piece type = next_word(&line);
		int rc;

		if (!is(type, "deb") && !is(type, "deb-src"))
			continue;
		line = trim(line);
		if (line.n && line.s[0] == '[') {
			const char *close = memchr(line.s, ']', line.n);

			if (!close)
				return -EINVAL;
			skip(&line, (size_t)(close - line.s) + 1);
		}
		type = next_word(&line);
		rc = sources_add_url(s, type.s, type.n);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int add_urls(struct sources *s, struct piece words)
{
	struct piece w;
	int rc = 0;

	while (rc >= 0 && (w = next_word(&words)).n)
		rc = sources_add_url(s, w.s, w.n);
	return rc < 0 ? rc : 0;
}

int sources_apt_deb822(struct sources *s, const char *text, size_t n, unsigned *ret_line)
{
	struct piece rest = { text, n }, line;
	bool uris = false, disabled = false;
	size_t before = s->n; /* this stanza */

	*ret_line = 0;
	while (next_line(&rest, &line, ret_line)) {
		bool continued = line.n && blank(line.s[0]);
		int rc = 0;

		if (line.n && line.s[0] == '#')
			continue;
		line = trim(line);
		if (!line.n) {
			s->n = disabled ? before : s->n;
			before = s->n;
			uris = disabled = false;
			continue;
		}
		if (!continued) {
			uris = starts(line, "URIs:");
			if (starts(line, "Enabled:")) {
				struct piece v = { line.s + 8, line.n - 8 };

				v = trim(v);
				disabled = is(v, "no") || is(v, "false") || is(v, "off") ||
					   is(v, "0") || is(v, "without") || is(v, "disable");
			}
		}
		if (uris && !continued)
			skip(&line, strlen("URIs:"));
		if (uris)
			rc = add_urls(s, line);
		if (rc < 0)
			return rc;
	}
	s->n = disabled ? before : s->n;
	return 0;
}
