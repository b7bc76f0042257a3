// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Starts jail-gate as jail would, around one command, without jail: for tests and measurements.
 *
 *	gatebox --gate PATH [OPTION VALUE]... -- COMMAND [ARG]...
 *
 *	--allow RULE, --resolve PIN, --host-port N[:M], --publish N[:M]	as in a profile
 *	--proxy ADDR:PORT|NAME:PORT	the host's HTTP proxy
 *	--events FILE			where events go
 *	--report FILE			what became of it: a line of JSON
 *	--nft no			without nftables: a listener at each port
 *
 * The network that it is started in is "outside"; the command runs in a new one. GATE_PID is in its
 * environment. The exit status is the command's, or 125.
 */
#include "tests/helpers/gatebox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/own.h"
#include "base/text.h"

/* Descriptors wait up here while the gate's own numbers are filled. */
#define ABOVE 512

static void die(const char *what)
{
	fprintf(stderr, "gatebox: %s: %s\n", what, strerror(errno));
	_exit(125);
}

static void take_proxy(struct box *b, const char *word)
{
	struct net_policy *p = b->policy;
	const char *colon = strrchr(word, ':');
	char host[NAME_SIZE] = "";
	uint64_t port = 0;

	if (!colon || (size_t)(colon - word) >= sizeof(host) ||
	    !str_to_u64(colon + 1, UINT16_MAX, &port))
		die("--proxy HOST:PORT");
	memcpy(host, word, (size_t)(colon - word));
	p->use_proxy = true;
	p->proxy_port = (uint16_t)port;
	if (!addr_parse(host, &p->proxy_addr) && name_canonical(host, strlen(host), p->proxy_name) < 0)
		die("--proxy HOST:PORT");
}

static int take_option(struct box *b, const char *option, const char *value)
{
	struct net_policy *p = b->policy;
	struct err e = { 0 };
	int rc = 0;

	if (str_eq(option, "--allow"))
		rc = rule_parse(value, &p->rule[p->rules++], &e);
	else if (str_eq(option, "--resolve"))
		rc = pin_parse(value, &p->pin[p->pins++], &e);
	else if (str_eq(option, "--host-port"))
		rc = port_pair_parse(value, &p->host_port[p->host_ports++], &e);
	else if (str_eq(option, "--publish"))
		rc = port_pair_parse(value, &p->published[p->publish++], &e);
	else if (str_eq(option, "--proxy"))
		take_proxy(b, value);
	else if (str_eq(option, "--gate"))
		b->gate = value;
	else if (str_eq(option, "--events"))
		b->events = value;
	else if (str_eq(option, "--report"))
		b->report = value;
	else if (str_eq(option, "--nft"))
		p->redirected = !str_eq(value, "no");
	else
		return -EINVAL;
	if (rc < 0)
		fprintf(stderr, "gatebox: %s %s: %s\n", option, value, e.what);
	return rc;
}

static int make_memfd(const void *data, size_t size, bool sealed)
{
	int fd = memfd_create("gatebox", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, (off_t)size) < 0)
		die("make a memfd");
	if (data && write(fd, data, size) != (ssize_t)size)
		die("fill a memfd");
	if (sealed &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		die("seal a memfd");
	return fd;
}

static pid_t start_gate(const struct box *b, int policy, int score, int control, int events)
{
	int fds[4 + GATE_SOCKETS_MAX] = { policy, score, control, events };
	size_t n = 4 + b->n_sockets;
	pid_t pid;

	memcpy(fds + 4, b->sockets, b->n_sockets * sizeof(int));
	pid = fork();
	if (pid)
		return pid;
	for (size_t i = 0; i < n; i++)
		if ((fds[i] = fcntl(fds[i], F_DUPFD, ABOVE)) < 0)
			die("make room");
	for (size_t i = 0; i < n; i++)
		if (dup2(fds[i], GATE_POLICY + (int)i) < 0)
			die("give a descriptor");
	(void)k_close_range(GATE_POLICY + (unsigned)n, ~0u, 0);
	(void)execl(b->gate, "jail-gate", b->list, (char *)NULL);
	die(b->gate);
	return -1;
}

/* "VmHWM:	 952 kB": the number. */
static uint64_t number_in(char *line)
{
	char *at = line + strcspn(line, "0123456789");
	uint64_t value = 0;

	at[strspn(at, "0123456789")] = '\0';
	return str_to_u64(at, INT64_MAX, &value) ? value : 0;
}

/* A number of /proc/PID/status, in kB; 0: it is not there. */
static long status_of(pid_t pid, const char *key)
{
	char path[64], line[128];
	uint64_t value = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (str_starts(line, key))
			value = number_in(line);
	if (f)
		(void)fclose(f);
	return (long)value;
}

static void write_report(const struct box *b, const struct scoreboard *s, long rss, int gate_status)
{
	own_file f = b->report ? fopen(b->report, "we") : NULL;

	if (!f)
		return;
	fprintf(f,
		"{\"gate\":%d,\"rss_kb\":%ld,\"connections\":%llu,\"refused\":%llu,\"queries\":%llu",
		WIFSIGNALED(gate_status) ? 128 + WTERMSIG(gate_status) : WEXITSTATUS(gate_status),
		rss, (unsigned long long)s->connections, (unsigned long long)s->refused,
		(unsigned long long)s->queries);
	fprintf(f, ",\"dropped\":%u,\"scores\":[", s->dropped);
	for (uint32_t i = 0; i < s->used && i < SCORES_MAX; i++)
		fprintf(f, "%s[\"%s\",%u,%u,%u]", i ? "," : "", s->score[i].what, s->score[i].port,
			s->score[i].why, s->score[i].count);
	fprintf(f, "]}\n");
}

static int wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

static int run(struct box *b, char **command)
{
	const size_t size = sizeof(*b->policy) + b->policy->rules * sizeof(b->policy->rule[0]);
	struct scoreboard *board;
	int control[2], policy, score, events, status, gate_status;
	pid_t inside, gate;
	long rss;

	b->policy->magic = POLICY_MAGIC;
	b->policy->size = (uint32_t)size;
	policy = make_memfd(b->policy, size, true);
	score = make_memfd(NULL, sizeof(*board), false);
	board = mmap(NULL, sizeof(*board), PROT_READ, MAP_SHARED, score, 0);
	events = open(b->events ? b->events : "/dev/null",
		      O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (events < 0 || board == MAP_FAILED ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) < 0)
		die("prepare");
	inside = box_make_inside(b, command);
	gate = start_gate(b, policy, score, control[1], events);
	if (inside < 0 || gate < 0)
		die("start");
	(void)close(control[1]);
	for (size_t i = 0; i < b->n_sockets; i++)
		(void)close(b->sockets[i]);
	for (int i = 0; i < 500 && !board->ready && waitpid(gate, &gate_status, WNOHANG) == 0; i++)
		(void)usleep(10000);
	if (!board->ready)
		fprintf(stderr, "gatebox: the gate never was ready\n");
	box_let_go(b, gate);
	status = wait_for(inside);
	rss = status_of(gate, "VmHWM");
	(void)close(control[0]);
	gate_status = wait_for(gate);
	write_report(b, board, rss, gate_status);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	static _Alignas(struct net_policy) char
		memory[sizeof(struct net_policy) + POLICY_RULES_MAX * sizeof(struct rule)];
	struct box b = { .policy = (struct net_policy *)(void *)memory };
	int i = 1;

	b.policy->redirected = true;
	memcpy(b.policy->jail, "box", 4);
	for (; i + 1 < argc && !str_eq(argv[i], "--"); i += 2)
		if (take_option(&b, argv[i], argv[i + 1]) < 0)
			die(argv[i]);
	if (!b.gate || i + 1 >= argc)
		die("usage: gatebox --gate PATH [OPTION VALUE]... -- COMMAND");
	return run(&b, argv + i + 1);
}
