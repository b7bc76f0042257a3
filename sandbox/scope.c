// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A cgroup from systemd; P0, before anything is set up.
 *
 * Only systemd can make a place in its tree that it will leave alone. `systemd-run --scope` asks
 * for one, moves itself there and execs what follows: this same program, in this same process, with
 * our descriptors and our terminal. That replaces us, and its failure would be the end of the run,
 * with a status that looks like the command's. So the very same is tried first, by a child, on
 * something that does nothing; only what worked is done.
 */
#include "sandbox/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/own.h"
#include "base/text.h"

#define RUNNER	 "/usr/bin/systemd-run"
#define MARK	 "JAIL_SCOPE=" /* and our pid: nobody who inherits it is fooled */
#define PATIENCE 10000	       /* ms; a systemd that is slower than this is not to be waited for */

/* How systemd is reached. */
struct manager {
	bool user;	     /* the caller's own, or the system's */
	const char *runtime; /* what XDG_RUNTIME_DIR must be; NULL: nothing */
};

bool scope_entered(char **env)
{
	bool entered = false;
	char **to = env;

	for (char **from = env; *from; from++) {
		uint64_t pid;

		if (!str_starts(*from, MARK))
			*to++ = *from;
		else if (str_to_u64(*from + strlen(MARK), INT_MAX, &pid))
			entered |= (pid_t)pid == getpid();
	}
	*to = NULL;
	return entered;
}

static bool is_socket(const char *dir, const char *name)
{
	char path[PATH_MAX];
	struct stat st;
	struct text t;

	text_init(&t, path, sizeof(path));
	text_addf(&t, "%s/%s", dir, name);
	return !t.full && stat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* The program that will be all we are: nobody but root may have written it. */
static bool runner_is_safe(void)
{
	struct stat st;

	return stat(RUNNER, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == 0 && !(st.st_mode & 022);
}

static bool find_manager(struct arena *a, const struct caller *c, struct manager *ret)
{
	const char *runtime = caller_getenv(c, "XDG_RUNTIME_DIR");

	*ret = (struct manager){ 0 };
	if (!runner_is_safe())
		return false;
	if (c->kernel_root && c->initial_userns)
		return is_socket("/run/systemd", "private");
	if (!runtime || runtime[0] != '/')
		runtime = arena_printf(a, "/run/user/%u", c->uid);
	ret->user = true;
	ret->runtime = runtime;
	return is_socket(runtime, "systemd/private") || is_socket(runtime, "bus");
}

/* Our own program by the name that it has now, or NULL when that is another. */
static const char *find_self(struct arena *a)
{
	char path[PATH_MAX];
	struct stat ours, there;
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0)
		return NULL;
	path[n] = '\0';
	if (path[0] != '/' || stat("/proc/self/exe", &ours) < 0 || stat(path, &there) < 0 ||
	    ours.st_dev != there.st_dev || ours.st_ino != there.st_ino)
		return NULL;
	return arena_strdup(a, path);
}

char **scope_argv(struct arena *a, bool user, const char *self, char *const *argv)
{
	size_t given = 0, n = 0;
	char **out;

	while (argv[given])
		given++;
	out = arena_array(a, char *, given + 9);
	out[n++] = arena_strdup(a, RUNNER);
	if (user)
		out[n++] = arena_strdup(a, "--user");
	out[n++] = arena_strdup(a, "--scope");
	out[n++] = arena_strdup(a, "--quiet");
	out[n++] = arena_strdup(a, "--collect"); /* a scope that ran out of memory is not kept */
	out[n++] = arena_strdup(a, "--property=Delegate=yes");
	out[n++] = arena_strdup(a, "--");
	out[n++] = arena_strdup(a, self);
	for (size_t i = 1; i < given; i++)
		out[n++] = argv[i];
	return out;
}

/* The caller's, with the mark, and with the way to systemd where the caller has none. */
static char **make_env(struct arena *a, const struct caller *c, const struct manager *m)
{
	size_t n = 0;
	char **out;

	while (c->env[n])
		n++;
	out = arena_array(a, char *, n + 3);
	memcpy(out, c->env, n * sizeof(*out));
	if (m->runtime && caller_getenv(c, "XDG_RUNTIME_DIR") != m->runtime) {
		size_t kept = 0;

		for (size_t i = 0; i < n; i++) {
			if (!str_starts(out[i], "XDG_RUNTIME_DIR="))
				out[kept++] = out[i];
		}
		n = kept;
		out[n++] = arena_printf(a, "XDG_RUNTIME_DIR=%s", m->runtime);
	}
	out[n++] = arena_printf(a, MARK "%d", getpid());
	out[n] = NULL;
	return out;
}

/* Run it to its end with nothing to read and nowhere to speak; true when it succeeded in time. */
static bool succeeds(char **argv, char **env)
{
	posix_spawn_file_actions_t files;
	siginfo_t info = { 0 };
	struct pollfd p = { .events = POLLIN };
	own_fd pidfd = FD_NONE;
	pid_t pid;
	int r;

	if (posix_spawn_file_actions_init(&files))
		return false;
	r = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDWR, 0);
	r = r ? r : posix_spawn_file_actions_adddup2(&files, 0, 1);
	r = r ? r : posix_spawn_file_actions_adddup2(&files, 0, 2);
	r = r ? r : posix_spawn(&pid, argv[0], &files, NULL, argv, env);
	(void)posix_spawn_file_actions_destroy(&files);
	if (r)
		return false;
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	p.fd = pidfd;
	if (pidfd < 0 || poll(&p, 1, PATIENCE) != 1)
		(void)kill(pid, SIGKILL);
	while (waitid(P_PID, (id_t)pid, &info, WEXITED) < 0) {
		if (errno != EINTR)
			return false;
	}
	return info.si_code == CLD_EXITED && info.si_status == 0;
}

/*
 * With `--version` our own program does nothing, and has shown that it can be started from there.
 */
static bool try_scope(struct arena *a, const char *self, const struct manager *m, char **env)
{
	char *argv[] = { arena_strdup(a, "jail"), arena_strdup(a, "--version"), NULL };

	return succeeds(scope_argv(a, m->user, self, argv), env);
}

bool scope_available(struct arena *a, const struct caller *c)
{
	const char *self = find_self(a);
	struct manager m;

	return self && find_manager(a, c, &m) && try_scope(a, self, &m, make_env(a, c, &m));
}

void scope_enter(struct arena *a, const struct caller *c, char *const *argv, const int *keep,
		 size_t keep_n)
{
	const char *self = find_self(a);
	struct manager m;
	char **env;

	if (!self || !find_manager(a, c, &m))
		return;
	env = make_env(a, c, &m);
	if (!try_scope(a, self, &m, env))
		return;
	/*
	 * 0 to 2 may be ours from when they were closed; systemd-run must not open other things
	 * there.
	 */
	for (int fd = 0; fd < 3; fd++)
		(void)fcntl(fd, F_SETFD, 0);
	for (size_t i = 0; i < keep_n; i++) {
		if (keep[i] >= 0)
			(void)fcntl(keep[i], F_SETFD, 0);
	}
	(void)execve(RUNNER, scope_argv(a, m.user, self, argv), env);
	for (size_t i = 0; i < keep_n; i++) {
		if (keep[i] > STDERR_FILENO)
			(void)fcntl(keep[i], F_SETFD, FD_CLOEXEC);
	}
}
