// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The root of an image; P1, with capabilities in its own user namespace only.
 *
 * A tmpfs of our own has our layer, and with root-writes = tmpfs what overlayfs writes to. It is
 * attached over "/" while the layers are stacked, because overlayfs takes nothing that is attached
 * nowhere, and detached again: overlayfs has mounts of its own of all its layers by then. So nothing
 * is left of it that could be reached, and the roots are changed as they always are.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/kernel.h"
#include "base/own.h"
#include "sandbox/image.h"
#include "sandbox/setup.h"
#include "sandbox/weak.h"

#define NO_LINKS (RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)

/* On the tmpfs: our layer, the two that overlayfs writes to, and places for mounts. */
#define TOP    "top"
#define UPPER  "upper"
#define WORK   "work"
#define LAYERS "layers"
#define SPARE  "spare"

static unsigned image_attrs(void)
{
	return IMAGE_ATTRS & ~((weakened(WEAK_NOSUID) ? K_MOUNT_ATTR_NOSUID : 0) |
			       (weakened(WEAK_NODEV) ? K_MOUNT_ATTR_NODEV : 0));
}

/* A failure that does not mean that the mount API was refused. */
static int failed(const char *what, struct err *e)
{
	(void)err_set(e, ST_MOUNT, errno, "%s", what);
	return -EIO;
}

/*
 * P0's descriptors of the layers pin them in P0 as well as here, and there is a use for their
 * numbers: a table of descriptors that two threads share is made larger with a wait of milliseconds.
 */
static void make_room(const struct image *i)
{
	for (size_t k = 0; k < i->layers_n; k++)
		(void)close(i->layers[k].fd);
}

int overlay_begin(struct setup *s, struct err *e)
{
	static const char *const dirs[] = { TOP, UPPER, WORK, LAYERS, SPARE };
	const struct image *i = s->plan->image;
	const bool unlimited = weakened(WEAK_LIMITS);
	int rc = mount_open_tmpfs(&s->api,
				  !i->writable ? 16 << 20
				  : unlimited  ? 0
					       : i->size,
				  !i->writable ? 4096
				  : unlimited  ? 0
					       : i->inodes,
				  0700, 0, &s->base, e);

	if (rc == 0)
		rc = mount_attach_root(&s->api, s->base, e);
	if (rc < 0)
		return rc;
	if (!s->api.old) /* once: when all is done again with the old one, they are others' numbers */
		make_room(i);
	for (size_t k = 0; k < ARRAY_SIZE(dirs); k++) {
		if (mkdirat(s->base, dirs[k], 0755) < 0)
			return failed("make the directories of our own layer", e);
	}
	s->root = openat(s->base, TOP, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return s->root < 0 ? failed("open our own layer", e) : 0;
}

/*
 * Where the layers are: by path, as with every tree of the host, and it must be what the plan saw.
 * Real root's is a tree that P0 made, in which root's files are the command's own.
 */
static int open_base(const struct setup *s, int *ret_fd, struct err *e)
{
	const struct mount_op *base = &s->plan->image->base;
	own_fd fd = FD_NONE;
	struct stat st;
	int rc;

	if (base->tree_fd >= 0 && s->api.old)
		return err_set(
			e, ST_IDMAP, 0,
			"show root's '%s' to the command: an outer sandbox refuses a part of the mount API",
			base->source);
	if (base->tree_fd >= 0) {
		rc = mount_attach(&s->api, base->tree_fd, s->base, LAYERS, base->source, e);
		fd = openat(s->base, LAYERS, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (rc < 0)
			return rc;
	} else {
		fd = fs_openat2(AT_FDCWD, base->source, O_PATH | O_DIRECTORY, NO_LINKS);
		errno = fd < 0 ? -fd : 0;
	}
	if (fd < 0 || fstat(fd, &st) < 0) {
		(void)err_set(e, ST_MOUNT, errno, "open '%s'", base->source);
		return -EIO;
	}
	if (st.st_dev != base->dev || st.st_ino != base->ino)
		return err_set(e, ST_MOUNT, ESTALE, "'%s' was replaced while jail was starting",
			       base->source);
	*ret_fd = fd_take(&fd);
	return 0;
}

static int open_layer(const struct image_layer *l, int base, struct err *e)
{
	own_fd fd = fs_openat2(base, l->name, O_PATH | O_DIRECTORY, NO_LINKS | RESOLVE_BENEATH);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		(void)err_set(e, ST_MOUNT, fd < 0 ? -fd : errno, "open the layer '%s'", l->name);
		return -EIO;
	}
	if (st.st_dev != l->dev || st.st_ino != l->ino)
		return err_set(e, ST_MOUNT, ESTALE,
			       "the layer '%s' was replaced while jail was starting", l->name);
	return fd_take(&fd);
}

static int open_lowers(const struct setup *s, int *lowers, size_t *n, struct err *e)
{
	const struct image *i = s->plan->image;
	own_fd base = FD_NONE;
	int rc = open_base(s, &base, e);

	for (size_t k = 0; rc == 0 && k < i->layers_n; k++) {
		int fd = open_layer(&i->layers[k], base, e);

		if (fd < 0)
			return fd;
		lowers[(*n)++] = fd;
	}
	return rc;
}

static int stack(const struct setup *s, const int *lowers, size_t n, int *ret_fd, struct err *e)
{
	const bool writable = s->plan->image->writable;
	own_fd upper = FD_NONE, work = FD_NONE;

	if (writable) {
		upper = openat(s->base, UPPER, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		work = openat(s->base, WORK, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (upper < 0 || work < 0)
			return failed("open the layer for writes", e);
	}
	return mount_open_overlay(&s->api,
				  &(struct overlay_tree){ .lowers = lowers,
							  .n = n,
							  .upper = upper,
							  .work = work,
							  .base = s->base,
							  .spare = SPARE },
				  image_attrs(), ret_fd, e);
}

int overlay_stack(struct setup *s, struct err *e)
{
	static int lowers[IMAGE_LAYERS_MAX + 1];
	own_fd tree = FD_NONE;
	size_t n = 0;
	int rc;

	lowers[n++] = fd_take(&s->root);
	rc = open_lowers(s, lowers, &n, e);
	if (rc == 0)
		rc = stack(s, lowers, n, &tree, e);
	while (n > 0)
		fd_release(&lowers[--n]);
	if (rc < 0)
		return rc;
	if (umount2(mount_fd_path(s->base).text, MNT_DETACH) < 0)
		return failed("detach our own layer", e);
	fd_release(&s->base);
	s->root = fd_take(&tree);
	return mount_attach_root(&s->api, s->root, e);
}
