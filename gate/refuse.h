/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a client is told when it is refused or fails, in its own language: HTTP gets a text, TLS an alert.
 * Everything else gets a reset, which is the connection's business (SO_LINGER of 0). Pure functions.
 */
#ifndef JAIL_GATE_REFUSE_H
#define JAIL_GATE_REFUSE_H

#include <stddef.h>
#include <stdint.h>

#include "net/policy.h"

enum { REFUSE_HTTP_MAX = 2048, REFUSE_TLS_SIZE = 7 };

enum refuse_alert {
	ALERT_ACCESS_DENIED = 49,      /* the hello is not one that is let through */
	ALERT_UNRECOGNIZED_NAME = 112, /* its name is not the one behind the address */
};

enum refuse_advice {
	ADVICE_NONE,
	ADVICE_ALLOW,	/* `allow = host` is what would help */
	ADVICE_CONNECT, /* the host is allowed: connect to it */
	ADVICE_ADDRESS, /* it is allowed, its address is private */
};

struct refusal {
	const char *why;	 /* one phrase */
	const char *host;	 /* canonical, or an address: what was wanted; NULL: not known */
	uint16_t port;		 /* of the connection */
	const char *asked;	 /* the name that the connection was made to, when it is another */
	const struct rule *rule; /* which let that through; NULL: none did */
	enum refuse_advice advice;
	bool failed; /* not refused: it is allowed, and was not reached */
};

/* A whole answer, 403, or 502 when it failed; its length. */
size_t refuse_http(const struct refusal *r, char out[REFUSE_HTTP_MAX]);

/* A record with a fatal alert. */
void refuse_tls(enum refuse_alert alert, uint8_t out[REFUSE_TLS_SIZE]);

#endif
