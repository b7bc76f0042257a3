// SPDX-License-Identifier: GPL-2.0-or-later
/* base64 as credentials are kept in; pure, jail-pull. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "oci/pull_auth.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int digit(char c)
{
	const char *at = c ? strchr(alphabet, c) : NULL;

	return at ? (int)(at - alphabet) : -1;
}

long base64_decode(const char *s, unsigned char *out, size_t cap)
{
	size_t n = strlen(s), len = 0;

	if (n % 4)
		return -EINVAL;
	for (size_t i = 0; i < n; i += 4) {
		unsigned pad =
			i + 4 == n ? (unsigned)(s[n - 1] == '=') + (unsigned)(s[n - 2] == '=') : 0;
		unsigned v = 0;

		if (pad == 1 && s[n - 1] != '=')
			return -EINVAL;
		for (unsigned k = 0; k < 4; k++) {
			int d = k >= 4 - pad ? 0 : digit(s[i + k]);

			if (d < 0)
				return -EINVAL;
			v = v << 6 | (unsigned)d;
		}
		if (pad && (v & (pad == 1 ? 0xffu : 0xffffu)))
			return -EINVAL; /* bits that no byte has */
		if (len + 3 - pad > cap)
			return -E2BIG;
		for (unsigned k = 0; k < 3 - pad; k++)
			out[len++] = (unsigned char)(v >> (16 - 8 * k));
	}
	return (long)len;
}

int base64_encode(const char *s, char *out, size_t cap)
{
	size_t n = strlen(s);
	struct text t;

	text_init(&t, out, cap);
	for (size_t i = 0; i < n; i += 3) {
		unsigned v = 0;
		char four[4];

		for (size_t k = 0; k < 3; k++)
			v = v << 8 | (i + k < n ? (unsigned char)s[i + k] : 0u);
		for (size_t k = 0; k < 4; k++)
			four[k] = i + k > n ? '=' : alphabet[v >> (18 - 6 * k) & 63];
		text_addn(&t, four, sizeof(four));
	}
	return t.full ? -E2BIG : 0;
}
