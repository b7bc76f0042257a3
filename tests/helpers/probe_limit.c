// SPDX-License-Identifier: GPL-2.0-or-later
/* Attempts to use up processes, threads, memory and descriptors; runs inside a jail. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
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

const struct probe probes_limit[] = {
	{ "fork-n", "N", 1, 1, fork_many, 0 },
	{ "mem", "MIB", 1, 1, use_memory, 0 },
	{ "nofile", "", 0, 0, open_many, 0 },
	{ "threads", "N", 1, 1, start_threads, 0 },
	{ "sigterm-ignore", "SECONDS", 1, 1, ignore_term, 0 },
	{ 0 },
};
