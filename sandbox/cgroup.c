// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A cgroup for one jail; P0.
 *
 * Two ways to one: our own cgroup, or one above it up to the first that is not ours, is writable and passes the controllers on
 * (`Delegate=yes`, a container, root); there a child is made. Nothing is moved but this process, and only when it is alone in its
 * cgroup, which the kernel wants empty before controllers are passed on.
 */
#include "sandbox/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"

#ifndef CGROUP2_SUPER_MAGIC
#define CGROUP2_SUPER_MAGIC 0x63677270
#endif

/* Where our own processes wait while controllers are passed on: the kernel wants inner cgroups empty. */
#define SUPERVISOR "jail-supervisor"

void cgroup_init(struct cgroup *g)
{
	*g = (struct cgroup){ .parent = FD_NONE, .fd = FD_NONE };
}

static bool wanted(const struct plan *p)
{
	return p->limits.has_memory || p->limits.has_swap || p->limits.has_cpu;
}

static bool required(const struct plan *p)
{
	for (const struct value *v = draft_get(p->draft, OPT_REQUIRE); v; v = v->next) {
		const char *at = strstr(v->text, "cgroup");

		if (at && (at == v->text || at[-1] == ' ') && (!at[6] || at[6] == ' '))
			return true;
	}
	return false;
}

/* Our own directory in the one hierarchy that has no controller in its name: "0::/user.slice/...". */
static int open_own(int *ret_fd)
{
	static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	char list[4096], path[4200];
	char *own, *end;

	if (fs_read_file_at(AT_FDCWD, "/proc/self/cgroup", list, sizeof(list), false) < 0)
		return -ENOENT;
	own = str_starts(list, "0::") ? list : strstr(list, "\n0::");
	if (!own)
		return -ENOENT;
	own = strstr(own, "::") + 2;
	end = strchr(own, '\n');
	if (end)
		*end = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(mounts); i++) {
		struct statfs fs;
		own_fd fd = FD_NONE;

		(void)snprintf(path, sizeof(path), "%s%s", mounts[i], own);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && fstatfs(fd, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC) {
			*ret_fd = fd_take(&fd);
			return 0;
		}
	}
	return -ENOENT;
}

static bool lists(int dir, const char *file, const char *word)
{
	char text[512];
	size_t n = strlen(word);

	if (fs_read_file_at(dir, file, text, sizeof(text), false) < 0)
		return false;
	for (const char *s = text; (s = strstr(s, word)); s += n) {
		if ((s == text || s[-1] == ' ') && (s[n] == '\0' || s[n] == ' ' || s[n] == '\n'))
			return true;
	}
	return false;
}

/* Pass the controllers on to children of `dir`, moving ourselves out of the way first if need be. */
static int pass_on(int dir)
{
	static const char all[] = "+memory +pids +cpu";
	int rc;

	if (lists(dir, "cgroup.subtree_control", "memory") && lists(dir, "cgroup.subtree_control", "pids") &&
	    lists(dir, "cgroup.subtree_control", "cpu"))
		return 0;
	if (!lists(dir, "cgroup.controllers", "memory") || !lists(dir, "cgroup.controllers", "pids") ||
	    !lists(dir, "cgroup.controllers", "cpu"))
		return -ENOENT;
	rc = fs_write_file_at(dir, "cgroup.subtree_control", all);
	if (rc != -EBUSY)
		return rc;
	if (mkdirat(dir, SUPERVISOR, 0755) < 0 && errno != EEXIST)
		return -errno;
	rc = fs_write_file_at(dir, SUPERVISOR "/cgroup.procs", "0");
	if (rc == 0)
		rc = fs_write_file_at(dir, "cgroup.subtree_control", all);
	if (rc < 0) { /* others live there too: go back and leave nothing */
		(void)fs_write_file_at(dir, "cgroup.procs", "0");
		(void)unlinkat(dir, SUPERVISOR, AT_REMOVEDIR);
	}
	return rc;
}

static int write_limit(int dir, const char *file, const char *value, struct err *e)
{
	int rc = fs_write_file_at(dir, file, value);

	return rc < 0 ? err_set(e, ST_CGROUP, -rc, "set %s to %s", file, value) : 0;
}

static int set_limits(const struct limits *l, int dir, struct err *e)
{
	char value[64];
	int rc;

	(void)snprintf(value, sizeof(value), "%llu", (unsigned long long)l->pids);
	rc = write_limit(dir, "pids.max", value, e);
	if (rc == 0 && l->has_memory) {
		(void)snprintf(value, sizeof(value), "%llu", (unsigned long long)l->memory);
		rc = write_limit(dir, "memory.max", value, e);
		if (rc == 0)
			rc = write_limit(dir, "memory.oom.group", "1", e);
		/* Unset means none: a limit that swap can stretch is no limit. */
		(void)snprintf(value, sizeof(value), "%llu", (unsigned long long)l->swap);
		if (rc == 0 && faccessat(dir, "memory.swap.max", F_OK, 0) == 0)
			rc = write_limit(dir, "memory.swap.max", value, e);
	}
	if (rc == 0 && l->has_cpu) {
		(void)snprintf(value, sizeof(value), "%llu 100000", (unsigned long long)l->cpu * 100);
		rc = write_limit(dir, "cpu.max", value, e);
	}
	return rc;
}

static int make_in(int parent, struct cgroup *g)
{
	int rc = pass_on(parent);

	if (rc < 0)
		return rc;
	(void)snprintf(g->name, sizeof(g->name), "jail-%d", getpid());
	if (mkdirat(parent, g->name, 0755) < 0)
		return -errno;
	g->fd = openat(parent, g->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (g->fd < 0) {
		rc = -errno;
		(void)unlinkat(parent, g->name, AT_REMOVEDIR);
		return rc;
	}
	g->parent = parent;
	return 0;
}

static int find_and_make(struct cgroup *g)
{
	own_fd dir = FD_NONE;
	int rc = open_own(&dir);

	/* Upwards: an ancestor that is ours and already passes the controllers on needs nobody to move. */
	for (int level = 0; rc == 0 && level < 8; level++) {
		struct statfs fs;
		int up;

		rc = make_in(dir, g);
		if (rc == 0) {
			(void)fd_take(&dir);
			return 0;
		}
		up = openat(dir, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		fd_release(&dir);
		if (up < 0 || fstatfs(up, &fs) < 0 || fs.f_type != CGROUP2_SUPER_MAGIC || faccessat(up, ".", W_OK, 0) < 0) {
			if (up >= 0)
				(void)close(up);
			return rc;
		}
		dir = up;
		rc = 0;
	}
	return rc < 0 ? rc : -ENOENT;
}

int cgroup_make(const struct plan *p, struct cgroup *g, struct err *e)
{
	static const char notice[] = "jail: no cgroup is delegated here: memory is limited for each process, cpu and swap not at all "
				     "(systemd-run --user --scope -p Delegate=yes jail ... gives one)\n";
	int rc;

	if (!wanted(p) && !required(p))
		return 0;
	rc = find_and_make(g);
	if (rc == 0)
		return set_limits(&p->limits, g->fd, e);
	if (required(p))
		return err_set(e, ST_CGROUP, -rc,
			       "a cgroup is required and none is delegated here; try systemd-run --user --scope -p Delegate=yes jail ...");
	(void)fs_write_all(STDERR_FILENO, notice, sizeof(notice) - 1);
	return 0;
}

void cgroup_remove(struct cgroup *g)
{
	if (g->fd >= 0)
		(void)unlinkat(g->parent, g->name, AT_REMOVEDIR);
	fd_release(&g->fd);
	fd_release(&g->parent);
}

int cgroup_available(void)
{
	struct cgroup g;
	int rc;

	cgroup_init(&g);
	rc = find_and_make(&g);
	cgroup_remove(&g);
	return rc;
}
