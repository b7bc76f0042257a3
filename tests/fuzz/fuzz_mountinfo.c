// SPDX-License-Identifier: GPL-2.0-or-later
/* Fuzzes the mountinfo parser: what it takes is a path and flags that were there, and nothing is read past the line. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "sandbox/mountinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what)
{
	fprintf(stderr, "mountinfo: %s\n", what);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mountinfo m = { .id = 0 };
	own_str line = malloc(size + 1);
	own_str was = malloc(size + 1);

	if (!line || !was)
		return 0;
	if (size)
		memcpy(line, data, size);
	line[size] = '\0';
	memcpy(was, line, size + 1);
	if (mountinfo_parse(line, &m) < 0) {
		if (m.point)
			fail("an output of a failure");
		return 0;
	}
	if (m.point < line || m.point + strlen(m.point) > line + size)
		fail("a path outside the line");
	if (m.point[0] != '/' || strlen(m.point) >= strlen(was))
		fail("a path that is none");
	if (!!(m.flags & 1) > !!strstr(was, "ro") || !!(m.flags & 2) > !!strstr(was, "nosuid"))
		fail("a flag that was not there");
	if (!strstr(was, " - "))
		fail("a line without its dash");
	return 0;
}
