// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of the gate: its list of sockets, packets from nflog, events and scores, and its confinement. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/netlink.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "gate/confine.h"
#include "gate/door.h"
#include "gate/event.h"
#include "gate/nflog.h"

static void doors_are_read(void **state)
{
	struct door d[GATE_SOCKETS_MAX];
	size_t n = 0;

	(void)state;
	assert_int_equal(doors_parse("tcp4,udp6,dns4,nflog,host:5432,pub:3000,at6:443", d, &n), 0);
	assert_int_equal(n, 7);
	assert_int_equal(d[0].kind, DOOR_TCP);
	assert_int_equal(d[1].kind, DOOR_UDP);
	assert_int_equal(d[1].family, 6);
	assert_int_equal(d[4].kind, DOOR_HOST);
	assert_int_equal(d[4].port, 5432);
	assert_int_equal(d[5].kind, DOOR_PUBLISHED);
	assert_int_equal(d[6].family, 6);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(d[i].watch.fd, GATE_SOCKETS + (int)i);
}

static void other_lists_are_refused(void **state)
{
	static const char *const bad[] = {
		"",	      ",",	    "tcp4,",	 ",tcp4",
		"tcp",	      "tcp44",	    "host:",	 "host:0",
		"host:65536", "host:-1",    "host:1x",	 "pub",
		"at",	      "tcp4,,udp4", "tcp4 udp4", "at6:999999999999999"
	};
	struct door d[GATE_SOCKETS_MAX];
	char many[8 * (GATE_SOCKETS_MAX + 1)] = "tcp4";
	size_t n = 99;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(doors_parse(bad[i], d, &n), -EINVAL);
	for (size_t i = 0; i < GATE_SOCKETS_MAX; i++)
		memcpy(many + 4 + i * 5, ",tcp4", 6);
	assert_int_equal(doors_parse(many, d, &n), -EINVAL);
	assert_int_equal(n, 99);
}

static const uint8_t udp4[] = { 0x45, 0,    0, 32, 0, 0,   0, 0,   64, 17,   0,
				0,    127,  0, 0,  1, 203, 0, 113, 7,  0x30, 0x39,
				0x01, 0xbb, 0, 12, 0, 0,   1, 2,   3,  4 };

static void packets_are_read(void **state)
{
	uint8_t six[48] = { 0x60, [6] = 6, [24] = 0x20, [25] = 0x01, [39] = 9, [42] = 0, [43] = 22 };
	uint8_t fragment[sizeof(udp4)];
	struct packet p;

	(void)state;
	assert_true(packet_parse(udp4, sizeof(udp4), &p));
	assert_int_equal(p.to.family, 4);
	assert_int_equal(p.to.bytes[3], 7);
	assert_int_equal(p.protocol, 17);
	assert_int_equal(p.port, 443);
	assert_true(packet_parse(six, sizeof(six), &p));
	assert_int_equal(p.to.family, 6);
	assert_int_equal(p.port, 22);
	memcpy(fragment, udp4, sizeof(udp4));
	fragment[7] = 1;
	assert_true(packet_parse(fragment, sizeof(fragment), &p));
	assert_int_equal(p.port, 0);
	assert_true(packet_parse(udp4, 22, &p)); /* cut before its port */
	assert_int_equal(p.port, 0);
	for (size_t n = 0; n < 20; n++)
		assert_false(packet_parse(udp4, n, &p));
	assert_false(packet_parse(six, 39, &p));
}

static void count_packet(void *arg, const struct packet *p)
{
	size_t *n = arg;

	assert_int_equal(p->port, 443);
	++*n;
}

static size_t put_message(uint8_t *at, uint16_t type)
{
	const struct nlmsghdr h = { .nlmsg_type = type,
				    .nlmsg_len = sizeof(h) + sizeof(struct nfgenmsg) + 8 + 4 +
						 sizeof(udp4) };
	const struct nlattr other = { .nla_len = 8, .nla_type = NFULA_MARK };
	const struct nlattr payload = { .nla_len = 4 + sizeof(udp4), .nla_type = NFULA_PAYLOAD };
	size_t n = sizeof(h) + sizeof(struct nfgenmsg);

	memset(at, 0, h.nlmsg_len);
	memcpy(at, &h, sizeof(h));
	memcpy(at + n, &other, sizeof(other));
	memcpy(at + n + 8, &payload, sizeof(payload));
	memcpy(at + n + 12, udp4, sizeof(udp4));
	return h.nlmsg_len;
}

static void messages_are_read(void **state)
{
	static const uint16_t packet = NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_PACKET;
	uint8_t data[512];
	size_t n, found = 0;

	(void)state;
	n = put_message(data, packet);
	n += put_message(data + n, NLMSG_ERROR);
	n += put_message(data + n, packet);
	assert_int_equal(nflog_parse(data, n, count_packet, &found), 2);
	assert_int_equal(found, 2);
	for (size_t cut = 0; cut < n; cut++) { /* exactly so large that a step too far is seen */
		uint8_t *copy = malloc(cut ? cut : 1);

		assert_non_null(copy);
		memcpy(copy, data, cut);
		assert_true(nflog_parse(copy, cut, count_packet, &found) < 2);
		free(copy);
	}
	for (size_t i = 0; i < n; i++) { /* and any byte may be wrong */
		uint8_t saved = data[i];

		for (unsigned v = 0; v < 256; v += 51) {
			struct packet p;

			data[i] = (uint8_t)v;
			(void)packet_parse(data, n, &p);
		}
		data[i] = saved;
	}
}

static _Alignas(struct net_policy) char memory[sizeof(struct net_policy) + 2 * sizeof(struct rule)];
static struct net_policy *const policy = (struct net_policy *)(void *)memory;

static void events_are_lines(void **state)
{
	const struct event ev = { .event = "close",
				  .verdict = "allow",
				  .name = "a\"b",
				  .addr = { .family = 4, .bytes = { 192, 0, 2, 1 } },
				  .port = 443,
				  .rule = &policy->rule[1],
				  .counted = true,
				  .sent = 5,
				  .ms = 7 };
	struct scoreboard board = { .queries = 0 };
	char line[2048] = "";
	int fd[2];
	ssize_t n;

	(void)state;
	memcpy(policy->jail, "box", 4);
	memcpy(policy->rule[1].origin, "x.ini:3", 8);
	assert_int_equal(pipe2(fd, O_CLOEXEC | O_NONBLOCK), 0);
	event_init(fd[1], &board, policy);
	event_write(&ev);
	n = read(fd[0], line, sizeof(line) - 1);
	assert_true(n > 0);
	assert_int_equal(line[n - 1], '\n');
	assert_int_equal(strlen(line), n);
	assert_non_null(strstr(line, "\"time\":\"20"));
	assert_non_null(strstr(
		line, "\"jail\":\"box\",\"event\":\"close\",\"verdict\":\"allow\",\"name\":\"a\\\"b\","
		      "\"addr\":\"192.0.2.1\",\"port\":443,\"rule\":1,\"origin\":\"x.ini:3\","
		      "\"sent\":5,\"received\":0,\"ms\":7}"));
	/* A reader that does not read loses lines, and is told how many. */
	for (int i = 0; i < 4000; i++)
		event_write(&ev);
	while (read(fd[0], line, sizeof(line) - 1) > 0)
		;
	event_write(&(struct event){ .event = "refuse", .verdict = "deny", .ms = -1 });
	memset(line, 0, sizeof(line));
	assert_true(read(fd[0], line, sizeof(line) - 1) > 0);
	assert_non_null(strstr(line, "\"lost\":"));
	assert_int_equal(board.refused, 1);
	(void)close(fd[0]);
	(void)close(fd[1]);
}

static void scores_are_bounded(void **state)
{
	static struct scoreboard board;

	(void)state;
	event_init(FD_NONE, &board, policy);
	for (uint16_t i = 0; i < 3; i++)
		event_score(SCORE_PORT, &(struct event){ .name = "a.test", .port = 443, .why = "x" });
	assert_int_equal(board.used, 1);
	assert_int_equal(board.score[0].count, 3);
	assert_string_equal(board.score[0].reason, "x");
	for (int i = 0; i < SCORES_MAX + 5; i++)
		event_score(SCORE_PORT, &(struct event){ .name = "b.test", .port = (uint16_t)i });
	assert_int_equal(board.used, SCORES_MAX);
	assert_int_equal(board.dropped, 6);
}

static int do_nothing(void)
{
	return 0;
}

static int do_socket(void)
{
	return socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0) < 0 ? errno : 0;
}

static int do_unix(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int do_open(void)
{
	return (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY) < 0 ? errno : 0;
}

static int do_exec(void)
{
	char *argv[] = { NULL };

	return (int)syscall(SYS_execve, "/bin/true", argv, argv) < 0 ? errno : 0;
}

static int do_fork(void)
{
	return (int)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) < 0 ? errno : 0;
}

static int do_ptrace(void)
{
	return (int)syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0) < 0 ? errno : 0;
}

/* How a confined child ends: its status, or 1000 and a signal. */
static int confined(enum confined what, int (*run)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		struct err e = { 0 };

		leave(confine(what, &e) < 0 ? 99 : run());
	}
	assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
	return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void confinement_holds(void **state)
{
	static int (*const deadly[])(void) = { do_open, do_exec, do_fork, do_ptrace };

	(void)state;
	for (enum confined w = CONFINE_GATE; w <= CONFINE_CONNECTOR; w++) {
		assert_int_equal(confined(w, do_nothing), 0);
		assert_int_equal(confined(w, do_socket), 0);
		assert_int_equal(confined(w, do_unix), EPERM);
		for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
			assert_int_equal(confined(w, deadly[i]), 1000 + SIGSYS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(doors_are_read),    cmocka_unit_test(other_lists_are_refused),
		cmocka_unit_test(packets_are_read),  cmocka_unit_test(messages_are_read),
		cmocka_unit_test(events_are_lines),  cmocka_unit_test(scores_are_bounded),
		cmocka_unit_test(confinement_holds),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
