// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Through the host's HTTP proxy: CONNECT, and then as if it were the server. Its answer is looked at
 * in the socket and taken out to its last byte, so that what follows is the server's first.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/text.h"
#include "gate/slot.h"

#define ANSWER_MAX 8192

void proxy_ask(struct slot *s)
{
	char buf[2 * NAME_SIZE + 64];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_addf(&t, "CONNECT %s:%u HTTP/1.1\r\nHost: %s:%u\r\n\r\n", s->name, s->port, s->name,
		  s->port);
	s->state = SLOT_PROXY;
	s->addr.family = 0; /* nobody here knows it */
	slot_wait(s, &s->gate->connect);
	if (t.full || send(s->far.fd, buf, t.len, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)t.len)
		slot_fail(s, "the proxy takes no request");
}

/* The length of a head that ends within data[0..n); 0: it does not. */
static size_t head_length(const char *data, size_t n)
{
	for (size_t i = 3; i < n; i++)
		if (data[i] == '\n' && memcmp(data + i - 3, "\r\n\r\n", 4) == 0)
			return i + 1;
	return 0;
}

static bool is_success(const char *head, size_t n)
{
	return n > 13 && memcmp(head, "HTTP/1.", 7) == 0 && (head[7] == '0' || head[7] == '1') &&
	       memcmp(head + 8, " 200", 4) == 0 && (head[12] == ' ' || head[12] == '\r');
}

void proxy_look(struct slot *s)
{
	char *data = (char *)s->gate->scratch;
	ssize_t n = recv(s->far.fd, data, ANSWER_MAX, MSG_PEEK | MSG_DONTWAIT);
	size_t head;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		slot_fail(s, "the proxy closed the connection");
		return;
	}
	head = head_length(data, (size_t)n);
	if (!head) {
		if (n == ANSWER_MAX)
			slot_fail(s, "the proxy's answer is too long");
		return;
	}
	if (!is_success(data, head)) {
		slot_fail(s, "the proxy refused");
		return;
	}
	if (recv(s->far.fd, data, head, MSG_DONTWAIT) != (ssize_t)head) {
		slot_fail(s, "the proxy's answer went away");
		return;
	}
	slot_no_wait(s);
	far_reached(s);
}
