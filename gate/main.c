// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jail-gate: the only way out of a jail's network. See net/gate.h for what it is started with.
 *
 * In this order: look at what was given, read the files of the host's resolver, make the connector
 * if ports are published, shut itself in, and only then take the first byte from inside.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/own.h"
#include "gate/confine.h"
#include "gate/door.h"
#include "gate/event.h"
#include "gate/nflog.h"
#include "gate/ports.h"
#include "gate/slot.h"

static struct gate gate;
static struct door doors[GATE_SOCKETS_MAX];
static size_t n_doors;
static void on_enough(struct timer *t);
static struct timer enough = { .fire = on_enough };

static void say(const char *what)
{
	event_write(&(struct event){ .event = "gate", .why = what, .ms = -1 });
}

static int map_policy(const struct net_policy **ret, struct err *e)
{
	const int seals = F_SEAL_WRITE | F_SEAL_SHRINK;
	int sealed = fcntl(GATE_POLICY, F_GET_SEALS);
	struct stat st;
	void *p;

	if (sealed < 0 || (sealed & seals) != seals || fstat(GATE_POLICY, &st) < 0)
		return err_set(e, ST_NET, EBADF, "no sealed policy at descriptor %d", GATE_POLICY);
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, GATE_POLICY, 0);
	if (p == MAP_FAILED)
		return err_set(e, ST_NET, errno, "map the policy");
	if (!policy_valid(p, (size_t)st.st_size))
		return err_set(e, ST_NET, EBADMSG, "read the policy");
	*ret = p;
	return 0;
}

static int map_scoreboard(struct scoreboard **ret, struct err *e)
{
	struct stat st;
	void *p;

	if (fstat(GATE_SCORE, &st) < 0 || st.st_size < (off_t)sizeof(**ret))
		return err_set(e, ST_NET, EBADF, "no scoreboard at descriptor %d", GATE_SCORE);
	p = mmap(NULL, sizeof(**ret), PROT_READ | PROT_WRITE, MAP_SHARED, GATE_SCORE, 0);
	if (p == MAP_FAILED)
		return err_set(e, ST_NET, errno, "map the scoreboard");
	*ret = p;
	return 0;
}

/* As many descriptors as we may have; how many. */
static size_t raise_files(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) < 0)
		return 0;
	l.rlim_cur = l.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &l);
	return getrlimit(RLIMIT_NOFILE, &l) < 0 ? 0 : (size_t)l.rlim_cur;
}

static void on_control(struct watch *w, uint32_t events)
{
	char byte;

	(void)events;
	if (recv(w->fd, &byte, 1, MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	loop_drop(&gate.loop, w);
	doors_close(&gate, doors, n_doors);
	timer_arm(&gate.loop, &gate.last, &enough);
	slots_finish(&gate);
}

/* The supervisor waits for a second, and would rather not. */
static void on_enough(struct timer *t)
{
	(void)t;
	gate.loop.ended = true;
}

static int prepare_doors(const char *list, size_t *ret_n, struct err *e)
{
	if (doors_parse(list, doors, ret_n) < 0)
		return err_set(e, ST_USAGE, 0, "no list of sockets: '%s'", list);
	for (size_t i = 0; i < *ret_n; i++) {
		int rc = door_prepare(&doors[i]);

		if (rc < 0)
			return err_set(e, ST_NET, -rc, "use descriptor %d", doors[i].watch.fd);
	}
	return 0;
}

/* A published port needs the connector, and the connector a socket from inside. */
static int prepare_connector(size_t n, int *ret, struct err *e)
{
	int inside = FD_NONE;
	bool published = false;

	for (size_t i = 0; i < n; i++) {
		if (doors[i].kind == DOOR_PUBLISHED)
			published = true;
		else if (inside < 0)
			inside = doors[i].watch.fd;
	}
	*ret = FD_NONE;
	if (!published)
		return 0;
	*ret = connector_start(inside);
	return *ret < 0 ? err_set(e, ST_NET, -*ret, "enter the jail's network") : 0;
}

static int open_all(size_t n, int connector, struct err *e)
{
	int rc = 0;

	gate.control = (struct watch){ .ready = on_control, .fd = GATE_CONTROL };
	rc = loop_watch(&gate.loop, &gate.control, EPOLLIN | EPOLLRDHUP);
	if (rc == 0 && connector >= 0)
		rc = connector_open(&gate, connector);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = door_open(&gate, &doors[i]);
	return rc < 0 ? err_set(e, ST_NET, -rc, "watch the sockets") : 0;
}

static int prepare_resolver(struct err *e)
{
	int rc = loop_init(&gate.loop);

	if (rc == 0)
		rc = resolver_init(&gate.loop, "/etc/hosts", "/etc/resolv.conf");
	if (rc < 0)
		return err_set(e, ST_NET, -rc, "prepare the resolver");
	if (rc & RESOLVER_HOSTS_CUT)
		say("the end of /etc/hosts was not read: it is too long");
	if (rc & RESOLVER_CONF_CUT)
		say("the end of /etc/resolv.conf was not read: it is too long");
	return 0;
}

static int prepare(const char *list, struct scoreboard **ret_board, struct err *e)
{
	int connector = FD_NONE;
	int rc = map_policy(&gate.policy, e);

	if (rc == 0)
		rc = map_scoreboard(ret_board, e);
	if (rc == 0)
		rc = prepare_doors(list, &n_doors, e);
	if (rc == 0)
		rc = prepare_connector(n_doors, &connector, e);
	if (rc < 0)
		return rc;
	event_init(GATE_EVENTS, *ret_board, gate.policy);
	gate.connector.watch.fd = FD_NONE;
	rc = prepare_resolver(e);
	if (rc < 0)
		return rc;
	slots_init(&gate, raise_files());
	rc = open_all(n_doors, connector, e);
	return rc < 0 ? rc : confine(CONFINE_GATE, e);
}

int main(int argc, char **argv)
{
	struct err e = { 0 };
	struct scoreboard *board = NULL;
	char line[600];

	/* A write to a closed connection is an error like any other. */
	(void)signal(SIGPIPE, SIG_IGN);
	if (argc != 2 || argv[1][0] == '-')
		(void)err_set(&e, ST_USAGE, 0, "it is started by jail, never by hand");
	else
		(void)prepare(argv[1], &board, &e);
	if (e.what[0] || !board) {
		err_format(&e, line, sizeof(line));
		fprintf(stderr, "jail-gate: %s\n", line);
		return 125;
	}
	say("ready");
	board->ready = 1;
	loop_run(&gate.loop);
	slots_end(&gate);
	nflog_flush();
	say("the jail has ended");
	leave(0);
	return 0;
}
