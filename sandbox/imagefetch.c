// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Getting an image that is not there, by jail-image; P0, before anything is planned.
 *
 * jail-image is the user's own program with the user's own environment (proxies, credentials). It
 * speaks on stderr, of what it does and what went wrong: stdout is the command's alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "base/paths.h"
#include "sandbox/image.h"

enum pull { PULL_MISSING, PULL_ALWAYS, PULL_NEVER }; /* as the choices stand in options.def */

static bool is_newer(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec >= b->tv_nsec;
}

/* The file that says what is in a source on this machine; of a layout that is its index. */
static int stat_source(struct arena *a, const struct image_name *n, struct stat *ret)
{
	return stat(str_eq(n->scheme, "oci:") ? arena_printf(a, "%s/index.json", n->file) : n->file,
		    ret);
}

/* Is it in the store, and for a source on this machine, from after its last change? */
static int is_here(struct arena *a, const struct caller *c, const struct image_name *n, struct err *e)
{
	const char *path, *digest;
	own_fd store = FD_NONE;
	struct stat ref, source;
	int rc = image_store_open(a, c, &path, &store, e);

	if (rc == 0)
		rc = image_store_find(store, n, a, &digest, e);
	if (rc < 0)
		return e->stage ? rc : 0;
	if (n->kind != IMAGE_FILE || stat_source(a, n, &source) < 0)
		return 1;
	return fstatat(store, n->ref_file, &ref, 0) < 0 || !is_newer(&source.st_mtim, &ref.st_mtim);
}

static int spawn(char *const *argv, char *const *env, pid_t *ret)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none;
	int rc = posix_spawn_file_actions_init(&files);

	if (rc)
		return -rc;
	(void)sigemptyset(&none);
	rc = posix_spawnattr_init(&attr);
	if (!rc) {
		rc = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
		rc = rc ? rc : posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
		rc = rc ? rc : posix_spawnattr_setsigmask(&attr, &none);
		rc = rc ? rc : posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
		rc = rc ? rc : posix_spawn(ret, argv[0], &files, &attr, argv, env);
		(void)posix_spawnattr_destroy(&attr);
	}
	(void)posix_spawn_file_actions_destroy(&files);
	return -rc;
}

static int run_helper(struct arena *a, const struct caller *c, const struct image_name *n,
		      struct err *e)
{
	const bool import = n->kind == IMAGE_FILE;
	char *argv[] = { arena_printf(a, "%s/jail-image", path_libexec),
			 arena_strdup(a, import ? "import" : "pull"),
			 arena_strdup(a, "--"),
			 arena_strdup(a, n->called),
			 import ? arena_strdup(a, n->reference) : NULL,
			 NULL };
	int status = 0, rc;
	pid_t pid = -1;

	rc = spawn(argv, c->env, &pid);
	if (rc < 0)
		return err_set(e, ST_IMAGE, -rc, "run '%s'", argv[0]);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return err_set(e, ST_IMAGE, errno, "wait for jail-image");
	}
	if (!WIFEXITED(status))
		return err_set(e, ST_IMAGE, 0, "jail-image was killed while it got '%s'", n->called);
	return WEXITSTATUS(status) ? -ECANCELED : 0; /* it has said why */
}

int image_fetch(struct arena *a, const struct draft *d, const struct caller *c, struct err *e)
{
	const uint64_t pull = draft_get(d, OPT_PULL)->number;
	struct image_name n;
	int rc = image_name_parse(a, d, c, &n, e);

	if (rc < 0 || n.kind == IMAGE_HOST || n.kind == IMAGE_DIR || pull == PULL_NEVER)
		return rc;
	rc = pull == PULL_ALWAYS ? 0 : is_here(a, c, &n, e);
	if (rc)
		return rc < 0 ? rc : 0;
	return run_helper(a, c, &n, e);
}
