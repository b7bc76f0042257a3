// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Building the root; P1, with capabilities in its own user namespace only.
 *
 * The new root is a tmpfs, attached over "/" of our private mount namespace. That hides nothing
 * from us: our own root directory is still the host's, so sources are found by their canonical host
 * paths, compared with what the plan saw, and moved into place by descriptor. Targets are only ever
 * walked from the new root's descriptor. At the end the roots are swapped and the host's is
 * detached.
 *
 * Links on the new root are made last of all. Until the pivot one that says "/tmp" leads to the
 * host's, and there is nothing yet whose path could go through one.
 *
 * An image is not trusted with a single place to mount. Whatever lies on the root itself (files,
 * links, directories, the places for mounts and all that leads to them) is made on an empty tree of
 * our own before any of the image is there, and that tree is the topmost layer: where the image has
 * a link or a file, our directory covers it. Then mounts are attached, by paths without links.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/kernel.h"
#include "base/own.h"
#include "sandbox/image.h"
#include "sandbox/mountapi.h"
#include "sandbox/mountlist.h"
#include "sandbox/setup.h"
#include "sandbox/weak.h"

#define NO_LINKS (RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)

#define MASK_FILE "run/jail/.mask"
#define MASK_DIR  "run/jail/.maskdir"

/*
 * The new mount API was refused: from the beginning, with the old one. All of its calls have been
 * made when the masks are done, and nothing of the host's is mounted before that, so this is the
 * only time when it can happen.
 */
static int start_over(struct setup *s, struct err *e)
{
	int rc;

	/* EINVAL: it was never attached, and goes with its descriptor. */
	const int top = s->base >= 0 ? s->base : s->root;

	if (top >= 0 && (fchdir(top) < 0 || (umount2(".", MNT_DETACH) < 0 && errno != EINVAL)))
		return err_set(e, ST_MOUNT, errno, "start over with the old mount API");
	fd_release(&s->base);
	fd_release(&s->mask_file);
	fd_release(&s->mask_dir);
	fd_release(&s->root);
	fd_release(&s->proc);
	rc = mount_use_old(&s->api, e); /* which stands on its own proc */
	return rc < 0 ? rc : mount_open_proc(&s->api, false, &s->proc, e);
}

int stage_proc(struct setup *s, struct err *e)
{
	int rc = mount_make_private(e);

	if (rc < 0)
		return rc;
	rc = mount_open_proc(&s->api, false, &s->proc, e);
	if (mount_refused(&s->api, rc))
		rc = start_over(s, e);
	if (rc == 0 && fchdir(s->proc) < 0)
		return err_set(e, ST_MOUNT, errno, "enter the new proc");
	return rc;
}

/* The path below the new root that an absolute one names. */
static const char *below(const char *path)
{
	return path + strspn(path, "/");
}

/*
 * Make the directories that lead to `path` on our own tree, and with `last` the one it names. Most
 * are there already: the list of mounts is sorted, and only the first of a new branch has anything
 * to make.
 */
static int make_dirs(const struct setup *s, const char *path, bool last, struct err *e)
{
	char dir[PATH_MAX];
	size_t n = strlen(below(path));

	if (n >= sizeof(dir))
		return err_set(e, ST_MOUNT, ENAMETOOLONG, "make '%s'", path);
	memcpy(dir, below(path), n + 1);
	if (!last)
		dir[strrchr(dir, '/') ? strrchr(dir, '/') - dir : 0] = '\0';
	if (!dir[0] || mkdirat(s->root, dir, 0755) == 0 || errno == EEXIST)
		return 0;
	for (char *p = strchr(dir, '/'); p && errno == ENOENT; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdirat(s->root, dir, 0755) < 0 && errno != EEXIST)
			break;
		*p = '/';
		errno = ENOENT;
	}
	if (errno != ENOENT || (mkdirat(s->root, dir, 0755) < 0 && errno != EEXIST))
		return err_set(e, ST_MOUNT, errno, "make the directory for '%s'", path);
	return 0;
}

static int make_file(const struct setup *s, const char *path, mode_t mode, int *ret_fd, struct err *e)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
	int fd = openat(s->root, below(path), flags, mode), rc;

	if (fd < 0 && errno == ENOENT) {
		rc = make_dirs(s, path, false, e);
		if (rc < 0)
			return rc;
		fd = openat(s->root, below(path), flags, mode);
	}
	if (fd < 0)
		return err_set(e, ST_MOUNT, errno, "make '%s'", path);
	*ret_fd = fd;
	return 0;
}

/* An empty file or directory on our own tree, to be covered. */
static int make_point(const struct setup *s, const char *path, bool dir, struct err *e)
{
	int rc;

	if (dir)
		return make_dirs(s, path, true, e);
	rc = mknodat(s->root, below(path), S_IFREG | 0444, 0);
	if (rc < 0 && errno == ENOENT) {
		rc = make_dirs(s, path, false, e);
		if (rc < 0)
			return rc;
		rc = mknodat(s->root, below(path), S_IFREG | 0444, 0);
	}
	return rc < 0 ? err_set(e, ST_MOUNT, errno, "make '%s'", path) : 0;
}

/* Is it on an image's root, where everything was made before the image was there? */
static bool is_premade(const struct setup *s, const struct mount_op *op)
{
	return s->plan->image && op->on_root;
}

/*
 * Attach a tree at op's target. On our own tree the place is made and named by path: nobody else
 * can have put anything there. On the host's it must exist, and is opened without following a link.
 */
static int attach(const struct setup *s, const struct mount_op *op, int tree, bool dir, struct err *e)
{
	own_fd point = FD_NONE;
	int rc;

	if (!*below(op->target)) /* the root itself is nobody's to cover */
		return err_set(e, ST_MOUNT, EINVAL, "mount '%s'", op->target);
	if (op->make_point && !is_premade(s, op)) {
		rc = make_point(s, op->target, dir, e);
		return rc < 0 ? rc
			      : mount_attach(&s->api, tree, s->root, below(op->target), op->target, e);
	}
	point = fs_openat2(s->root, below(op->target), O_PATH, NO_LINKS | RESOLVE_BENEATH);
	if (point < 0)
		return err_set(e, ST_MOUNT, -point, "open '%s' on the new root", op->target);
	return mount_attach(&s->api, tree, point, "", op->target, e);
}

static int do_file(const struct setup *s, const struct mount_op *op, struct err *e)
{
	own_fd fd = FD_NONE;
	int rc = make_file(s, op->target, op->mode, &fd, e);

	if (rc < 0)
		return rc;
	rc = fs_write_all(fd, op->source, op->length);
	return rc < 0 ? err_set(e, ST_MOUNT, -rc, "write '%s'", op->target) : 0;
}

/*
 * Where a directory had to be made instead, for something that was asked for beneath, the directory
 * stays.
 */
static int do_symlink(const struct setup *s, const struct mount_op *op, struct err *e)
{
	int rc = symlinkat(op->source, s->root, below(op->target));

	if (rc < 0 && errno == ENOENT) {
		rc = make_dirs(s, op->target, false, e);
		if (rc < 0)
			return rc;
		rc = symlinkat(op->source, s->root, below(op->target));
	}
	if (rc < 0 && errno != EEXIST)
		return err_set(e, ST_MOUNT, errno, "make the link '%s'", op->target);
	return 0;
}

static int do_tmpfs(const struct setup *s, const struct mount_op *op, struct err *e)
{
	own_fd tree = FD_NONE;
	int rc = mount_open_tmpfs(&s->api, op->size, op->inodes, op->mode, 0, &tree, e);

	return rc < 0 ? rc : attach(s, op, tree, true, e);
}

/*
 * The path is looked up once more, in our own mount namespace, and what it leads to must be the
 * very object that the plan saw and has held open since: whatever happened to the path meanwhile,
 * nothing else can be bound.
 */
static int do_bind(const struct setup *s, const struct mount_op *op, struct err *e)
{
	own_fd tree = FD_NONE;
	struct stat st;
	int rc;

	if (op->tree_fd >= 0 && s->api.old)
		return err_set(
			e, ST_IDMAP, 0,
			"show root's '%s' to the command: an outer sandbox refuses a part of the mount API",
			op->source);
	if (op->tree_fd >= 0)
		return attach(s, op, op->tree_fd, op->is_dir, e);
	rc = mount_open_bind(&s->api, AT_FDCWD, op->source, mounts_attrs(op), &tree, e);
	if (rc < 0)
		return rc;
	if (fstat(tree, &st) < 0)
		return err_set(e, ST_MOUNT, errno, "stat '%s'", op->source);
	if (st.st_dev != op->dev || st.st_ino != op->ino)
		return err_set(e, ST_MOUNT, ESTALE, "'%s' was replaced while jail was starting",
			       op->source);
	return attach(s, op, tree, op->is_dir, e);
}

static int do_proc(struct setup *s, const struct mount_op *op, struct err *e)
{
	int rc = 0;

	if (s->plan->proc_pids_only) {
		fd_release(&s->proc);
		rc = mount_open_proc(&s->api, true, &s->proc, e);
	}
	if (rc == 0)
		rc = attach(s, op, s->proc, true, e);
	fd_release(&s->proc);
	return rc;
}

static int do_devpts(const struct setup *s, const struct mount_op *op, struct err *e)
{
	own_fd tree = FD_NONE;
	int rc = mount_open_devpts(&s->api, &tree, e);

	return rc < 0 ? rc : attach(s, op, tree, true, e);
}

/*
 * Cover the target with something empty, read-only as the mask is. What is not there needs no cover.
 */
static int do_mask(const struct setup *s, const struct mount_op *op, struct err *e)
{
	own_fd point = fs_openat2(s->root, below(op->target), O_PATH, NO_LINKS | RESOLVE_BENEATH);

	if (point == -ENOENT)
		return 0;
	if (point < 0)
		return err_set(e, ST_MOUNT, -point, "open '%s' on the new root", op->target);
	return mount_cover(op->is_dir ? s->mask_dir : s->mask_file, point, op->target, e);
}

/* Cover a part of /proc by itself, read-only. */
static int do_readonly(const struct setup *s, const struct mount_op *op, struct err *e)
{
	own_fd tree = FD_NONE;
	int rc = mount_open_bind(&s->api, s->root, below(op->target),
				 K_MOUNT_ATTR_RDONLY | K_MOUNT_ATTR_NOSUID | K_MOUNT_ATTR_NODEV |
					 K_MOUNT_ATTR_NOEXEC,
				 &tree, e);

	return rc < 0 ? rc : mount_attach(&s->api, tree, s->root, below(op->target), op->target, e);
}

/*
 * The masks lie on our own tree, so that no image and no host file can stand in for them: an empty
 * file and an empty directory that nobody may open, each a read-only mount, of which do_mask makes
 * copies.
 */
static int make_mask_places(const struct setup *s, struct err *e)
{
	own_fd file = FD_NONE;

	if (mkdirat(s->root, "run", 0755) == 0 && mkdirat(s->root, "run/jail", 0755) == 0 &&
	    mkdirat(s->root, MASK_DIR, 0) == 0)
		file = openat(s->root, MASK_FILE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
	if (file < 0) {
		(void)err_set(e, ST_MOUNT, errno, "make the masks");
		return -EIO; /* whatever it was, the mount API has not refused anything here */
	}
	return 0;
}

static int make_masks(struct setup *s, struct err *e)
{
	const unsigned attrs = K_MOUNT_ATTR_RDONLY | K_MOUNT_ATTR_NOSUID | K_MOUNT_ATTR_NODEV |
			       K_MOUNT_ATTR_NOEXEC;
	int rc = mount_open_bind(&s->api, s->root, MASK_FILE, attrs, &s->mask_file, e);

	if (rc == 0)
		rc = mount_attach(&s->api, s->mask_file, s->root, MASK_FILE, MASK_FILE, e);
	if (rc == 0)
		rc = mount_open_bind(&s->api, s->root, MASK_DIR, attrs, &s->mask_dir, e);
	return rc < 0 ? rc : mount_attach(&s->api, s->mask_dir, s->root, MASK_DIR, MASK_DIR, e);
}

static int apply(struct setup *s, const struct mount_op *op, struct err *e)
{
	switch (op->kind) {
	case MK_DIR:
		return make_dirs(s, op->target, true, e);
	case MK_SYMLINK:
		return do_symlink(s, op, e);
	case MK_FILE:
		return do_file(s, op, e);
	case MK_TMPFS:
		return do_tmpfs(s, op, e);
	case MK_BIND:
		return do_bind(s, op, e);
	case MK_PROC:
		return do_proc(s, op, e);
	case MK_READONLY:
		return weakened(WEAK_MASKS) ? 0 : do_readonly(s, op, e);
	case MK_MASK:
		return weakened(WEAK_MASKS) ? 0 : do_mask(s, op, e);
	case MK_DEVPTS:
		return do_devpts(s, op, e);
	}
	return err_set(e, ST_MOUNT, EINVAL, "unknown step for '%s'", op->target);
}

/* One step of what lies on an image's root: the thing itself, or the place for a mount. */
static int premake(const struct setup *s, const struct mount_op *op, struct err *e)
{
	switch (op->kind) {
	case MK_DIR:
		return make_dirs(s, op->target, true, e);
	case MK_SYMLINK:
		return do_symlink(s, op, e);
	case MK_FILE:
		return do_file(s, op, e);
	case MK_BIND:
		return make_point(s, op->target, op->is_dir, e);
	case MK_TMPFS:
	case MK_PROC:
	case MK_DEVPTS:
		return make_point(s, op->target, true, e);
	case MK_READONLY:
	case MK_MASK:
		break;
	}
	return err_set(e, ST_MOUNT, EINVAL, "unknown step for '%s'", op->target);
}

static int make_skeleton(const struct setup *s, struct err *e)
{
	const struct mount_list *l = &s->plan->mounts;
	int rc = make_mask_places(s, e);

	for (size_t i = 0; rc == 0 && i < l->n; i++) {
		if (l->ops[i].on_root && l->ops[i].kind != MK_SYMLINK)
			rc = premake(s, &l->ops[i], e);
	}
	for (size_t i = l->n; rc == 0 && i > 0; i--) {
		if (l->ops[i - 1].on_root && l->ops[i - 1].kind == MK_SYMLINK)
			rc = premake(s, &l->ops[i - 1], e);
	}
	return rc < 0 ? -EIO : 0; /* as above: the mount API has not refused anything */
}

static int make_image_root(struct setup *s, struct err *e)
{
	int rc = overlay_begin(s, e);

	if (rc == 0)
		rc = make_skeleton(s, e);
	if (rc == 0)
		rc = overlay_stack(s, e);
	return rc < 0 ? rc : make_masks(s, e);
}

static int make_root(struct setup *s, struct err *e)
{
	int rc;

	if (s->plan->image)
		return make_image_root(s, e);
	rc = mount_open_tmpfs(&s->api, 16 << 20, 4096, 0755, ROOT_ATTRS, &s->root, e);

	if (rc == 0)
		rc = mount_attach_root(&s->api, s->root, e);
	if (rc == 0)
		rc = make_mask_places(s, e);
	return rc < 0 ? rc : make_masks(s, e);
}

/* With its place it was there. */
static bool is_done(const struct setup *s, const struct mount_op *op)
{
	return is_premade(s, op) &&
	       (op->kind == MK_DIR || op->kind == MK_FILE || op->kind == MK_SYMLINK);
}

int stage_mounts(struct setup *s, struct err *e)
{
	const struct mount_list *l = &s->plan->mounts;
	int rc = make_root(s, e);

	if (mount_refused(&s->api, rc)) {
		rc = start_over(s, e);
		if (rc == 0)
			rc = make_root(s, e);
	}
	for (size_t i = 0; rc == 0 && i < l->n; i++) {
		if (l->ops[i].kind != MK_SYMLINK && !is_done(s, &l->ops[i]))
			rc = apply(s, &l->ops[i], e);
	}
	/* Backwards: what is beneath comes first, here too. */
	for (size_t i = l->n; rc == 0 && i > 0; i--) {
		if (l->ops[i - 1].kind == MK_SYMLINK && !is_done(s, &l->ops[i - 1]))
			rc = apply(s, &l->ops[i - 1], e);
	}
	return rc;
}
