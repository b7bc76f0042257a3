// SPDX-License-Identifier: GPL-2.0-or-later
/* What kind of stream it is; pure. */
#include "oci/inflate.h"

#include <string.h>

#include "base/own.h"

enum codec codec_sniff(const uint8_t *head, size_t n)
{
	static const struct {
		enum codec codec;
		size_t n;
		const char *magic;
	} rows[] = {
		{ CODEC_GZIP, 3, "\x1f\x8b\x08" },
		{ CODEC_ZSTD, 4, "\x28\xb5\x2f\xfd" },
		{ CODEC_BZIP2, 3, "BZh" },
		{ CODEC_XZ, 6,
		  "\xfd"
		  "7zXZ\0" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (n >= rows[i].n && memcmp(head, rows[i].magic, rows[i].n) == 0)
			return rows[i].codec;
	}
	/* zstd's skippable frames: 50 to 5f, 2a 4d 18 */
	if (n >= 4 && (head[0] & 0xf0) == 0x50 && memcmp(head + 1, "\x2a\x4d\x18", 3) == 0)
		return CODEC_ZSTD;
	return CODEC_PLAIN;
}

const char *codec_name(enum codec c)
{
	static const char *const names[CODEC_COUNT] = { "plain", "gzip", "zstd", "bzip2", "xz" };

	return names[c];
}
