// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A cgroup for one jail; P0.
 *
 * It is made in our own cgroup, or in one above it, up to the first that is not delegated to us.
 * Writable is not enough: all units of a user's own systemd are, and yet it may rewrite what they
 * pass on at any moment, and with it our limits would be gone. So a unit counts only when it is
 * marked as delegated; scope.c asks systemd for such a one.
 *
 * The kernel wants a cgroup empty before it passes controllers on. Nothing is moved for it but
 * this process, and only when it is alone there; it goes back at the end.
 *
 * Several jails may use one parent. What they do to it (pass on, make, sweep, stop passing on) is
 * done under a lock on it, and each holds a lock on its own directory for life: a directory that
 * can be locked belonged to a jail that was killed, and is swept away by the next.
 */
#include "sandbox/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "sandbox/weak.h"

#ifndef CGROUP2_SUPER_MAGIC
#define CGROUP2_SUPER_MAGIC 0x63677270
#endif

#define PREFIX	   "jail-"
#define SUPERVISOR "jail.supervisor" /* our own leaf; a name that no jail has */
#define EMPTY_MS   2000		     /* how long killed processes may take to leave */
#define LOCK_MS	   2000

/* Bit by bit as in the enum. */
static const char *const controllers[] = { "memory", "pids", "cpu" };

/* Where a cgroup can be made. */
struct place {
	int dir;
	unsigned missing; /* controllers that it does not pass on yet */
	bool move;	  /* we must leave it first */
};

void cgroup_init(struct cgroup *g)
{
	*g = (struct cgroup){ .parent = FD_NONE, .fd = FD_NONE };
}

static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *s = text; (s = strstr(s, word)); s += n) {
		if ((s == text || s[-1] == ' ') && (!s[n] || s[n] == ' ' || s[n] == '\n'))
			return true;
	}
	return false;
}

static bool required(const struct plan *p)
{
	for (const struct value *v = draft_get(p->draft, OPT_REQUIRE); v; v = v->next) {
		if (has_word(v->text, "cgroup"))
			return true;
	}
	return false;
}

unsigned cgroup_needs(const struct plan *p)
{
	unsigned needs = 0;

	if (weakened(WEAK_LIMITS))
		return 0;
	if (p->limits.has_memory || p->limits.has_swap)
		needs |= CGROUP_MEMORY;
	if (p->limits.has_cpu)
		needs |= CGROUP_CPU;
	/* There is always a limit on processes, which alone is left to an rlimit. */
	return needs || required(p) ? needs | CGROUP_PIDS : 0;
}

/*
 * The path of our own directory: "0::/user.slice/..." is the hierarchy without controllers in its
 * name.
 */
static int own_path(char *path, size_t size, size_t *ret_root)
{
	static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	char list[4096];
	char *own;

	if (fs_read_file_at(AT_FDCWD, "/proc/self/cgroup", list, sizeof(list), false) < 0)
		return -ENOENT;
	own = str_starts(list, "0::/") ? list + 3 : strstr(list, "\n0::/");
	if (!own)
		return -ENOENT;
	own += *own == '\n' ? 4 : 0;
	own[strcspn(own, "\n")] = '\0';
	if (str_starts(own, "/..")) /* outside of our cgroup namespace */
		return -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(mounts); i++) {
		struct statfs fs;

		if (statfs(mounts[i], &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC) {
			*ret_root = strlen(mounts[i]);
			(void)snprintf(path, size, "%s%s", mounts[i], own[1] ? own : "");
			return 0;
		}
	}
	return -ENOENT;
}

static unsigned listed(int dir, const char *file)
{
	char text[512];
	unsigned bits = 0;

	if (fs_read_file_at(dir, file, text, sizeof(text), false) < 0)
		return 0;
	for (unsigned i = 0; i < ARRAY_SIZE(controllers); i++)
		bits |= has_word(text, controllers[i]) ? 1u << i : 0;
	return bits;
}

static bool ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n > m && str_eq(s + n - m, end);
}

/* A unit of systemd, and none that it promised to leave alone. */
static bool is_managed(int dir, const char *name)
{
	static const char *const units[] = { ".slice",	".scope", ".service",
					     ".socket", ".mount", ".swap" };
	char mark[2];

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (ends_in(name, units[i]))
			return fgetxattr(dir, "user.delegate", mark, sizeof(mark)) != 1 ||
			       mark[0] != '1';
	}
	return false;
}

/* Nobody is in it, or nobody but us (then *ret_us is true). */
static bool is_empty(int dir, bool *ret_us)
{
	char text[64], us[32];

	*ret_us = false;
	if (fs_read_file_at(dir, "cgroup.procs", text, sizeof(text), false) < 0)
		return false;
	(void)snprintf(us, sizeof(us), "%d\n", getpid());
	*ret_us = str_eq(text, us);
	return !*text || *ret_us;
}

/* Could we make a cgroup with what is needed in there? */
static bool is_usable(int dir, unsigned needs, struct place *ret)
{
	static const char *const ours[] = { ".", "cgroup.procs", "cgroup.subtree_control" };

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++) {
		if (faccessat(dir, ours[i], W_OK, 0) < 0)
			return false;
	}
	ret->missing = needs & ~listed(dir, "cgroup.subtree_control");
	ret->move = false;
	if (!ret->missing)
		return true;
	if (ret->missing & ~listed(dir, "cgroup.controllers"))
		return false;
	/* The root of all, the only one without a type, may have both processes and controllers. */
	return is_empty(dir, &ret->move) || faccessat(dir, "cgroup.type", F_OK, 0) < 0;
}

/* From our own cgroup upwards. */
static int find_place(unsigned needs, bool own_scope, struct place *ret)
{
	char path[4200];
	size_t root;
	int rc = own_path(path, sizeof(path), &root);

	while (rc == 0) {
		own_fd dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		char *name = strrchr(path, '/');

		if (dir < 0)
			return -errno;
		if (strlen(path) > root && !own_scope && is_managed(dir, name))
			return -ENOENT;
		if (is_usable(dir, needs, ret)) {
			ret->dir = fd_take(&dir);
			return 0;
		}
		if (strlen(path) <= root)
			return -ENOENT;
		*name = '\0';
		own_scope = false;
	}
	return rc;
}

bool cgroup_found(unsigned needs, bool own_scope)
{
	struct place place = { .dir = FD_NONE };

	if (find_place(needs, own_scope, &place) < 0)
		return false;
	(void)close(place.dir);
	return true;
}

/* Change what a cgroup passes on: '+' or '-' before each. */
static int pass_on(int dir, char sign, unsigned set)
{
	char list[64];
	struct text t;

	text_init(&t, list, sizeof(list));
	for (unsigned i = 0; i < ARRAY_SIZE(controllers); i++) {
		if (set & 1u << i)
			text_addf(&t, "%s%c%s", t.len ? " " : "", sign, controllers[i]);
	}
	return set ? fs_write_file_at(dir, "cgroup.subtree_control", list) : 0;
}

static int move_away(int dir)
{
	int rc;

	if (mkdirat(dir, SUPERVISOR, 0755) < 0 && errno != EEXIST)
		return -errno;
	rc = fs_write_file_at(dir, SUPERVISOR "/cgroup.procs", "0");
	if (rc < 0)
		(void)unlinkat(dir, SUPERVISOR, AT_REMOVEDIR);
	return rc;
}

/* Held for moments only, so that one which is not to be had is a fault, and not worth a hang. */
static int lock(int dir)
{
	for (int waited = 0; waited < LOCK_MS; waited += 10) {
		if (flock(dir, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		(void)poll(NULL, 0, 10);
	}
	return -EDEADLK;
}

/* Remove what killed jails have left; true when a jail is still there. Under the lock. */
static bool sweep(int parent)
{
	own_fd fd = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	own_dir dir = fd >= 0 ? fdopendir(fd) : NULL;
	bool in_use = false;
	struct dirent *d;

	if (!dir)
		return true; /* who knows */
	(void)fd_take(&fd);
	while ((d = readdir(dir))) {
		own_fd child = FD_NONE;

		if (d->d_type != DT_DIR || !str_starts(d->d_name, PREFIX))
			continue;
		child = openat(parent, d->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (child < 0 || flock(child, LOCK_EX | LOCK_NB) < 0 ||
		    unlinkat(parent, d->d_name, AT_REMOVEDIR) < 0)
			in_use = true;
	}
	return in_use;
}

/* Undo what was done to the parent, unless another jail there still needs it. Under the lock. */
static void leave_parent(const struct cgroup *g)
{
	char text[64], us[32];

	(void)snprintf(us, sizeof(us), "%d\n", getpid());
	if (sweep(g->parent) || !g->moved ||
	    fs_read_file_at(g->parent, SUPERVISOR "/cgroup.procs", text, sizeof(text), false) < 0 ||
	    !str_eq(text, us))
		return;
	(void)pass_on(g->parent, '-', g->passed);
	(void)fs_write_file_at(g->parent, "cgroup.procs", "0");
	(void)unlinkat(g->parent, SUPERVISOR, AT_REMOVEDIR);
}

/* Under the lock. */
static int make_directory(struct cgroup *g)
{
	int rc = -EEXIST;

	/* Another pid namespace may have our number too. */
	for (unsigned i = 0; rc == -EEXIST && i < 100; i++) {
		(void)snprintf(g->name, sizeof(g->name), PREFIX "%d.%u", getpid(), i);
		rc = mkdirat(g->parent, g->name, 0755) < 0 ? -errno : 0;
	}
	if (rc < 0)
		return rc;
	g->fd = openat(g->parent, g->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (g->fd >= 0 && flock(g->fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	rc = -errno;
	fd_release(&g->fd);
	(void)unlinkat(g->parent, g->name, AT_REMOVEDIR);
	return rc;
}

/* The cgroup, or nothing changed. */
static int make_in(const struct place *place, struct cgroup *g)
{
	int rc;

	g->parent = place->dir;
	rc = lock(g->parent);
	if (rc < 0)
		return rc;
	(void)sweep(g->parent);
	rc = place->move ? move_away(g->parent) : 0;
	g->moved = place->move && rc == 0;
	if (rc == 0)
		rc = pass_on(g->parent, '+', place->missing);
	if (rc == 0) {
		g->passed = place->missing;
		rc = make_directory(g);
	}
	if (rc < 0)
		leave_parent(g);
	(void)flock(g->parent, LOCK_UN);
	return rc;
}

static int find_and_make(unsigned needs, bool own_scope, struct cgroup *g)
{
	struct place place = { .dir = FD_NONE };
	int rc = find_place(needs, own_scope, &place);

	if (rc == 0)
		rc = make_in(&place, g);
	if (rc < 0)
		fd_release(&g->parent);
	return rc;
}

static int write_limit(int dir, const char *file, uint64_t value, const char *rest, struct err *e)
{
	char text[64];
	int rc;

	(void)snprintf(text, sizeof(text), "%llu%s", (unsigned long long)value, rest);
	rc = fs_write_file_at(dir, file, text);
	return rc < 0 ? err_set(e, ST_CGROUP, -rc, "set %s to %s", file, text) : 0;
}

static int set_limits(const struct limits *l, int dir, struct err *e)
{
	int rc = write_limit(dir, "pids.max", l->pids, "", e);

	if (rc == 0 && l->has_memory)
		rc = write_limit(dir, "memory.max", l->memory, "", e);
	/* All or nothing: half an agent is harder to understand than none. */
	if (rc == 0 && l->has_memory)
		rc = write_limit(dir, "memory.oom.group", 1, "", e);
	/*
	 * Unset means none: a limit that swap can stretch is no limit. No file: no swap is counted.
	 */
	if (rc == 0 && l->has_memory &&
	    (faccessat(dir, "memory.swap.max", F_OK, 0) == 0 || errno != ENOENT))
		rc = write_limit(dir, "memory.swap.max", l->swap, "", e);
	/* The kernel wants a share of at least a millisecond. */
	if (rc == 0 && l->has_cpu && l->cpu < 10)
		rc = write_limit(dir, "cpu.max", l->cpu * 1000, " 1000000", e);
	else if (rc == 0 && l->has_cpu)
		rc = write_limit(dir, "cpu.max", l->cpu * 100, " 100000", e);
	return rc;
}

int cgroup_make(const struct plan *p, bool own_scope, struct cgroup *g, struct err *e)
{
	static const char notice[] =
		"jail: no cgroup is delegated here: memory is limited for each process, cpu and swap not at all (see `jail doctor`)\n";
	const unsigned needs = cgroup_needs(p);
	int rc;

	if (!needs)
		return 0;
	rc = find_and_make(needs, own_scope, g);
	if (rc == 0)
		return set_limits(&p->limits, g->fd, e);
	if (required(p))
		return err_set(e, ST_CGROUP, -rc,
			       "a cgroup is required and none is delegated here (see `jail doctor`)");
	(void)fs_write_all(STDERR_FILENO, notice, sizeof(notice) - 1);
	return 0;
}

static bool counted(const char *events, const char *name)
{
	const char *at = strstr(events, name);

	return at && at[strlen(name)] != '0';
}

bool cgroup_ran_out_of_memory(const struct cgroup *g)
{
	char text[512];

	if (g->fd < 0 || fs_read_file_at(g->fd, "memory.events", text, sizeof(text), false) < 0)
		return false;
	/* oom: by our own limit, and not by one around us or by the machine's. */
	return counted(text, "\noom ") && counted(text, "\noom_kill ");
}

/* Wait until the last of them is gone, as a file tells that changes when it is. */
static void wait_empty(int dir)
{
	own_fd events = openat(dir, "cgroup.events", O_RDONLY | O_CLOEXEC);
	struct pollfd p = { .fd = events, .events = POLLPRI };

	for (int waited = 0; events >= 0 && waited < EMPTY_MS; waited += 20) {
		char text[128];

		if (lseek(events, 0, SEEK_SET) < 0 || fs_read_fd(events, text, sizeof(text)) < 0 ||
		    strstr(text, "populated 0"))
			return;
		(void)poll(&p, 1, 20);
	}
}

void cgroup_remove(struct cgroup *g)
{
	if (g->fd >= 0 && unlinkat(g->parent, g->name, AT_REMOVEDIR) < 0 && errno == EBUSY) {
		(void)fs_write_file_at(g->fd, "cgroup.kill", "1");
		wait_empty(g->fd);
		(void)unlinkat(g->parent, g->name, AT_REMOVEDIR);
	}
	fd_release(&g->fd);
	if (g->moved && lock(g->parent) == 0)
		leave_parent(g);
	fd_release(&g->parent);
}

int cgroup_try(unsigned needs)
{
	struct cgroup g;
	int rc;

	cgroup_init(&g);
	rc = find_and_make(needs, false, &g);
	cgroup_remove(&g);
	return rc;
}
