// SPDX-License-Identifier: GPL-2.0-or-later
/* A root file system, as a tar or as a directory, becomes an image of one layer; jail-image. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "base/own.h"
#include "base/text.h"
#include "oci/import.h"
#include "oci/tarwrite.h"

/* The least that a config says; without a time, so that the same tree is the same image. */
static int make_config(const struct import *im, const struct digest *diff_id, char **ret,
		       size_t *ret_n, struct err *e)
{
	const size_t size = 4096;
	char *buf = malloc(size);
	struct text t;
	struct json j;

	if (!buf)
		return err_set(e, ST_IMAGE, ENOMEM, "make a config");
	text_init(&t, buf, size);
	json_init(&j, &t);
	json_open(&j, NULL, '{');
	json_str(&j, "architecture", im->platform.architecture);
	json_str(&j, "os", im->platform.os);
	json_open(&j, "config", '{');
	json_close(&j, '}');
	json_open(&j, "rootfs", '{');
	json_str(&j, "type", "layers");
	json_open(&j, "diff_ids", '[');
	json_str(&j, NULL, diff_id->text);
	json_close(&j, ']');
	json_close(&j, '}');
	json_close(&j, '}');
	*ret = buf;
	*ret_n = t.len;
	return 0;
}

static int never_opened(void *arg, size_t i, struct err *e)
{
	(void)arg;
	(void)i;
	return err_set(e, ST_IMAGE, 0, "a root file system alone: its hard links lead out of it");
}

int import_tree(struct import *im, struct job *ready, struct err *e)
{
	struct image *image = calloc(1, sizeof(*image));
	own_str config_text = NULL;
	own_str manifest_text = NULL;
	own_doc config = NULL;
	int rc = image ? make_config(im, &ready->diff_id, &config_text, &image->config_n, e)
		       : err_set(e, ST_IMAGE, ENOMEM, "import");

	if (rc == 0)
		rc = doc_parse(config_text, image->config_n, "config", &config, e);
	if (rc == 0)
		rc = config_read(config, "config", &image->settings, e);
	if (rc == 0) {
		image->config_text = config_text;
		import_hash(config_text, image->config_n, &image->config);
		image->layers[0] = (struct image_blob){ ready->digest, ready->size };
		rc = import_make_manifest(image, &manifest_text, e);
	}
	if (rc == 0) {
		image->open_layer = never_opened;
		image->ready = ready;
		rc = import_finish(im, image, NULL, e);
	}
	if (image)
		config_release(&image->settings);
	free(image);
	return rc;
}

/* The tar of a directory is written by a child of ours, and read by jail-unpack as any other. */
static pid_t start_writer(const struct job *j, const char *path, int *ret_fd, struct err *e)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_set(e, ST_IMAGE, errno, "make a pipe");
	pid = fork();
	if (pid == 0) {
		struct err why = { 0 };
		int fd;

		(void)close(ends[0]);
		if (tar_write(path, ends[1], &why) == 0)
			_exit(0);
		fd = openat(j->dir, "why", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		(void)!write(fd, &why, sizeof(why));
		_exit(1);
	}
	(void)close(ends[1]);
	*ret_fd = ends[0];
	return pid < 0 ? err_set(e, ST_IMAGE, errno, "start a child") : pid;
}

/* Why the writer stopped: it comes before what jail-unpack made of half a tar. */
static int why_not(const struct job *j, const char *path, struct err *e)
{
	own_fd fd = openat(j->dir, "why", O_RDONLY | O_CLOEXEC);
	struct err why = { 0 };

	if (fd >= 0 && read(fd, &why, sizeof(why)) == (ssize_t)sizeof(why) && why.code != EPIPE) {
		*e = why;
		return why.code ? -why.code : -EINVAL;
	}
	return err_set(e, ST_IMAGE, 0, "the directory '%.150s' could not be read whole", path);
}

int import_directory(struct import *im, const char *path, struct err *e)
{
	own_fd input = FD_NONE;
	int status = 0, rc;
	struct job j;
	pid_t pid;

	job_init(&j);
	rc = job_prepare(&j, im->store, e);
	pid = rc < 0 ? rc : start_writer(&j, path, &input, e);
	if (pid < 0) {
		job_drop(&j, im->store);
		return pid;
	}
	(void)snprintf(j.what, sizeof(j.what), "directory '%.150s'", path);
	rc = job_start(&j, im->store, input, e);
	fd_release(&input); /* the child sees the end of jail-unpack */
	if (rc == 0)
		rc = job_wait(&j, e);
	else
		(void)kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status != 0)
		rc = why_not(&j, path, e);
	if (rc == 0)
		rc = import_tree(im, &j, e);
	job_drop(&j, im->store);
	return rc;
}
