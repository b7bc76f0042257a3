/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where is a name? Asked when a connection is made, outside, by the host's own means: the files
 * hosts and resolv.conf as they were when the gate started, then its name servers, by UDP with random
 * ids and ports, by TCP when an answer does not fit. Answers are kept for their time to live.
 */
#ifndef JAIL_GATE_RESOLVER_H
#define JAIL_GATE_RESOLVER_H

#include "gate/dns.h"
#include "gate/loop.h"

struct lookup;
/*
 * error 0: n addresses, which are read before `done` returns, IPv4 first; else ENOENT (there is no
 * such name, or no address), ETIMEDOUT, EHOSTUNREACH (no server, or none that would), EBUSY (too
 * many at once).
 */
typedef void (*lookup_fn)(struct lookup *l, const struct addr *addr, size_t n, int error);

/* Lives in whoever asks, until `done` is called or it was cancelled. */
struct lookup {
	lookup_fn done;
	char name[NAME_SIZE];
	struct lookup *next; /* others who wait for the same */
	void *job;	     /* resolver.c's */
};

/*
 * Reads the two files; before the gate is confined. `hosts` and `conf` are paths; a missing file is an
 * empty one. -errno, or 0, or of these what main should say: of a hosts file over 1 MiB or a
 * resolv.conf over 64 KiB the rest was not read.
 */
enum { RESOLVER_HOSTS_CUT = 1, RESOLVER_CONF_CUT = 2 };
int resolver_init(struct loop *l, const char *hosts, const char *conf);
/* `done` and `name` are set. `done` may be called before this returns. */
void resolver_ask(struct lookup *l);
void resolver_cancel(struct lookup *l);

#endif
