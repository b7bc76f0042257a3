/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A second opinion on an HTTP stream: http-parser, which many servers were built on. Tests only. */
#ifndef JAIL_TESTS_FUZZ_HTTP_PEER_H
#define JAIL_TESTS_FUZZ_HTTP_PEER_H

#include <stdbool.h>
#include <stddef.h>

bool http_peer_here(void);

/*
 * What the gate lets through of this stream, which is for a.test on port 80, is read by http-parser,
 * too: it must take all of it, and see the same requests, with the same method, host, and kind and
 * length of body, ending at the same bytes. NULL, or what they disagree about. The other way round
 * nothing is asked: the gate may refuse what it likes.
 */
const char *http_peer_disagrees(const char *in, size_t n);

#endif
