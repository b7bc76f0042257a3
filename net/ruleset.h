/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jail-nft, which writes the rules when jail is built, and batch.c, which completes them, agree on. */
#ifndef JAIL_NET_RULESET_H
#define JAIL_NET_RULESET_H

#include <stdbool.h>
#include <stdint.h>

#define RULESET_TABLE "jail"
#define RULESET_PORTS "ports"
#define RULESET_SET4  "allowed4"
#define RULESET_SET6  "allowed6"

enum { RULESET_PORTS_ID = 1, RULESET_SET4_ID, RULESET_SET6_ID };

/* Bytes of a refused packet that are logged: all headers, and no more of what it says than that. */
enum { RULESET_SNAPLEN = 96 };

/* When a message is part of the batch. */
enum piece_when {
	PIECE_ALWAYS,
	PIECE_PORTS, /* the set has elements */
	PIECE_SET4,
	PIECE_SET6,
	PIECE_ELEMENTS, /* no message: here those of the sets' elements go */
	PIECE_KINDS,
};

struct piece {
	uint8_t when; /* enum piece_when */
	bool filter;  /* of the chain that filters */
	uint16_t at, length;
	const char *what; /* for the error message */
};

#endif
