// SPDX-License-Identifier: GPL-2.0-or-later
/* Starting jail-unpack and hearing what it says; jail-image. */
#include "oci/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/kernel.h"
#include "base/paths.h"
#include "base/text.h"

void job_init(struct job *j)
{
	*j = (struct job){ .size = UINT64_MAX, .dir = FD_NONE, .errors = FD_NONE };
}

int job_prepare(struct job *j, struct store *s, struct err *e)
{
	int rc = store_make_tmp(s, j->tmp, &j->dir, e);

	/* whatever the umask: it is what the layer's root looks like if nothing else says so */
	if (rc == 0 && (mkdirat(j->dir, "tree", 0755) < 0 || fchmodat(j->dir, "tree", 0755, 0) < 0))
		rc = err_set(e, ST_IMAGE, errno, "make '%s/tmp/%s/tree'", s->path, j->tmp);
	return rc;
}

static int output(const struct job *j, const char *name)
{
	return openat(j->dir, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* The child: four descriptors and no more. */
static void become(const char *path, char **argv, const int fds[4])
{
	int high[4];

	for (int i = 0; i < 4; i++)
		high[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 4);
	for (int i = 0; i < 4; i++) {
		if (dup2(high[i], i) < 0)
			_exit(1);
	}
	(void)k_close_range(4, ~0U, 0);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)execv(path, argv);
	(void)dprintf(2, "run '%s': %s\n", path, strerror(errno));
	_exit(1);
}

#define ARGS_MAX (10 + 2 * ALIASES_PER_JOB)

static void arguments(struct job *j, char *dir, char *size, char **argv)
{
	static char name[] = "jail-unpack", o_digest[] = "--digest", o_diff[] = "--diff-id",
		    o_size[] = "--size", o_alias[] = "--alias";
	size_t n = 0;

	argv[n++] = name;
	if (j->digest.text[0]) {
		argv[n++] = o_digest;
		argv[n++] = j->digest.text;
	}
	if (j->diff_id.text[0]) {
		argv[n++] = o_diff;
		argv[n++] = j->diff_id.text;
	}
	if (j->size != UINT64_MAX) {
		argv[n++] = o_size;
		argv[n++] = size;
	}
	for (size_t i = 0; i < j->n_aliases; i++) {
		argv[n++] = o_alias;
		argv[n++] = j->aliases[i];
	}
	argv[n++] = dir;
	argv[n] = NULL;
}

int job_start(struct job *j, const struct store *s, int input, struct err *e)
{
	own_fd out = output(j, "out"), owners = output(j, "owners");
	/* in memory: that the disk is full can still be said */
	own_fd errors = memfd_create("errors", MFD_CLOEXEC);
	const int fds[4] = { input, out, errors, owners };
	char path[PATH_MAX], dir[PATH_MAX + 64], size[24], *argv[ARGS_MAX];
	pid_t pid;

	if (out < 0 || errors < 0 || owners < 0)
		return err_set(e, ST_IMAGE, errno, "write to '%s/tmp/%s'", s->path, j->tmp);
	(void)snprintf(path, sizeof(path), "%s/jail-unpack", path_libexec);
	(void)snprintf(dir, sizeof(dir), "%s/tmp/%s/tree", s->path, j->tmp);
	(void)snprintf(size, sizeof(size), "%llu", (unsigned long long)j->size);
	arguments(j, dir, size, argv);
	pid = fork();
	if (pid < 0)
		return err_set(e, ST_IMAGE, errno, "start jail-unpack");
	if (pid == 0)
		become(path, argv, fds);
	j->pid = pid;
	fd_release(&j->errors);
	j->errors = fd_take(&errors);
	return 0;
}

static int failed(const struct job *j, int status, struct err *e)
{
	char line[400];
	ssize_t n;

	if (WIFSIGNALED(status))
		return err_set(e, ST_IMAGE, 0, "%s: jail-unpack was ended by signal %d%s", j->what,
			       WTERMSIG(status),
			       WTERMSIG(status) == SIGALRM ? ": it took too long" : "");
	n = pread(j->errors, line, sizeof(line) - 1, 0);
	line[n > 0 ? n : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return err_set(e, ST_IMAGE, 0, "%s: %s", j->what,
		       *line ? line : "jail-unpack failed and did not say why");
}

bool job_read_notes(struct job *j)
{
	unsigned long long size, bytes, entries, skipped;
	char digest[DIGEST_TEXT_MAX], diff_id[DIGEST_TEXT_MAX];
	size_t n = strlen(j->notes);
	char *last;
	int end = 0;

	if (!n || j->notes[n - 1] != '\n')
		return false;
	j->notes[n - 1] = '\0';
	last = strrchr(j->notes, '\n');
	last = last ? last + 1 : j->notes;
	/* NOLINTNEXTLINE(cert-err34-c): our own program's numbers, and %n says that all was read */
	if (sscanf(last, "ok %135s %135s %20llu %20llu %20llu %20llu%n", digest, diff_id, &size,
		   &bytes, &entries, &skipped, &end) != 6 ||
	    last[end])
		return false;
	j->notes[n - 1] = '\n';
	j->size = size;
	j->bytes = bytes;
	j->entries = entries;
	j->skipped = skipped;
	return digest_parse(digest, &j->digest) && digest_parse(diff_id, &j->diff_id);
}

int job_wait(struct job *j, struct err *e)
{
	own_fd fd = FD_NONE;
	int status = 0;
	ssize_t n;

	while (waitpid(j->pid, &status, 0) < 0) {
		if (errno != EINTR)
			return err_set(e, ST_IMAGE, errno, "wait for jail-unpack");
	}
	j->pid = 0;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return failed(j, status, e);
	fd = openat(j->dir, "out", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	str_release(&j->notes);
	j->notes = malloc(NOTES_MAX);
	if (fd < 0 || !j->notes)
		return err_set(e, ST_IMAGE, errno, "%s: read what jail-unpack said", j->what);
	n = fs_read_fd(fd, j->notes, NOTES_MAX);
	if (n < 0)
		return err_set(e, ST_IMAGE, (int)-n, "%s: read what jail-unpack said", j->what);
	{
		char *less = realloc(j->notes, (size_t)n + 1);

		j->notes = less ? less : j->notes;
	}
	if (!job_read_notes(j))
		return err_set(e, ST_IMAGE, 0, "%s: jail-unpack said something else", j->what);
	return 0;
}

void job_drop(struct job *j, struct store *s)
{
	if (j->pid > 0) {
		(void)kill(j->pid, SIGKILL);
		while (waitpid(j->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	fd_release(&j->dir);
	fd_release(&j->errors);
	store_drop_tmp(s, j->tmp);
	str_release(&j->notes);
	str_release(&j->filled);
	for (size_t i = 0; i < j->n_aliases; i++)
		free(j->aliases[i]);
	job_init(j);
}
