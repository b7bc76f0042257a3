// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The host's system as a root; P0.
 *
 * The root is an empty tmpfs, and what is named here is put onto it: a path that is not named does
 * not exist inside. System trees are bound read-only, and the few files of /etc that tell who and
 * where we are, are written anew.
 */
#include "sandbox/root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "sandbox/weak.h"

/*
 * Read-only trees and files of the host; what does not exist is passed over, what is a link becomes
 * the same link. Each costs a mount or a copy at every start: the list has what programs read at
 * run time, not what administrators' tools do.
 */
static const char *const system_trees[] = {
	/* programs and libraries; the second group is links on a merged-usr system */
	"/usr",
	"/bin",
	"/sbin",
	"/lib",
	"/lib32",
	"/lib64",
	"/libx32",
	"/nix/store",
	"/gnu/store",
	"/run/current-system",
	/* how programs find each other */
	"/etc/alternatives",
	"/etc/ld.so.cache",
	"/etc/ld-musl-x86_64.path",
	"/etc/ld-musl-aarch64.path",
	"/etc/static",
	"/etc/profiles",
	/* whom TLS trusts */
	"/etc/ssl/certs",
	"/etc/ssl/cert.pem",
	"/etc/ssl/openssl.cnf",
	"/etc/pki/tls/certs",
	"/etc/pki/tls/cert.pem",
	"/etc/pki/tls/openssl.cnf",
	"/etc/pki/ca-trust",
	"/etc/crypto-policies",
	/* names that are the same everywhere */
	"/etc/protocols",
	"/etc/services",
	"/etc/localtime",
	"/etc/timezone",
	"/etc/os-release",
	/* settings without which a program does not start, or looks broken */
	"/etc/terminfo",
	"/etc/vim",
	"/etc/fonts",
	"/etc/java-11-openjdk",
	"/etc/java-17-openjdk",
	"/etc/java-21-openjdk",
};

/*
 * A file no larger than this is copied: that is cheaper than a mount, at the start and at the end.
 */
#define COPY_MAX 4096

/* Device nodes with nothing behind them but the kernel's own memory. */
static const char *const devices[] = { "/dev/null",   "/dev/zero",    "/dev/full",
				       "/dev/random", "/dev/urandom", "/dev/tty" };

static const struct {
	const char *at, *text;
} links[] = {
	{ "/dev/fd", "/proc/self/fd" },
	{ "/dev/stdin", "/proc/self/fd/0" },
	{ "/dev/stdout", "/proc/self/fd/1" },
	{ "/dev/stderr", "/proc/self/fd/2" },
	{ "/dev/ptmx", "pts/ptmx" },
	{ "/etc/mtab", "/proc/self/mounts" },
	{ "/var/tmp", "/tmp" },
	{ "/var/run", "/run" },
};

/* Directories that a Landlock rule or a program wants, and that nothing else makes. */
static const struct {
	const char *path;
	enum access access;
} directories[] = {
	{ "/dev", ACCESS_DEVICE }, /* one rule for all that is on it */
	{ "/etc", ACCESS_READ },     { "/run/jail", ACCESS_READ },
	{ "/var/lib", ACCESS_NONE }, { "/opt", ACCESS_NONE },
};

/* An image has the others itself, or something else of that name. */
#define IMAGE_DIRECTORIES 3

/*
 * What of /proc tells about the host, or leads to it. A slash at the end: a directory. Files that
 * only root may open need no mask as long as the command is not root; they get one when a profile
 * says allow-root.
 */
static const char *const proc_masks[] = {
	"/proc/acpi/",	    "/proc/asound/",
	"/proc/cmdline",    "/proc/diskstats",
	"/proc/interrupts", "/proc/kallsyms",
	"/proc/key-users",  "/proc/keys",
	"/proc/locks",	    "/proc/modules",
	"/proc/partitions", "/proc/sched_debug",
	"/proc/swaps",	    "/proc/sys/kernel/random/boot_id",
};
static const char *const proc_root_masks[] = {
	"/proc/bus/",	     "/proc/driver/",	 "/proc/fs/",		"/proc/iomem",
	"/proc/ioports",     "/proc/irq/",	 "/proc/kcore",		"/proc/kmsg",
	"/proc/kpagecgroup", "/proc/kpagecount", "/proc/kpageflags",	"/proc/latency_stats",
	"/proc/scsi/",	     "/proc/slabinfo",	 "/proc/sysrq-trigger", "/proc/timer_list",
	"/proc/vmallocinfo",
};

static int add_link(struct mount_draft *m, const char *at, const char *text, struct err *e)
{
	struct mount_op *op;
	int rc = mounts_add(m, MK_SYMLINK, at, &op, e);

	if (rc == 0)
		op->source = text;
	return rc;
}

static int add_tmpfs(struct mount_draft *m, const char *at, uint64_t size, uint64_t inodes,
		     mode_t mode, struct err *e)
{
	struct mount_op *op;
	int rc = mounts_add(m, MK_TMPFS, at, &op, e);

	if (rc < 0)
		return rc;
	op->size = weakened(WEAK_LIMITS) ? 0 : size; /* 0: as much as there is */
	op->inodes = weakened(WEAK_LIMITS) ? 0 : inodes;
	op->mode = mode;
	op->access = ACCESS_WRITE;
	return 0;
}

/* A small text file as a file of our own; -EAGAIN when it is not one and must be bound. */
static int add_copy(struct mount_draft *m, const struct resolved *r, struct err *e)
{
	char text[COPY_MAX + 1];
	ssize_t n;

	if (!S_ISREG(r->st.st_mode) || r->st.st_size > COPY_MAX || r->links)
		return -EAGAIN;
	n = fs_read_file_at(AT_FDCWD, r->path, text, sizeof(text), true);
	if (n < 0 && n != -EFBIG && n != -EINVAL && !path_absent((int)-n))
		return err_set(e, ST_PLAN, (int)-n, "read '%s'", r->path);
	if (n < 0 || memchr(text, '\0', (size_t)n))
		return -EAGAIN;
	return mounts_add_file(m, r->path, arena_strdup(m->arena, text), e);
}

/*
 * A link like /bin -> usr/bin or /etc/localtime -> /usr/share/...: what it leads to is shown with
 * /usr, so the link is enough.
 */
static bool leads_into_usr(struct arena *a, const char *path, const char **ret_text)
{
	static const char *const ways[] = { "/usr/", "usr/", "../usr/" };
	char text[256];
	ssize_t n = readlink(path, text, sizeof(text) - 1);

	if (n <= 0 || n == sizeof(text) - 1)
		return false;
	text[n] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		if (str_starts(text, ways[i]) && !strstr(text + 3, "..")) {
			*ret_text = arena_strdup(a, text);
			return true;
		}
	}
	return false;
}

/* One of the system's own paths. It is not held open: nobody we guard against can replace it. */
static int add_tree(struct mount_draft *m, const char *path, struct err *e)
{
	struct resolved r = { .path = path, .fd = FD_NONE };
	const char *text;
	int rc;

	if (lstat(path, &r.st) < 0)
		return path_absent(errno) ? 0 : err_set(e, ST_PLAN, errno, "look for '%s'", path);
	if (S_ISLNK(r.st.st_mode)) {
		if (leads_into_usr(m->arena, path, &text))
			return add_link(m, path, text, e);
		rc = path_resolve(m->arena, path, &r, e);
		if (rc < 0)
			return e->stage ? rc : 0;
		fd_release(&r.fd);
	}
	/* Entries are in directories: one that holds none is there for nobody, as on Debian. */
	if (str_eq(path, "/etc/terminfo") && r.st.st_nlink == 2)
		return 0;
	rc = add_copy(m, &r, e);
	return rc == -EAGAIN ? mounts_add_host(m, &r, true, ACCESS_READ, NULL, e) : rc;
}

/* jail-weak alone: /run but for jail's own files. */
static int add_host_run(struct mount_draft *m, struct err *e)
{
	own_dir dir = opendir("/run");
	const struct dirent *d;
	int rc = 0;

	while (rc == 0 && dir && (d = readdir(dir))) {
		if (d->d_name[0] != '.' && !str_eq(d->d_name, "jail"))
			rc = add_tree(m, arena_printf(m->arena, "/run/%s", d->d_name), e);
	}
	return rc;
}

/* jail-weak alone: everything that the host has, but for what is made anew. */
static int add_host(struct mount_draft *m, struct err *e)
{
	static const char *const trees[] = { "/etc", "/home", "/root", "/srv",
					     "/sys", "/tmp",  "/usr",  "/var" };
	int rc = add_host_run(m, e);

	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(trees); i++)
		rc = add_tree(m, trees[i], e);
	return rc;
}

static int add_trees(struct mount_draft *m, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(system_trees); i++) {
		if (!weakened(WEAK_HOST_ROOT) || !str_starts(system_trees[i], "/etc/"))
			rc = add_tree(m, system_trees[i], e);
	}
	return rc == 0 && weakened(WEAK_HOST_ROOT) ? add_host(m, e) : rc;
}

static int add_devices(struct mount_draft *m, uint64_t shm, uint64_t inodes, struct err *e)
{
	struct mount_op *op;
	int rc;

	if (weakened(WEAK_DEV)) {
		struct resolved r = { .path = "/dev", .fd = FD_NONE };

		if (lstat(r.path, &r.st) < 0)
			return err_set(e, ST_PLAN, errno, "look at '%s'", r.path);
		rc = mounts_add_host(m, &r, false, ACCESS_DEVICE, &op, e);
		if (rc == 0)
			op->device = true;
		return rc;
	}
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
		struct resolved r = { .path = devices[i], .fd = FD_NONE };

		if (lstat(r.path, &r.st) < 0)
			return err_set(e, ST_PLAN, errno, "look at '%s'", r.path);
		if (!S_ISCHR(r.st.st_mode))
			return err_set(e, ST_PLAN, 0,
				       "'%s' is not a device: this system's /dev cannot be trusted",
				       r.path);
		rc = mounts_add_host(m, &r, false, ACCESS_DEVICE, &op, e);
		if (rc < 0)
			return rc;
		op->device = true;
	}
	rc = mounts_add(m, MK_DEVPTS, "/dev/pts", &op, e);
	if (rc < 0)
		return rc;
	op->access = ACCESS_DEVICE;
	return add_tmpfs(m, "/dev/shm", shm, inodes, 01777, e);
}

static int add_masks(struct mount_draft *m, const char *const *list, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(list[i]);
		bool dir = list[i][len - 1] == '/';
		struct mount_op *op;
		int rc = mounts_add(m, MK_MASK,
				    arena_strndup(m->arena, list[i], dir ? len - 1 : len), &op, e);

		if (rc < 0)
			return rc;
		op->is_dir = dir;
	}
	return 0;
}

static int add_proc(struct mount_draft *m, const struct plan *p, struct err *e)
{
	struct mount_op *op;
	int rc = mounts_add(m, MK_PROC, "/proc", &op, e);

	if (rc < 0)
		return rc;
	op->access = ACCESS_PROC;
	if (p->proc_pids_only)
		return 0;
	rc = mounts_add(m, MK_READONLY, "/proc/sys", NULL, e);
	if (rc == 0)
		rc = add_masks(m, proc_masks, ARRAY_SIZE(proc_masks), e);
	if (rc == 0 && p->caller->kernel_root && !p->remap)
		rc = add_masks(m, proc_root_masks, ARRAY_SIZE(proc_root_masks), e);
	return rc;
}

/*
 * With the host's network come the host's name servers: the file behind /etc/resolv.conf, whatever
 * it is a link to.
 */
static int add_resolver(struct mount_draft *m, struct err *e)
{
	struct mount_op *op;
	struct resolved r;
	int rc = path_resolve(m->arena, "/etc/resolv.conf", &r, e);

	if (rc < 0)
		return e->stage ? rc : 0;
	rc = mounts_add(m, MK_BIND, "/etc/resolv.conf", &op, e);
	if (rc < 0)
		return rc;
	op->source = r.path;
	op->readonly = true;
	op->dev = r.st.st_dev;
	op->ino = r.st.st_ino;
	return 0;
}

bool root_occupies(const char *path)
{
	static const char *const own[] = { "/proc", "/sys", "/dev", "/etc", "/run" };

	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		if (path_beneath(path, own[i]))
			return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(system_trees); i++) {
		if (path_beneath(system_trees[i], path))
			return true;
	}
	return false;
}

/* The home, empty; and where $HOME goes through links (/home -> /var/home), those links. */
static int add_home(struct mount_draft *m, const struct plan *p, uint64_t size, uint64_t inodes,
		    struct err *e)
{
	struct resolved r = { .fd = FD_NONE };
	int rc = path_resolve(m->arena, p->home_spelled, &r, e);

	if (e->stage)
		return rc;
	fd_release(&r.fd);
	rc = 0;
	for (const struct link_passed *l = r.links; rc == 0 && l; l = l->next)
		rc = add_link(m, l->at, l->text, e);
	return rc < 0 ? rc : add_tmpfs(m, p->home, size, inodes, 0700, e);
}

int root_add_system(struct mount_draft *m, const struct plan *p, uint64_t tmp, uint64_t shm,
		    uint64_t inodes, struct err *e)
{
	const size_t dirs = p->image ? IMAGE_DIRECTORIES : ARRAY_SIZE(directories);
	struct mount_op *op;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < dirs; i++) {
		rc = mounts_add(m, MK_DIR, directories[i].path, &op, e);
		if (rc == 0)
			op->access = directories[i].access;
	}
	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(links); i++)
		rc = add_link(m, links[i].at, links[i].text, e);
	if (rc == 0 && !p->image)
		rc = add_trees(m, e);
	if (rc == 0 && !weakened(WEAK_HOST_ROOT))
		rc = root_add_etc(m, p, e);
	if (rc == 0 && !p->new_netns)
		rc = add_resolver(m, e);
	if (rc == 0)
		rc = add_devices(m, shm, inodes, e);
	if (rc == 0)
		rc = add_proc(m, p, e);
	if (rc < 0 || weakened(WEAK_HOST_ROOT))
		return rc;
	rc = add_tmpfs(m, "/tmp", tmp, inodes, 01777, e);
	return rc < 0 ? rc : add_home(m, p, tmp, inodes, e);
}

int root_add_policy(struct mount_draft *m, struct err *e)
{
	int rc = mounts_add_file(m, ROOT_POLICY_JSON, "", e);

	return rc < 0 ? rc : mounts_add_file(m, ROOT_POLICY_TEXT, "", e);
}
