// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes the credential files and a token server's answers: what becomes a header is base64 of
 * NAME:PASSWORD or visible ASCII, and never more than one line.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "oci/pull_auth.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what)
{
	fprintf(stderr, "authfile: %s\n", what);
	abort();
}

static void one_line(const char *s, size_t cap)
{
	if (!memchr(s, '\0', cap))
		fail("not terminated");
	for (; *s; s++) {
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			fail("a control byte in what is sent");
	}
}

static void look(const struct authfile *f, const char *registry, const char *repository)
{
	static struct credentials c;
	static unsigned char plain[AUTH_SECRET_MAX];
	struct err e = { 0 };
	int rc;
	long n;

	memset(&c, 0, sizeof(c));
	rc = authfile_find(f, registry, repository, &c, &e);
	if (rc < 0) {
		if (e.stage == ST_NONE)
			fail("a failure without words");
		return;
	}
	if ((rc == 1) != (c.basic[0] || c.identity[0]))
		fail("found and not found");
	one_line(c.basic, sizeof(c.basic));
	one_line(c.identity, sizeof(c.identity));
	if (!c.basic[0])
		return;
	n = base64_decode(c.basic, plain, sizeof(plain));
	if (n <= 0 || !memchr(plain, ':', (size_t)n))
		fail("credentials that are none");
	if (memchr(plain, '\n', (size_t)n) || memchr(plain, '\r', (size_t)n))
		fail("credentials of two lines");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct authfile f = { .path = "auth.json", .len = size };
	char token[256], said[64];

	f.text = malloc(size + 1);
	if (!f.text)
		return 0;
	if (size)
		memcpy(f.text, data, size);
	f.text[size] = '\0';
	look(&f, "a.test", "x/y");
	look(&f, "docker.io", "library/x");
	look(&f, "127.0.0.1:5000", "x");
	if (token_parse(f.text, size, token, sizeof(token)) == 0) {
		one_line(token, sizeof(token));
		if (!token[0] || strchr(token, ' '))
			fail("a token that is none");
	}
	message_parse(f.text, size, said, sizeof(said));
	one_line(said, sizeof(said));
	free(f.text);
	return 0;
}
