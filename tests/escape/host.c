// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The host's side of the hardening suite; runs outside: who listens, who could be signalled, whose
 * terminal it is.
 *
 * listen   KIND is stream, dgram or abstract, or tcp with a port of 127.0.0.1 for a name; logs one
 *          line for each connection or datagram; on SIGTERM those that wait, then ends
 * sockets  listens at each path, after making the directories; until killed
 * pty      COMMAND on a terminal of its own. LOG gets what the terminal showed, stdout one line,
 *          "rc N typed HEX": how it ended, and the bytes that were put into the terminal's input
 * group    COMMAND in one process group with this process, which logs the signals it gets; ends as
 *          COMMAND does
 * ipc      a System V segment, a POSIX one and a queue called NAME; prints the key, and 1 for each
 *          of the other two that is there; until SIGTERM
 * fds      COMMAND with descriptors 3 to 200 open, on DIR (9 is one of these) and on other things
 * flip     exchanges two names as fast as it can; until killed
 * find     prints the first matches of a pattern for bytes (host_tty.c)
 * chroot   changes the root, and not the directory
 * world    whatever there is at the other end of a network (host_world.c); until SIGTERM
 */

#include "tests/escape/host.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"

#define K_RENAME_EXCHANGE 2

int host_fail(const char *what)
{
	fprintf(stderr, "host: %s: %s\n", what, strerror(errno));
	return 1;
}

void host_print_bytes(FILE *out, const unsigned char *s, size_t n)
{
	fputs("b'", out);
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\\' || s[i] == '\'')
			fprintf(out, "\\%c", s[i]);
		else if (s[i] == '\n')
			fputs("\\n", out);
		else if (s[i] == '\r')
			fputs("\\r", out);
		else if (s[i] == '\t')
			fputs("\\t", out);
		else if (s[i] < ' ' || s[i] > '~')
			fprintf(out, "\\x%02x", s[i]);
		else
			fputc(s[i], out);
	}
	fputc('\'', out);
}

void host_ready(void)
{
	puts("ready");
	(void)fflush(stdout);
	(void)close(STDOUT_FILENO);
}

static int bound_socket(int type, const char *name, bool abstract)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	size_t n = strlen(name);
	own_fd fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	if (n + 1 > sizeof(a.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(a.sun_path + abstract, name, n);
	n += offsetof(struct sockaddr_un, sun_path) + 1;
	if (bind(fd, (struct sockaddr *)&a, (socklen_t)n) < 0)
		return -1;
	return fd_take(&fd);
}

static int bound_port(const char *name)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	own_fd fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	uint64_t port;

	if (!str_to_u64(name, UINT16_MAX, &port)) {
		errno = EINVAL;
		return -1;
	}
	a.sin_port = htons((uint16_t)port);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		return -1;
	return fd_take(&fd);
}

static void log_bytes(FILE *log, const unsigned char *s, ssize_t n)
{
	fputs("got ", log);
	host_print_bytes(log, s, n > 0 ? (size_t)n : 0);
	fputc('\n', log);
	(void)fflush(log);
}

static ssize_t talk(int fd, unsigned char *data, size_t size)
{
	static const char ping[] = "GET /_ping", pong[] = "HTTP/1.0 200 OK\r\n\r\nOK";
	const struct timeval patience = { .tv_usec = 200000 };
	ssize_t n;

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	n = recv(fd, data, size, 0);
	if (n >= (ssize_t)sizeof(ping) - 1 && !memcmp(data, ping, sizeof(ping) - 1))
		(void)send(fd, pong, sizeof(pong) - 1, MSG_NOSIGNAL);
	return n;
}

static volatile sig_atomic_t ending;

static void on_end(int sig)
{
	(void)sig;
	ending = 1;
}

/* SIGTERM comes while it waits and at no other time, so that none is missed. */
static int catch_end(void)
{
	const struct sigaction act = { .sa_handler = on_end };
	sigset_t ends;

	(void)sigemptyset(&ends);
	(void)sigaddset(&ends, SIGTERM);
	return sigprocmask(SIG_BLOCK, &ends, NULL) < 0 ? -1 : sigaction(SIGTERM, &act, NULL);
}

static void wait_for(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	sigset_t none;

	(void)sigemptyset(&none);
	(void)ppoll(&p, 1, NULL, &none);
}

/* argv[3], the directory, is there because a socket's address has room for 107 bytes only. */
static int host_listen(char **argv)
{
	bool dgram = str_eq(argv[1], "dgram"), abstract = str_eq(argv[1], "abstract");
	unsigned char data[4096];
	own_fd listener = FD_NONE;
	own_file log = NULL;

	if (argv[3] && chdir(argv[3]) < 0)
		return host_fail(argv[3]);
	listener = str_eq(argv[1], "tcp")
			   ? bound_port(argv[2])
			   : bound_socket(dgram ? SOCK_DGRAM : SOCK_STREAM, argv[2], abstract);
	if (listener < 0)
		return host_fail(argv[2]);
	log = fopen(argv[0], "ae");
	if (!log)
		return host_fail(argv[0]);
	if (!dgram && listen(listener, 16) < 0)
		return host_fail("listen");
	if (fcntl(listener, F_SETFL, O_NONBLOCK) < 0 || catch_end() < 0)
		return host_fail("listen");
	host_ready();
	for (;;) {
		own_fd peer = FD_NONE;
		ssize_t n = -1;

		if (dgram)
			n = recv(listener, data, sizeof(data), 0);
		else
			peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (n >= 0 || peer >= 0)
			log_bytes(log, data, dgram ? n : talk(peer, data, sizeof(data)));
		else if (errno == EAGAIN && ending)
			return 0;
		else if (errno == EAGAIN)
			wait_for(listener);
		else if (errno != EINTR && errno != ECONNABORTED)
			return host_fail("accept");
	}
}

/* Every directory above path. */
static int make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		int r;

		*slash = '\0';
		r = mkdir(path, 0777);
		*slash = '/';
		if (r < 0 && errno != EEXIST)
			return -1;
	}
	return 0;
}

static int host_sockets(char **argv)
{
	for (; *argv; argv++) {
		int fd;

		if (make_parents(*argv) < 0)
			return host_fail(*argv);
		fd = bound_socket(SOCK_STREAM, *argv, false); /* until this process ends */
		if (fd < 0 || listen(fd, 64) < 0)
			return host_fail(*argv);
	}
	host_ready();
	for (;;)
		(void)pause();
}

static int host_ipc(char **argv)
{
	char name[NAME_MAX];
	int32_t key;
	int shm, posix, queue, got;
	sigset_t ends;

	(void)snprintf(name, sizeof(name), "/%s", argv[0]);
	(void)sigemptyset(&ends);
	(void)sigaddset(&ends, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, &ends, NULL);
	if (getrandom(&key, sizeof(key), 0) != sizeof(key))
		return host_fail("getrandom");
	key = (key & INT32_MAX) | 1;
	shm = shmget(key, 4096, IPC_CREAT | 0666);
	if (shm < 0)
		return host_fail("shmget");
	posix = shm_open(name, O_CREAT | O_RDWR, 0666);
	queue = mq_open(name, O_CREAT | O_RDWR, 0666, NULL);
	printf("%d %d %d\n", key, posix >= 0, queue >= 0);
	(void)fflush(stdout);
	(void)close(STDOUT_FILENO);
	(void)sigwait(&ends, &got);
	(void)shmctl(shm, IPC_RMID, NULL);
	(void)shm_unlink(name);
	(void)mq_unlink(name);
	return 0;
}

/* The sources are moved out of the way of 3 to 200 first, and do not live on. */
static int host_fds(char **argv)
{
	int from[8], pair[2], two[2];

	if (pipe2(pair, O_CLOEXEC) < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, two) < 0)
		return host_fail("pipe");
	from[0] = open(argv[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (from[0] < 0)
		return host_fail(argv[0]);
	from[1] = pair[0];
	from[2] = pair[1];
	from[3] = two[0];
	from[4] = two[1];
	from[5] = open("/dev/null", O_RDWR | O_CLOEXEC);
	from[6] = memfd_create("x", MFD_CLOEXEC);
	from[7] = (int)syscall(SYS_pidfd_open, getpid(), 0);
	for (size_t i = 0; i < ARRAY_SIZE(from); i++) {
		from[i] = fcntl(from[i], F_DUPFD_CLOEXEC, 300);
		if (from[i] < 0)
			return host_fail("descriptors");
	}
	for (int fd = 3; fd <= 200; fd++)
		if (dup2(fd == 9 ? from[0] : from[(size_t)fd % ARRAY_SIZE(from)], fd) < 0)
			return host_fail("dup2");
	(void)execvp(argv[1], argv + 1);
	return host_fail(argv[1]);
}

/* A file system that cannot do it says EINVAL. */
static int host_flip(char **argv)
{
	host_ready();
	do {
		errno = 0;
		(void)syscall(SYS_renameat2, AT_FDCWD, argv[0], AT_FDCWD, argv[1], K_RENAME_EXCHANGE);
	} while (errno != EINVAL);
	return host_fail("exchange");
}

static int host_chroot(char **argv)
{
	if (chdir("/") < 0 || chroot(argv[0]) < 0)
		return host_fail(argv[0]);
	(void)execv(argv[1], argv + 1);
	return host_fail(argv[1]);
}

static const struct command {
	const char *name, *usage;
	int least, most;
	int (*run)(char **argv);
} commands[] = {
	{ "listen", "LOG KIND NAME [CHDIR]", 3, 4, host_listen },
	{ "sockets", "PATH...", 1, INT_MAX, host_sockets },
	{ "pty", "LOG COMMAND...", 2, INT_MAX, host_pty },
	{ "group", "LOG COMMAND...", 2, INT_MAX, host_group },
	{ "ipc", "NAME", 1, 1, host_ipc },
	{ "fds", "DIR COMMAND...", 2, INT_MAX, host_fds },
	{ "flip", "A B", 2, 2, host_flip },
	{ "find", "PATTERN FILE", 2, 2, host_find },
	{ "chroot", "DIR COMMAND...", 2, INT_MAX, host_chroot },
	{ "world", "LOG", 1, 1, host_world },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(commands); i++) {
		const struct command *c = &commands[i];

		if (str_eq(argv[1], c->name) && argc - 2 >= c->least && argc - 2 <= c->most)
			return c->run(argv + 2);
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(stderr, "usage: host %s %s\n", commands[i].name, commands[i].usage);
	return 2;
}
