// SPDX-License-Identifier: GPL-2.0-or-later
/* What goes into the store and comes out of it; jail-image. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/text.h"
#include "oci/hash.h"
#include "oci/record.h"
#include "oci/store.h"
#include "oci/tree.h"

#define SAFE "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

struct place {
	char path[2 * NAME_MAX];
};

static struct place place(const char *dir, const struct digest *d, const char *below)
{
	struct place p;
	struct text t;

	text_init(&t, p.path, sizeof(p.path));
	text_addf(&t, "%s/%s%s", dir, digest_name(d).text, below);
	return p;
}

static struct place blob_place(const struct digest *d)
{
	struct place p;
	struct text t;

	text_init(&t, p.path, sizeof(p.path));
	text_addf(&t, "blobs/%s/%s", digest_algorithm(d), digest_hex(d));
	return p;
}

/* False for a reference whose escaped form is no file name. */
static bool ref_place(const char *reference, struct place *ret)
{
	struct text t;

	text_init(&t, ret->path, sizeof(ret->path));
	text_add(&t, "refs/");
	record_escape(&t, reference, SAFE);
	return !t.full && t.len <= NAME_MAX + strlen("refs/");
}

static bool there(const struct store *s, const char *path)
{
	struct stat st;

	return s->root >= 0 && fstatat(s->root, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

bool store_has_layer(const struct store *s, const struct digest *d)
{
	return there(s, place("layers", d, "").path);
}

bool store_has_image(const struct store *s, const struct digest *manifest)
{
	return there(s, place("images", manifest, "/record").path);
}

int store_open_blob(const struct store *s, const struct digest *d)
{
	int fd = s->root < 0
			 ? -1
			 : openat(s->root, blob_place(d).path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	return s->root < 0 ? -ENOENT : fd < 0 ? -errno : fd;
}

int store_read_blob(const struct store *s, const struct digest *d, char **ret, size_t *ret_n,
		    struct err *e)
{
	own_fd fd = store_open_blob(s, d);
	own_str buf = malloc(MANIFEST_MAX + 2);
	struct digest got;
	uint64_t size;
	ssize_t n;
	int rc;

	if (fd < 0)
		return err_set(e, ST_IMAGE, -fd, "open blob %s", d->text);
	n = buf ? fs_read_fd(fd, buf, MANIFEST_MAX + 2) : -ENOMEM;
	if (n < 0)
		return err_set(e, ST_IMAGE, (int)-n, "read blob %s", d->text);
	rc = hash_fd(fd, d, &got, &size, e);
	if (rc < 0)
		return rc;
	if (!digest_eq(&got, d))
		return err_set(e, ST_IMAGE, 0, "blob in the store: digest: expected %s, got %s",
			       d->text, got.text);
	*ret = buf;
	buf = NULL;
	*ret_n = (size_t)n;
	return 0;
}

int store_put_file(struct store *s, const char *to, const void *data, size_t n, struct err *e)
{
	char name[40], file[sizeof(name) + 8];
	own_fd dir = FD_NONE, fd = FD_NONE;
	struct text t;
	int rc = store_make_tmp(s, name, &dir, e);

	if (rc < 0)
		return rc;
	text_init(&t, file, sizeof(file));
	text_addf(&t, "%s/f", name);
	fd = openat(dir, "f", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	rc = fd < 0 ? -errno : fs_write_all(fd, data, n);
	if (rc == 0 && (fdatasync(fd) < 0 || renameat(s->tmp, file, s->root, to) < 0))
		rc = -errno;
	store_drop_tmp(s, name);
	return rc < 0 ? err_set(e, ST_IMAGE, -rc, "write '%s/%s'", s->path, to) : 0;
}

int store_put_blob(struct store *s, const struct digest *d, const void *data, size_t n, struct err *e)
{
	struct place p = blob_place(d);

	return there(s, p.path) ? 0 : store_put_file(s, p.path, data, n, e);
}

int store_put_layer(struct store *s, const struct digest *d, int dirfd, const char *name,
		    struct err *e)
{
	struct place p = place("layers", d, "");
	struct stat st;
	int rc;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_set(e, ST_IMAGE, errno, "look at a new layer");
	/* Only a directory that its owner may write to can be moved into another one. */
	if (!(st.st_mode & 0200))
		(void)!fchmodat(dirfd, name, (st.st_mode | 0200) & 07777, 0);
	rc = renameat(dirfd, name, s->root, p.path) < 0 ? errno : 0;
	if (rc == ENOTEMPTY || rc == EEXIST)
		return 0;
	if (rc)
		return err_set(e, ST_IMAGE, rc, "move a layer to '%s/%s'", s->path, p.path);
	if (!(st.st_mode & 0200))
		(void)!fchmodat(s->root, p.path, st.st_mode & 07777, 0);
	return 0;
}

int store_put_record(struct store *s, const struct digest *manifest, const char *text, size_t n,
		     struct err *e)
{
	struct place dir = place("images", manifest, ""), file = place("images", manifest, "/record");

	/* A directory without a record is no image: nothing is seen before the rename. */
	if (mkdirat(s->root, dir.path, 0700) < 0 && errno != EEXIST)
		return err_set(e, ST_IMAGE, errno, "make '%s/%s'", s->path, dir.path);
	return store_put_file(s, file.path, text, n, e);
}

int store_put_ref(struct store *s, const char *reference, const struct digest *manifest, struct err *e)
{
	char line[DIGEST_TEXT_MAX + 1];
	struct place p;
	struct text t;

	if (!ref_place(reference, &p))
		return err_set(e, ST_IMAGE, 0, "image reference '%.200s': too long for the store",
			       reference);
	text_init(&t, line, sizeof(line));
	text_addf(&t, "%s\n", manifest->text);
	return store_put_file(s, p.path, line, t.len, e);
}

bool store_get_ref(const struct store *s, const char *reference, struct digest *ret)
{
	char line[DIGEST_TEXT_MAX + 2];
	struct place p;
	ssize_t n = -1;

	if (s->root >= 0 && ref_place(reference, &p))
		n = fs_read_file_at(s->root, p.path, line, sizeof(line), true);
	if (n <= 0 || line[n - 1] != '\n')
		return false;
	line[n - 1] = '\0';
	return digest_parse(line, ret);
}

int store_remove_ref(struct store *s, const char *reference, struct err *e)
{
	struct place p;

	if (ref_place(reference, &p) && (unlinkat(s->root, p.path, 0) == 0 || errno == ENOENT))
		return 0;
	return err_set(e, ST_IMAGE, errno, "remove the name '%.200s'", reference);
}

int store_remove(struct store *s, const char *what, struct err *e)
{
	own_fd dir = FD_NONE;
	char name[40];
	int rc = store_make_tmp(s, name, &dir, e);

	if (rc < 0)
		return rc;
	/* A directory without write permission cannot be renamed into another one. */
	if (faccessat(s->root, what, W_OK, AT_SYMLINK_NOFOLLOW) < 0 && errno == EACCES)
		(void)!fchmodat(s->root, what, 0700, 0);
	if (renameat(s->root, what, dir, "gone") < 0 && errno != ENOENT)
		rc = err_set(e, ST_IMAGE, errno, "remove '%s/%s'", s->path, what);
	store_drop_tmp(s, name);
	return rc;
}

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

int store_list(const struct store *s, const char *dir,
	       int (*each)(void *arg, const char *name, struct err *e), void *arg, struct err *e)
{
	struct dirent **list = NULL;
	int rc = 0, n = s->root < 0 ? 0 : scandirat(s->root, dir, &list, visible, alphasort);

	if (n < 0 && errno != ENOENT)
		return err_set(e, ST_IMAGE, errno, "read '%s/%s'", s->path, dir);
	for (int i = 0; i < n; i++) {
		if (rc == 0)
			rc = each(arg, list[i]->d_name, e);
		free(list[i]);
	}
	free(list);
	return rc;
}

bool store_name_digest(const char *name, struct digest *ret)
{
	char text[DIGEST_TEXT_MAX];
	size_t n = strlen(name);

	if (n >= sizeof(text) || n < 7 || name[6] != '-')
		return false;
	memcpy(text, name, n + 1);
	text[6] = ':';
	return digest_parse(text, ret);
}
