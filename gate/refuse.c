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

static void write_body(struct text *t, const struct refusal *r)
{
	text_add(t, "jail refused this request: ");
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
	if (r->listable && r->host) {
		text_add(t, "\n");
		add_rule(t, r);
	}
}

size_t refuse_http(const struct refusal *r, char out[REFUSE_HTTP_MAX])
{
	char body[BODY_MAX];
	struct text b, t;

	text_init(&b, body, sizeof(body));
	write_body(&b, r);
	text_init(&t, out, REFUSE_HTTP_MAX);
	text_addf(&t,
		  "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\n"
		  "Content-Length: %zu\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n",
		  b.len);
	text_addn(&t, body, b.len);
	return t.len;
}

void refuse_tls(enum refuse_alert alert, uint8_t out[REFUSE_TLS_SIZE])
{
	const uint8_t record[REFUSE_TLS_SIZE] = { 21, 3, 3, 0, 2, 2, (uint8_t)alert };

	memcpy(out, record, sizeof(record));
}
