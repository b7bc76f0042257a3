/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host names in the one form in which they are compared: counted bytes in, letters, digits, hyphens
 * and underscores out, lower case, no dot at the end. Used by P0 for a profile's rules and by the
 * gate for everything that comes from inside, so that no two parsers can disagree.
 */
#ifndef JAIL_NET_NAME_H
#define JAIL_NET_NAME_H

#include <stdbool.h>
#include <stddef.h>

#define NAME_SIZE 254 /* 253 bytes and the end */

/*
 * The canonical form of s[0..n): 0, or -EINVAL for what is no host name. One trailing dot goes;
 * NUL, control bytes, percent, spaces, colons, brackets, bytes from 0x80, empty labels, labels over
 * 63 bytes or with a hyphen at an end, and whatever inet_aton() would take for an address
 * (decimal, octal, hexadecimal, in one to four parts) or ends in a number as they do are refused.
 * *ret is untouched on failure.
 */
int name_canonical(const char *s, size_t n, char ret[NAME_SIZE]);

/*
 * Is canonical `name` one that `pattern` means? A pattern is a canonical name, which means itself;
 * with `wildcard` it means every name beneath it, at any depth, and not itself. By whole labels.
 */
bool name_matches(const char *pattern, bool wildcard, const char *name);

#endif
