// SPDX-License-Identifier: GPL-2.0-or-later
/* Shows what the process is and has: ids, capabilities, descriptors; runs inside a jail. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "tests/helpers/probe.h"

static const char *const fields[] = {
	"CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:", "NoNewPrivs:", "Seccomp:",
};

/* "caps PID inh prm eff bnd amb nnp seccomp", a - for a field that is not there. */
static void show_status(const char *name, const char *pid, FILE *f)
{
	char line[512], found[ARRAY_SIZE(fields)][32];

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		(void)snprintf(found[i], sizeof(found[i]), "-");
	while (fgets(line, sizeof(line), f))
		for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
			if (!str_starts(line, fields[i]))
				continue;
			const char *value = line + strlen(fields[i]);

			value += strspn(value, " \t");
			(void)snprintf(found[i], sizeof(found[i]), "%.*s",
				       (int)strcspn(value, "\n"), value);
		}
	printf("%s %s", name, pid);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		printf(" %s", found[i]);
	printf("\n");
}

static long show_caps(const struct call *c)
{
	own_dir proc = opendir("/proc");
	const struct dirent *d;
	char path[PATH_MAX];
	uint64_t pid;

	if (!proc)
		return PROBE_UNREADY;
	while ((d = readdir(proc))) {
		own_file f = NULL;

		if (!str_to_u64(d->d_name, INT_MAX, &pid))
			continue;
		(void)snprintf(path, sizeof(path), "/proc/%s/status", d->d_name);
		f = fopen(path, "re");
		if (f)
			show_status(c->name, d->d_name, f);
		else
			printf("%s %s %s\n", c->name, d->d_name, probe_errno_name(errno));
	}
	return PROBE_SAID;
}

static long show_fds(const struct call *c)
{
	own_dir dir = opendir("/proc/self/fd");
	const struct dirent *d;
	char target[PATH_MAX];

	if (!dir)
		return PROBE_UNREADY;
	while ((d = readdir(dir))) {
		uint64_t fd;
		ssize_t n;

		if (!str_to_u64(d->d_name, INT_MAX, &fd) || (int)fd == dirfd(dir))
			continue;
		n = readlinkat(dirfd(dir), d->d_name, target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		printf("%s %s %s\n", c->name, d->d_name, target);
	}
	return PROBE_SAID;
}

static long show_session(const struct call *c)
{
	printf("%s %d %d %d\n", c->name, (int)getsid(0), (int)getpgrp(), (int)getpid());
	return PROBE_SAID;
}

static long show_ids(const struct call *c)
{
	printf("%s %u %u\n", c->name, (unsigned)getuid(), (unsigned)geteuid());
	return PROBE_SAID;
}

/* A process that has ended keeps its effective uid until it is waited for, and owns its entry. */
static int compare_uid(const char *name, pid_t pid)
{
	char path[64];
	struct stat st;

	(void)snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (stat(path, &st) < 0)
		return -1;
	printf("%s 0 %s\n", name, st.st_uid == geteuid() ? "same" : "changed");
	return 0;
}

/* Runs a program that may be set-uid, for its version. */
static long run_suid(const struct call *c)
{
	siginfo_t info;
	pid_t pid = fork();
	int rc;

	if (pid < 0)
		return PROBE_UNREADY;
	if (!pid) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		for (int i = 0; null >= 0 && i < 3; i++)
			(void)dup2(null, i);
		(void)execl(c->argv[0], c->argv[0], "--version", (char *)NULL);
		_exit(126);
	}
	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0)
		return PROBE_UNREADY;
	rc = info.si_status == 126 ? -1 : compare_uid(c->name, pid);
	(void)waitpid(pid, NULL, 0);
	return rc < 0 ? PROBE_UNREADY : PROBE_SAID;
}

static long set_nnp(const struct call *c)
{
	(void)c;
	return prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0);
}

/* Where the stack is, in a process that is new: two of them differ unless the layout is fixed. */
static long show_stack(const struct call *c)
{
	printf("%s %p\n", c->name, __builtin_frame_address(0));
	return PROBE_SAID;
}

/* To the name that it has. */
static long set_name(const struct call *c)
{
	char name[256];

	(void)c;
	if (gethostname(name, sizeof(name)) < 0)
		return PROBE_UNREADY;
	return sethostname(name, strlen(name));
}

const struct probe probes_self[] = {
	{ "caps", "", 0, 0, show_caps, 0 },
	{ "fds", "", 0, 0, show_fds, 0 },
	{ "sid", "", 0, 0, show_session, 0 },
	{ "setuid-check", "", 0, 0, show_ids, 0 },
	{ "sethostname", "", 0, 0, set_name, 0 },
	{ "nnp-off", "", 0, 0, set_nnp, 0 },
	{ "stack", "", 0, 0, show_stack, 0 },
	{ "suid-run", "FILE", 1, 1, run_suid, 0 },
	{ 0 },
};
