/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What gatebox's two files share: the box, and the network inside it. */
#ifndef JAIL_TESTS_GATEBOX_H
#define JAIL_TESTS_GATEBOX_H

#include <sys/types.h>

#include "net/gate.h"
#include "net/policy.h"

struct box {
	struct net_policy *policy;
	const char *gate, *events, *report;
	int wire; /* to the child inside */
	int sockets[GATE_SOCKETS_MAX];
	size_t n_sockets;
	char list[GATE_SOCKETS_MAX * 12];
};

/* A child in a new network, set up, that waits; its sockets are in the box. -1 on failure. */
pid_t box_make_inside(struct box *b, char **command);
/* Run the command. */
void box_let_go(struct box *b, pid_t gate);

#endif
