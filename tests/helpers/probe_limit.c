// SPDX-License-Identifier: GPL-2.0-or-later
/* Attempts to use up processes, memory, files and what else is counted; runs inside a jail. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "tests/helpers/probe.h"

#define COUNT_MAX 100000
#define PAGE	  4096

/* "fork-n COUNT error": how many were there at once, and why there were no more. */
static long fork_many(const struct call *c)
{
	uint64_t most, n;
	pid_t *pids;
	int code = 0;

	if (!probe_number(c->argv[0], COUNT_MAX, &most))
		return PROBE_USAGE;
	pids = calloc(most + 1, sizeof(*pids));
	if (!pids)
		return PROBE_UNREADY;
	for (n = 0; n < most; n++) {
		pids[n] = fork();
		if (!pids[n]) {
			(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
			for (;;)
				(void)pause();
		}
		if (pids[n] < 0) {
			code = errno;
			break;
		}
	}
	for (uint64_t i = 0; i < n; i++)
		(void)kill(pids[i], SIGKILL);
	for (uint64_t i = 0; i < n; i++)
		(void)waitpid(pids[i], NULL, 0);
	free(pids);
	printf("%s %ju %s\n", c->name, (uintmax_t)n, probe_errno_name(code));
	return PROBE_SAID;
}

static int touch_memory(uint64_t bytes)
{
	volatile char *p =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return errno;
	for (uint64_t i = 0; i < bytes; i += PAGE)
		p[i] = 1;
	return 0;
}

static long use_memory(const struct call *c)
{
	uint64_t mib;

	if (!probe_number(c->argv[0], 1 << 20, &mib) || !mib)
		return PROBE_USAGE;
	return probe_in_child(c, touch_memory, mib << 20);
}

/*
 * "nofile SOFT HARD COUNT error": how many could be opened besides those that were, and why no
 * more.
 */
static long open_many(const struct call *c)
{
	struct rlimit limit;
	size_t n = 0;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return PROBE_UNREADY;
	while (n < COUNT_MAX && open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0)
		n++;
	printf("%s %ju %ju %zu %s\n", c->name, (uintmax_t)limit.rlim_cur, (uintmax_t)limit.rlim_max,
	       n, probe_errno_name(n < COUNT_MAX ? errno : 0));
	return PROBE_SAID;
}

static void *wait_at(void *arg)
{
	(void)pthread_barrier_wait(arg);
	return NULL;
}

/* All there at once; EAGAIN says that there may not be as many. */
static long start_threads(const struct call *c)
{
	static pthread_barrier_t barrier; /* threads are still in it when this returns */
	pthread_attr_t attr;
	uint64_t wanted;
	pthread_t thread;
	int r = 0;

	if (!probe_number(c->argv[0], COUNT_MAX, &wanted) || !wanted)
		return PROBE_USAGE;
	if (pthread_barrier_init(&barrier, NULL, (unsigned)wanted + 1) ||
	    pthread_attr_init(&attr) || pthread_attr_setstacksize(&attr, 64 << 10) ||
	    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED))
		return PROBE_UNREADY;
	for (uint64_t i = 0; i < wanted && !r; i++)
		r = pthread_create(&thread, &attr, wait_at, &barrier);
	if (r) { /* those that wait end with the process */
		errno = r;
		return -1;
	}
	(void)pthread_barrier_wait(&barrier);
	return 0;
}

/* Says "ready" when a signal would be ignored from now on, and OK when the time is over. */
static long ignore_term(const struct call *c)
{
	struct timespec left = { 0 };
	uint64_t seconds;

	if (!probe_number(c->argv[0], 3600, &seconds))
		return PROBE_USAGE;
	(void)signal(SIGTERM, SIG_IGN);
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	printf("%s ready\n", c->name);
	(void)fflush(stdout);
	left.tv_sec = (time_t)seconds;
	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
	return 0;
}

/* ---- what is counted for a user: one more of it, or an errno */

static int take_inotify(size_t i)
{
	(void)i;
	return inotify_init1(0) < 0 ? errno : 0;
}

static int take_pty(size_t i)
{
	(void)i;
	return posix_openpt(O_RDWR | O_NOCTTY) < 0 ? errno : 0;
}

static int take_queue(size_t i)
{
	char name[64];

	(void)snprintf(name, sizeof(name), "/jail-probe-%d-%zu", (int)getpid(), i);
	if (mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, NULL) < 0)
		return errno;
	(void)mq_unlink(name); /* it counts until it is closed */
	return 0;
}

static int take_signal(size_t i)
{
	sigset_t set;

	if (!i) {
		(void)sigemptyset(&set);
		(void)sigaddset(&set, SIGRTMIN);
		(void)sigprocmask(SIG_BLOCK, &set, NULL);
	}
	return sigqueue(getpid(), SIGRTMIN, (union sigval){ 0 }) < 0 ? errno : 0;
}

#define LOCKED (64 << 10)

/* mlock(2) counts for the process alone; a locked segment counts for its user. */
static int take_locked(size_t i)
{
	int id = shmget(IPC_PRIVATE, LOCKED, IPC_CREAT | 0600), code = 0;

	(void)i;
	if (id < 0)
		return errno;
	if ((intptr_t)shmat(id, NULL, 0) == -1 || shmctl(id, SHM_LOCK, NULL) < 0)
		code = errno;
	(void)shmctl(id, IPC_RMID, NULL); /* it goes with this process */
	return code;
}

static const struct {
	const char *name;
	int (*take)(size_t i);
} kinds[] = {
	{ "inotify", take_inotify }, { "pty", take_pty },	{ "queue", take_queue },
	{ "signal", take_signal },   { "locked", take_locked },
};

#define HOLD_SECONDS 10

/* Until somebody makes the file `stop` here. */
static void hold(void)
{
	const struct timespec tick = { .tv_nsec = 20000000 };

	(void)fflush(stdout);
	for (int i = 0; i < HOLD_SECONDS * 50 && access("stop", F_OK) < 0; i++)
		(void)nanosleep(&tick, NULL);
}

/* "take COUNT error": up to N of a kind, and why there were no more; then holds them. */
static long take_many(const struct call *c)
{
	struct rlimit files;
	uint64_t most;
	size_t kind = 0, n = 0;
	int code = 0;

	while (kind < ARRAY_SIZE(kinds) && !str_eq(kinds[kind].name, c->argv[0]))
		kind++;
	if (kind == ARRAY_SIZE(kinds) || !probe_number(c->argv[1], 1 << 20, &most))
		return PROBE_USAGE;
	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return PROBE_UNREADY;
	files.rlim_cur = files.rlim_max; /* so that it is not descriptors that run out */
	if (setrlimit(RLIMIT_NOFILE, &files) < 0)
		return PROBE_UNREADY;
	for (; n < most && !code; n += !code)
		code = kinds[kind].take(n);
	printf("%s %zu %s\n", c->name, n, probe_errno_name(code));
	if (c->argv[2])
		hold();
	return PROBE_SAID;
}

/* ---- file systems */

static int fill_file(int fd, uint64_t mib)
{
	static char block[1 << 20];

	(void)memset(block, 'x', sizeof(block));
	for (uint64_t left = mib << 20; left;) {
		ssize_t n = write(fd, block, left < sizeof(block) ? left : sizeof(block));

		if (n < 0)
			return errno;
		left -= (uint64_t)n;
	}
	return 0;
}

/* A file of that size; it has no name while it grows. */
static long fill(const struct call *c)
{
	char path[PATH_MAX];
	own_fd fd = FD_NONE;
	uint64_t mib;

	if (!probe_number(c->argv[1], 1 << 10, &mib))
		return PROBE_USAGE;
	(void)snprintf(path, sizeof(path), "%s/probe.%d", c->argv[0], (int)getpid());
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return PROBE_UNREADY;
	(void)unlink(path);
	(void)signal(SIGXFSZ, SIG_IGN);
	errno = fill_file(fd, mib);
	return errno ? -1 : 0;
}

/* That many files in a directory of their own. */
static long make_files(const struct call *c)
{
	char path[PATH_MAX];
	own_fd dir = FD_NONE;
	uint64_t most, n;
	int code = 0;

	if (!probe_number(c->argv[1], COUNT_MAX, &most))
		return PROBE_USAGE;
	(void)snprintf(path, sizeof(path), "%s/probe.%d", c->argv[0], (int)getpid());
	if (mkdir(path, 0700) < 0 || (dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return PROBE_UNREADY;
	for (n = 0; n < most && !code; n += !code) {
		(void)snprintf(path, sizeof(path), "%ju", (uintmax_t)n);
		if (mknodat(dir, path, S_IFREG | 0600, 0) < 0)
			code = errno;
	}
	while (n--) {
		(void)snprintf(path, sizeof(path), "%ju", (uintmax_t)n);
		(void)unlinkat(dir, path, 0);
	}
	(void)snprintf(path, sizeof(path), "%s/probe.%d", c->argv[0], (int)getpid());
	(void)rmdir(path);
	errno = code;
	return errno ? -1 : 0;
}

const struct probe probes_limit[] = {
	{ "fork-n", "N", 1, 1, fork_many, 0 },
	{ "mem", "MIB", 1, 1, use_memory, 0 },
	{ "nofile", "", 0, 0, open_many, 0 },
	{ "take", "inotify|pty|queue|signal|locked N [hold]", 2, 3, take_many, 0 },
	{ "fill", "DIR MIB", 2, 2, fill, 0 },
	{ "make-files", "DIR N", 2, 2, make_files, 0 },
	{ "threads", "N", 1, 1, start_threads, 0 },
	{ "sigterm-ignore", "SECONDS", 1, 1, ignore_term, 0 },
	{ 0 },
};
