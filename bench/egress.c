// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Both ends of a measurement of a network path: how much goes through, and how fast it connects.
 *
 *	egress serve PORT		on 127.0.0.1, and every other address
 *	egress up|down HOST PORT SECONDS	Gbit/s
 *	egress conn HOST PORT COUNT	connections with one byte there and back: a second, and p50 in us
 *
 * A client's first byte says what it wants: u (it sends), d (it receives), e (echo of one byte).
 */
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"

#define PIECE	  (128 * 1024)
#define COUNT_MAX 100000

static char piece[PIECE];

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void die(const char *what)
{
	perror(what);
	_exit(1);
}

static void serve_one(int fd)
{
	uint64_t got = 0;
	char want = 0;
	ssize_t n;

	if (recv(fd, &want, 1, 0) != 1)
		return;
	if (want == 'd') {
		while (send(fd, piece, sizeof(piece), MSG_NOSIGNAL) > 0)
			;
		return;
	}
	if (want == 'e') {
		(void)send(fd, &want, 1, MSG_NOSIGNAL);
		return;
	}
	while ((n = recv(fd, piece, sizeof(piece), 0)) > 0)
		got += (uint64_t)n;
	(void)send(fd, &got, sizeof(got), MSG_NOSIGNAL);
}

/* Echoes are answered here; what takes long has a child of its own. */
static void serve(uint16_t port)
{
	const struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port) };
	int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)signal(SIGCHLD, SIG_IGN);
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (bind(fd, (const struct sockaddr *)&at, sizeof(at)) < 0 || listen(fd, 1024) < 0)
		die("listen");
	for (;;) {
		own_fd c = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
		char want = 0;

		if (c < 0 || recv(c, &want, 1, MSG_PEEK) != 1)
			continue;
		if (want == 'e') {
			serve_one(c);
		} else if (fork() == 0) {
			serve_one(c);
			_exit(0);
		}
	}
}

static int connect_to(const struct addrinfo *a)
{
	static const int on = 1;
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (connect(fd, a->ai_addr, a->ai_addrlen) < 0)
		die("connect");
	return fd;
}

static void bulk(const struct addrinfo *a, char want, uint64_t seconds)
{
	uint64_t end, start, bytes = 0;
	int fd = connect_to(a);
	ssize_t n = send(fd, &want, 1, 0);

	start = now_ns();
	end = start + seconds * 1000000000u;
	while (n > 0 && now_ns() < end) {
		n = want == 'u' ? send(fd, piece, sizeof(piece), MSG_NOSIGNAL)
				: recv(fd, piece, sizeof(piece), 0);
		bytes += n > 0 ? (uint64_t)n : 0;
	}
	if (want == 'u') { /* what counts is what arrived, and when */
		(void)shutdown(fd, SHUT_WR);
		if (recv(fd, &bytes, sizeof(bytes), MSG_WAITALL) != (ssize_t)sizeof(bytes))
			die("answer");
	}
	printf("%.2f\n", (double)bytes * 8 / (double)(now_ns() - start));
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void connections(const struct addrinfo *a, uint64_t count)
{
	static uint64_t ns[COUNT_MAX];
	uint64_t start = now_ns(), middle;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t from = now_ns();
		own_fd fd = connect_to(a);
		char byte = 'e';

		if (send(fd, &byte, 1, MSG_NOSIGNAL) != 1 || recv(fd, &byte, 1, 0) != 1)
			die("echo");
		ns[i] = now_ns() - from;
	}
	start = now_ns() - start;
	qsort(ns, count, sizeof(ns[0]), compare);
	middle = ns[count / 2];
	printf("%.0f %.0f\n", (double)count * 1e9 / (double)start, (double)middle / 1000);
}

int main(int argc, char **argv)
{
	const struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
	struct addrinfo *a = NULL;
	uint64_t n = 0;

	if (argc == 3 && str_eq(argv[1], "serve") && str_to_u64(argv[2], UINT16_MAX, &n))
		serve((uint16_t)n);
	if (argc != 5 || !str_to_u64(argv[4], COUNT_MAX, &n)) {
		fprintf(stderr, "usage: egress serve PORT | up|down|conn HOST PORT NUMBER\n");
		return 1;
	}
	if (getaddrinfo(argv[2], argv[3], &hints, &a))
		die(argv[2]);
	if (str_eq(argv[1], "conn"))
		connections(a, n);
	else
		bulk(a, argv[1][0], n);
	return 0;
}
