/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A digest as images name things by it: checked once, then safe in a path; any process. */
#ifndef JAIL_OCI_DIGEST_H
#define JAIL_OCI_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#define DIGEST_TEXT_MAX 136 /* "sha512:" and 128 digits, and the end */

struct digest {
	char text[DIGEST_TEXT_MAX]; /* sha256:HEX or sha512:HEX, lower case; "" = none */
};

/* False for anything but ^sha256:[0-9a-f]{64}$ and ^sha512:[0-9a-f]{128}$. */
bool digest_parse(const char *s, struct digest *ret);
/* The digest of an algorithm ("sha256") and its raw bytes. */
void digest_from_bytes(const char *algorithm, const unsigned char *bytes, size_t n,
		       struct digest *ret);
bool digest_eq(const struct digest *a, const struct digest *b);
/* "sha256" or "sha512". */
const char *digest_algorithm(const struct digest *d);
const char *digest_hex(const struct digest *d);
/* sha256-HEX: what layers, images and locks are called in the store. */
struct digest_name {
	char text[DIGEST_TEXT_MAX];
} digest_name(const struct digest *d);

#endif
