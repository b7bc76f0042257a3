// SPDX-License-Identifier: GPL-2.0-or-later
/* Which defences are off; all processes of jail-weak, which is for tests alone. */
#include "sandbox/weak.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"

static const char *const names[WEAK_COUNT] = {
	[WEAK_CAPS] = "caps",
	[WEAK_NNP] = "nnp",
	[WEAK_SECCOMP] = "seccomp",
	[WEAK_SYSCTL] = "sysctl",
	[WEAK_LANDLOCK] = "landlock",
	[WEAK_PIDNS] = "pidns",
	[WEAK_IPCNS] = "ipcns",
	[WEAK_UTSNS] = "utsns",
	[WEAK_NETNS] = "netns",
	[WEAK_CGROUPNS] = "cgroupns",
	[WEAK_PROPAGATION] = "propagation",
	[WEAK_HOST_ROOT] = "host-root",
	[WEAK_READONLY] = "readonly",
	[WEAK_NOSUID] = "nosuid",
	[WEAK_NODEV] = "nodev",
	[WEAK_MASKS] = "masks",
	[WEAK_DEV] = "dev",
	[WEAK_PIVOT] = "pivot",
	[WEAK_DUMPABLE] = "dumpable",
	[WEAK_STDIO] = "stdio",
	[WEAK_SESSION] = "session",
	[WEAK_FDS] = "fds",
	[WEAK_ENV] = "env",
	[WEAK_LIMITS] = "limits",
	[WEAK_KEYRING] = "keyring",
	[WEAK_LINKS] = "links",
	[WEAK_SOCKETS] = "sockets",
	[WEAK_GROUPS] = "groups",
	[WEAK_TRUSTED] = "trusted",
	[WEAK_NFT] = "nft",
};

static uint32_t off;

bool weakened(enum weakness w)
{
	return off & (UINT32_C(1) << w);
}

/* Before main: the stages of a set-up child read nothing from the environment. */
__attribute__((constructor)) static void read_weaknesses(void)
{
	const char *list = getenv("JAIL_WEAKEN");

	while (list && *list) {
		size_t n = strcspn(list, ","), i = 0;

		while (i < WEAK_COUNT && (strncmp(names[i], list, n) != 0 || names[i][n]))
			i++;
		if (i == WEAK_COUNT) {
			(void)fprintf(stderr, "jail-weak: JAIL_WEAKEN: '%.*s' is no defence\n",
				      (int)n, list);
			exit(125);
		}
		off |= UINT32_C(1) << i;
		list += n;
		list += *list == ',';
	}
}
