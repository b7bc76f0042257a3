// SPDX-License-Identifier: GPL-2.0-or-later
/* Fuzzes WWW-Authenticate: what is taken from it was in it, in order, and fit to be a URL's beginning. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "oci/pull_challenge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what)
{
	fprintf(stderr, "challenge: %s\n", what);
	abort();
}

/* `part` is `whole` with bytes left out: quotes and backslashes go, nothing comes. */
static int comes_from(const char *part, const char *whole)
{
	for (; *whole && *part; whole++)
		part += *part == *whole;
	return !*part;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct challenge c, untouched;
	own_str text = malloc(size + 1);

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	memset(&c, 0x5a, sizeof(c));
	untouched = c;
	if (challenge_parse(text, &c) < 0) {
		if (memcmp(&c, &untouched, sizeof(c)) != 0)
			fail("an output of a failure");
		return 0;
	}
	if (!memchr(c.realm, '\0', sizeof(c.realm)) || !memchr(c.service, '\0', sizeof(c.service)))
		fail("not terminated");
	if (!comes_from(c.realm, text) || !comes_from(c.service, text))
		fail("what was not there");
	if ((c.realm[0] || c.service[0]) && !c.bearer)
		fail("a realm without Bearer");
	if (c.bearer && !strcasestr(text, "bearer"))
		fail("Bearer from nowhere");
	for (const char *p = c.realm; *p; p++) {
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			fail("a control byte");
	}
	return 0;
}
