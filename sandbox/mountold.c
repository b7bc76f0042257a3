// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mounts by mount(2) alone; P1.
 *
 * Detached trees do not exist here, so there is a place for them to wait: the stage, a small tmpfs
 * over "/" that nobody's path leads to. Our own root directory stays the host's; only the
 * descriptor, and "/.." once, see what is mounted over it. A tree is mounted on the stage,
 * restricted there, compared with what it should be, and moved to its target when it is finished
 * (MS_MOVE): the same steps in the same order as with the new API. After the pivot the stage goes,
 * and then the host's root.
 *
 * mount(2) takes paths. Ours are those of mount_fd_path.
 *
 * mount(2) restricts one mount at a time, so what is mounted beneath a bound tree is found by its
 * mount id in mountinfo. A tree is done when a reading from beginning to end finds nothing left to
 * restrict. What cannot be reached to be restricted ends the run.
 */
#include "sandbox/mountold.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/kernel.h"
#include "base/own.h"
#include "base/text.h"
#include "sandbox/mountinfo.h"

/* The two sets of names are one set of numbers: attributes are passed to mount(2) as they are. */
_Static_assert(K_MOUNT_ATTR_RDONLY == MS_RDONLY && K_MOUNT_ATTR_NOSUID == MS_NOSUID &&
		       K_MOUNT_ATTR_NODEV == MS_NODEV && K_MOUNT_ATTR_NOEXEC == MS_NOEXEC,
	       "attributes are flags");

#define NO_LINKS (RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)

/*
 * On the stage: where a directory waits, where anything else does, and our procfs until the new
 * root has it.
 */
#define STAGE_DIR  "dir"
#define STAGE_FILE "file"
#define STAGE_PROC "proc"

#define SUBMOUNTS_MAX 1024
#define READINGS_MAX  8

static bool is_same(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Not the opposite: what cannot be told is neither. */
static bool is_another(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 &&
	       (x.st_dev != y.st_dev || x.st_ino != y.st_ino);
}

static bool is_fs(int fd, unsigned long magic)
{
	struct statfs st;

	return fstatfs(fd, &st) == 0 && (unsigned long)st.f_type == magic;
}

/* A place on the stage: before something is mounted there, when it must be free, and after. */
static int open_free(const struct mount_api *api, const char *place, struct err *e)
{
	int fd = fs_openat2(api->stage, place, O_PATH, NO_LINKS | RESOLVE_BENEATH | RESOLVE_NO_XDEV);

	return fd < 0 ? err_set(e, ST_MOUNT, -fd, "open a free place on the stage for mounts") : fd;
}

static int open_staged(const struct mount_api *api, const char *place, struct err *e)
{
	int fd = fs_openat2(api->stage, place, O_PATH, NO_LINKS | RESOLVE_BENEATH);

	return fd < 0 ? err_set(e, ST_MOUNT, -fd, "open the mount on the stage") : fd;
}

static int make_stage(struct mount_api *api, struct err *e)
{
	const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
	own_fd stage = FD_NONE, before = open("/..", O_PATH | O_DIRECTORY | O_CLOEXEC),
	       file = FD_NONE;

	if (mount("jail", "/", "tmpfs", flags, "size=64k,nr_inodes=16,mode=0700") < 0)
		return err_set(e, ST_MOUNT, errno, "mount a stage for mounts");
	/* A step up from our root stays there, and then goes on to what is mounted over it. */
	stage = open("/..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (before < 0 || stage < 0 || !is_another(before, stage) || !is_fs(stage, TMPFS_MAGIC))
		return err_set(e, ST_MOUNT, ESTALE, "find the stage for mounts");
	if (mkdirat(stage, STAGE_DIR, 0700) < 0 || mkdirat(stage, STAGE_PROC, 0700) < 0)
		return err_set(e, ST_MOUNT, errno, "make places on the stage for mounts");
	file = openat(stage, STAGE_FILE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (file < 0)
		return err_set(e, ST_MOUNT, errno, "make places on the stage for mounts");
	api->stage = fd_take(&stage);
	return 0;
}

int mountold_begin(struct mount_api *api, struct err *e)
{
	const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
	int rc;

	*api = (struct mount_api){ .old = true, .stage = FD_NONE, .proc = FD_NONE };
	rc = make_stage(api, e);
	if (rc < 0)
		return rc;
	if (fchdir(api->stage) < 0)
		return err_set(e, ST_MOUNT, errno, "enter the stage for mounts");
	if (mount("proc", STAGE_PROC, "proc", flags, NULL) < 0)
		return err_set(e, ST_MOUNT, errno, "mount a new proc");
	api->proc = open_staged(api, STAGE_PROC, e);
	if (api->proc < 0)
		return api->proc;
	if (!is_fs(api->proc, PROC_SUPER_MAGIC) || fchdir(api->proc) < 0)
		return err_set(e, ST_MOUNT, ESTALE, "enter the new proc");
	return 0;
}

int mountold_take_proc(const struct mount_api *api, int *ret_fd, struct err *e)
{
	int fd = fcntl(api->proc, F_DUPFD_CLOEXEC, 3);

	if (fd < 0)
		return err_set(e, ST_MOUNT, errno, "keep the new proc");
	*ret_fd = fd;
	return 0;
}

int mountold_open_fs(const struct mount_api *api, const char *type, const struct fs_param *params,
		     size_t n, unsigned attrs, int *ret_fd, struct err *e)
{
	char options[160];
	struct text t;

	text_init(&t, options, sizeof(options));
	for (size_t i = 1; i < n; i++)
		text_addf(&t, "%s%s%s%s", t.len ? "," : "", params[i].key,
			  params[i].value ? "=" : "", params[i].value ? params[i].value : "");
	if (t.full)
		return err_set(e, ST_MOUNT, E2BIG, "set the options of a new %s", type);
	return mountold_open_text(api, type, params[0].value, options, attrs, ret_fd, e);
}

int mountold_open_text(const struct mount_api *api, const char *type, const char *source,
		       const char *options, unsigned attrs, int *ret_fd, struct err *e)
{
	own_fd point = open_free(api, STAGE_DIR, e), fd = FD_NONE;

	if (point < 0)
		return point;
	if (mount(source, mount_fd_path(point).text, type, attrs, options) < 0)
		return err_set(e, ST_MOUNT, errno, "mount a new %s", type);
	fd = open_staged(api, STAGE_DIR, e);
	if (fd < 0)
		return fd;
	if (!is_another(fd, point))
		return err_set(e, ST_MOUNT, ESTALE, "find the new %s", type);
	*ret_fd = fd_take(&fd);
	return 0;
}

/* Bind what `source` is open on, and all beneath it, to the stage. */
static int stage_bind(const struct mount_api *api, int source, const char *name, int *ret_fd,
		      struct err *e)
{
	own_fd point = FD_NONE, fd = FD_NONE;
	const char *place;
	struct stat st;

	if (fstat(source, &st) < 0)
		return err_set(e, ST_MOUNT, errno, "stat '%s'", name);
	place = S_ISDIR(st.st_mode) ? STAGE_DIR : STAGE_FILE;
	point = open_free(api, place, e);
	if (point < 0)
		return point;
	if (mount(mount_fd_path(source).text, mount_fd_path(point).text, NULL, MS_BIND | MS_REC,
		  NULL) < 0)
		return err_set(e, ST_MOUNT, errno, "clone the tree at '%s'", name);
	fd = open_staged(api, place, e);
	if (fd < 0)
		return fd;
	if (!is_same(fd, source))
		return err_set(e, ST_MOUNT, ESTALE, "find the clone of the tree at '%s'", name);
	*ret_fd = fd_take(&fd);
	return 0;
}

/* Which mount a descriptor is on, from its fdinfo. */
static int mount_id(const struct mount_api *api, int fd, uint64_t *ret)
{
	char file[32], text[1024], *id;
	ssize_t n;

	(void)snprintf(file, sizeof(file), "self/fdinfo/%d", fd);
	n = fs_read_file_at(api->proc, file, text, sizeof(text), false);
	if (n < 0)
		return (int)n;
	id = strstr(text, "\nmnt_id:\t");
	if (!id)
		return -EINVAL;
	id += strlen("\nmnt_id:\t");
	id[strcspn(id, "\n")] = '\0';
	return str_to_u64(id, UINT64_MAX, ret) ? 0 : -EINVAL;
}

/*
 * What is not named stays out of the way: without a word about access times the kernel keeps them,
 * and so the flags that a more privileged namespace has locked are all there, since they are among
 * `flags` or among those.
 */
int mountold_remount(int tree_fd, unsigned long flags)
{
	return mount(NULL, mount_fd_path(tree_fd).text, NULL, MS_REMOUNT | MS_BIND | flags, NULL) < 0
		       ? -errno
		       : 0;
}

struct restriction {
	const struct mount_api *api;
	const char *name; /* of the tree, for messages */
	unsigned long flags;
	uint64_t ids[SUBMOUNTS_MAX]; /* the tree's mounts, its root first */
	size_t n;
};

static bool belongs(const struct restriction *r, uint64_t id)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->ids[i] == id)
			return true;
	}
	return false;
}

/*
 * The way to a mount is walked by name, and on a host tree names change: what is found must be that
 * very mount. A mount that lies hidden below another cannot be found at all.
 */
static int restrict_mount(const struct restriction *r, const struct mountinfo *m, struct err *e)
{
	own_fd fd = fs_openat2(r->api->stage, m->point + 1, O_PATH, NO_LINKS | RESOLVE_BENEATH);
	const char *below = strchr(m->point + 1, '/');
	uint64_t id = 0;
	int rc;

	below = below ? below : "";
	if (fd < 0)
		return err_set(e, ST_MOUNT, -fd, "open '%s%s' to restrict it", r->name, below);
	rc = mount_id(r->api, fd, &id);
	if (rc < 0)
		return err_set(e, ST_MOUNT, -rc, "find out what is mounted at '%s%s'", r->name, below);
	if (id != m->id)
		return err_set(e, ST_MOUNT, ESTALE,
			       "a mount at '%s%s' is hidden or was moved: it cannot be restricted",
			       r->name, below);
	rc = mountold_remount(fd, m->flags | r->flags);
	return rc < 0 ? err_set(e, ST_MOUNT, -rc, "restrict the mount at '%s%s'", r->name, below) : 0;
}

/* 1 when there was something to do, so that it must be looked at again. */
static int visit(struct restriction *r, const struct mountinfo *m, struct err *e)
{
	bool news = !belongs(r, m->id);
	int rc;

	if (news && !belongs(r, m->parent))
		return 0;
	if (news && r->n == SUBMOUNTS_MAX)
		return err_set(e, ST_MOUNT, E2BIG, "more than %d mounts beneath '%s'",
			       SUBMOUNTS_MAX, r->name);
	if (news)
		r->ids[r->n++] = m->id;
	if (m->tied)
		return err_set(e, ST_MOUNT, EINVAL, "a mount beneath '%s' is not private", r->name);
	if ((m->flags & r->flags) == r->flags)
		return news;
	rc = restrict_mount(r, m, e);
	return rc < 0 ? rc : 1;
}

/* One reading of all mounts; 1 when there was something to do. */
static int restrict_once(struct restriction *r, struct err *e)
{
	static char buf[64 << 10];
	own_fd fd = openat(r->api->proc, "self/mountinfo", O_RDONLY | O_CLOEXEC);
	struct mountinfo_reader reader = { .fd = fd, .buf = buf, .size = sizeof(buf) };
	bool seen = false;
	struct mountinfo m;
	int rc, again = 0;

	if (fd < 0)
		return err_set(e, ST_MOUNT, errno, "open the list of mounts");
	while ((rc = mountinfo_next(&reader, &m)) > 0) {
		seen = seen || m.id == r->ids[0];
		rc = visit(r, &m, e);
		if (rc < 0)
			return rc;
		again |= rc;
	}
	if (rc < 0)
		return err_set(e, ST_MOUNT, -rc, "read the list of mounts");
	return seen ? again
		    : err_set(e, ST_MOUNT, ESTALE, "the list of mounts is without '%s'", r->name);
}

static int restrict_tree(const struct mount_api *api, int tree, unsigned long flags,
			 const char *name, struct err *e)
{
	struct restriction r = { .api = api, .name = name, .flags = flags, .n = 1 };
	int rc = mount_id(api, tree, &r.ids[0]);

	if (rc < 0)
		return err_set(e, ST_MOUNT, -rc, "find out what is mounted at '%s'", name);
	for (int i = 0; i < READINGS_MAX; i++) {
		rc = restrict_once(&r, e);
		if (rc <= 0)
			return rc;
	}
	return err_set(e, ST_MOUNT, EBUSY, "the mounts beneath '%s' cannot be restricted", name);
}

int mountold_open_bind(const struct mount_api *api, int dirfd, const char *path, unsigned attrs,
		       int *ret_fd, struct err *e)
{
	own_fd source = fs_openat2(dirfd, path, O_PATH, NO_LINKS), tree = FD_NONE;
	int rc;

	if (source < 0)
		return err_set(e, ST_MOUNT, -source, "open '%s'", path);
	rc = stage_bind(api, source, path, &tree, e);
	if (rc == 0)
		rc = restrict_tree(api, tree, attrs, path, e);
	if (rc == 0)
		*ret_fd = fd_take(&tree);
	return rc;
}

int mountold_attach(int tree_fd, int dirfd, const char *path, const char *target, struct err *e)
{
	own_fd opened = FD_NONE;
	int point = dirfd;

	if (*path) {
		opened = fs_openat2(dirfd, path, O_PATH, NO_LINKS | RESOLVE_BENEATH);
		if (opened < 0)
			return err_set(e, ST_MOUNT, -opened, "open '%s' on the new root", target);
		point = opened;
	}
	if (mount(mount_fd_path(tree_fd).text, mount_fd_path(point).text, NULL, MS_MOVE, NULL) < 0)
		return err_set(e, ST_MOUNT, errno, "mount '%s'", target);
	return 0;
}

int mountold_attach_root(int tree_fd, struct err *e)
{
	if (mount(mount_fd_path(tree_fd).text, "/", NULL, MS_MOVE, NULL) < 0)
		return err_set(e, ST_MOUNT, errno, "attach the new root");
	return 0;
}

/*
 * What is taken away by the name of a place is what lies on top of it. That is the stage, since the
 * new root was mounted on it; then the host's root, which the stage was mounted on; and then there
 * must be nothing left above our own root.
 */
int mountold_detach_host(struct mount_api *api, int root_fd, struct err *e)
{
	own_fd top = FD_NONE;

	fd_release(&api->stage);
	fd_release(&api->proc);
	if (umount2(".", MNT_DETACH) < 0)
		return err_set(e, ST_MOUNT, errno, "detach the stage for mounts");
	if (umount2(".", MNT_DETACH) < 0)
		return err_set(e, ST_MOUNT, errno, "detach the host's root");
	top = open("/..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (top < 0 || !is_same(top, root_fd))
		return err_set(e, ST_MOUNT, EBUSY, "the host's root is still there");
	return 0;
}
