/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the supervisor (P0) and the jail's pid 1 (P1) say to each other: fixed records on a
 * SEQPACKET socket, so that a record is whole or not there, and the peer's death is an end of file
 * that both sides see.
 */
#ifndef JAIL_SANDBOX_WIRE_H
#define JAIL_SANDBOX_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum record_type {
	/* P0 to P1 */
	REC_GO = 1, /* ids are mapped: begin (real root only) */
	REC_SIGNAL, /* number: send it to the command's process group */
	REC_ALL,    /* number: send it to everything inside */
	/* P1 to P0 */
	REC_ERROR,    /* err: nothing was started */
	REC_TERMINAL, /* with a descriptor: the pty's master */
	REC_STARTED,  /* exec has happened */
	REC_STOPPED,  /* the command stopped; number: by which signal */
	REC_EXIT,     /* number: the command's wait status */
};

struct record {
	uint32_t type;
	int32_t number;
	struct err err;
};

int wire_pair(int ret[2], struct err *e);

/* 0, or -errno. fd FD_NONE sends none. Never raises SIGPIPE. */
int wire_send(int wire, const struct record *r, int fd);

/*
 * 1 with a record, 0 at end of file, -EAGAIN when nothing waits and `block` is false, or -errno. A
 * record of another size, of an unknown type or with text that does not end is -EBADMSG: the peer
 * is not who it should be. ret_fd may be NULL; a descriptor that comes with anything but
 * REC_TERMINAL is closed.
 */
int wire_receive(int wire, struct record *ret, int *ret_fd, bool block);

/* The check that wire_receive makes, for the fuzzer: true when n bytes are a record. */
bool wire_valid(const struct record *r, unsigned long n);

#endif
