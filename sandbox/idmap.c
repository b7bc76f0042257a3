// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Idmapped trees; P0, as real root.
 *
 * The mapping is given to the kernel as a user namespace, so one is made for it alone: a child that
 * only waits, whose namespace says "what is 0 on disk is JAIL_KUID here". It is not the jail's own
 * namespace, in which the command has another number.
 */
#include "sandbox/idmap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/kernel.h"
#include "base/own.h"
#include "sandbox/image.h"
#include "sandbox/mountapi.h"
#include "sandbox/mountlist.h"

static int map_and_open(pid_t pid, int *ret_fd, struct err *e)
{
	own_fd proc = FD_NONE;
	char text[64];
	int fd, rc;

	(void)snprintf(text, sizeof(text), "/proc/%d", pid);
	proc = open(text, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (proc < 0)
		return err_set(e, ST_IDMAP, errno, "open '%s'", text);
	(void)snprintf(text, sizeof(text), "0 %u 1\n", JAIL_KUID);
	rc = fs_write_file_at(proc, "uid_map", text);
	if (rc == 0)
		rc = fs_write_file_at(proc, "gid_map", text);
	if (rc < 0)
		return err_set(e, ST_IDMAP, -rc, "map root's files to the command");
	fd = openat(proc, "ns/user", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(e, ST_IDMAP, errno, "open the mapping");
	*ret_fd = fd;
	return 0;
}

static int make_mapping(int *ret_fd, struct err *e)
{
	struct k_clone_args args = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD };
	pid_t parent = getpid(), pid;
	int rc;

	pid = (pid_t)k_clone3(&args);
	if (pid < 0)
		return err_set(e, ST_IDMAP, errno, "make a namespace for the mapping");
	if (pid == 0) {
		/*
		 * Gone when the parent is, in either order: a jail that is killed leaves nothing.
		 */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0) {
			while (getppid() == parent)
				(void)pause();
		}
		_exit(0);
	}
	rc = map_and_open(pid, ret_fd, e);
	(void)kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return rc;
}

/* For these there is no older way: mount(2) knows no idmapped mounts. */
static int blame_filter(const struct mount_op *op, const char *call, struct err *e)
{
	return err_set(e, ST_IDMAP, errno,
		       "an outer sandbox refuses %s: root's '%s' cannot be shown to another user",
		       call, op->source);
}

static int idmap_tree(struct mount_op *op, int mapping, struct err *e)
{
	struct k_mount_attr attr = {
		.attr_set = K_MOUNT_ATTR_IDMAP | mounts_attrs(op),
		.propagation = MOUNT_PROPAGATION,
		.userns_fd = (uint64_t)mapping,
	};
	own_fd source = fs_openat2(AT_FDCWD, op->source, O_PATH,
				   RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
	own_fd tree = FD_NONE;
	struct stat st;

	if (source < 0)
		return err_set(e, ST_IDMAP, -source, "open '%s'", op->source);
	if (fstat(source, &st) < 0 || st.st_dev != op->dev || st.st_ino != op->ino)
		return err_set(e, ST_IDMAP, ESTALE, "'%s' was replaced while jail was starting",
			       op->source);
	tree = k_open_tree(source, "",
			   K_OPEN_TREE_CLONE | K_OPEN_TREE_CLOEXEC | K_AT_EMPTY_PATH | K_AT_RECURSIVE);
	if (tree < 0 && (errno == ENOSYS || errno == EPERM))
		return blame_filter(op, "open_tree", e);
	if (tree < 0)
		return err_set(e, ST_IDMAP, errno, "clone the tree at '%s'", op->source);
	if (k_mount_setattr(tree, "", K_AT_EMPTY_PATH | K_AT_RECURSIVE, &attr) < 0) {
		if (errno == ENOSYS)
			return blame_filter(op, "mount_setattr", e);
		return err_set(e, ST_IDMAP, errno,
			       "the file system of '%s' cannot show root's files to another user",
			       op->source);
	}
	op->tree_fd = fd_take(&tree);
	return 0;
}

int idmap_trees(struct plan *p, struct err *e)
{
	own_fd mapping = FD_NONE;
	int rc = 0;

	if (!p->remap)
		return 0;
	rc = make_mapping(&mapping, e);
	for (size_t i = 0; rc == 0 && i < p->mounts.n; i++) {
		struct mount_op *op = &p->mounts.ops[i];

		if (op->kind == MK_BIND && op->option != OPT_COUNT)
			rc = idmap_tree(op, mapping, e);
	}
	if (rc == 0 && p->image)
		rc = idmap_tree(&p->image->base, mapping, e);
	return rc;
}
