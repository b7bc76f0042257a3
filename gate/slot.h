/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A connection through the gate, from the moment it is accepted until both ends are closed; and the
 * gate itself, which is a fixed table of them, a pool of pipes and one loop.
 *
 *	accepted ─► HELLO ─► RESOLVE ─► CONNECT ─► [PROXY] ─► RELAY ─► gone
 *	                └───────┴── refused ──► FAREWELL ───────────────┘
 *
 * "near" is who connected, "far" is what we connect to: for a published port near is outside.
 *
 * Nothing that comes from near is held in a buffer of ours: a hello or the head of a request stays
 * in the socket until all of it is there and the server is, too. Then it is taken, checked, and sent
 * from the one buffer that all share (taken.c). So a slot is small, and what was checked is what is
 * sent.
 */
#ifndef JAIL_GATE_SLOT_H
#define JAIL_GATE_SLOT_H

#include <stddef.h>
#include <sys/epoll.h>

#include "gate/event.h"
#include "gate/http.h"
#include "gate/loop.h"
#include "gate/resolver.h"
#include "net/policy.h"

enum {
	SLOTS_MAX = 4096,
	SLOT_FDS = 6,	      /* two sockets, two pipes */
	SCRATCH_SIZE = 65536, /* what is looked at in one go; more than HELLO_MAX and HTTP_HEAD_MAX */
	PIPES_KEPT = 64,      /* empty ones that wait for their next use */
};

/* Always asked for; EPOLLOUT joins them when a write first finds no room. */
#define SLOT_EVENTS (EPOLLIN | EPOLLRDHUP | EPOLLPRI | EPOLLET)

struct gate;
struct door;

struct pipe {
	int r, w;
	struct pipe *next;
};

/* The pipes that are in no use. One that still holds bytes is closed, never kept. */
struct pipes {
	struct pipe all[2 * SLOTS_MAX];
	struct pipe *kept, *unmade; /* made and empty; without descriptors */
	size_t n_kept, touched;	    /* from there on never used: their memory neither */
};

/* One direction of a relay. A pipe is borrowed only while it holds bytes. */
struct way {
	struct pipe *pipe;
	size_t held;	/* bytes in the pipe */
	uint64_t bytes; /* that arrived at the other side */
	bool ended;	/* its source has said that no more will come */
	bool shut;	/* and that was passed on */
};

enum slot_state {
	SLOT_FREE,
	SLOT_HELLO,	/* near must say what it wants */
	SLOT_RESOLVE,	/* where is it? */
	SLOT_CONNECTOR, /* waits for a socket from inside */
	SLOT_CONNECT,
	SLOT_PROXY, /* the proxy has our CONNECT */
	SLOT_RELAY,
	SLOT_FAREWELL, /* a refusal was written; near may read it before all is closed */
};

/*
 * TLS: a server may ask for a second hello (HelloRetryRequest), which must be for the same name.
 * Until its first bytes tell, nothing goes on behind the first one.
 */
enum slot_tls { TLS_OPEN, TLS_FIRST, TLS_ANSWER, TLS_SECOND };

struct slot {
	struct watch near, far;
	struct gate *gate;
	struct slot *next; /* free ones */
	enum slot_state state;
	bool near_out, far_out; /* EPOLLOUT is asked for */
	bool near_ended;	/* near will say no more; what it said may still be there */
	bool far_ended;		/* the same of far */
	bool published;		/* near is outside */
	uint8_t kind;		/* enum rule_kind */
	uint8_t tls;		/* enum slot_tls */
	uint16_t port;		/* as near asked for it */
	const struct rule *rule;
	const char *name; /* behind the destination; NULL: an address */
	const char *why;  /* of ports that need no rule */
	struct addr addr; /* the destination, and once it is connected the real one */
	int64_t since;	  /* loop time of the accept */
	uint64_t serial;  /* no two connections have the same */
	struct timer timer;
	struct timer_list *in; /* where the timer is armed */
	struct lookup lookup;
	struct addr tries[DNS_ADDRS_MAX];
	uint8_t n_tries, next_try;
	uint16_t try_port;
	bool by_proxy;
	struct way out, back; /* near to far, far to near */
	struct http http;
};

/* Of the process that connects inside for published ports; see connector.h. */
struct connector {
	struct watch watch;
	struct gate *gate;
};

struct gate {
	struct loop loop;
	const struct net_policy *policy;
	struct slot *free;
	size_t used, most;	    /* slots in use; and how many there may be */
	size_t touched;		    /* from there on never used: their memory neither */
	struct timer_list hello;    /* how long near may take to say what it wants */
	struct timer_list attempt;  /* one address, when there are more */
	struct timer_list connect;  /* the last address */
	struct timer_list farewell; /* how long near may take to read a refusal */
	struct timer_list second;   /* between two reports of the same */
	struct timer_list pause;    /* of a door, when there are no descriptors left */
	struct timer_list last; /* how long what was sent may take to be delivered, at the end */
	struct timer crowded;
	uint64_t serial;
	uint64_t turned_away; /* since the last report: there was no slot */
	bool finishing;	      /* the jail has ended: only what it has sent is still delivered */
	struct connector connector;
	struct watch control;
	struct pipes pipes;
	uint8_t scratch[SCRATCH_SIZE];
	struct slot slot[SLOTS_MAX];
};

/* ---- slot.c: the table ------------------------------------------------------------------------- */

/* At most as many slots as `files` descriptors allow. */
void slots_init(struct gate *g, size_t files);

/*
 * The jail has ended: what it has sent is delivered, and nothing else. The loop ends with the last
 * slot, which whoever asked need not wait for.
 */
void slots_finish(struct gate *g);
/* They all end, and what is still to be told is. */
void slots_end(struct gate *g);

/* From inside to outside. */
static inline const struct way *slot_way_out(const struct slot *s)
{
	return s->published ? &s->back : &s->out;
}

/* A connection was accepted; takes the descriptor, whatever becomes of it. */
void slot_begin(struct gate *g, const struct door *d, int fd);

/* Close both ends: in good order, or with a reset to both. Frees the slot. */
void slot_close(struct slot *s);
void slot_reset(struct slot *s);

/*
 * Refused: one event, one count on the scoreboard, and near is told in its own protocol where that is
 * possible. `asked` is the name in its request when that is another one, or NULL.
 */
void slot_refuse(struct slot *s, enum score_why score, const char *asked, const char *why);

/* There is no server to be had: near is told in HTTP, or sees a reset, as from a closed port. */
void slot_fail(struct slot *s, const char *why);

/* Near went away before it had anything, perhaps because it had waited for too long. */
void slot_lose(struct slot *s);

/* An event about this connection; the caller says what. */
struct event slot_event(const struct slot *s, const char *event, const char *verdict, const char *why);

void slot_wait(struct slot *s, struct timer_list *list);
void slot_no_wait(struct slot *s);

/* Watch far; -errno. */
int slot_watch_far(struct slot *s, uint32_t more);

/* ---- want.c: what does near want? --------------------------------------------------------------- */

/*
 * Where the client meant to go. Without a redirection the kernel knows no other address than the
 * gate's own, or none at all: false, somebody has connected to the gate itself.
 */
bool want_destination(int fd, const struct door *d, struct addr *ret, uint16_t *ret_port);
/* Destination, name, rule; then hello, or straight on. */
void want_begin(struct slot *s, const struct door *d);
/* Near said something, in SLOT_HELLO. */
void want_look(struct slot *s);
/* http_check() said HTTP_BAD. */
void want_refuse_head(struct slot *s, const struct http *h);

/* ---- far.c: the way to the server ---------------------------------------------------------------- */

void far_begin(struct slot *s);
/* Connected to a host's or jail's own port, by address: no look-up, no rule. */
void far_connect_to(struct slot *s, const struct addr *a, uint16_t port);
/* A socket that is being connected already; takes it. */
void far_adopt(struct slot *s, int fd);
/* Far became writable, or failed, in SLOT_CONNECT. */
void far_ready(struct slot *s);
/* The next address, if there is one. */
void far_next(struct slot *s, int error);
/* It is there, and nothing stands between: the relay begins. */
void far_reached(struct slot *s);

/* ---- proxy.c ------------------------------------------------------------------------------------- */

/*
 * Through the host's HTTP proxy, by CONNECT. The proxy looks the name up: whether the address behind
 * it is private, only the proxy can see.
 */
void proxy_ask(struct slot *s);
/* Far said something, in SLOT_PROXY. */
void proxy_look(struct slot *s);

/* ---- pipes.c ------------------------------------------------------------------------------------- */

/* An empty one; NULL: there is none to be had. */
struct pipe *pipe_borrow(struct pipes *p);
/* Give a way's pipe back. */
void way_release(struct pipes *p, struct way *w);

/* ---- relay.c ------------------------------------------------------------------------------------- */

/* Move what can be moved; closes the slot when all is done. */
void relay_begin(struct slot *s);
void relay_near(struct slot *s, uint32_t events);
void relay_far(struct slot *s, uint32_t events);

#endif
