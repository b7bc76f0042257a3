// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes the HTTP check: a stream for a.test. However it is cut the verdict is the same, no more is
 * held than a head, nothing is passed that did not come, and http-parser agrees about what passes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "gate/http.h"
#include "tests/fuzz/http_peer.h"

#define INPUT_MAX 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct result {
	struct http h;
	size_t passed;
	bool bad;
};

static void fail(const char *what)
{
	fprintf(stderr, "http: %s\n", what);
	abort();
}

/* In pieces whose lengths follow from `seed`; 0 is all at once. */
static void feed(const char *in, size_t n, uint32_t seed, struct result *r)
{
	size_t come = 0, pass;

	*r = (struct result){ 0 };
	http_init(&r->h, "a.test", 80);
	while (come < n && !r->bad) {
		size_t piece = n - come;

		if (seed) {
			seed = seed * 1664525 + 1013904223;
			piece = 1 + (seed >> 8) % (seed >> 30 ? 7 : 200);
			piece = piece < n - come ? piece : n - come;
		}
		come += piece;
		pass = SIZE_MAX;
		r->bad = http_check(&r->h, in + r->passed, come - r->passed, &pass) == HTTP_BAD;
		if (r->bad)
			break;
		if (pass > come - r->passed)
			fail("more is passed than came");
		r->passed += pass;
		if (come - r->passed >= HTTP_HEAD_MAX)
			fail("more is held than a head");
	}
}

static void check_result(const struct result *r)
{
	if (r->bad != (r->h.why != NULL))
		fail("a refusal without a reason, or the other way round");
	if (r->h.mismatch && (!r->bad || !r->h.other[0] || !strcmp(r->h.other, "a.test")))
		fail("a mismatch that is none");
	if (!memchr(r->h.other, '\0', sizeof(r->h.other)))
		fail("a name without an end");
}

static bool same(const struct result *a, const struct result *b)
{
	if (a->bad != b->bad || strcmp(a->h.other, b->h.other) != 0)
		return false;
	if (a->bad)
		return !strcmp(a->h.why, b->h.why);
	return a->passed == b->passed && a->h.state == b->h.state && a->h.body == b->h.body &&
	       a->h.requests == b->h.requests;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct result whole, cut;
	const char *in = (const char *)data, *why;

	if (size > INPUT_MAX)
		return 0;
	feed(in, size, 0, &whole);
	check_result(&whole);
	for (uint32_t seed = 1; seed < 5; seed++) {
		feed(in, size, seed * 2654435761u + (uint32_t)size, &cut);
		check_result(&cut);
		if (!same(&whole, &cut))
			fail("a cut changes the verdict");
	}
	why = http_peer_disagrees(in, size);
	if (why) {
		fprintf(stderr, "http-parser disagrees: %s\n", why);
		abort();
	}
	return 0;
}
