// SPDX-License-Identifier: GPL-2.0-or-later
/* The stub's beginning and the gate's end; P0. */
#include "sandbox/gateway.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/kernel.h"
#include "base/now.h"
#include "base/own.h"
#include "base/paths.h"
#include "base/text.h"
#include "sandbox/network.h"
#include "sandbox/plan.h"
#include "sandbox/weak.h"
#include "sandbox/wire.h"

/* How long the gate may take to write its last events. */
#define GRACE_MS 1000

void gateway_init(struct gateway *g)
{
	*g = (struct gateway){
		.pair = { FD_NONE, FD_NONE }, .score = FD_NONE, .events = FD_NONE, .pidfd = FD_NONE
	};
}

/* ---- before the clone ------------------------------------------------------------------------- */

static void add_port(struct gateway_ports *ports, unsigned n)
{
	for (unsigned i = 0; i < ports->n; i++) {
		if (ports->port[i] == n)
			return;
	}
	ports->full = ports->n == ARRAY_SIZE(ports->port);
	if (!ports->full)
		ports->port[ports->n++] = (uint16_t)n;
}

/* Names have IPv4 addresses only. */
static void list_ports(struct gateway *g)
{
	const struct net_policy *p = g->policy;

	for (uint32_t i = 0; i < p->rules; i++) {
		const struct rule *r = &p->rule[i];
		struct gateway_ports *ports = r->addr.family == 6 ? &g->at6 : &g->at;

		for (unsigned n = r->first; n <= r->last && !ports->full; n++)
			add_port(ports, n);
	}
}

/* At the host's own loopback; never at an address that others could reach. */
static int publish(uint16_t port, int *ret)
{
	const struct sockaddr_in at = { .sin_family = AF_INET,
					.sin_port = htons(port),
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	own_fd fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const int yes = 1;

	/* A port of which old connections are still remembered is free. */
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
	    bind(fd, (const struct sockaddr *)&at, sizeof(at)) < 0 || listen(fd, SOMAXCONN) < 0)
		return -errno;
	*ret = fd_take(&fd);
	return 0;
}

/* Why a port cannot be had on the host, with the word that asked for it. */
static int unpublished(struct arena *a, const struct plan *p, const struct port_pair *pair,
		       int code, struct err *e)
{
	const char *asked = "", *reason;
	const struct value *v = draft_get(p->draft, OPT_PUBLISH), *from = v;

	for (; v; v = v->next) {
		for (const char *s = v->text; *s; s += strspn(s, " ")) {
			const char *word = arena_strndup(a, s, strcspn(s, " "));
			struct err why = { 0 };
			struct port_pair found;

			s += strlen(word);
			if (port_pair_parse(word, &found, &why) < 0 || found.outside != pair->outside)
				continue;
			asked = word;
			from = v;
		}
	}
	if (code == EADDRINUSE)
		reason = arena_printf(a, "127.0.0.1:%u is in use on the host: use %u:OTHER",
				      pair->outside, pair->inside);
	else if (code == EACCES)
		reason = arena_printf(a, "a port of a user's is 1024 or higher: use %u:%u",
				      pair->inside, pair->outside + 8000u);
	else
		reason = arena_printf(a, "listen at 127.0.0.1:%u: %s", pair->outside, strerror(code));
	return network_refuse(OPT_PUBLISH, from, asked, reason, e);
}

static int make_score(int *ret, struct err *e)
{
	own_fd fd = memfd_create("jail-score", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, sizeof(struct scoreboard)) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		return err_set(e, ST_NET, errno, "make the gate's scoreboard");
	*ret = fd_take(&fd);
	return 0;
}

int gateway_open(struct arena *a, const struct plan *p, struct gateway *g, struct err *e)
{
	int rc;

	if (!p->network || weakened(WEAK_NETNS))
		return 0;
	if (access(path_gate, X_OK) < 0)
		return err_set(e, ST_PLAN, errno, "jail is not installed whole: '%s'", path_gate);
	g->policy = p->network;
	g->events = p->events_fd;
	for (uint32_t i = 0; i < g->policy->publish; i++)
		g->published[i] = FD_NONE;
	g->without_nft = p->without_nft;
	if (g->without_nft)
		list_ports(g);
	rc = batch_build(a, g->policy, !weakened(WEAK_NFT), &g->batch, e);
	for (uint32_t i = 0; rc == 0 && i < g->policy->publish; i++) {
		const struct port_pair *pair = &g->policy->published[i];

		rc = publish(pair->outside, &g->published[i]);
		if (rc < 0)
			return unpublished(a, p, pair, -rc, e);
	}
	if (rc == 0)
		rc = wire_pair(g->pair, e);
	return rc < 0 ? rc : make_score(&g->score, e);
}

/* ---- the stub --------------------------------------------------------------------------------- */

void gateway_enter(struct gateway *g)
{
	if (g->policy)
		fd_release(&g->pair[1]); /* or the stub's death could not be seen */
}

static void let_go(struct gateway *g)
{
	fd_release(&g->pair[1]);
	for (uint32_t i = 0; i < g->policy->publish; i++)
		fd_release(&g->published[i]);
}

/* What only the gate will need has its place kept by the scoreboard. */
static void list_places(struct gateway *g)
{
	int *place = g->places;

	*place++ = g->score;
	*place++ = g->score;
	*place++ = g->pair[1];
	*place++ = g->events < 0 ? g->score : g->events;
	for (uint32_t i = 0; i < g->policy->publish; i++)
		*place++ = g->published[i];
	g->n_places = (int)(place - g->places);
}

int gateway_start(struct gateway *g, struct err *e)
{
	static char stack[32 << 10] __attribute__((aligned(64)));

	if (!g->policy)
		return 0;
	g->parent = getpid();
	list_places(g);
	if (clone(stub_main, stack + sizeof(stack), CLONE_VM | CLONE_PIDFD | SIGCHLD, g, &g->pidfd) <
	    0) {
		g->pidfd = FD_NONE;
		return err_set(e, ST_NET, errno, "start the gate's process");
	}
	let_go(g);
	return 0;
}

/* ---- the end ---------------------------------------------------------------------------------- */

void gateway_end(struct gateway *g)
{
	g->closing = true;
	fd_release(&g->pair[0]);
}

void gateway_reap(struct gateway *g)
{
	siginfo_t info = { 0 };

	while (waitid(P_PIDFD, (id_t)g->pidfd, &info, WEXITED) < 0 && errno == EINTR)
		;
	fd_release(&g->pidfd);
	g->dead = true;
	g->how = info.si_code;
	g->status = info.si_status;
}

/* In the words of the gate's own events. */
static void write_event(const struct gateway *g, const char *why)
{
	char buf[512], time[NOW_SIZE];
	struct json j;
	struct text t;

	if (g->events < 0)
		return;
	now_format(time);
	text_init(&t, buf, sizeof(buf));
	json_init(&j, &t);
	json_open(&j, NULL, '{');
	json_str(&j, "time", time);
	json_str(&j, "jail", g->policy->jail);
	json_str(&j, "event", "gate");
	json_str(&j, "verdict", "deny");
	json_str(&j, "why", why);
	json_close(&j, '}');
	text_add(&t, "\n");
	(void)fs_write_all(g->events, t.buf, t.len);
}

void gateway_mourn(struct gateway *g)
{
	char line[700];
	struct text t;

	if (!g->dead || g->closing)
		return;
	g->dead = false;
	text_init(&t, line, sizeof(line));
	text_add(&t, "jail: the gate died (");
	if (g->err.stage)
		text_addf(&t, "%s: %s", g->err.what, strerror(g->err.code));
	else
		text_addf(&t, "%s %d", g->how == CLD_EXITED ? "exit status" : "signal", g->status);
	text_add(&t, "): the jail has no network any more\n");
	(void)fs_write_all(STDERR_FILENO, t.buf, t.len);
	write_event(g, "the gate died");
}

static void wait_for_gate(struct gateway *g)
{
	struct pollfd p = { .fd = g->pidfd, .events = POLLIN };

	if (g->pidfd < 0)
		return;
	if (poll(&p, 1, GRACE_MS) <= 0)
		(void)k_pidfd_send_signal(g->pidfd, SIGKILL);
	gateway_reap(g);
}

void gateway_close(struct gateway *g)
{
	static struct scoreboard board;
	char lines[4096];

	if (!g->policy)
		return;
	gateway_end(g);
	let_go(g);
	wait_for_gate(g);
	if (g->started && pread(g->score, &board, sizeof(board), 0) == sizeof(board)) {
		refusals_format(&board, lines, sizeof(lines));
		(void)fs_write_all(STDERR_FILENO, lines, strlen(lines));
	}
	fd_release(&g->score);
}
