/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who one is to a registry: the files that docker and podman log in to, read and never written. */
#ifndef JAIL_OCI_PULL_AUTH_H
#define JAIL_OCI_PULL_AUTH_H

#include <stddef.h>

#include "base/err.h"

#define AUTH_FILE_MAX	((size_t)1 << 20)
#define AUTH_SECRET_MAX ((size_t)16 << 10)

struct credentials {
	char basic[AUTH_SECRET_MAX];	/* base64 of NAME:PASSWORD, or empty */
	char identity[AUTH_SECRET_MAX]; /* a token that stands for the login, or empty */
	char helper[128];		/* a program has them, and it is not run; or empty */
	char from[256];			/* which file said so */
};

struct authfile {
	char path[256];
	char *text; /* NULL where there is none */
	size_t len;
};

enum { AUTH_FILES = 3 };

/*
 * Read the files, in the order in which they are asked: REGISTRY_AUTH_FILE alone when it is set;
 * else containers/auth.json beneath XDG_RUNTIME_DIR, the same beneath XDG_CONFIG_HOME, and
 * config.json beneath DOCKER_CONFIG. A missing one is passed over, an unreadable one an error.
 */
int authfiles_read(struct authfile files[AUTH_FILES], struct err *e);
void authfiles_free(struct authfile files[AUTH_FILES]);

/*
 * What one file has for `registry` (with its port, if any) and `repository`: of the keys that fit
 * the longest wins. 1 when there is something to show a registry, 0 when not; `helper` is filled in
 * both cases. Text that is no such file is an error.
 */
int authfile_find(const struct authfile *f, const char *registry, const char *repository,
		  struct credentials *ret, struct err *e);

/* base64, strictly: -EINVAL for anything else, -E2BIG when it does not fit. The length. */
long base64_decode(const char *s, unsigned char *out, size_t cap);
int base64_encode(const char *s, char *out, size_t cap);

/* The token of a token server's answer: -EINVAL when there is none that can be sent. */
int token_parse(const char *text, size_t len, char *out, size_t cap);
/* The message in a registry's answer of errors; empty when there is none. */
void message_parse(const char *text, size_t len, char *out, size_t cap);

#endif
