// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes the reader of the kernel's list of sockets: it ends, what it gives is whole, a failure leaves nothing, and bytes behind the
 * answer make no difference.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "sandbox/sockdiag.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what)
{
	fprintf(stderr, "sockdiag: %s\n", what);
	abort();
}

/* Reads it all; a number that stands for everything that was read. */
static uint64_t read_all(struct sockdiag *d, const uint8_t *data, size_t size, int behind)
{
	uint64_t sum = 14695981039346656037u;
	struct bound_socket s;
	int rc;

	memset(d->buf, behind, sizeof(d->buf));
	memcpy(d->buf, data, size);
	d->fd = FD_NONE;
	d->done = false;
	d->next = 0;
	d->used = size;
	do {
		size_t was = d->next;

		s = (struct bound_socket){ .dev = 1, .ino = 2, .uid = 3, .name = "untouched" };
		rc = sockdiag_parse(d, &s);
		if (d->next > d->used || (rc == 1 && d->next <= was))
			fail("lost its place");
		if (rc == 0 && !d->done && d->next != d->used)
			fail("left something");
		if (rc != 1 &&
		    (s.dev != 1 || s.ino != 2 || s.uid != 3 || strcmp(s.name, "untouched") != 0))
			fail("an output without a socket");
		if (rc == 1 && !memchr(s.name, '\0', sizeof(s.name)))
			fail("a name without an end");
		sum = (sum ^ (uint64_t)(unsigned)rc) * 1099511628211u;
		if (rc == 1)
			sum = (sum ^ s.dev ^ (uint64_t)s.ino << 32) * 1099511628211u;
		for (const char *p = s.name; rc == 1 && *p; p++)
			sum = (sum ^ (unsigned char)*p) * 1099511628211u;
	} while (rc == 1);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sockdiag d;

	if (size > sizeof(d.buf))
		return 0;
	if (read_all(&d, data, size, 0) != read_all(&d, data, size, 0xff))
		fail("read past the end");
	return 0;
}
