// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Building the root; P1, with capabilities in its own user namespace only.
 *
 * The new root is a tmpfs, attached over "/" of our private mount namespace. That hides nothing from us: our own root directory is still
 * the host's, so sources are opened by their canonical host paths with links forbidden, compared with what the plan saw, cloned and
 * moved into place by descriptor. Targets are only ever walked from the new root's descriptor, links forbidden too. At the end the
 * roots are swapped and the host's is detached.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/kernel.h"
#include "base/own.h"
#include "sandbox/mountapi.h"
#include "sandbox/setup.h"

#define NO_LINKS (RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)

/* Behind these every MK_MASK is hidden: on our own tree, so that no image and no host file can stand in for them. */
#define MASK_FILE "run/jail/.mask"
#define MASK_DIR  "run/jail/.maskdir"

/*
 * Written before capabilities go: the command, and whatever it becomes, can make no namespace of any kind. The mount namespaces' limit
 * comes last: until the root is complete we need it ourselves, because the kernel keeps a mount that is attached nowhere in one.
 */
static const char *const namespace_limits[] = {
	"max_user_namespaces", "max_pid_namespaces",	"max_net_namespaces",  "max_ipc_namespaces",
	"max_uts_namespaces",  "max_cgroup_namespaces", "max_time_namespaces",
};

int stage_sysctls(struct setup *s, struct err *e)
{
	char path[64];
	int rc = mount_make_private(e);

	if (rc == 0)
		rc = mount_open_proc(false, &s->proc, e);
	if (rc < 0 || s->plan->nested_userns)
		return rc;
	for (size_t i = 0; i < ARRAY_SIZE(namespace_limits); i++) {
		(void)snprintf(path, sizeof(path), "sys/user/%s", namespace_limits[i]);
		rc = fs_write_file_at(s->proc, path, "0");
		if (rc < 0 && !(rc == -ENOENT && strstr(path, "time"))) /* a kernel without time namespaces has none to make */
			return err_set(e, ST_SYSCTL, -rc, "set user.%s to 0", namespace_limits[i]);
	}
	s->mount_limit = openat(s->proc, "sys/user/max_mnt_namespaces", O_WRONLY | O_CLOEXEC);
	if (s->mount_limit < 0)
		return err_set(e, ST_SYSCTL, errno, "open user.max_mnt_namespaces");
	return 0;
}

int stage_no_more_mounts(struct setup *s, struct err *e)
{
	if (s->plan->nested_userns)
		return 0;
	if (write(s->mount_limit, "0", 1) != 1)
		return err_set(e, ST_SYSCTL, errno, "set user.max_mnt_namespaces to 0");
	fd_release(&s->mount_limit);
	return 0;
}

/* Descend from the new root along `path`, making what is missing when `make`; the last component too when `last`. */
static int walk(const struct setup *s, const char *path, bool make, bool last, int *ret_fd, const char **ret_name, struct err *e)
{
	own_fd at = fcntl(s->root, F_DUPFD_CLOEXEC, 3);
	const char *p = path + strspn(path, "/");

	if (at < 0)
		return err_set(e, ST_MOUNT, errno, "walk to '%s'", path);
	for (;;) {
		size_t n = strcspn(p, "/");
		char name[256];
		int next;

		if (n >= sizeof(name))
			return err_set(e, ST_MOUNT, ENAMETOOLONG, "walk to '%s'", path);
		if (!p[n] && !last)
			break;
		if (!n)
			break;
		memcpy(name, p, n);
		name[n] = '\0';
		if (make && mkdirat(at, name, 0755) < 0 && errno != EEXIST)
			return err_set(e, ST_MOUNT, errno, "make the directory for '%s'", path);
		next = fs_openat2(at, name, O_PATH | O_NOFOLLOW, NO_LINKS);
		if (next < 0)
			return err_set(e, ST_MOUNT, -next, "open '%s' on the new root", path);
		fd_release(&at);
		at = next;
		p += n;
		p += strspn(p, "/");
	}
	*ret_name = p;
	*ret_fd = fd_take(&at);
	return 0;
}

/* The place where a mount goes, made when it is ours to make. */
static int open_point(const struct setup *s, const struct mount_op *op, bool dir, int *ret_fd, struct err *e)
{
	own_fd parent = FD_NONE;
	const char *name;
	int fd, rc;

	if (dir && op->make_point)
		return walk(s, op->target, true, true, ret_fd, &name, e);
	rc = walk(s, op->target, op->make_point, false, &parent, &name, e);
	if (rc < 0)
		return rc;
	if (op->make_point) {
		own_fd made = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0444);

		if (made < 0 && errno != EEXIST)
			return err_set(e, ST_MOUNT, errno, "make the file for '%s'", op->target);
	}
	fd = fs_openat2(parent, name, O_PATH | O_NOFOLLOW, NO_LINKS);
	if (fd < 0)
		return fd == -ENOENT && !op->make_point && op->kind != MK_BIND
			       ? -ENOENT
			       : err_set(e, ST_MOUNT, -fd, "open '%s' on the new root", op->target);
	*ret_fd = fd;
	return 0;
}

static int do_file(const struct setup *s, const struct mount_op *op, struct err *e)
{
	own_fd parent = FD_NONE, fd = FD_NONE;
	const char *name;
	int rc = walk(s, op->target, true, false, &parent, &name, e);

	if (rc < 0)
		return rc;
	fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, op->mode);
	if (fd < 0)
		return err_set(e, ST_MOUNT, errno, "make '%s'", op->target);
	rc = fs_write_all(fd, op->source, op->length);
	return rc < 0 ? err_set(e, ST_MOUNT, -rc, "write '%s'", op->target) : 0;
}

static int do_symlink(const struct setup *s, const struct mount_op *op, struct err *e)
{
	own_fd parent = FD_NONE;
	const char *name;
	int rc = walk(s, op->target, true, false, &parent, &name, e);

	if (rc < 0)
		return rc;
	if (symlinkat(op->source, parent, name) < 0)
		return err_set(e, ST_MOUNT, errno, "make the link '%s'", op->target);
	return 0;
}

static int do_dir(const struct setup *s, const struct mount_op *op, struct err *e)
{
	own_fd fd = FD_NONE;
	const char *name;

	return walk(s, op->target, true, true, &fd, &name, e);
}

static int do_tmpfs(const struct setup *s, const struct mount_op *op, struct err *e)
{
	own_fd tree = FD_NONE, point = FD_NONE;
	int rc = open_point(s, op, true, &point, e);

	if (rc == 0)
		rc = mount_open_tmpfs(op->size, op->inodes, op->mode, 0, &tree, e);
	return rc < 0 ? rc : mount_attach(tree, point, op->target, e);
}

/* Open a source again, in our own mount namespace, and make sure that it is still what the plan saw. */
static int open_source(const struct mount_op *op, int *ret_fd, struct err *e)
{
	own_fd fd = fs_openat2(AT_FDCWD, op->source, O_PATH | O_NOFOLLOW, NO_LINKS);
	struct stat st;

	if (fd < 0)
		return err_set(e, ST_MOUNT, -fd, "open '%s'", op->source);
	if (fstat(fd, &st) < 0)
		return err_set(e, ST_MOUNT, errno, "stat '%s'", op->source);
	if (st.st_dev != op->dev || st.st_ino != op->ino)
		return err_set(e, ST_MOUNT, ESTALE, "'%s' was replaced while jail was starting", op->source);
	*ret_fd = fd_take(&fd);
	return 0;
}

static int do_bind(const struct setup *s, const struct mount_op *op, struct err *e)
{
	const unsigned attrs = (op->readonly ? K_MOUNT_ATTR_RDONLY : 0) | K_MOUNT_ATTR_NOSUID |
			       (op->device ? 0 : K_MOUNT_ATTR_NODEV);
	own_fd source = FD_NONE, tree = FD_NONE, point = FD_NONE;
	int rc = open_point(s, op, op->is_dir, &point, e);

	if (rc < 0)
		return rc;
	if (op->tree_fd >= 0)
		return mount_attach(op->tree_fd, point, op->target, e);
	rc = open_source(op, &source, e);
	if (rc == 0)
		rc = mount_open_bind(source, op->source, attrs, &tree, e);
	return rc < 0 ? rc : mount_attach(tree, point, op->target, e);
}

static int do_proc(struct setup *s, const struct mount_op *op, struct err *e)
{
	own_fd point = FD_NONE;
	int rc = open_point(s, op, true, &point, e);

	if (rc == 0 && s->plan->proc_pids_only) {
		fd_release(&s->proc);
		rc = mount_open_proc(true, &s->proc, e);
	}
	if (rc == 0)
		rc = mount_attach(s->proc, point, op->target, e);
	fd_release(&s->proc);
	return rc;
}

static int do_devpts(const struct setup *s, const struct mount_op *op, struct err *e)
{
	own_fd tree = FD_NONE, point = FD_NONE;
	int rc = open_point(s, op, true, &point, e);

	if (rc == 0)
		rc = mount_open_devpts(&tree, e);
	return rc < 0 ? rc : mount_attach(tree, point, op->target, e);
}

/* Cover `op->target` by itself, read-only, or by something empty. What this kernel does not have needs no cover. */
static int do_cover(const struct setup *s, const struct mount_op *op, struct err *e)
{
	const unsigned attrs = K_MOUNT_ATTR_RDONLY | K_MOUNT_ATTR_NOSUID | K_MOUNT_ATTR_NODEV | K_MOUNT_ATTR_NOEXEC;
	own_fd point = FD_NONE, cover = FD_NONE, tree = FD_NONE;
	struct stat st;
	int rc = open_point(s, op, false, &point, e);

	if (rc == -ENOENT && !e->stage)
		return 0;
	if (rc < 0)
		return rc;
	if (fstat(point, &st) < 0)
		return err_set(e, ST_MOUNT, errno, "stat '%s'", op->target);
	if (op->kind == MK_MASK) {
		const char *mask = S_ISDIR(st.st_mode) ? MASK_DIR : MASK_FILE;

		cover = fs_openat2(s->root, mask, O_PATH | O_NOFOLLOW, NO_LINKS);
		if (cover < 0)
			return err_set(e, ST_MOUNT, -cover, "open the mask '%s'", mask);
	}
	rc = mount_open_bind(cover >= 0 ? cover : point, op->target, attrs, &tree, e);
	return rc < 0 ? rc : mount_attach(tree, point, op->target, e);
}

static int make_masks(const struct setup *s, struct err *e)
{
	own_fd file = FD_NONE;

	if (mkdirat(s->root, "run", 0755) < 0 || mkdirat(s->root, "run/jail", 0755) < 0 || mkdirat(s->root, MASK_DIR, 0) < 0)
		return err_set(e, ST_MOUNT, errno, "make the masks");
	file = openat(s->root, MASK_FILE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
	return file < 0 ? err_set(e, ST_MOUNT, errno, "make the masks") : 0;
}

static int apply(struct setup *s, const struct mount_op *op, struct err *e)
{
	switch (op->kind) {
	case MK_DIR:
		return do_dir(s, op, e);
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
	case MK_MASK:
		return do_cover(s, op, e);
	case MK_DEVPTS:
		return do_devpts(s, op, e);
	}
	return err_set(e, ST_MOUNT, EINVAL, "unknown step for '%s'", op->target);
}

int stage_mounts(struct setup *s, struct err *e)
{
	int rc = mount_open_tmpfs(16 << 20, 4096, 0755, K_MOUNT_ATTR_NOEXEC, &s->root, e);

	if (rc < 0)
		return rc;
	if (k_move_mount(s->root, "", AT_FDCWD, "/", K_MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return err_set(e, ST_MOUNT, errno, "attach the new root");
	rc = make_masks(s, e);
	for (size_t i = 0; rc == 0 && i < s->plan->mounts.n; i++)
		rc = apply(s, &s->plan->mounts.ops[i], e);
	return rc;
}

int stage_pivot(struct setup *s, struct err *e)
{
	struct k_mount_attr readonly = { .attr_set = K_MOUNT_ATTR_RDONLY };
	char cwd[4096];

	if (k_mount_setattr(s->root, "", K_AT_EMPTY_PATH, &readonly) < 0)
		return err_set(e, ST_MOUNT, errno, "make the new root read-only");
	if (fchdir(s->root) < 0)
		return err_set(e, ST_MOUNT, errno, "enter the new root");
	if (k_pivot_root(".", ".") < 0)
		return err_set(e, ST_MOUNT, errno, "pivot_root");
	/* The old root now lies on top of the new one, at the very place we stand. */
	if (umount2(".", MNT_DETACH) < 0)
		return err_set(e, ST_MOUNT, errno, "detach the host's root");
	fd_release(&s->root);
	if (chdir("/") < 0)
		return err_set(e, ST_MOUNT, errno, "enter '/'");
	if (chdir(s->plan->cwd) < 0)
		return err_set(e, ST_MOUNT, errno, "enter '%s'", s->plan->cwd);
	/* A directory that is not reachable from our root would be a way back; getcwd says "(unreachable)" then. */
	if (!getcwd(cwd, sizeof(cwd)))
		return err_set(e, ST_MOUNT, errno, "find the working directory");
	if (strcmp(cwd, s->plan->cwd) != 0)
		return err_set(e, ST_MOUNT, ESTALE, "the working directory '%s' is somewhere else inside", s->plan->cwd);
	return 0;
}
