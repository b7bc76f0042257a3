// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The order of confinement, as a table; P1, from the clone to the exec.
 *
 * Order is security here, and each constraint is a fact of the kernel:
 *   identity  first: files made on the new root belong to whoever makes them
 *   beside    as early as can be, because it takes longest: the network, and settings
 *   proc      before mounts: settings are written through one that nothing could be laid over
 *   join      before caps: both need CAP_SYS_ADMIN, and bringing lo up CAP_NET_ADMIN
 *   pivot     before landlock: Landlock forbids changing mounts, and its rules need the final paths
 *   caps      before landlock: no_new_privs is set there, and Landlock asks for it
 *   alone     before the command: the thread beside has all capabilities, and gives the gate its sockets
 *   limits    behind it: they are the process's, and of descriptors the thread may need more; all of
 *             them only go down, which needs no permission
 *   seccomp   last: it forbids most of what stands above
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/own.h"
#include "sandbox/futex.h"
#include "sandbox/setup.h"
#include "sandbox/wire.h"
#include "sandbox/weak.h"

struct stage_row {
	enum stage stage;
	stage_fn run;
};

/* clang-format off */

/* P1: the room. */
static const struct stage_row setup_stages[] = {
	{ ST_USERNS, stage_identity },
	{ ST_NET, stage_beside },
	{ ST_USERNS, stage_keyring },
	{ ST_MOUNT, stage_proc },
	{ ST_SYSCTL, stage_settings },
	{ ST_MOUNT, stage_mounts },
	{ ST_MOUNT, stage_pivot },
	{ ST_NET, stage_join },
	{ ST_NET, stage_hostname },
	{ ST_TTY, stage_terminal },
	{ ST_CAPS, stage_caps },
	{ ST_LANDLOCK, stage_landlock },
	{ ST_NET, stage_alone },
	{ ST_LIMITS, stage_limits },
};

static int stage_wait(struct setup *s, struct err *e);

static int stage_seccomp(struct setup *s, struct err *e)
{
	return weakened(WEAK_SECCOMP) ? 0 : confine_seccomp(&s->plan->command_filter, e);
}

/* P2: the command, in a room that is finished. */
static const struct stage_row command_stages[] = {
	{ ST_TTY, stage_session },
	{ ST_TTY, stage_stdio },
	{ ST_SECCOMP, stage_nosuid },
	{ ST_SECCOMP, stage_seccomp },
	{ ST_SECCOMP, stage_wait },
	{ ST_EXEC, stage_exec },
};

/* clang-format on */

/* The first failure, with a stage's own words or at least its name. */
static int run_stages(struct setup *s, const struct stage_row *rows, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		int rc = rows[i].run(s, e);

		if (rc < 0)
			return err_set(e, rows[i].stage, -rc, "stage %s", stage_name(rows[i].stage));
	}
	return 0;
}

static void give_up(struct setup *s)
{
	struct record r = { .type = REC_ERROR, .err = s->err };

	(void)wire_send(s->wire, &r, FD_NONE);
	/* as in init.c: our own filter may be in force already */
	while (syscall(SYS_exit_group, 125) <= 0)
		;
}

/*
 * Die with the supervisor, in every interleaving: the signal covers its death from now on, and the
 * wire tells of one before now. The kernel forgets the signal when our ids change, so it is asked
 * for right behind stage_identity.
 */
static int die_with_parent(int wire, struct err *e)
{
	struct pollfd p = { .fd = wire };

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return err_set(e, ST_SUPERVISE, errno, "ask to die with the supervisor");
	if (poll(&p, 1, 0) < 0)
		return err_set(e, ST_SUPERVISE, errno, "look for the supervisor");
	if (p.revents & (POLLHUP | POLLERR))
		_exit(125);
	return 0;
}

/*
 * The caller's words must not be readable from inside: /proc/1/cmdline is world-readable, and
 * memory is memory.
 */
static void forget_caller(char **argv, char **envp)
{
	static const char name[] = "jail-init";

	if (weakened(WEAK_DUMPABLE))
		return;
	for (char **v = envp; *v; v++)
		explicit_bzero(*v, strlen(*v));
	for (char **v = argv; *v; v++) {
		size_t n = strlen(*v);

		explicit_bzero(*v, n);
		if (v == argv)
			memcpy(*v, name, n < sizeof(name) ? n : sizeof(name) - 1);
	}
}

/* P2: everything but the exec needs no permission; the exec waits until pid 1 is confined too. */
static int command_main(void *arg)
{
	struct setup *s = arg;

	(void)run_stages(s, command_stages, ARRAY_SIZE(command_stages), &s->err);
	return 125;
}

static int stage_wait(struct setup *s, struct err *e)
{
	(void)e;
	futex_await(&s->go, NULL);
	return 0;
}

/* pid 1 holds the wire and nothing else. */
static int keep_only(int wire, struct err *e)
{
	if ((wire > 0 && k_close_range(0, (unsigned)wire - 1, 0) < 0) ||
	    k_close_range((unsigned)wire + 1, ~0u, 0) < 0)
		return err_set(e, ST_CAPS, errno, "close the descriptors of pid 1");
	return 0;
}

static void on_child(int sig)
{
	(void)sig;
}

/*
 * What wakes init_run up: without a handler SIGCHLD would be discarded, and pid 1 must never miss a
 * child.
 */
static int watch_children(struct err *e)
{
	struct sigaction act = { .sa_handler = on_child, .sa_flags = SA_RESTART };

	if (sigaction(SIGCHLD, &act, NULL) < 0)
		return err_set(e, ST_SUPERVISE, errno, "watch for children");
	return 0;
}

/*
 * Start the command, and know that it started.
 *
 * P2 shares our memory until it execs, like vfork: nothing is copied, and an error it meets is in
 * s->err for us to read. Unlike vfork we run on: our own filter cannot be loaded before the fork
 * (P2 would inherit it) and must be in force before the exec, so P2 waits for `go` in between. The
 * kernel clears s->alive and wakes us when P2 leaves this memory, by exec or by death.
 */
static pid_t start_command(struct setup *s)
{
	static char stack[128 << 10] __attribute__((aligned(64)));
	pid_t pid;
	uint32_t alive;

	if (watch_children(&s->err) < 0)
		return -1;
	s->alive = 1;
	pid = clone(command_main, stack + sizeof(stack), CLONE_VM | CLONE_CHILD_CLEARTID | SIGCHLD,
		    s, NULL, NULL, &s->alive);
	if (pid < 0) {
		(void)err_set(&s->err, ST_CLONE, errno, "fork the command");
		return pid;
	}
	if (keep_only(s->wire, &s->err) < 0 ||
	    (!weakened(WEAK_NNP) && confine_seccomp(&s->plan->init_filter, &s->err) < 0))
		return -1;
	futex_set(&s->go, 1);
	while ((alive = s->alive))
		futex_sleep(&s->alive, alive);
	if (!s->ready && !s->err.stage)
		(void)err_set(&s->err, ST_SUPERVISE, 0,
			      "the command's process died before it could become the command");
	return pid;
}

void setup_run(struct setup *s, char **argv, char **envp)
{
	struct record started = { .type = REC_STARTED };
	pid_t command;

	forget_caller(argv, envp);
	(void)umask(0);
	if (run_stages(s, setup_stages, 1, &s->err) < 0 || die_with_parent(s->wire, &s->err) < 0 ||
	    run_stages(s, setup_stages + 1, ARRAY_SIZE(setup_stages) - 1, &s->err) < 0)
		give_up(s);
	command = start_command(s);
	if (s->err.stage)
		give_up(s);
	if (wire_send(s->wire, &started, FD_NONE) < 0)
		_exit(125);
	init_run(s, command);
}
