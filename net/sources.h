/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hosts that package managers of this machine are configured for, out of the text of their
 * files, as words that rule_parse() takes. Pure functions, P0.
 */
#ifndef JAIL_NET_SOURCES_H
#define JAIL_NET_SOURCES_H

#include "net/policy.h"

enum { SOURCES_MAX = 64 };

struct sources {
	size_t n;
	char word[SOURCES_MAX][NAME_SIZE + 24]; /* each once */
	bool registry; /* npm: one for all packages was among them, not for a scope alone */
};

/*
 * The host of an http or https URL: "mirror.test:80/http". 1: added, or it was there; 0: another
 * scheme, which has no host to speak of (file:, cdrom:); -EINVAL: no such URL; -E2BIG: no room.
 */
int sources_add_url(struct sources *s, const char *url, size_t n);

/*
 * A whole file: 0 or -errno of the above, with the line it is in. Lines that say nothing of hosts
 * are skipped, whatever they are.
 */
int sources_npmrc(struct sources *s, const char *text, size_t n, unsigned *ret_line);
int sources_apt_list(struct sources *s, const char *text, size_t n, unsigned *ret_line);
int sources_apt_deb822(struct sources *s, const char *text, size_t n, unsigned *ret_line);

#endif
