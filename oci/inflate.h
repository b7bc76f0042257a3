/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decompression in steps, of what the bytes are and not of what a label says; jail-unpack. One file
 * for each library: ISA-L takes zlib's place where configure found it.
 */
#ifndef JAIL_OCI_INFLATE_H
#define JAIL_OCI_INFLATE_H

#include <stddef.h>
#include <stdint.h>

enum codec { CODEC_PLAIN, CODEC_GZIP, CODEC_ZSTD, CODEC_BZIP2, CODEC_XZ, CODEC_COUNT };

/* What begins with these bytes. */
enum codec codec_sniff(const uint8_t *head, size_t n);
const char *codec_name(enum codec c);

/* One step: in and out move on by what was used. */
struct flow {
	const uint8_t *in;
	size_t in_n;
	uint8_t *out;
	size_t out_n;
};

enum step {
	STEP_MORE,   /* wants input, or room */
	STEP_MEMBER, /* a gzip member or a zstd frame ended right here */
	STEP_BAD,    /* not valid, or a checksum that does not fit */
};

struct gunzip;
struct unzstd;

/* NULL when there is no memory. Made before the cage: what they need is then there. */
struct gunzip *gunzip_new(void);
enum step gunzip_step(struct gunzip *g, struct flow *f);
void gunzip_free(struct gunzip *g);

struct unzstd *unzstd_new(void);
enum step unzstd_step(struct unzstd *z, struct flow *f);
void unzstd_free(struct unzstd *z);

#endif
