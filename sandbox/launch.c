// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clone3 into all namespaces at once but the network's (stage_beside.c), and the id maps; P0.
 *
 * One user namespace, made by this very binary: systems that grant user namespaces by program
 * (AppArmor on Ubuntu) look at who makes it, and at every one that is made.
 */
#include "sandbox/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/kernel.h"
#include "base/own.h"
#include "sandbox/afterwards.h"
#include "sandbox/setup.h"
#include "sandbox/wire.h"
#include "sandbox/weak.h"

/*
 * Real root maps the command to an id that owns nothing, which only a process outside may do;
 * setgroups stays allowed, because the command must leave root's groups behind. An ordinary user's
 * set-up process maps itself: stage_identity.
 */
static int map_ids(pid_t pid, const struct plan *p, struct err *e)
{
	char path[32], uid[32], gid[32];
	own_fd proc = FD_NONE;
	int rc;

	(void)snprintf(path, sizeof(path), "/proc/%d", pid);
	(void)snprintf(uid, sizeof(uid), "%u %u 1\n", p->uid, JAIL_KUID);
	(void)snprintf(gid, sizeof(gid), "%u %u 1\n", p->gid, JAIL_KUID);
	proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (proc < 0)
		return err_set(e, ST_USERNS, errno, "open '%s'", path);
	rc = fs_write_file_at(proc, "gid_map", gid);
	if (rc == 0)
		rc = fs_write_file_at(proc, "uid_map", uid);
	return rc < 0 ? err_set(e, ST_USERNS, -rc, "map the ids") : 0;
}

static int say_go(int wire, struct err *e)
{
	struct record go = { .type = REC_GO };
	int rc = wire_send(wire, &go, FD_NONE);

	return rc < 0 ? err_set(e, ST_WIRE, -rc, "start the set-up process") : 0;
}

/* It was made and will not be used: nothing of it may be left. */
static void destroy(struct jail *j)
{
	siginfo_t info;

	(void)k_pidfd_send_signal(j->pidfd, SIGKILL);
	while (waitid(P_PIDFD, (id_t)j->pidfd, &info, WEXITED) < 0 && errno == EINTR)
		;
	fd_release(&j->pidfd);
	fd_release(&j->mounts);
}

/* All kinds but the network's; the user's is what makes the others possible. */
static uint64_t namespaces(void)
{
	return CLONE_NEWUSER | CLONE_NEWNS | (weakened(WEAK_PIDNS) ? 0 : CLONE_NEWPID) |
	       (weakened(WEAK_IPCNS) ? 0 : CLONE_NEWIPC) | (weakened(WEAK_UTSNS) ? 0 : CLONE_NEWUTS) |
	       (weakened(WEAK_CGROUPNS) ? 0 : CLONE_NEWCGROUP);
}

int launch(const struct plan *p, struct session *s, struct gateway *g, int cgroup_fd, char **argv,
	   char **envp, struct jail *ret, struct err *e)
{
	int pidfd = FD_NONE;
	struct k_clone_args args = {
		.flags = namespaces() | K_CLONE_PIDFD | (cgroup_fd >= 0 ? K_CLONE_INTO_CGROUP : 0),
		.pidfd = (uintptr_t)&pidfd,
		.exit_signal = SIGCHLD,
		.cgroup = cgroup_fd >= 0 ? (uint64_t)cgroup_fd : 0,
	};
	long pid = k_clone3(&args);
	int rc;

	if (pid < 0)
		return err_set(e, ST_CLONE, errno, "make the namespaces");
	if (pid == 0) {
		struct setup setup = {
			.plan = p,
			.session = s,
			.gateway = g,
			.wire = s->wire[1],
			.proc = FD_NONE,
			.root = FD_NONE,
			.base = FD_NONE,
			.mask_file = FD_NONE,
			.mask_dir = FD_NONE,
			.slave = FD_NONE,
			.beside = { .sys = FD_NONE, .socket = FD_NONE, .mount_limit = FD_NONE },
		};

		fd_release(&s->wire[0]); /* or the supervisor's end would outlive the supervisor */
		gateway_enter(g);
		setup_run(&setup, argv, envp);
	}
	*ret = (struct jail){ .pid = (pid_t)pid,
			      .pidfd = pidfd,
			      .mounts = afterwards_hold(pidfd),
			      .cgroup_fd = cgroup_fd };
	fd_release(&s->wire[1]);
	for (int i = 1; i < 3; i++) /* the input's is kept for a look at what is left in it */
		fd_release(&s->io[i].child);
	rc = gateway_start(g, e);
	if (rc == 0 && p->remap) {
		rc = map_ids(ret->pid, p, e);
		if (rc == 0)
			rc = say_go(s->wire[0], e);
	}
	if (rc < 0)
		destroy(ret);
	return rc;
}
