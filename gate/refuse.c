// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes the answers of refusals, in the gate. */
#include "gate/refuse.h"

#include <string.h>

#include "base/text.h"

enum { BODY_MAX = REFUSE_HTTP_MAX - 256 };

/* The rule as one would write it: 80 has to be said, 443 does not. */
static void add_rule(struct text *t, const struct refusal *r)
{
	text_add(t, "To allow it, in the profile's [network] section:\n\n    allow = ");
	text_add_clean(t, r->host);
	if (r->port != 443)
		text_addf(t, ":%u", (unsigned)r->port);
	text_add(t, "\n");
}

static void add_advice(struct text *t, const struct refusal *r)
{
	switch (r->advice) {
	case ADVICE_NONE:
		return;
	case ADVICE_ALLOW:
		text_add(t, "\n");
		add_rule(t, r);
		return;
	case ADVICE_CONNECT:
		text_add(t, "\n");
		text_add_clean(t, r->host);
		text_add(t, " is allowed: connect to it itself\n");
		return;
	case ADVICE_ADDRESS:
		text_add(t,
			 "\nTo allow it, in the profile's [network] section, one of:\n\n    resolve = ");
		text_add_clean(t, r->host);
		text_addf(t, "=ADDRESS\n    allow = ADDRESS:%u\n", (unsigned)r->port);
		text_add(t, "    host-port = PORT, for a service of this machine's own\n");
		return;
	}
}

static void write_body(struct text *t, const struct refusal *r)
{
	text_add(t, r->failed ? "jail could not reach this host: " : "jail refused this request: ");
	text_add_clean(t, r->why);
	text_add(t, "\n\n");
	if (r->host) {
		text_add(t, "host: ");
		text_add_clean(t, r->host);
		text_addf(t, "\nport: %u\n", (unsigned)r->port);
	}
	if (r->asked) {
		text_add(t, "connected to: ");
		text_add_clean(t, r->asked);
		text_add(t, "\n");
	}
	text_add(t, "rule: ");
	text_add_clean(t, r->rule ? r->rule->text : "none allows it");
	if (r->rule && r->rule->origin[0]) {
		text_add(t, " (");
		text_add_clean(t, r->rule->origin);
		text_add(t, ")");
	}
	text_add(t, "\n");
	if (r->host)
		add_advice(t, r);
}

size_t refuse_http(const struct refusal *r, char out[REFUSE_HTTP_MAX])
{
	char body[BODY_MAX];
	struct text b, t;

	text_init(&b, body, sizeof(body));
	write_body(&b, r);
	text_init(&t, out, REFUSE_HTTP_MAX);
	text_addf(&t,
		  "HTTP/1.1 %s\r\nContent-Type: text/plain; charset=utf-8\r\n"
		  "Content-Length: %zu\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n",
		  r->failed ? "502 Bad Gateway" : "403 Forbidden", b.len);
	text_addn(&t, body, b.len);
	return t.len;
}

void refuse_tls(enum refuse_alert alert, uint8_t out[REFUSE_TLS_SIZE])
{
	const uint8_t record[REFUSE_TLS_SIZE] = { 21, 3, 3, 0, 2, 2, (uint8_t)alert };

	memcpy(out, record, sizeof(record));
}
