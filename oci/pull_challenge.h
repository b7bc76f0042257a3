/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a registry says one must bring: the WWW-Authenticate header. Pure. */
#ifndef JAIL_OCI_PULL_CHALLENGE_H
#define JAIL_OCI_PULL_CHALLENGE_H

#include <stdbool.h>

#include "oci/pull_http.h"

struct challenge {
	bool basic, bearer;
	/* Of the first Bearer; empty when absent. Without control bytes. */
	char realm[HTTP_CHALLENGE_MAX], service[512];
};

/*
 * Every challenge of the (joined) header; others than Basic and Bearer are passed over. -EINVAL
 * when it is malformed: half a challenge is none.
 */
int challenge_parse(const char *header, struct challenge *ret);

#endif
