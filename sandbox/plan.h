/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan: everything a run will do, decided, checked and opened before the first process is made.
 * P0 builds it, seals it read-only, and P1 carries it out without asking anything again.
 */
#ifndef JAIL_SANDBOX_PLAN_H
#define JAIL_SANDBOX_PLAN_H

#include <sys/types.h>

#include "landlock/rights.h"
#include "net/policy.h"
#include "profiles/draft.h"
#include "sandbox/caller.h"
#include "sandbox/filter.h"

enum mount_kind {
	MK_DIR,	    /* a directory on a private tree */
	MK_SYMLINK, /* `source` is the link's text */
	MK_FILE,    /* `source` is the contents, `length` bytes */
	MK_TMPFS,
	MK_BIND,
	MK_PROC,
	MK_READONLY, /* a part of /proc, bound onto itself read-only; skipped when absent */
	/* a part of /proc, hidden behind an empty file or directory; skipped when absent */
	MK_MASK,
	MK_DEVPTS,
};

/* One step in building the root. The list is sorted so that a parent comes before what is in it. */
struct mount_op {
	enum mount_kind kind;
	const char *target; /* absolute, canonical, inside */
	const char *source; /* MK_BIND: canonical host path */
	size_t length;
	bool is_dir;   /* MK_BIND */
	bool readonly; /* MK_BIND */
	/* MK_BIND of one of our own device nodes: the only mounts without nodev */
	bool device;
	/* the place to mount is on a private tree, and is made; else it must exist */
	bool make_point;
	bool on_root; /* no other mount lies between it and the root */
	mode_t mode;
	dev_t dev;   /* MK_BIND: what was there when it was planned; */
	ino_t ino;   /* anything else there later is refused */
	int tree_fd; /* MK_BIND by real root: the idmapped tree, made by P0; else FD_NONE */
	uint64_t size, inodes; /* MK_TMPFS */
	enum access access;    /* the Landlock rule this path gets */
	enum opt option;       /* who asked: OPT_COUNT means jail itself */
	struct origin origin;
};

struct mount_list {
	struct mount_op *ops;
	size_t n;
};

struct limits {
	bool has_memory, has_swap, has_cpu, has_fsize;
	uint64_t memory, swap, cpu /* thousandths */, pids, files, fsize;
	uint64_t time_ms, grace_ms; /* time 0: none */
};

/*
 * What a person should know about this run: a weakening that was asked for, or something this
 * machine cannot do.
 */
struct note {
	struct note *next;
	bool weak;	/* said on stderr at every run */
	bool said;	/* this too; the others only in explain */
	const char *id; /* stable: "network-host" */
	const char *text;
};

struct image;

struct plan {
	const struct draft *draft;
	const struct caller *caller;
	uid_t uid; /* inside */
	gid_t gid;
	bool remap; /* real root: inside is JAIL_KUID outside, never root */
	const char *user, *hostname, *workspace, *cwd;
	const char *home;	  /* inside, canonical */
	const char *home_spelled; /* as $HOME says inside */
	struct mount_list mounts;
	struct net_policy *network; /* mode = gate: what is let through; NULL: there is no gate */
	bool without_nft;	    /* a gate without nftables will do where there is none */
	int events_fd;		    /* where the gate's events go; FD_NONE: nobody asked */
	struct profile_file *deciding; /* beside profiles: files that the rules were taken from */
	struct image *image;	       /* what the root is made of; NULL: the host's system */
	bool proc_pids_only, nested_userns, new_netns, loopback, raw_escapes;
	int landlock_abi;
	bool landlock_net;   /* no TCP at all */
	bool sockets_unsure; /* there may be one of the host's in a shown tree */
	struct filter command_filter, init_filter;
	const char *seccomp; /* the preset's name */
	struct limits limits;
	const char *path; /* PATH inside */
	char *const *envp;
	char *const *argv; /* NULL for explain without a command */
	const char *policy_json, *policy_text;
	struct note *notes;
};

/* Where real root's command runs as seen from outside: the letters "jail", a number nobody has. */
#define JAIL_KUID 0x6a61696cu

/*
 * Decide everything. No effect on the file system, no process made (but for jail-filter when a
 * profile changes the call list). `argv` may be NULL.
 */
int plan_build(struct arena *a, const struct draft *d, const struct caller *c, char *const *argv,
	       struct plan **ret, struct err *e);

struct note *plan_note(struct arena *a, struct plan *p, bool weak, const char *id, const char *fmt,
		       ...) __attribute__((format(printf, 5, 6)));

#endif
