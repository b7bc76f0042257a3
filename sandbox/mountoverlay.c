// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * overlayfs by descriptor; P1.
 *
 * Layers are named self/fd/N, from the procfs on which we stand: what was opened and compared is what
 * is stacked, and a name is short enough for hundreds of them in the one page that mount(2) takes.
 * userxattr: in a user namespace overlayfs may use no others.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>

#include "base/kernel.h"
#include "base/own.h"
#include "base/text.h"
#include "sandbox/mountapi.h"
#include "sandbox/mountold.h"

/* mount(2) copies one page. */
#define OPTIONS_MAX 4096

static int blame(int code, struct err *e)
{
	if (code == EINVAL || code == ELOOP)
		return err_set(
			e, ST_MOUNT, code,
			"stack the image's layers (none may lie in another, or have something mounted in it)");
	return err_set(e, ST_MOUNT, code, "stack the image's layers");
}

static bool add_option(struct text *t, const char *before, int fd)
{
	text_addf(t, "%s%s", before, mount_fd_path(fd).text);
	return !t->full;
}

/* All of it in one text, for kernels that do not know lowerdir+ and filters that do not know more. */
static int open_by_text(const struct mount_api *api, const struct overlay_tree *o, unsigned attrs,
			int *ret_fd, struct err *e)
{
	char options[OPTIONS_MAX];
	own_fd point = FD_NONE, tree = FD_NONE;
	struct text t;

	text_init(&t, options, sizeof(options));
	text_add(&t, "userxattr");
	for (size_t i = 0; i < o->n; i++)
		(void)add_option(&t, i ? ":" : ",lowerdir=", o->lowers[i]);
	if (o->upper >= 0) {
		(void)add_option(&t, ",upperdir=", o->upper);
		(void)add_option(&t, ",workdir=", o->work);
	}
	if (t.full)
		return err_set(e, ST_MOUNT, 0, "%zu layers are too many for this kernel", o->n);
	if (api->old)
		return mountold_open_text(api, "overlay", "jail", options, attrs, ret_fd, e);
	point = openat(o->base, o->spare, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (point < 0)
		return err_set(e, ST_MOUNT, errno, "open a place for the image");
	if (mount("jail", mount_fd_path(point).text, "overlay", attrs, options) < 0)
		return blame(errno, e);
	/* A copy that hangs nowhere; the first goes with the place it is mounted on. */
	tree = k_open_tree(o->base, o->spare, K_OPEN_TREE_CLONE | K_OPEN_TREE_CLOEXEC);
	if (tree < 0)
		return blame(errno, e);
	*ret_fd = fd_take(&tree);
	return 0;
}

static int set_fd(int fs, const char *key, int fd)
{
	return k_fsconfig(fs, K_FSCONFIG_SET_STRING, key, mount_fd_path(fd).text, 0) < 0 ? -errno : 0;
}

int mount_open_overlay(const struct mount_api *api, const struct overlay_tree *o, unsigned attrs,
		       int *ret_fd, struct err *e)
{
	own_fd fs = FD_NONE;
	int rc = 0, fd;

	if (api->old)
		return open_by_text(api, o, attrs, ret_fd, e);
	fs = k_fsopen("overlay", K_FSOPEN_CLOEXEC);
	if (fs < 0)
		return err_set(e, ST_MOUNT, errno, "open the file system overlay");
	if (k_fsconfig(fs, K_FSCONFIG_SET_STRING, "source", "jail", 0) < 0 ||
	    k_fsconfig(fs, K_FSCONFIG_SET_FLAG, "userxattr", NULL, 0) < 0)
		return err_set(e, ST_MOUNT, errno, "set up an overlay");
	for (size_t i = 0; rc == 0 && i < o->n; i++)
		rc = set_fd(fs, "lowerdir+", o->lowers[i]);
	if (rc == 0 && o->upper >= 0)
		rc = set_fd(fs, "upperdir", o->upper);
	if (rc == 0 && o->upper >= 0)
		rc = set_fd(fs, "workdir", o->work);
	if (rc == 0 && k_fsconfig(fs, K_FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		rc = -errno;
	/*
	 * Linux 6.1 takes any key, and says only here that it does not know lowerdir+. If it is the
	 * layers that are wrong, the other way will say so.
	 */
	if (rc == -EINVAL)
		return open_by_text(api, o, attrs, ret_fd, e);
	if (rc < 0)
		return blame(-rc, e);
	fd = k_fsmount(fs, K_FSMOUNT_CLOEXEC, attrs);
	if (fd < 0)
		return err_set(e, ST_MOUNT, errno, "mount the overlay");
	*ret_fd = fd;
	return 0;
}
