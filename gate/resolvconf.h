/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The host's /etc/resolv.conf, as resolv.conf(5) has it; read before the gate is confined. */
#ifndef JAIL_GATE_RESOLVCONF_H
#define JAIL_GATE_RESOLVCONF_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "net/name.h"

enum { RESOLV_SERVERS_MAX = 3, RESOLV_SEARCH_MAX = 6 };

struct resolvconf {
	unsigned servers; /* at least 1 */
	struct sockaddr_storage server[RESOLV_SERVERS_MAX];
	socklen_t server_n[RESOLV_SERVERS_MAX];
	unsigned searches;
	char search[RESOLV_SEARCH_MAX][NAME_SIZE];
	unsigned ndots;	   /* a name with fewer dots is looked for in the search list first */
	unsigned timeout;  /* of one try, s */
	unsigned attempts; /* at each server */
	bool tcp;	   /* use-vc */
};

/*
 * What is not understood is passed over, as libc does. Without a server it is the one at 127.0.0.1.
 * Later `search` and `domain` lines replace earlier ones.
 */
void resolvconf_parse(const char *text, size_t n, struct resolvconf *ret);

#endif
