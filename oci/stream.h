/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A blob becomes a tar: read, hashed, decompressed and hashed again by threads, while the caller
 * looks at what comes out. Runs in jail-unpack, inside the cage.
 */
#ifndef JAIL_OCI_STREAM_H
#define JAIL_OCI_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "oci/digest.h"

struct stream;

struct stream_limits {
	uint64_t size;	/* of the blob, exactly; UINT64_MAX: whatever it is */
	uint64_t bytes; /* of the tar, at most */
	uint64_t ratio; /* of the tar to the blob, once ratio_from bytes are out */
	uint64_t ratio_from;
};

struct stream_result {
	struct digest digest, diff_id; /* of the blob and of the tar */
	uint64_t size, bytes;
};

/*
 * All memory and all of libcrypto, zlib and libzstd is fetched here, before the cage. The algorithms
 * of the hashes are those of `digest` and `diff_id`.
 */
int stream_new(int fd, const struct stream_limits *limits, const struct digest *digest,
	       const struct digest *diff_id, struct stream **ret, struct err *e);
/* Starts the threads: after the cage. */
int stream_start(struct stream *s, struct err *e);
/* The next piece of the tar, valid until the next call; 0 at the end, or after a failure. */
size_t stream_next(struct stream *s, const void **ret);
/*
 * End the threads and say what was seen: what the caller did not take is still hashed to its end.
 * The size of the blob and its digest, `want` unless empty, are checked ahead of all else: that they
 * are wrong is worth more than any error that follows from it. With `failed`, the caller's own error
 * comes last, and *ret stays as it is.
 */
int stream_finish(struct stream *s, int failed, const struct digest *want,
		  struct stream_result *ret, struct err *e);
/* After stream_finish, or before stream_start. */
void stream_free(struct stream *s);

#endif
