// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes the ClientHello: what was decided stays decided whatever comes behind it, other records
 * around the same message change nothing, and a name is one that the message holds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "gate/hello.h"

#define CUTS 48

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what)
{
	fprintf(stderr, "hello: %s\n", what);
	abort();
}

/* A buffer of the exact size, so that a sanitizer sees one byte too far. */
static enum hello_verdict parse(const uint8_t *data, size_t n, struct hello *ret)
{
	own_str copy = malloc(n ? n : 1);
	enum hello_verdict v;

	if (!copy)
		abort();
	if (n)
		memcpy(copy, data, n);
	memset(ret, 0xa5, sizeof(*ret));
	v = hello_parse((const uint8_t *)copy, n, ret);
	if ((v == HELLO_BAD) != (ret->why != NULL))
		fail("a refusal without a reason, or the other way round");
	if (!memchr(ret->name, '\0', sizeof(ret->name)) ||
	    (v == HELLO_WHOLE) != (ret->name[0] != '\0'))
		fail("a name that should not be, or none");
	return v;
}

/* The message without its records; only for input that was found whole. */
static size_t unwrap(const uint8_t *data, size_t n, uint8_t *msg)
{
	size_t len = 0;

	for (size_t pos = 0; pos + 5 <= n && len < HELLO_MAX;) {
		size_t record = (size_t)data[pos + 3] << 8 | data[pos + 4];

		pos += 5;
		if (record > n - pos || record > HELLO_MAX - len)
			break;
		memcpy(msg + len, data + pos, record);
		len += record;
		pos += record;
		if (len >= 4 && len >= 4 + ((size_t)msg[1] << 16 | (size_t)msg[2] << 8 | msg[3]))
			break;
	}
	return len;
}

static size_t wrap(const uint8_t *msg, size_t len, size_t size, uint8_t *out)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i += size) {
		size_t here = len - i < size ? len - i : size;
		const uint8_t head[] = { 22, 3, 3, (uint8_t)(here >> 8), (uint8_t)here };

		memcpy(out + n, head, sizeof(head));
		memcpy(out + n + 5, msg + i, here);
		n += 5 + here;
	}
	return n;
}

static bool holds(const uint8_t *msg, size_t len, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i + n <= len; i++) {
		if (!strncasecmp((const char *)msg + i, name, n))
			return true;
	}
	return false;
}

static void check_whole(const uint8_t *data, size_t size, const struct hello *h)
{
	static const size_t sizes[] = { 1, 2, 7, 300, 16384 };
	static uint8_t msg[HELLO_MAX], again[6 * HELLO_MAX];
	size_t len = unwrap(data, size, msg);
	struct hello other;

	if (!holds(msg, len, h->name))
		fail("a name from nowhere");
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t n = wrap(msg, len, sizes[i], again);

		if (n > HELLO_MAX)
			continue;
		if (parse(again, n, &other) != HELLO_WHOLE || strcmp(other.name, h->name) != 0)
			fail("other records change the verdict");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum hello_verdict v, last = HELLO_MORE;
	struct hello whole, h = { 0 };

	if (size > (size_t)2 * HELLO_MAX)
		return 0;
	v = parse(data, size, &whole);
	if (v == HELLO_MORE && size >= HELLO_MAX)
		fail("more is waited for than there may be");
	for (size_t n = 0; n < size; n += n < CUTS ? 1 : size / CUTS + 1) {
		enum hello_verdict now = parse(data, n, &h);

		if (last != HELLO_MORE && now != last)
			fail("what was decided changes");
		last = now;
	}
	if (last != HELLO_MORE && (v != last || strcmp(h.name, whole.name) != 0))
		fail("what was decided changes at the end");
	if (v == HELLO_WHOLE)
		check_whole(data, size, &whole);
	return 0;
}
