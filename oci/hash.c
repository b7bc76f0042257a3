// SPDX-License-Identifier: GPL-2.0-or-later
/* Hashing by libcrypto; any process that handles blobs. */
#include "oci/hash.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/own.h"

struct hash {
	EVP_MD_CTX *ctx;
	const char *algorithm;
	bool failed;
};

int hash_start(const struct digest *like, struct hash **ret, struct err *e)
{
	struct hash *h = calloc(1, sizeof(*h));
	const EVP_MD *md;

	if (!h)
		return err_set(e, ST_IMAGE, ENOMEM, "hash");
	h->algorithm = digest_algorithm(like);
	md = h->algorithm[3] == '5' ? EVP_sha512() : EVP_sha256();
	h->ctx = EVP_MD_CTX_new();
	if (!h->ctx || EVP_DigestInit_ex(h->ctx, md, NULL) != 1) {
		EVP_MD_CTX_free(h->ctx);
		free(h);
		return err_set(e, ST_IMAGE, 0, "libcrypto has no %s", digest_algorithm(like));
	}
	*ret = h;
	return 0;
}

void hash_add(struct hash *h, const void *data, size_t n)
{
	if (EVP_DigestUpdate(h->ctx, data, n) != 1)
		h->failed = true;
}

int hash_finish(struct hash *h, struct digest *ret, struct err *e)
{
	unsigned char raw[EVP_MAX_MD_SIZE];
	unsigned n = 0;
	bool failed = EVP_DigestFinal_ex(h->ctx, raw, &n) != 1 || h->failed;

	if (!failed)
		digest_from_bytes(h->algorithm, raw, n, ret);
	EVP_MD_CTX_free(h->ctx);
	free(h);
	return failed ? err_set(e, ST_IMAGE, EIO, "hash") : 0;
}

int hash_fd(int fd, const struct digest *like, struct digest *ret, uint64_t *ret_size, struct err *e)
{
	own_str buf = malloc(256 << 10);
	own_hash h = NULL;
	struct hash *done;
	off_t at = 0;
	int rc = buf ? hash_start(like, &h, e) : err_set(e, ST_IMAGE, ENOMEM, "hash");

	while (rc == 0) {
		ssize_t n = pread(fd, buf, 256 << 10, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(e, ST_IMAGE, errno, "read a blob");
		if (n == 0)
			break;
		hash_add(h, buf, (size_t)n);
		at += n;
	}
	if (rc < 0)
		return rc;
	done = h;
	h = NULL;
	*ret_size = (uint64_t)at;
	return hash_finish(done, ret, e);
}
