// SPDX-License-Identifier: GPL-2.0-or-later
/* The gate's HTTP check beside http-parser, over a table that is put together from parts. A TAP test. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "gate/http.h"
#include "tests/fuzz/http_peer.h"

/* Each stream is one of each of these, in this order; a few of them are no good, on purpose. */
static const char *const lines[] = {
	"GET / HTTP/1.1\r\n",
	"POST /a?b HTTP/1.0\r\n",
	"OPTIONS * HTTP/1.1\r\n",
	"PUT http://a.test/x HTTP/1.1\r\n",
	"FROB http://A.TEST:80?x HTTP/1.1\r\n",
	"X /a\\b|c{d}\"e<f>^`g HTTP/1.1\r\n",
	"M-SEARCH /;v=1,2 HTTP/1.1\r\n",
	"PRI * HTTP/2.0\r\n",
	"\r\nGET / HTTP/1.1\r\n",
};
static const char *const hosts[] = {
	"Host: a.test\r\n", "host:\tA.test.:80 \t\r\n", "Host: a.test\r\nHost: a.test\r\n",
	"Host: b.test\r\n", "Host : a.test\r\n",	"",
};
static const char *const fields[] = {
	"",
	"X: \x80\xff\t \"q\"\r\nY:\r\n!#$%&'*+-.^_`|~: z\r\n",
	"Connection: close\r\n",
	"Connection: Upgrade\r\nUpgrade: websocket\r\n",
	"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n",
	"Proxy-Connection: keep-alive\r\nExpect: 100-continue\r\n",
	"X: y\r\n z\r\n",
};
static const char *const bodies[] = {
	"\r\n",
	"Content-Length: 5\r\n\r\n01\r\n4",
	"Content-Length: 00000000000000005\r\n\r\n01234",
	"Content-Length: 0\r\n\r\n",
	"Transfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n0\r\n\r\n",
	"Transfer-Encoding: chunked\r\n\r\n00001A\r\n0123456789abcdefghijklmnop\r\n1\r\nx\r\n000\r\nT: u\r\nV:\r\n\r\n",
	"transfer-encoding:chunked \r\n\r\n0\r\n\r\n",
	"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
	"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
	"Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
	"Transfer-Encoding: chunked\r\n\r\n5;a=b\r\n01234\r\n0\r\n\r\n",
};
/* What comes behind must be seen as a request by both, or by neither. */
static const char next[] = "DELETE /next HTTP/1.1\r\nHost: a.test\r\n\r\n";

static int check(const char *line, const char *host, const char *field, const char *body,
		 unsigned *requests)
{
	char in[1024];
	struct http h;
	size_t pass;
	int n = snprintf(in, sizeof(in), "%s%s%s%s%s", line, host, field, body, next);
	const char *why;

	why = http_peer_disagrees(in, (size_t)n);
	if (why) {
		printf("# http-parser disagrees: %s\n", why);
		for (char *p = in; *p; p++) {
			if (*p == '\n')
				printf("\n# ");
			else if (*p != '\r')
				printf("%c", *p);
		}
		printf("\n");
		return 1;
	}
	http_init(&h, "a.test", 80);
	if (http_check(&h, in, (size_t)n, &pass) == HTTP_MORE)
		*requests += h.requests;
	return 0;
}

int main(void)
{
	/*
	 * 7 lines, 2 hosts, 6 sets of fields and 7 bodies are good, but for chunks in HTTP/1.0, for
	 * the 5 bodies that are not empty with a GET, and for these with an Upgrade.
	 */
	const unsigned good = 2 * 2 * (6 * (7 * 7 - 3) - 6 * 5 - (6 * 5 - 3));
	unsigned requests = 0, bad = 0;

	if (!http_peer_here()) {
		printf("1..0 # SKIP http-parser is not installed\n");
		return 0;
	}
	printf("1..2\n");
	for (size_t i = 0; i < ARRAY_SIZE(lines) * ARRAY_SIZE(hosts); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(fields) * ARRAY_SIZE(bodies); k++)
			bad += (unsigned)check(lines[i % ARRAY_SIZE(lines)],
					       hosts[i / ARRAY_SIZE(lines)],
					       fields[k % ARRAY_SIZE(fields)],
					       bodies[k / ARRAY_SIZE(fields)], &requests);
	}
	printf("%sok 1 - what passes is what http-parser reads (%u requests)\n", bad ? "not " : "",
	       requests);
	printf("%sok 2 - all that is good passed\n", requests == good ? "" : "not ");
	return bad || requests != good;
}
