/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ClientHello: which name does a TLS client say it wants? Bytes from inside; pure functions.
 *
 * A hello with encrypted_client_hello (ECH, RFC 9849) is refused. A server that has the key goes by
 * the name inside, whatever server_name says, and its key is public: with one allowed host at a
 * large provider, a program that brings the key along would reach all that this provider serves. Some
 * clients send the extension filled with noise (GREASE) so that nobody can tell, and nobody can;
 * the bytes cannot be taken out either, because both sides hash the hello. OpenSSL, GnuTLS, Go, Java,
 * Node.js and curl do not send it. Chromium and Firefox do: they need
 * --disable-features=EncryptedClientHello, and security.tls.ech.grease_probability = 0.
 *
 * A second hello, after a HelloRetryRequest, is looked at like the first (taken.c). A renegotiation
 * is inside TLS, and what is said there nobody here can see.
 */
#ifndef JAIL_GATE_HELLO_H
#define JAIL_GATE_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/name.h"

#define HELLO_MAX 20480 /* bytes of records that are waited for; post-quantum hellos are 2 KiB */

enum hello_verdict { HELLO_MORE, HELLO_WHOLE, HELLO_BAD };

struct hello {
	char name[NAME_SIZE]; /* canonical */
	const char *why;      /* HELLO_BAD: one phrase, for the event */
	size_t length;	      /* HELLO_WHOLE: of all its records */
};

/*
 * Look at everything that came so far, from the first byte. HELLO_MORE until the whole ClientHello
 * is there, however it is cut into records and segments; HELLO_BAD for what is no ClientHello, has
 * no server_name or more than one, an encrypted hello, or a name that is not canonical in length or
 * letters; or more than HELLO_MAX.
 */
enum hello_verdict hello_parse(const uint8_t *data, size_t n, struct hello *ret);

#endif
