/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One question to the host's name servers, until one of them has answered or all have failed. Each
 * try has a socket of its own, connected, so that its port and its id are new and random, and what
 * comes from elsewhere never arrives. What arrives and is no answer to the question is passed over;
 * after QUESTION_WRONG of those somebody is guessing, and the question goes by TCP.
 */
#ifndef JAIL_GATE_QUESTION_H
#define JAIL_GATE_QUESTION_H

#include "gate/dns.h"
#include "gate/loop.h"
#include "gate/resolvconf.h"

enum { QUESTION_WRONG = 32 };

/* What all questions share. */
struct asking {
	struct loop *loop;
	struct resolvconf conf;
	struct timer_list timeouts; /* conf.timeout */
};

struct question {
	void (*done)(struct question *q);
	struct asking *by;
	const char *name; /* canonical; stays */
	uint16_t type;

	/* when done: 0 and a reply that is DNS_OK or DNS_NXDOMAIN; ETIMEDOUT; EHOSTUNREACH */
	int error;
	struct dns_reply reply;

	/* question.c's */
	bool running, tcp, timed_out;
	unsigned tries, wrong;
	uint16_t id;
	struct watch w;
	struct timer timer;
	size_t n;
	uint8_t buf[2 + DNS_MESSAGE_MAX]; /* of an answer by TCP */
};

/* `done`, `by`, `name` and `type` are set. `done` may be called before this returns. */
void question_ask(struct question *q);
/* Without `done`; nothing happens when it is not running. */
void question_cancel(struct question *q);

#endif
