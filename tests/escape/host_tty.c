// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands of the host's side that hold a terminal, or look at what one has shown; runs outside. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/own.h"
#include "tests/escape/host.h"

#define PTY_SECONDS 15

/* As a shell would number it, but for signals, which are negative. */
static int status_code(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int open_pty(int *ret_master)
{
	own_fd master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	char name[64];
	int slave;

	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 ||
	    ptsname_r(master, name, sizeof(name)))
		return -1;
	slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave >= 0)
		*ret_master = fd_take(&master);
	return slave;
}

static _Noreturn void command_on(int slave, char **argv)
{
	if (setsid() < 0 || ioctl(slave, TIOCSCTTY, 0) < 0)
		_exit(126);
	for (int fd = 0; fd < 3; fd++)
		if (dup2(slave, fd) < 0)
			_exit(126);
	(void)k_close_range(3, ~0u, 0);
	(void)execvp(argv[0], argv);
	_exit(host_fail(argv[0]));
}

static int64_t seconds_now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/*
 * Copies what the terminal shows until the command has ended and all is shown; its status, or -1
 * when it is still there.
 */
static int show(int master, pid_t pid, FILE *log)
{
	int64_t deadline = seconds_now() + PTY_SECONDS;
	struct pollfd p = { .fd = master, .events = POLLIN };
	int status = -1;
	bool ended = false;
	char data[4096];

	while (seconds_now() < deadline) {
		ssize_t n = poll(&p, 1, 50) > 0 ? read(master, data, sizeof(data)) : 0;

		if (n > 0)
			(void)fwrite(data, 1, (size_t)n, log);
		else if (ended)
			return status;
		if (!ended)
			ended = waitpid(pid, &status, WNOHANG) == pid;
	}
	return ended ? status : -1;
}

/* What is in the queue was typed by nobody: nothing is written to the master. */
static void print_typed(int slave, int code)
{
	unsigned char typed[4096];
	struct termios mode;
	ssize_t n = 0;

	if (!tcgetattr(slave, &mode)) {
		mode.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		mode.c_cc[VMIN] = mode.c_cc[VTIME] = 0;
		(void)tcsetattr(slave, TCSANOW, &mode);
		n = read(slave, typed, sizeof(typed));
	}
	printf("rc %d typed ", code);
	for (ssize_t i = 0; i < n; i++)
		printf("%02x", typed[i]);
	puts(n > 0 ? "" : "-");
}

int host_pty(char **argv)
{
	own_fd master = FD_NONE, slave = FD_NONE;
	own_file log = fopen(argv[0], "we");
	int status;
	pid_t pid;

	if (!log)
		return host_fail(argv[0]);
	slave = open_pty(&master);
	if (slave < 0)
		return host_fail("open a terminal");
	pid = fork();
	if (pid < 0)
		return host_fail("fork");
	if (!pid)
		command_on(slave, argv + 1);
	status = show(master, pid, log);
	if (status == -1) {
		(void)kill(pid, SIGKILL);
		if (waitpid(pid, &status, 0) != pid)
			return host_fail("wait");
	}
	print_typed(slave, status_code(status));
	return 0;
}

/* ---- signals -------------------------------------------------------------- */

static const struct {
	int number;
	const char *name;
} watched[] = {
	{ SIGUSR1, "SIGUSR1\n" }, { SIGTSTP, "SIGTSTP\n" }, { SIGTTOU, "SIGTTOU\n" },
	{ SIGTTIN, "SIGTTIN\n" }, { SIGTERM, "SIGTERM\n" }, { SIGHUP, "SIGHUP\n" },
};

static int group_log = FD_NONE; /* a signal handler has no other way to know */

static void note(int number)
{
	int saved = errno;

	for (size_t i = 0; i < ARRAY_SIZE(watched); i++)
		if (watched[i].number == number &&
		    write(group_log, watched[i].name, strlen(watched[i].name)) < 0)
			break;
	errno = saved;
}

static void watch(void (*handler)(int))
{
	struct sigaction a = { .sa_handler = handler, .sa_flags = SA_RESTART };

	for (size_t i = 0; i < ARRAY_SIZE(watched); i++)
		(void)sigaction(watched[i].number, &a, NULL);
}

int host_group(char **argv)
{
	struct timespec rest = { .tv_nsec = 100000000 };
	int status, code;
	pid_t pid;

	group_log = open(argv[0], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (group_log < 0)
		return host_fail(argv[0]);
	watch(note);
	(void)setpgid(0, 0);
	pid = fork();
	if (pid < 0)
		return host_fail("fork");
	if (!pid) {
		watch(SIG_DFL);
		(void)execvp(argv[1], argv + 1);
		_exit(host_fail(argv[1]));
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return host_fail("wait");
	while (nanosleep(&rest, &rest) < 0 && errno == EINTR)
		; /* a signal that is on its way */
	code = status_code(status);
	return code >= 0 ? code : 128 - code;
}

/* ---- patterns for bytes ---------------------------------------------------- */

/*
 * A pattern is alternatives, A|B, of which the first that fits is taken. Each is a row of single
 * bytes: x, \x1b, \* or [a-z\x80-\x9f], with a ? after those that may be missing. (?<![...]) in
 * front: no byte of these comes before.
 */
struct span {
	const unsigned char *s, *end;
};

static unsigned char hex_digit(char c)
{
	return (unsigned char)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

/* One byte of the pattern, which may be escaped; moves *p behind it. */
static unsigned char one_byte(const char **p)
{
	const char *s = *p;

	if (s[0] == '\\' && s[1] == 'x' && s[2] && s[3]) {
		*p = s + 4;
		return (unsigned char)(hex_digit(s[2]) << 4 | hex_digit(s[3]));
	}
	if (s[0] == '\\' && s[1])
		s++;
	*p = s + 1;
	return (unsigned char)*s;
}

/* Does c fit what *p begins with? Moves *p behind it. */
static bool one_fits(const char **p, unsigned char c)
{
	bool fits = false;

	if (**p != '[')
		return one_byte(p) == c;
	for ((*p)++; **p && **p != ']';) {
		unsigned char first = one_byte(p), last = first;

		if (**p == '-' && (*p)[1] && (*p)[1] != ']') {
			(*p)++;
			last = one_byte(p);
		}
		fits |= c >= first && c <= last;
	}
	*p += **p == ']';
	return fits;
}

/*
 * The end of what fits at `at`, or NULL. Calls itself for what may be missing: as deep as the
 * pattern has marks of that.
 */
static const unsigned char *fits_here(const char *p, struct span at)
{
	while (*p && *p != '|') {
		bool fits = one_fits(&p, at.s < at.end ? *at.s : 0) && at.s < at.end;

		if (*p == '?') {
			const unsigned char *with;

			p++;
			with = fits ? fits_here(p, (struct span){ at.s + 1, at.end }) : NULL;
			if (with)
				return with;
			continue;
		}
		if (!fits)
			return NULL;
		at.s++;
	}
	return at.s;
}

static const char *next_alternative(const char *p)
{
	while (*p && *p != '|') {
		if (*p == '[')
			(void)one_fits(&p, 0);
		else
			(void)one_byte(&p);
	}
	return *p ? p + 1 : NULL;
}

static const unsigned char *any_fits(const char *p, const unsigned char *begin, struct span at)
{
	static const char not_after[] = "(?<!";

	for (; p; p = next_alternative(p)) {
		const unsigned char *end;

		if (!strncmp(p, not_after, sizeof(not_after) - 1)) {
			p += sizeof(not_after) - 1;
			if (one_fits(&p, at.s > begin ? at.s[-1] : 0) && at.s > begin)
				continue;
			p += *p == ')';
		}
		end = fits_here(p, at);
		if (end && end > at.s)
			return end;
	}
	return NULL;
}

static bool is_new(const struct span *found, size_t n, struct span one)
{
	size_t size = (size_t)(one.end - one.s);

	for (size_t i = 0; i < n; i++)
		if ((size_t)(found[i].end - found[i].s) == size && !memcmp(found[i].s, one.s, size))
			return false;
	return true;
}

int host_find(char **argv)
{
	own_fd fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	struct span found[20], at;
	const unsigned char *begin;
	size_t n = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return host_fail(argv[1]);
	if (!st.st_size)
		return 0;
	begin = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (!begin || begin == MAP_FAILED)
		return host_fail(argv[1]);
	at = (struct span){ begin, begin + st.st_size };
	while (at.s < at.end && n < ARRAY_SIZE(found)) {
		const unsigned char *end = any_fits(argv[0], begin, at);

		if (end && is_new(found, n, (struct span){ at.s, end })) {
			host_print_bytes(stdout, at.s, (size_t)(end - at.s));
			putchar('\n');
			found[n++] = (struct span){ at.s, end };
		}
		at.s = end ? end : at.s + 1;
	}
	return 0;
}
