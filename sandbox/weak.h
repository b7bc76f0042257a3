/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Switching single defences off, in a binary for tests alone.
 *
 * jail-weak is the same sources, compiled once more with JAIL_WEAK, and is never installed. It takes
 * JAIL_WEAKEN=caps,seccomp from its environment: the hardening suite shows with it that a probe gets
 * through when the defence is gone, and that each of two defences holds alone. In jail itself
 * weakened() is false when it is compiled, and what it guards is not there.
 */
#ifndef JAIL_SANDBOX_WEAK_H
#define JAIL_SANDBOX_WEAK_H

#include <stdbool.h>

enum weakness {
	WEAK_CAPS,     /* the command keeps every capability, as ambient ones */
	WEAK_NNP,      /* no_new_privs is not set; needs seccomp and landlock off, too */
	WEAK_SECCOMP,  /* the command has no filter */
	WEAK_SYSCTL,   /* namespaces can be made inside */
	WEAK_LANDLOCK, /* no ruleset */
	WEAK_PIDNS,    /* these five: the host's own */
	WEAK_IPCNS,
	WEAK_UTSNS,
	WEAK_NETNS,
	WEAK_CGROUPNS,
	WEAK_PROPAGATION, /* mounts on the host appear inside */
	WEAK_HOST_ROOT,	  /* the host's whole tree is there, read-only, instead of a selection */
	WEAK_READONLY,	  /* nothing is mounted read-only */
	WEAK_NOSUID,	  /* nor nosuid */
	WEAK_NODEV,	  /* device nodes on the host's file systems can be opened */
	WEAK_MASKS,	  /* /proc is whole and writable */
	WEAK_DEV,	  /* the host's /dev */
	WEAK_PIVOT,	  /* a changed root only, with the working directory left outside */
	WEAK_DUMPABLE,	  /* pid 1 keeps the caller's words and can be read */
	WEAK_STDIO,	  /* descriptors 0 to 2 are handed on, terminals too */
	WEAK_SESSION,	  /* the caller's session and process group */
	WEAK_FDS,	  /* so are all other descriptors */
	WEAK_ENV,	  /* and the environment */
	WEAK_LIMITS,	  /* no rlimits, no sizes, no cgroup */
	WEAK_KEYRING,	  /* the caller's session keyring */
	WEAK_LINKS,	  /* links in writable trees are followed */
	WEAK_SOCKETS,	  /* sockets in shared trees are not covered */
	WEAK_GROUPS,	  /* root's supplementary groups stay */
	WEAK_TRUSTED,	  /* jail itself, its profiles and the home may be writable */
	WEAK_NFT,	  /* the gate alone decides: nothing is filtered in front of it */
	WEAK_COUNT,
};

#ifdef JAIL_WEAK
bool weakened(enum weakness w);
#else
static inline bool weakened(enum weakness w)
{
	(void)w;
	return false;
}
#endif

#endif
