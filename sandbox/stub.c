// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The stub: holds the gate's sockets until one of them is used, then becomes jail-gate.
 *
 * It is a child of P0 that shares P0's memory, so that making it copies nothing, and has its own
 * descriptors. It shares libc's errno with P0, too: every call below either succeeds or is the end
 * of the stub. Of the jail it reads one message, which P1 sends before there is a command; not a
 * byte of what comes later.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/kernel.h"
#include "base/own.h"
#include "base/paths.h"
#include "base/text.h"
#include "sandbox/gateway.h"

struct stub {
	struct gateway *gateway;
	struct handed sockets[GATE_SOCKETS_MAX]; /* descriptors from GATE_SOCKETS on */
	unsigned n;
};

static const char *const kind_names[SOCKET_KINDS] = {
	[SOCKET_TCP4] = "tcp4",	  [SOCKET_TCP6] = "tcp6", [SOCKET_UDP4] = "udp4",
	[SOCKET_UDP6] = "udp6",	  [SOCKET_DNS4] = "dns4", [SOCKET_DNS6] = "dns6",
	[SOCKET_NFLOG] = "nflog", [SOCKET_HOST] = "host", [SOCKET_PUB] = "pub",
	[SOCKET_AT] = "at",	  [SOCKET_AT6] = "at6",
};

static int fail(struct stub *s, int code, const char *what)
{
	return err_set(&s->gateway->err, ST_NET, code, "the gate's process: %s", what);
}

/* ---- descriptors ------------------------------------------------------------------------------ */

/*
 * What P0 listed goes to its place, all other descriptors from there on are closed. Whose own number
 * is the place of another moves out of the way first.
 */
static int take_places(struct stub *s)
{
	struct gateway *g = s->gateway;
	const int n = g->n_places;

	for (int i = 0; i < n; i++) {
		const int place = GATE_POLICY + i;

		for (int j = i + 1; j < n; j++) {
			if (g->places[j] == place)
				g->places[j] = fcntl(place, F_DUPFD, GATE_POLICY + n);
			if (g->places[j] < 0)
				return fail(s, errno, "move a descriptor");
		}
		if (g->places[i] == place ? fcntl(place, F_SETFD, 0) < 0
					  : dup2(g->places[i], place) < 0)
			return fail(s, errno, "set a descriptor up");
	}
	if (k_close_range((unsigned)(GATE_POLICY + n), ~0u, 0) < 0)
		return fail(s, errno, "close all other descriptors");
	for (uint32_t i = 0; i < g->policy->publish; i++)
		s->sockets[s->n++] = (struct handed){ SOCKET_PUB, g->policy->published[i].outside };
	return 0;
}

/* ---- the sockets from inside ------------------------------------------------------------------ */

/* Descriptors come at the lowest free numbers, one behind the other. */
static int keep(struct stub *s, const struct handed *kinds, const int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (kinds[i].kind >= SOCKET_KINDS || s->n == GATE_SOCKETS_MAX ||
		    fds[i] != GATE_SOCKETS + (int)s->n)
			return fail(s, EBADMSG, "the sockets from inside");
		s->sockets[s->n++] = kinds[i];
	}
	return 0;
}

static int receive(struct stub *s)
{
	union {
		char buf[CMSG_SPACE(sizeof(int) * HANDED_MAX)];
		struct cmsghdr align;
	} control;
	struct handed kinds[HANDED_MAX];
	int fds[HANDED_MAX];
	struct iovec iov = { .iov_base = kinds, .iov_len = sizeof(kinds) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control.buf,
			      .msg_controllen = sizeof(control.buf) };
	const struct cmsghdr *c;
	ssize_t got = recvmsg(GATE_CONTROL, &msg, 0);
	size_t n = got < 0 ? 0 : (size_t)got / sizeof(kinds[0]);

	if (got == 0)
		return 1; /* there is no jail */
	if (got < 0)
		return fail(s, errno, "wait for the sockets from inside");
	c = CMSG_FIRSTHDR(&msg);
	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS ||
	    c->cmsg_len != CMSG_LEN(n * sizeof(int)) || (msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
		return fail(s, EBADMSG, "the sockets from inside");
	memcpy(fds, CMSG_DATA(c), n * sizeof(int));
	return keep(s, kinds, fds, n);
}

/* P1 waits for this: no command runs before its gate is there. */
static int acknowledge(struct stub *s)
{
	if (send(GATE_CONTROL, "", 1, MSG_NOSIGNAL) != 1)
		return fail(s, errno, "tell that the sockets are here");
	return 0;
}

/* ---- waiting, and becoming the gate ----------------------------------------------------------- */

/* 1 when the jail has ended, 0 when the gate is needed. */
static int wait_for_use(struct stub *s)
{
	struct pollfd fds[1 + GATE_SOCKETS_MAX];
	nfds_t n = 0;

	fds[n++] = (struct pollfd){ .fd = GATE_CONTROL, .events = POLLIN };
	for (unsigned i = 0; i < s->n; i++)
		fds[n++] = (struct pollfd){ .fd = GATE_SOCKETS + (int)i, .events = POLLIN };
	while (poll(fds, n, -1) < 0) {
		if (errno != EINTR)
			return fail(s, errno, "wait for somebody to use the network");
	}
	return fds[0].revents != 0;
}

static void list_sockets(const struct stub *s, struct text *t)
{
	for (unsigned i = 0; i < s->n; i++) {
		text_addf(t, "%s%s", i ? "," : "", kind_names[s->sockets[i].kind]);
		if (s->sockets[i].kind >= SOCKET_HOST)
			text_addf(t, ":%u", s->sockets[i].port);
	}
}

static bool has_kind(const struct stub *s, enum socket_kind kind)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (s->sockets[i].kind == kind)
			return true;
	}
	return false;
}

/* Whether connections are redirected is what P1 found, and not what the profile hoped for. */
static int write_policy(const struct stub *s)
{
	const struct net_policy *p = s->gateway->policy;
	const bool redirected = has_kind(s, SOCKET_TCP4);
	int fd = memfd_create("jail-policy", MFD_ALLOW_SEALING);

	if (fd < 0 || fs_write_all(fd, (const char *)p, p->size) < 0 ||
	    pwrite(fd, &redirected, sizeof(redirected), offsetof(struct net_policy, redirected)) !=
		    sizeof(redirected) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0)
		return -1;
	return dup2(fd, GATE_POLICY) < 0 || close(fd) < 0 ? -1 : 0;
}

static int become_gate(struct stub *s)
{
	char list[GATE_SOCKETS_MAX * 12], *argv[] = { (char[]){ "jail-gate" }, list, NULL };
	char *envp[] = { NULL };
	struct text t;
	int null;

	s->gateway->started = true;
	text_init(&t, list, sizeof(list));
	list_sockets(s, &t);
	if (write_policy(s) < 0)
		return fail(s, errno, "write the policy");
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 ||
	    (s->gateway->events < 0 && dup2(null, GATE_EVENTS) < 0))
		return fail(s, errno, "open '/dev/null'");
	(void)execve(path_gate, argv, envp);
	return fail(s, errno, "run jail-gate");
}

/* Die with P0, whenever it does. */
static int die_with_parent(struct stub *s)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return fail(s, errno, "ask to die with the supervisor");
	return getppid() == s->gateway->parent ? 0 : 1;
}

int stub_main(void *gateway)
{
	struct stub stub = { .gateway = gateway };
	int rc = die_with_parent(&stub);

	if (rc == 0)
		rc = take_places(&stub);
	if (rc == 0)
		rc = receive(&stub);
	if (rc == 0)
		rc = acknowledge(&stub);
	if (rc == 0)
		rc = wait_for_use(&stub);
	if (rc == 0)
		rc = become_gate(&stub);
	return rc < 0 ? 125 : 0;
}
