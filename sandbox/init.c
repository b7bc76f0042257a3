// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pid 1 of the jail; P1, after the command was started.
 *
 * It reaps, passes signals on, tells the supervisor when the command stops or ends, and ends when
 * either of them does: the kernel then kills everything that is left in the pid namespace. It has
 * no capabilities, no descriptor but the wire, cannot be read or traced from inside, and its own
 * filter lets it do nothing else.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/setup.h"
#include "sandbox/wire.h"
#include "sandbox/weak.h"

/*
 * Straight to the kernel, and not marked noreturn, nor is init_run: before a call of such a
 * function, and in its own _exit, a sanitizer makes system calls that our filter would kill us for.
 */
static void leave(int code)
{
	/* Not for (;;): the compiler would see that it never returns, and mark it for us. */
	while (syscall(SYS_exit_group, code) <= 0)
		;
}

static void tell(int wire, enum record_type type, int number)
{
	struct record r = { .type = type, .number = number };

	if (wire_send(wire, &r, FD_NONE) < 0)
		leave(125); /* no supervisor, no jail */
}

static void reap(int wire, pid_t command)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
		if (pid != command)
			continue;
		if (WIFSTOPPED(status)) {
			tell(wire, REC_STOPPED, WSTOPSIG(status));
			continue;
		}
		tell(wire, REC_EXIT, status);
		leave(0);
	}
	if (pid < 0 && errno != ECHILD && errno != EINTR)
		leave(125); /* its end would never be seen */
}

static void obey(int wire, pid_t command)
{
	struct record r;
	int rc = wire_receive(wire, &r, NULL, false);

	if (rc == -EAGAIN)
		return;
	if (rc <= 0)
		leave(125);
	if (r.number < 1 || r.number > 64)
		return;
	if (r.type == REC_SIGNAL && kill(-command, r.number) < 0)
		(void)kill(command, r.number); /* it may have left its group */
	/* In the host's namespace it would be all of the caller's. */
	if (r.type == REC_ALL && !weakened(WEAK_PIDNS))
		(void)kill(-1, r.number);
}

void init_run(struct setup *s, pid_t command)
{
	struct pollfd p = { .fd = s->wire, .events = POLLIN };
	sigset_t while_waiting;

	(void)sigfillset(&while_waiting);
	(void)sigdelset(&while_waiting, SIGCHLD);
	for (;;) {
		reap(s->wire, command);
		p.revents = 0;
		/*
		 * SIGCHLD is only delivered in here, and has a handler that does nothing: no
		 * child's end is missed.
		 */
		if (ppoll(&p, 1, NULL, &while_waiting) < 0 && errno != EINTR)
			leave(125);
		if (p.revents)
			obey(s->wire, command);
	}
}
