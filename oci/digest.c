// SPDX-License-Identifier: GPL-2.0-or-later
/* Digests as text; pure functions, any process. */
#include "oci/digest.h"

#include <string.h>

#include "base/own.h"
#include "base/text.h"

static const struct {
	const char *name, *prefix;
	size_t digits;
} algorithms[] = { { "sha256", "sha256:", 64 }, { "sha512", "sha512:", 128 } };

bool digest_parse(const char *s, struct digest *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(algorithms); i++) {
		size_t n = strlen(algorithms[i].prefix);

		if (!str_starts(s, algorithms[i].prefix) || strlen(s + n) != algorithms[i].digits ||
		    strspn(s + n, "0123456789abcdef") != algorithms[i].digits)
			continue;
		memcpy(ret->text, s, n + algorithms[i].digits + 1);
		return true;
	}
	return false;
}

void digest_from_bytes(const char *algorithm, const unsigned char *bytes, size_t n, struct digest *ret)
{
	struct text t;

	text_init(&t, ret->text, sizeof(ret->text));
	text_addf(&t, "%s:", algorithm);
	for (size_t i = 0; i < n; i++)
		text_addf(&t, "%02x", bytes[i]);
}

bool digest_eq(const struct digest *a, const struct digest *b)
{
	return str_eq(a->text, b->text);
}

const char *digest_algorithm(const struct digest *d)
{
	return str_starts(d->text, algorithms[1].prefix) ? algorithms[1].name : algorithms[0].name;
}

const char *digest_hex(const struct digest *d)
{
	return d->text + strlen(algorithms[0].prefix);
}

struct digest_name digest_name(const struct digest *d)
{
	struct digest_name name;

	memcpy(name.text, d->text, sizeof(name.text));
	name.text[strlen(algorithms[0].name)] = '-';
	return name;
}
