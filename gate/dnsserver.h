/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers what is asked inside, by UDP and TCP, from the policy and the table of names alone. */
#ifndef JAIL_GATE_DNSSERVER_H
#define JAIL_GATE_DNSSERVER_H

#include "gate/loop.h"
#include "net/policy.h"

/* A bound UDP socket, or a listening one; non-blocking. The policy stays. */
int dnsserver_add_udp(struct loop *l, const struct net_policy *p, int fd);
int dnsserver_add_tcp(struct loop *l, const struct net_policy *p, int fd);

#endif
