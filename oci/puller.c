// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Starting jail-pull and talking to it; in jail-image. It reads what strangers send, so what it
 * says is taken in fixed words and numbers, and its files are checked again by who uses them.
 */
#include "oci/puller.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/fs.h"
#include "base/paths.h"
#include "base/text.h"
#include "oci/store.h"

static int spawn(pid_t *pid, char *const argv[], const int fds[3])
{
	posix_spawn_file_actions_t act;
	int rc = posix_spawn_file_actions_init(&act);

	for (int i = 0; rc == 0 && i < 3; i++)
		rc = posix_spawn_file_actions_adddup2(&act, fds[i], i);
	if (rc == 0)
		rc = posix_spawn(pid, argv[0], &act, NULL, argv, environ);
	(void)posix_spawn_file_actions_destroy(&act);
	return rc;
}

int puller_start(struct puller *p, const char *dir, const char *reference, bool plain_http,
		 struct progress *progress, struct err *e)
{
	char path[PATH_MAX];
	const char *argv[] = { path, "--", dir, reference, NULL, NULL };
	int in[2] = { FD_NONE, FD_NONE }, out[2] = { FD_NONE, FD_NONE },
	    err[2] = { FD_NONE, FD_NONE };
	int rc;

	*p = (struct puller){ .ask = FD_NONE, .errors = FD_NONE, .progress = progress };
	if (plain_http) {
		memmove(argv + 2, argv + 1, 3 * sizeof(*argv));
		argv[1] = "--plain-http";
	}
	(void)snprintf(path, sizeof(path), "%s/jail-pull", path_libexec);
	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0)
		rc = errno;
	else
		rc = spawn(&p->pid, (char *const *)(uintptr_t)argv, (int[]){ in[0], out[1], err[1] });
	fd_release(&in[0]);
	fd_release(&out[1]);
	fd_release(&err[1]);
	p->ask = in[1];
	p->errors = err[0];
	p->answers = rc == 0 ? fdopen(out[0], "re") : NULL;
	if (!p->answers)
		fd_release(&out[0]);
	if (rc == 0 && !p->answers)
		rc = ENOMEM;
	if (rc == 0)
		return 0;
	puller_end(p);
	return err_set(e, ST_IMAGE, rc, "run '%s'", path);
}

void puller_end(struct puller *p)
{
	int saved = errno;

	fd_release(&p->ask);
	fd_release(&p->errors);
	file_release(&p->answers);
	if (p->pid > 0) {
		(void)kill(p->pid, SIGKILL); /* what is whole is whole; what is not is gone on with */
		while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	p->pid = 0;
	errno = saved;
}

/* It ended: its one line is why. */
static int why(struct puller *p, struct err *e)
{
	char line[1024];
	ssize_t n = fs_read_fd(p->errors, line, sizeof(line));

	if (n < 0)
		n = 0;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (!line[0])
		return err_set(e, ST_IMAGE, 0, "jail-pull ended without a word");
	return err_set(e, ST_IMAGE, 0, "%s", line);
}

static int tell(struct puller *p, const char *line, struct err *e)
{
	int rc = fs_write_all(p->ask, line, strlen(line));

	return rc < 0 ? why(p, e) : 0;
}

int puller_ask(struct puller *p, bool manifest, const struct digest *d, uint64_t size, struct err *e)
{
	char line[DIGEST_TEXT_MAX + 64];

	if (!d)
		return tell(p, "manifest\n", e);
	(void)snprintf(line, sizeof(line), "%s %s %llu\n", manifest ? "manifest" : "blob", d->text,
		       (unsigned long long)size);
	return tell(p, line, e);
}

/* ---- what it says ------------------------------------------------------------------------------- */

static char *word(char **rest)
{
	char *w = *rest, *space = strchr(w, ' ');

	*rest = space ? space + 1 : w + strlen(w);
	if (space)
		*space = '\0';
	return w;
}

static bool read_progress(struct puller *p, char *rest)
{
	const char *digest = word(&rest), *done = word(&rest);
	uint64_t n, all;
	struct digest d;

	if (!digest_parse(digest, &d) || !str_to_u64(done, UINT64_MAX, &n) ||
	    !str_to_u64(rest, UINT64_MAX, &all))
		return false;
	progress_set(p->progress, d.text, n, all);
	return true;
}

static bool read_blob(struct puller *p, char *rest, struct pulled *got)
{
	const char *digest = word(&rest), *size = word(&rest), *name = word(&rest);

	if (!digest_parse(digest, &got->digest) || !str_to_u64(size, INT64_MAX, &got->size) ||
	    !str_eq(name, digest_name(&got->digest).text))
		return false;
	progress_done(p->progress, got->digest.text, "pulled");
	return true;
}

static bool read_manifest(struct puller *p, char *rest, struct pulled *got)
{
	const char *digest = word(&rest), *size = word(&rest), *type = word(&rest);

	got->manifest = true;
	if (!digest_parse(digest, &got->digest) || !str_to_u64(size, MANIFEST_MAX, &got->size))
		return false;
	if (!str_eq(type, "-"))
		(void)snprintf(got->type, sizeof(got->type), "%s", type);
	got->text = malloc(got->size + 1);
	if (!got->text || fread(got->text, 1, got->size, p->answers) != got->size)
		return false;
	got->text[got->size] = '\0';
	return true;
}

/* One line, and what belongs to it; 1 when it was the last. */
static int hear(struct puller *p, char *line, int (*each)(void *, struct pulled *, struct err *),
		void *arg, struct err *e)
{
	struct pulled got = { .manifest = false };
	char *rest = line, *what = word(&rest);
	bool good = true, came = false;
	int rc = 0;

	if (str_eq(what, "done"))
		return 1;
	if (str_eq(what, "progress"))
		good = read_progress(p, rest);
	else if (str_eq(what, "note"))
		progress_say(p->progress, rest);
	else if (str_eq(what, "blob"))
		good = came = read_blob(p, rest, &got);
	else if (str_eq(what, "manifest"))
		good = came = read_manifest(p, rest, &got);
	else
		good = false;
	if (came)
		rc = each(arg, &got, e);
	free(got.text);
	return good ? rc : err_set(e, ST_IMAGE, 0, "jail-pull says what nobody understands");
}

int puller_go(struct puller *p, int (*each)(void *arg, struct pulled *got, struct err *e),
	      void *arg, struct err *e)
{
	char line[2048];
	int rc = tell(p, "go\n", e);

	while (rc == 0) {
		if (!fgets(line, sizeof(line), p->answers))
			return why(p, e);
		line[strcspn(line, "\n")] = '\0';
		rc = hear(p, line, each, arg, e);
	}
	return rc < 0 ? rc : 0;
}
