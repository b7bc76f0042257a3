// SPDX-License-Identifier: GPL-2.0-or-later
/* What does a connection from inside want, and may it have that? Before anything is connected. */
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/own.h"
#include "base/text.h"
#include "gate/door.h"
#include "gate/hello.h"
#include "gate/names.h"
#include "gate/slot.h"

/* SO_ORIGINAL_DST, and IP6T_SO_ORIGINAL_DST: netfilter's headers do not go with libc's. */
#define ORIGINAL_DST 80

_Static_assert(SCRATCH_SIZE > HELLO_MAX && SCRATCH_SIZE > HTTP_HEAD_MAX, "a whole one fits");

/* Without a redirection: the address that this end was reached at. */
static bool own_address(int fd, struct addr *ret, uint16_t *ret_port)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);

	if (getsockname(fd, (struct sockaddr *)&ss, &len) < 0)
		return false;
	return addr_from_sockaddr((struct sockaddr *)&ss, ret, ret_port);
}

/* 127.0.0.1 or ::1, where the gate listens. */
static bool is_gate(const struct addr *a, uint16_t port)
{
	static const struct addr own4 = { .family = 4, .bytes = { 127, 0, 0, 1 } };
	static const struct addr own6 = { .family = 6, .bytes = { [15] = 1 } };

	return port == GATE_PORT && (addr_eq(a, &own4) || addr_eq(a, &own6));
}

bool want_destination(int fd, const struct door *d, struct addr *ret, uint16_t *ret_port)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);

	if (d->kind != DOOR_TCP)
		return own_address(fd, ret, ret_port);
	if (getsockopt(fd, d->family == 4 ? SOL_IP : SOL_IPV6, ORIGINAL_DST, &ss, &len) < 0 ||
	    !addr_from_sockaddr((struct sockaddr *)&ss, ret, ret_port))
		return false;
	return !is_gate(ret, *ret_port);
}

static bool is_of_a_name(const struct addr *a)
{
	const struct addr range = { .family = 4,
				    .bytes = { GATE_RANGE >> 24, GATE_RANGE >> 16 & 0xff,
					       GATE_RANGE >> 8 & 0xff, GATE_RANGE & 0xff } };

	return addr_within(a, &range, GATE_RANGE_BITS);
}

static void by_address(struct slot *s)
{
	s->rule = policy_find_addr(s->gate->policy, &s->addr, s->port);
	if (!s->rule)
		slot_refuse(s, SCORE_ADDRESS, NULL, "no rule has this address and port");
	else
		far_connect_to(s, &s->addr, s->port);
}

static void by_name(struct slot *s)
{
	const struct net_policy *p = s->gate->policy;

	s->name = names_behind(names_get(), &s->addr);
	if (!s->name) {
		slot_refuse(s, SCORE_OTHER, NULL, "no name has this address");
		return;
	}
	s->rule = policy_find(p, s->name, s->port);
	if (!s->rule) {
		bool listed = policy_find(p, s->name, 0);

		slot_refuse(s, listed ? SCORE_PORT : SCORE_NOT_LISTED, NULL,
			    listed ? "no rule has this port" : "no rule has this name");
		return;
	}
	s->kind = s->rule->kind;
	if (s->kind == RULE_TCP) {
		far_begin(s);
		return;
	}
	if (s->kind == RULE_HTTP)
		http_init(&s->http, s->name, s->port);
	/* Not looked at now: what is there already comes as the first event. */
	slot_wait(s, &s->gate->hello);
}

void want_begin(struct slot *s, const struct door *d)
{
	if (!want_destination(s->near.fd, d, &s->addr, &s->port)) {
		s->addr.family = 0;
		slot_refuse(s, SCORE_OTHER, NULL, "straight to the gate, with no destination");
		return;
	}
	if (is_of_a_name(&s->addr))
		by_name(s);
	else
		by_address(s);
}

static void look_at_hello(struct slot *s, const uint8_t *data, size_t n)
{
	struct hello h = { .why = NULL };

	switch (hello_parse(data, n, &h)) {
	case HELLO_MORE:
		if (s->near_ended)
			slot_lose(s);
		break;
	case HELLO_BAD:
		slot_refuse(s, SCORE_OTHER, NULL, h.why);
		break;
	case HELLO_WHOLE:
		if (str_eq(h.name, s->name)) {
			s->tls = TLS_FIRST;
			far_begin(s);
		} else {
			slot_refuse(s, SCORE_MISMATCH, h.name, "the server name is another");
		}
		break;
	}
}

void want_refuse_head(struct slot *s, const struct http *h)
{
	if (h->mismatch)
		slot_refuse(s, SCORE_MISMATCH, h->other, h->why);
	else
		slot_refuse(s, SCORE_OTHER, NULL, h->why);
}

static void look_at_head(struct slot *s, const char *data, size_t n)
{
	struct http first = s->http; /* what counts is looked at when it is taken: taken.c */
	size_t pass = 0;

	if (http_step(&first, data, n, &pass) == HTTP_BAD) {
		want_refuse_head(s, &first);
		return;
	}
	if (pass)
		far_begin(s);
	else if (s->near_ended)
		slot_lose(s);
}

void want_look(struct slot *s)
{
	uint8_t *data = s->gate->scratch;
	ssize_t n = recv(s->near.fd, data, SCRATCH_SIZE, MSG_PEEK | MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0)
		slot_lose(s);
	else if (s->kind == RULE_HTTP)
		look_at_head(s, (const char *)data, (size_t)n);
	else
		look_at_hello(s, data, (size_t)n);
}
