// SPDX-License-Identifier: GPL-2.0-or-later
/* gunzip by zlib, where ISA-L is not to be had; jail-unpack, the decoding thread. */
#include <stdlib.h>
#include <zlib.h>

#include "oci/inflate.h"

#define GZIP_ONLY (15 + 16)

struct gunzip {
	z_stream z;
};

struct gunzip *gunzip_new(void)
{
	struct gunzip *g = calloc(1, sizeof(*g));

	if (g && inflateInit2(&g->z, GZIP_ONLY) != Z_OK) {
		free(g);
		return NULL;
	}
	return g;
}

enum step gunzip_step(struct gunzip *g, struct flow *f)
{
	uInt in = f->in_n > UINT32_MAX ? UINT32_MAX : (uInt)f->in_n;
	uInt out = f->out_n > UINT32_MAX ? UINT32_MAX : (uInt)f->out_n;
	int rc;

	g->z.next_in = (Bytef *)(uintptr_t)f->in;
	g->z.avail_in = in;
	g->z.next_out = f->out;
	g->z.avail_out = out;
	rc = inflate(&g->z, Z_NO_FLUSH);
	f->in += in - g->z.avail_in;
	f->in_n -= in - g->z.avail_in;
	f->out += out - g->z.avail_out;
	f->out_n -= out - g->z.avail_out;
	if (rc == Z_STREAM_END)
		return inflateReset(&g->z) == Z_OK ? STEP_MEMBER : STEP_BAD;
	return rc == Z_OK || rc == Z_BUF_ERROR ? STEP_MORE : STEP_BAD;
}

void gunzip_free(struct gunzip *g)
{
	if (g)
		(void)inflateEnd(&g->z);
	free(g);
}
