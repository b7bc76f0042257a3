// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The credentials that docker login and podman login keep. The files are read before jail-pull
 * shuts itself in and parsed after it. Programs that keep credentials are never run: they would
 * have to be run outside, by a name that a file gives.
 */
#include "oci/pull_auth.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/text.h"
#include "oci/jsondoc.h"

/* ---- the files ---------------------------------------------------------------------------------- */

static int read_one(struct authfile *f, bool must, struct err *e)
{
	own_str buf = malloc(AUTH_FILE_MAX);
	ssize_t n;

	if (!buf)
		return err_set(e, ST_IMAGE, ENOMEM, "read '%s'", f->path);
	n = fs_read_file_at(AT_FDCWD, f->path, buf, AUTH_FILE_MAX, true);
	if ((n == -ENOENT || n == -ENOTDIR) && !must)
		return 0;
	if (n < 0)
		return err_set(e, ST_IMAGE, (int)-n, "read the credentials in '%s'", f->path);
	f->text = buf;
	f->len = (size_t)n;
	buf = NULL;
	return 0;
}

/* DIR/TAIL, DIR being a variable's value, or HOME/BELOW where it is not set. */
static bool set_path(struct authfile *f, const char *variable, const char *below, const char *tail)
{
	const char *dir = getenv(variable), *home = getenv("HOME");
	struct text t;

	text_init(&t, f->path, sizeof(f->path));
	if (dir && dir[0] == '/')
		text_add(&t, dir);
	else if (below && home && home[0] == '/')
		text_addf(&t, "%s/%s", home, below);
	else
		return false;
	text_addf(&t, "/%s", tail);
	return !t.full;
}

int authfiles_read(struct authfile files[AUTH_FILES], struct err *e)
{
	const char *only = getenv("REGISTRY_AUTH_FILE");
	struct text t;
	int rc = 0;

	if (only && only[0]) {
		text_init(&t, files[0].path, sizeof(files[0].path));
		text_add(&t, only);
		if (t.full)
			return err_set(e, ST_IMAGE, ENAMETOOLONG, "REGISTRY_AUTH_FILE");
		return read_one(&files[0], true, e);
	}
	if (set_path(&files[0], "XDG_RUNTIME_DIR", NULL, "containers/auth.json"))
		rc = read_one(&files[0], false, e);
	if (rc == 0 && set_path(&files[1], "XDG_CONFIG_HOME", ".config", "containers/auth.json"))
		rc = read_one(&files[1], false, e);
	if (rc == 0 && set_path(&files[2], "DOCKER_CONFIG", ".docker", "config.json"))
		rc = read_one(&files[2], false, e);
	return rc;
}

void authfiles_free(struct authfile files[AUTH_FILES])
{
	for (size_t i = 0; i < AUTH_FILES; i++) {
		if (files[i].text)
			explicit_bzero(files[i].text, files[i].len);
		str_release(&files[i].text);
	}
}

/* ---- whose credentials -------------------------------------------------------------------------- */

struct search {
	const char *registry, *repository;
	const struct doc *best;
	const char *best_key;
	size_t best_len;
};

/*
 * How much of registry/repository a key names: 0 when it is another's. Docker writes
 * https://HOST/v1/, podman HOST or HOST/NAMESPACE.
 */
static size_t key_fits(const char *key, const char *registry, const char *repository)
{
	bool url = str_starts(key, "https://") || str_starts(key, "http://");
	const char *p = url ? strstr(key, "://") + 3 : key;
	size_t host = strcspn(p, "/"), rest;

	if (str_eq(registry, "docker.io")) {
		if (!(host == 9 && strncmp(p, "docker.io", host) == 0) &&
		    !(host == 15 && strncmp(p, "index.docker.io", host) == 0))
			return 0;
	} else if (host != strlen(registry) || strncmp(p, registry, host) != 0) {
		return 0;
	}
	p += host;
	if (url || !*p || str_eq(p, "/") || str_eq(p, "/v1/") || str_eq(p, "/v2/"))
		return 1;
	rest = strlen(++p);
	if (strncmp(repository, p, rest) != 0 || (repository[rest] && repository[rest] != '/'))
		return 0;
	return 1 + rest;
}

static bool look_at(void *arg, const char *key, const struct doc *value)
{
	struct search *s = arg;
	size_t n = key_fits(key, s->registry, s->repository);

	if (n > s->best_len) {
		s->best = value;
		s->best_key = key;
		s->best_len = n;
	}
	return true;
}

static const struct doc *find_key(const struct doc *object, const char *registry,
				  const char *repository)
{
	struct search s = { .registry = registry, .repository = repository };

	(void)doc_each(object, look_at, &s);
	return s.best;
}

static int bad(struct err *e, const struct authfile *f, const char *why)
{
	return err_set(e, ST_IMAGE, 0, "credentials in '%s': %s", f->path, why);
}

static bool sendable(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] < 0x20 || p[i] == 0x7f)
			return false;
	}
	return true;
}

static int keep_text(const char *s, char *out, size_t cap)
{
	struct text t;

	text_init(&t, out, cap);
	text_add(&t, s);
	return t.full || !sendable((const unsigned char *)s, strlen(s)) ? -EINVAL : 0;
}

/* What stands in "auth", checked: it goes into a header as it is. */
static int take_auth(const struct authfile *f, const char *auth, struct credentials *c, struct err *e)
{
	unsigned char plain[AUTH_SECRET_MAX];
	long n = base64_decode(auth, plain, sizeof(plain));
	bool fits = n > 0 && memchr(plain, ':', (size_t)n) && sendable(plain, (size_t)n);

	explicit_bzero(plain, sizeof(plain));
	if (!fits || keep_text(auth, c->basic, sizeof(c->basic)) < 0)
		return bad(e, f, "an \"auth\" that is not the base64 of NAME:PASSWORD");
	return 1;
}

static int take_pair(const struct authfile *f, const char *name, const char *password,
		     struct credentials *c, struct err *e)
{
	char pair[AUTH_SECRET_MAX / 2];
	int n = snprintf(pair, sizeof(pair), "%s:%s", name, password);
	bool bad_pair = n < 0 || (size_t)n >= sizeof(pair) || strchr(name, ':') ||
			!sendable((const unsigned char *)pair, (size_t)n) ||
			base64_encode(pair, c->basic, sizeof(c->basic)) < 0;

	explicit_bzero(pair, sizeof(pair));
	return bad_pair ? bad(e, f, "a name or a password that cannot be sent") : 1;
}

static int take_entry(const struct authfile *f, const struct doc *entry, struct credentials *c,
		      struct err *e)
{
	const char *identity = doc_str(doc_get(entry, "identitytoken"));
	const char *auth = doc_str(doc_get(entry, "auth"));
	const char *name = doc_str(doc_get(entry, "username"));
	const char *password = doc_str(doc_get(entry, "password"));

	if (identity && identity[0]) {
		if (keep_text(identity, c->identity, sizeof(c->identity)) < 0)
			return bad(e, f, "an \"identitytoken\" that cannot be sent");
		return 1;
	}
	if (auth && auth[0])
		return take_auth(f, auth, c, e);
	if (name && name[0] && password)
		return take_pair(f, name, password, c, e);
	return 0;
}

int authfile_find(const struct authfile *f, const char *registry, const char *repository,
		  struct credentials *ret, struct err *e)
{
	own_doc d = NULL;
	const char *helper;
	int rc;

	if (!f->text || !f->len)
		return 0;
	rc = doc_parse(f->text, f->len, f->path, &d, e);
	if (rc < 0)
		return rc;
	if (!doc_is_object(d))
		return bad(e, f, "not a JSON object");
	rc = take_entry(f, find_key(doc_get(d, "auths"), registry, repository), ret, e);
	if (rc == 0) {
		helper = doc_str(find_key(doc_get(d, "credHelpers"), registry, repository));
		if (!helper)
			helper = doc_str(doc_get(d, "credsStore"));
		if (helper && !ret->helper[0])
			(void)snprintf(ret->helper, sizeof(ret->helper), "%s", helper);
		if (!helper)
			return 0;
	}
	if (rc >= 0 && (rc == 1 || !ret->from[0]))
		(void)snprintf(ret->from, sizeof(ret->from), "%s", f->path);
	return rc;
}

/* ---- answers ------------------------------------------------------------------------------------ */

int token_parse(const char *text, size_t len, char *out, size_t cap)
{
	struct err unused = { 0 };
	own_doc d = NULL;
	const char *token;

	if (doc_parse(text, len, "token", &d, &unused) < 0)
		return -EINVAL;
	token = doc_str(doc_get(d, "token"));
	if (!token || !token[0])
		token = doc_str(doc_get(d, "access_token"));
	/* It becomes a header: visible ASCII, or it is none. */
	if (!token || !token[0])
		return -EINVAL;
	for (const char *p = token; *p; p++) {
		if (*p <= 0x20 || *p >= 0x7f)
			return -EINVAL;
	}
	return strlen(token) >= cap ? -EINVAL : keep_text(token, out, cap);
}

void message_parse(const char *text, size_t len, char *out, size_t cap)
{
	struct err unused = { 0 };
	own_doc d = NULL;
	const char *message;
	struct text t;

	text_init(&t, out, cap);
	if (doc_parse(text, len, "errors", &d, &unused) < 0)
		return;
	message = doc_str(doc_get(doc_at(doc_get(d, "errors"), 0), "message"));
	if (message)
		text_add_clean(&t, message);
}
