// SPDX-License-Identifier: GPL-2.0-or-later
/* Fuzzes references: what is taken, completed, is taken again and means the same. */
#include "oci/ref.h"
#include "tests/fuzz/oracle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[REF_TEXT_MAX], again[REF_TEXT_MAX];
	struct ref r = { .tag = "untouched" }, second;
	struct err e = { 0 };
	own_str s = strndup((const char *)data, size);

	MUST(s, "memory");
	if (ref_parse(s, &r, &e) < 0) {
		MUST(str_eq(r.tag, "untouched") && e.stage == ST_IMAGE && e.what[0], s);
		return 0;
	}
	ref_format(&r, text, sizeof(text));
	MUST(ref_parse(text, &second, &e) == 0, text);
	ref_format(&second, again, sizeof(again));
	MUST(str_eq(text, again), s);
	MUST(r.tag[0] || r.digest.text[0], s);
	MUST(!strstr(r.repository, "..") && r.repository[0] != '/' && r.repository[0], s);
	MUST(strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:@[]") ==
		     strlen(text),
	     text);
	return 0;
}
