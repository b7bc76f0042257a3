// SPDX-License-Identifier: GPL-2.0-or-later
/* Host names in one form, and how they are compared; pure functions, P0 and the gate. */
#include "net/name.h"

#include <errno.h>
#include <string.h>

enum { LABEL_MAX = 63 };

/* By value, never by locale. Returns 0 for a byte that no name has. */
static char canonical_byte(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_')
		return c;
	return '\0';
}

static bool label_is_good(const char *label, size_t n)
{
	return n && n <= LABEL_MAX && label[0] != '-' && label[n - 1] != '-';
}

/* Decimal, octal or hexadecimal: what inet_aton() takes for a part of an address. */
static bool label_is_number(const char *label, size_t n)
{
	const char *digits = "0123456789";
	size_t i = 0;

	if (n >= 2 && label[0] == '0' && label[1] == 'x') {
		digits = "0123456789abcdef";
		i = 2;
	}
	for (; i < n; i++) {
		if (!strchr(digits, label[i]))
			return false;
	}
	return true;
}

int name_canonical(const char *s, size_t n, char ret[NAME_SIZE])
{
	char out[NAME_SIZE];
	size_t label = 0;

	if (n && s[n - 1] == '.')
		n--;
	if (!n || n >= NAME_SIZE)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '.') {
			if (!label_is_good(out + label, i - label))
				return -EINVAL;
			out[i] = '.';
			label = i + 1;
		} else if (!(out[i] = canonical_byte(s[i]))) {
			return -EINVAL;
		}
	}
	/* No top-level domain is a number, so this refuses every spelling of an address and no name. */
	if (!label_is_good(out + label, n - label) || label_is_number(out + label, n - label))
		return -EINVAL;
	out[n] = '\0';
	memcpy(ret, out, n + 1);
	return 0;
}

bool name_matches(const char *pattern, bool wildcard, const char *name)
{
	size_t p = strlen(pattern), n = strlen(name);

	if (!wildcard)
		return p == n && memcmp(pattern, name, n) == 0;
	return p && n > p + 1 && name[n - p - 1] == '.' && memcmp(name + n - p, pattern, p) == 0;
}
