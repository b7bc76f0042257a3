// SPDX-License-Identifier: GPL-2.0-or-later
/* zstd, frame after frame, skippable ones too; jail-unpack, the decoding thread. */
#include <stdlib.h>
#include <zstd.h>

#include "oci/inflate.h"

/* The library's own default: what `zstd -22` writes, and 128 MiB of memory at most. */
#define WINDOW_LOG_MAX 27

struct unzstd {
	ZSTD_DCtx *ctx;
};

struct unzstd *unzstd_new(void)
{
	struct unzstd *z = calloc(1, sizeof(*z));

	if (z)
		z->ctx = ZSTD_createDCtx();
	if (!z || !z->ctx ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(z->ctx, ZSTD_d_windowLogMax, WINDOW_LOG_MAX))) {
		unzstd_free(z);
		return NULL;
	}
	return z;
}

enum step unzstd_step(struct unzstd *z, struct flow *f)
{
	ZSTD_inBuffer in = { f->in, f->in_n, 0 };
	ZSTD_outBuffer out = { f->out, f->out_n, 0 };
	size_t rc = ZSTD_decompressStream(z->ctx, &out, &in);

	if (ZSTD_isError(rc))
		return STEP_BAD;
	f->in += in.pos;
	f->in_n -= in.pos;
	f->out += out.pos;
	f->out_n -= out.pos;
	return rc == 0 ? STEP_MEMBER : STEP_MORE;
}

void unzstd_free(struct unzstd *z)
{
	if (z)
		(void)ZSTD_freeDCtx(z->ctx);
	free(z);
}
