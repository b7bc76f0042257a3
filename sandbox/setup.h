/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The set-up child: what P1 is between clone and exec. Stages are functions of one shape in one
 * table (stages.c); each carries out its part of the sealed plan. None of them allocates, and a
 * failure of any is the end of the run.
 */
#ifndef JAIL_SANDBOX_SETUP_H
#define JAIL_SANDBOX_SETUP_H

#include <stdatomic.h>

#include "sandbox/gateway.h"
#include "sandbox/mountapi.h"
#include "sandbox/plan.h"
#include "sandbox/session.h"

struct setup {
	const struct plan *plan;
	const struct session *session;
	const struct gateway *gateway;
	int wire;
	struct mount_api api;
	int proc; /* a procfs of our own pid namespace, mounted nowhere yet */
	int root; /* the new root */
	int base; /* an image's: the tree that our own layer is made on, until it is stacked */
	int mask_file, mask_dir;
	int slave; /* the command's terminal */
	/* Between P1 and its thread that works beside it. */
	struct {
		int sys;	 /* the settings of the kernel, before anything covers them */
		int socket;	 /* one in the new network namespace */
		int mount_limit; /* user.max_mnt_namespaces, open for writing */
		_Atomic uint32_t alive;	   /* cleared by the kernel when the thread has ended */
		_Atomic uint32_t settings; /* `sys` is open: they can be written */
		_Atomic uint32_t made;	   /* the network and the limits are there */
		_Atomic uint32_t pivoted;  /* what is left to do: enum beside_last */
		bool inotify;		   /* the kernel has it */
		bool done;
		struct err err;
	} beside;
	/* Between P1 and P2, which share this memory until the exec. */
	_Atomic uint32_t go;	/* P1 is confined: exec */
	_Atomic uint32_t alive; /* cleared by the kernel when P2 has left */
	_Atomic bool ready;	/* P2 has nothing to do any more but the exec */
	struct err err;
};

typedef int (*stage_fn)(struct setup *s, struct err *e);

/* stage_mounts.c */
int stage_proc(struct setup *s, struct err *e);
int stage_mounts(struct setup *s, struct err *e);

/* stage_pivot.c */
int stage_pivot(struct setup *s, struct err *e);

/*
 * stage_overlay.c: the root of an image. First s->root is an empty tree, on which everything is made
 * that is to lie above the image; then the two are stacked, and s->root is what both show.
 */
int overlay_begin(struct setup *s, struct err *e);
int overlay_stack(struct setup *s, struct err *e);

/*
 * stage_beside.c: begun before the mounts; stage_settings opens what it writes to; its network is
 * joined after them, and after the pivot it takes the host's root away. It has ended when
 * stage_alone returns.
 */
enum beside_last { BESIDE_DETACH = 1, BESIDE_NOTHING };
int stage_beside(struct setup *s, struct err *e);
int stage_settings(struct setup *s, struct err *e);
void beside_pivoted(struct setup *s, enum beside_last last);
int stage_join(struct setup *s, struct err *e);
int stage_alone(struct setup *s, struct err *e);

/* stage_net.c: the routes, the rules and the sockets of a gated network, in this thread's. */
int net_make(const struct gateway *g, struct err *e);

/* stage_confine.c */
int stage_identity(struct setup *s, struct err *e);
int stage_keyring(struct setup *s, struct err *e);
int stage_hostname(struct setup *s, struct err *e);
int stage_limits(struct setup *s, struct err *e);
int stage_landlock(struct setup *s, struct err *e);

/* caps.c */
int stage_caps(struct setup *s, struct err *e);

/* stage_command.c: P1 makes the terminal; P2 does the rest just before exec. */
int stage_terminal(struct setup *s, struct err *e);
int stage_session(struct setup *s, struct err *e);
int stage_stdio(struct setup *s, struct err *e);
int stage_exec(struct setup *s, struct err *e);

/* nosuid.c */
int stage_nosuid(struct setup *s, struct err *e);

/* Load a seccomp program; the last thing before exec, or before pid 1's loop. */
int confine_seccomp(const struct filter *f, struct err *e);

/* P1's whole life. Does not return. */
void setup_run(struct setup *s, char **argv, char **envp);

/* init.c: P1 once the command runs. Does not return. */
void init_run(struct setup *s, pid_t command);

#endif
