// SPDX-License-Identifier: GPL-2.0-or-later
/* The store: opening, locks and temporary names; jail-image. What is put in it is in store_put.c. */
#include "oci/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/text.h"
#include "oci/tree.h"

static const char *const folders[] = { "blobs",	 "blobs/sha256", "blobs/sha512", "layers", "meta",
				       "images", "refs",	 "locks",	 "parts",  "tmp" };

static int find(struct store *s, struct err *e)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	struct text t;

	text_init(&t, s->path, sizeof(s->path));
	if (data && *data == '/')
		text_addf(&t, "%s/jail/images", data);
	else if (home && *home == '/')
		text_addf(&t, "%s/.local/share/jail/images", home);
	else
		return err_set(e, ST_IMAGE, 0,
			       "neither XDG_DATA_HOME nor HOME says where images are kept");
	if (t.full)
		return err_set(e, ST_IMAGE, ENAMETOOLONG, "the store of images");
	return 0;
}

static int make(struct store *s, struct err *e)
{
	int rc = tree_make_path(s->path, 0700);

	if (rc < 0)
		return err_set(e, ST_IMAGE, -rc, "make the store '%s'", s->path);
	s->root = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->root < 0)
		return err_set(e, ST_IMAGE, errno, "open the store '%s'", s->path);
	/* whatever umask or an older version said: layers are programs that jail will run */
	if (fchmod(s->root, 0700) < 0)
		return err_set(e, ST_IMAGE, errno, "close the store '%s' to others", s->path);
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		if (mkdirat(s->root, folders[i], 0700) < 0 && errno != EEXIST)
			return err_set(e, ST_IMAGE, errno, "make '%s/%s'", s->path, folders[i]);
	}
	return 0;
}

/* Who holds a lock, for people. */
static void holder(int fd, char *buf, size_t size)
{
	char raw[80];
	ssize_t n = pread(fd, raw, sizeof(raw) - 1, 0);
	struct text t;

	text_init(&t, buf, size);
	raw[n > 0 ? n : 0] = '\0';
	raw[strcspn(raw, "\n")] = '\0';
	text_add_clean(&t, *raw ? raw : "another process");
}

static void sign(int fd)
{
	char line[80];
	struct text t;

	text_init(&t, line, sizeof(line));
	text_addf(&t, "%d %s\n", (int)getpid(), program_invocation_short_name);
	/* a remark for people: the lock holds without it */
	if (ftruncate(fd, 0) == 0)
		(void)!pwrite(fd, line, t.len, 0);
}

static int take(struct store *s, int fd, const char *name, int how, struct err *e)
{
	char who[160], line[400];
	struct text t;

	while (flock(fd, how | LOCK_NB) < 0) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return err_set(e, ST_IMAGE, errno, "lock '%s/locks/%s'", s->path, name);
		holder(fd, who, sizeof(who));
		text_init(&t, line, sizeof(line));
		text_addf(&t, "waiting for process %s, which holds the lock '%s'", who, name);
		if (s->say)
			s->say(line);
		while (flock(fd, how) < 0 && errno == EINTR)
			;
	}
	return 0;
}

static int open_lock(struct store *s, const char *name, int *ret, struct err *e)
{
	char path[NAME_MAX + 8];
	struct text t;
	int fd;

	text_init(&t, path, sizeof(path));
	text_addf(&t, "locks/%s", name);
	fd = openat(s->root, path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return err_set(e, ST_IMAGE, errno, "open '%s/%s'", s->path, path);
	*ret = fd;
	return 0;
}

int store_lock(struct store *s, const char *name, int *ret, struct err *e)
{
	own_fd fd = FD_NONE;
	int rc = open_lock(s, name, &fd, e);

	if (rc == 0)
		rc = take(s, fd, name, LOCK_EX, e);
	if (rc < 0)
		return rc;
	sign(fd);
	*ret = fd_take(&fd);
	return 0;
}

/* Who is alone in the store knows that nobody needs what lies in tmp/. */
static int sweep_one(void *arg, const char *name, struct err *e)
{
	struct store *s = arg;

	(void)e;
	/* What will not go is in nobody's way, and is tried again by the next run. */
	(void)tree_remove(s->tmp, name);
	return 0;
}

static int lock_store(struct store *s, enum store_use use, struct err *e)
{
	int rc = open_lock(s, "store", &s->lock, e);

	if (rc < 0)
		return rc;
	if (use == STORE_ALONE) {
		rc = take(s, s->lock, "store", LOCK_EX, e);
		if (rc == 0)
			rc = store_list(s, "tmp", sweep_one, s, e);
	} else {
		if (flock(s->lock, LOCK_EX | LOCK_NB) == 0)
			rc = store_list(s, "tmp", sweep_one, s, e);
		if (rc == 0)
			rc = take(s, s->lock, "store", LOCK_SH, e);
	}
	if (rc == 0)
		sign(s->lock);
	return rc;
}

int store_open(struct store *s, enum store_use use, struct err *e)
{
	void (*say)(const char *) = s->say;
	int rc;

	*s = (struct store){ .root = FD_NONE, .tmp = FD_NONE, .lock = FD_NONE, .say = say };
	rc = find(s, e);
	if (rc < 0)
		return rc;
	if (use == STORE_LOOK) {
		int fd = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd < 0 && errno != ENOENT)
			return err_set(e, ST_IMAGE, errno, "open the store '%s'", s->path);
		s->root = fd < 0 ? FD_NONE : fd;
		return 0;
	}
	rc = make(s, e);
	if (rc < 0)
		return rc;
	s->tmp = openat(s->root, "tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (s->tmp < 0)
		return err_set(e, ST_IMAGE, errno, "open '%s/tmp'", s->path);
	return lock_store(s, use, e);
}

void store_close(struct store *s)
{
	fd_release(&s->root);
	fd_release(&s->tmp);
	fd_release(&s->lock);
}

int store_make_tmp(struct store *s, char name[40], int *ret_fd, struct err *e)
{
	struct text t;
	int fd;

	do {
		text_init(&t, name, 40);
		text_addf(&t, "%d-%u", (int)getpid(), s->serial++);
		/* of another pid namespace, or a pid that came round: the next number will do */
	} while (mkdirat(s->tmp, name, 0700) < 0 && errno == EEXIST);
	fd = openat(s->tmp, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return err_set(e, ST_IMAGE, errno, "make '%s/tmp/%s'", s->path, name);
	*ret_fd = fd;
	return 0;
}

void store_drop_tmp(struct store *s, const char *name)
{
	if (s->tmp >= 0 && *name)
		(void)tree_remove(s->tmp, name); /* what stays is swept by the next run */
}
