/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of an index's manifests is for this machine; pure but for uname. */
#ifndef JAIL_OCI_PLATFORM_H
#define JAIL_OCI_PLATFORM_H

#include <stdbool.h>

struct platform {
	char os[32], architecture[32], variant[32]; /* variant "": any, or none */
};

/* What this machine runs. */
void platform_native(struct platform *ret);
/* OS/ARCHITECTURE[/VARIANT]; false when it is not that. */
bool platform_parse(const char *s, struct platform *ret);
/*
 * How well an image for os/architecture/variant (any may be NULL) serves `want`; 0: not at all. arm64
 * means v8; arm v7 is served by v6 and v5 too; an image that says nothing is taken, as the last
 * choice; unknown/unknown is no image but an attestation.
 */
int platform_fit(const struct platform *want, const char *os, const char *architecture,
		 const char *variant);

#endif
