// SPDX-License-Identifier: GPL-2.0-or-later
/* Entering the root that was built, and leaving the host's; P1. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/kernel.h"
#include "base/own.h"
#include "sandbox/image.h"
#include "sandbox/mountapi.h"
#include "sandbox/setup.h"
#include "sandbox/weak.h"

#define NO_LINKS (RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)

/* jail-weak alone: the host's root is still there, and where we stand. */
static int change_root_only(struct setup *s, struct err *e)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", s->root);
	if (chdir("/") < 0 || chroot(path) < 0)
		return err_set(e, ST_MOUNT, errno, "change the root");
	beside_pivoted(s, BESIDE_NOTHING);
	return 0;
}

/* Nothing more is written to the root, unless writes to an image were asked for. */
static int close_root(const struct setup *s, struct err *e)
{
	const struct image *i = s->plan->image;

	if (weakened(WEAK_READONLY) || (i && i->writable))
		return 0;
	return mount_set_readonly(&s->api, s->root, i ? IMAGE_ATTRS : ROOT_ATTRS, e);
}

int stage_pivot(struct setup *s, struct err *e)
{
	own_fd dir = FD_NONE;
	char cwd[PATH_MAX];
	int rc = close_root(s, e);

	if (rc < 0)
		return rc;
	if (weakened(WEAK_PIVOT))
		return change_root_only(s, e);
	if (fchdir(s->root) < 0)
		return err_set(e, ST_MOUNT, errno, "enter the new root");
	if (k_pivot_root(".", ".") < 0)
		return err_set(e, ST_MOUNT, errno, "pivot_root");
	beside_pivoted(s, BESIDE_DETACH);
	fd_release(&s->mask_file);
	fd_release(&s->mask_dir);
	if (chdir("/") < 0)
		return err_set(e, ST_MOUNT, errno, "enter '/'");
	/* Until the host's root is gone "/.." is a way to it, for a link of an image's, too. */
	dir = fs_openat2(AT_FDCWD, s->plan->cwd, O_PATH | O_DIRECTORY, NO_LINKS);
	if (dir < 0 || fchdir(dir) < 0)
		return err_set(e, ST_MOUNT, dir < 0 ? -dir : errno, "enter '%s'", s->plan->cwd);
	/*
	 * A directory that is not reachable from our root would be a way back; getcwd says
	 * "(unreachable)" then.
	 */
	if (!getcwd(cwd, sizeof(cwd)))
		return err_set(e, ST_MOUNT, errno, "find the working directory");
	if (strcmp(cwd, s->plan->cwd) != 0)
		return err_set(e, ST_MOUNT, ESTALE,
			       "the working directory '%s' is somewhere else inside", s->plan->cwd);
	return 0;
}
