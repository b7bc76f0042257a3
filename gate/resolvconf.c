// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading the host's resolv.conf; in the gate. */
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>

#include "base/text.h"
#include "gate/hostsfile.h"
#include "gate/resolvconf.h"
#include "net/addr.h"

enum {
	DNS_PORT = 53,
	WORD_SIZE = 64,
	NDOTS_MAX = 15, /* the limits are libc's */
	TIMEOUT_MAX = 30,
	ATTEMPTS_MAX = 5,
};

static bool word_is(const char *word, size_t n, const char *s)
{
	return n == strlen(s) && memcmp(word, s, n) == 0;
}

/* An address, of which IPv6 may have a zone: fe80::1%eth0 is what routers say of themselves. */
static void add_server(struct resolvconf *c, const char *word, size_t n)
{
	struct sockaddr_storage *ss = &c->server[c->servers];
	char text[WORD_SIZE], *zone;
	unsigned scope = 0;
	struct addr a;

	if (c->servers == RESOLV_SERVERS_MAX || n >= sizeof(text))
		return;
	memcpy(text, word, n);
	text[n] = '\0';
	zone = strchr(text, '%');
	if (zone) {
		*zone++ = '\0';
		scope = if_nametoindex(zone);
		if (!scope)
			return;
	}
	if (!addr_parse(text, &a) || (zone && a.family != 6))
		return;
	c->server_n[c->servers] = addr_to_sockaddr(&a, DNS_PORT, ss);
	if (scope)
		((struct sockaddr_in6 *)ss)->sin6_scope_id = scope;
	c->servers++;
}

static void read_search(struct resolvconf *c, const char *line, size_t n, unsigned max)
{
	const char *word;
	size_t len;

	c->searches = 0;
	while (c->searches < max && conf_word(&line, &n, &word, &len)) {
		if (name_canonical(word, len, c->search[c->searches]) == 0)
			c->searches++;
	}
}

/* "ndots:3": a number, which is cut to what is sensible. */
static void read_number(const char *word, size_t n, const char *key, unsigned least, unsigned most,
			unsigned *ret)
{
	const size_t key_n = strlen(key);
	char text[WORD_SIZE];
	uint64_t v;

	if (n <= key_n || n - key_n >= sizeof(text) || memcmp(word, key, key_n) != 0)
		return;
	memcpy(text, word + key_n, n - key_n);
	text[n - key_n] = '\0';
	if (!str_to_u64(text, UINT32_MAX, &v))
		return;
	v = v < least ? least : v;
	*ret = v > most ? most : (unsigned)v;
}

static void read_options(struct resolvconf *c, const char *line, size_t n)
{
	const char *word;
	size_t len;

	while (conf_word(&line, &n, &word, &len)) {
		read_number(word, len, "ndots:", 0, NDOTS_MAX, &c->ndots);
		read_number(word, len, "timeout:", 1, TIMEOUT_MAX, &c->timeout);
		read_number(word, len, "attempts:", 1, ATTEMPTS_MAX, &c->attempts);
		if (word_is(word, len, "use-vc"))
			c->tcp = true;
	}
}

void resolvconf_parse(const char *text, size_t n, struct resolvconf *ret)
{
	const char *line, *word;
	size_t left, len;

	*ret = (struct resolvconf){ .ndots = 1, .timeout = 5, .attempts = 2 };
	while (conf_line(&text, &n, &line, &left)) {
		if ((left && line[0] == ';') || !conf_word(&line, &left, &word, &len))
			continue;
		if (word_is(word, len, "search"))
			read_search(ret, line, left, RESOLV_SEARCH_MAX);
		else if (word_is(word, len, "domain"))
			read_search(ret, line, left, 1);
		else if (word_is(word, len, "options"))
			read_options(ret, line, left);
		else if (word_is(word, len, "nameserver") && conf_word(&line, &left, &word, &len))
			add_server(ret, word, len);
	}
	if (!ret->servers)
		add_server(ret, "127.0.0.1", strlen("127.0.0.1"));
}
