// SPDX-License-Identifier: GPL-2.0-or-later
/* References; pure functions, jail-image and jail-pull. */
#include "oci/ref.h"

#include <string.h>

#define LOWER "abcdefghijklmnopqrstuvwxyz0123456789"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

static int bad(struct err *e, const char *s, const char *why)
{
	return err_set(e, ST_IMAGE, 0, "image reference '%.200s': %s", s, why);
}

static bool alnum_lower(char c)
{
	return c && strchr(LOWER, c);
}

/* a.b, a_b, a__b, a--b: separators only between letters and digits; n bytes, not empty. */
static bool component_ok(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n) {
		size_t run = 0, sep = 0;

		while (i < n && alnum_lower(s[i])) {
			i++;
			run++;
		}
		if (!run)
			return false;
		if (i == n)
			return true;
		while (i + sep < n && !alnum_lower(s[i + sep]))
			sep++;
		if (!((s[i] == '.' && sep == 1) || (s[i] == '_' && sep <= 2 && s[i + sep - 1] == '_') ||
		      (s[i] == '-' && strspn(s + i, "-") == sep)))
			return false;
		i += sep;
	}
	return false;
}

static bool repository_ok(const char *s)
{
	for (;;) {
		size_t n = strcspn(s, "/");

		if (!component_ok(s, n))
			return false;
		if (!s[n])
			return true;
		s += n + 1;
	}
}

/* A host name, an IPv4 address or [IPv6], and maybe a port. */
static bool registry_ok(const char *s)
{
	size_t n = *s == '[' ? strspn(s + 1, "0123456789abcdefABCDEF:.") + 1
			     : strspn(s, LOWER UPPER ".-");

	if (*s == '[') {
		if (n == 1 || s[n] != ']')
			return false;
		n++;
	} else if (!n || strchr(".-", s[0]) || strchr(".-", s[n - 1]) || strstr(s, "..")) {
		return false;
	}
	if (!s[n])
		return true;
	if (s[n] != ':')
		return false;
	s += n + 1;
	return *s && strlen(s) <= 5 && strspn(s, "0123456789") == strlen(s);
}

static bool tag_ok(const char *s)
{
	size_t n = strlen(s);

	return n && n <= REF_TAG_MAX && *s != '.' && *s != '-' && strspn(s, LOWER UPPER "._-") == n;
}

/* Takes "@DIGEST" and ":TAG" off the end of name. */
static int take_tail(const char *s, char *name, struct ref *r, struct err *e)
{
	char *at = strchr(name, '@'), *colon, *slash;

	if (at) {
		*at = '\0';
		if (!digest_parse(at + 1, &r->digest))
			return bad(e, s, "behind '@' stands no sha256:HEX digest");
	}
	slash = strrchr(name, '/');
	colon = strrchr(name, ':');
	if (colon && (!slash || colon > slash)) {
		*colon = '\0';
		if (!tag_ok(colon + 1))
			return bad(e, s, "not a tag behind ':'");
		memcpy(r->tag, colon + 1, strlen(colon + 1) + 1);
	} else if (!at) {
		memcpy(r->tag, "latest", sizeof("latest"));
	}
	return 0;
}

static bool is_registry(const char *first)
{
	return strpbrk(first, ".:") || str_eq(first, "localhost");
}

/* registry/repository, once the rest is off; false when it is too long for either. */
static bool complete(char *name, struct ref *r)
{
	char *slash = strchr(name, '/');
	struct text registry, repository;

	text_init(&registry, r->registry, sizeof(r->registry));
	text_init(&repository, r->repository, sizeof(r->repository));
	if (slash)
		*slash = '\0';
	if (slash && is_registry(name)) {
		text_add(&registry, name);
		name = slash + 1;
		slash = strchr(name, '/');
	} else {
		if (slash)
			*slash = '/';
		text_add(&registry, "docker.io");
	}
	if (str_eq(r->registry, "index.docker.io")) {
		text_init(&registry, r->registry, sizeof(r->registry));
		text_add(&registry, "docker.io");
	}
	if (str_eq(r->registry, "docker.io") && !slash)
		text_add(&repository, "library/");
	text_add(&repository, name);
	return !registry.full && !repository.full;
}

int ref_parse(const char *s, struct ref *ret, struct err *e)
{
	struct ref r = { 0 };
	char name[REF_TEXT_MAX];
	size_t n = strlen(s);
	int rc;

	if (!n)
		return bad(e, s, "is empty");
	if (n >= sizeof(name))
		return bad(e, s, "is too long");
	memcpy(name, s, n + 1);
	rc = take_tail(s, name, &r, e);
	if (rc < 0)
		return rc;
	/* by its completed form, so that what is taken is taken again */
	if (!complete(name, &r) || strlen(r.registry) + 1 + strlen(r.repository) > REF_NAME_MAX)
		return bad(e, s, "the name is too long");
	if (!registry_ok(r.registry))
		return bad(e, s, "not a registry's host name before the first '/'");
	if (!repository_ok(r.repository))
		return bad(e, s,
			   strpbrk(r.repository, UPPER) ? "a repository's name is in lower case"
							: "not a repository's name");
	*ret = r;
	return 0;
}

void ref_format(const struct ref *r, char *buf, size_t size)
{
	struct text t;

	text_init(&t, buf, size);
	text_addf(&t, "%s/%s", r->registry, r->repository);
	if (r->tag[0])
		text_addf(&t, ":%s", r->tag);
	if (r->digest.text[0])
		text_addf(&t, "@%s", r->digest.text);
}
