/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading and writing the parts of DNS messages, within bounds; what dns.c and dnsreply.c share. */
#ifndef JAIL_GATE_DNSWIRE_H
#define JAIL_GATE_DNSWIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/name.h"

enum {
	WIRE_NAME_MAX = 255,
	WIRE_HEAD = 12,

	DNS_CLASS_IN = 1,
	DNS_OPT = 41,
	DNS_CNAME = 5,

	/* in the second 16 bits */
	DNS_QR = 0x8000,
	DNS_OPCODE = 0x7800,
	DNS_AA = 0x0400,
	DNS_TC = 0x0200,
	DNS_RD = 0x0100,
	DNS_RA = 0x0080,
	DNS_CD = 0x0010,
	DNS_RCODE = 0x000f,
};

/* `bad` once something was read past the end, or was no name; then everything reads as 0. */
struct wire_in {
	const uint8_t *m;
	size_t n, at;
	bool bad;
};

/* `full` once something did not fit; then nothing more is written. */
struct wire_out {
	uint8_t *m;
	size_t size, at;
	bool full;
};

/* Labels with their lengths and the empty one at the end, in lower case: equal names, equal bytes. */
struct wire_name {
	size_t n;
	uint8_t bytes[WIRE_NAME_MAX];
};

struct wire_head {
	uint16_t id, flags, questions, answers, authorities, additional;
};

/* A record; its data are m[data..data+size). */
struct wire_record {
	struct wire_name owner;
	uint16_t type, class;
	uint32_t ttl;
	size_t data, size;
};

uint16_t wire_get16(struct wire_in *r);
uint32_t wire_get32(struct wire_in *r);
void wire_skip(struct wire_in *r, size_t n);
void wire_get_head(struct wire_in *r, struct wire_head *ret);
/* Follows pointers, each further to the front than the one before, so that it ends. */
void wire_get_name(struct wire_in *r, struct wire_name *ret);
void wire_get_record(struct wire_in *r, struct wire_record *ret);

void wire_put(struct wire_out *w, const void *bytes, size_t n);
void wire_put16(struct wire_out *w, uint16_t v);
void wire_put32(struct wire_out *w, uint32_t v);
void wire_put_head(struct wire_out *w, const struct wire_head *h);

/* From a canonical name; false when it is none. */
bool wire_name_from(const char *name, struct wire_name *ret);
/* The canonical name; false (and "") when it is none: the root, odd bytes, a dot inside a label. */
bool wire_name_text(const struct wire_name *w, char ret[NAME_SIZE]);
bool wire_name_eq(const struct wire_name *a, const struct wire_name *b);

#endif
