// SPDX-License-Identifier: GPL-2.0-or-later
/* Finding and opening profiles; in P0, reads directories and opens files, nothing more. */
#include "profiles/locate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/paths.h"

/* The owner of a file whose owner this user namespace does not know: as a rule the host's root. */
#define OVERFLOW_UID 65534

enum place { PLACE_USER, PLACE_SYSTEM, PLACE_SHIPPED, PLACE_COUNT };

static const char *const place_names[PLACE_COUNT] = { "user", "system", "shipped" };

static const char *place_dir(struct arena *a, const struct expansion *x, enum place place)
{
	if (place == PLACE_USER)
		return x->config_home ? arena_printf(a, "%s/jail/profiles", x->config_home) : NULL;
	return arena_printf(a, "%s/profiles", place == PLACE_SYSTEM ? path_sysconf : path_data);
}

/* The length of a name without ".ini"; 0 when it is no name. */
static size_t stem(const char *name)
{
	size_t n = strlen(name);
	size_t good = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789._-");

	if (n > 4 && str_eq(name + n - 4, ".ini"))
		n -= 4;
	/* 250 leaves room for .ini in a file name. */
	return good >= n && n <= 250 && name[0] != '-' && name[0] != '.' ? n : 0;
}

/* Whoever can write a profile decides what the jail lets through. */
static int check_trust(int fd, const char *path, bool by_root, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set(e, ST_PROFILE, errno, "stat '%s'", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ST_PROFILE, 0, "profile '%s' is not a regular file", path);
	if (st.st_uid != geteuid() && st.st_uid != 0 && !(by_root && st.st_uid == OVERFLOW_UID))
		return err_set(e, ST_PROFILE, 0,
			       "profile '%s' belongs to uid %u: make a copy of your own", path,
			       st.st_uid);
	/* With an access list the group bits are its mask, so this sees named users too. */
	if (st.st_mode & 022)
		return err_set(e, ST_PROFILE, 0,
			       "other users can change profile '%s': run chmod go-w '%s'", path,
			       path);
	return 0;
}

/* Where /proc shows a descriptor. */
struct proc_link {
	char path[32];
};

static struct proc_link proc_link(int fd)
{
	struct proc_link l;
	struct text t;

	text_init(&t, l.path, sizeof(l.path));
	text_addf(&t, "/proc/self/fd/%d", fd);
	return l;
}

/*
 * 0 when there is no such file, 1 with *ret_fd when there is. It is looked at before it is opened:
 * opening a device can be an act, and opening a FIFO waits.
 */
int profile_open_path(const char *path, bool by_root, int *ret_fd, struct err *e)
{
	own_fd found = open(path, O_PATH | O_CLOEXEC);
	struct stat st;
	int r;

	if (found < 0) {
		r = errno;
		/* A dangling link was meant to be found: do not fall through to another file. */
		if ((r == ENOENT || r == ENOTDIR) && lstat(path, &st) < 0)
			return 0;
		return err_set(e, ST_PROFILE, r, "open profile '%s'", path);
	}
	r = check_trust(found, path, by_root, e);
	if (r < 0)
		return r;
	r = open(proc_link(found).path, O_RDONLY | O_CLOEXEC);
	if (r < 0)
		return err_set(e, ST_PROFILE, errno, "open profile '%s'", path);
	*ret_fd = r;
	return 1;
}

/* What was opened, by its one true name. */
static int real_path(struct arena *a, int fd, const char *path, const char **ret, struct err *e)
{
	char buf[PATH_MAX];
	ssize_t n = readlink(proc_link(fd).path, buf, sizeof(buf));

	if (n < 0)
		return err_set(e, ST_PROFILE, errno, "find '%s' in /proc", path);
	if ((size_t)n == sizeof(buf))
		return err_set(e, ST_PROFILE, ENAMETOOLONG, "find '%s' in /proc", path);
	*ret = arena_strndup(a, buf, (size_t)n);
	return 0;
}

static const char *next_located(void *arg, size_t i)
{
	const struct located *l = arg;

	while (l && i--)
		l = l->next;
	return l ? l->name : NULL;
}

static bool in_cwd(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static int not_found(struct draft *d, const char *name, size_t n, struct err *e)
{
	const char *planted[] = {
		arena_printf(d->arena, "./%.*s.ini", (int)n, name),
		arena_printf(d->arena, "./%s", name),
	};
	const char *user = place_dir(d->arena, d->expand, PLACE_USER);
	struct err ignored = { 0 };
	struct located *all = NULL;
	const char *near = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(planted); i++) {
		if (in_cwd(planted[i]))
			return err_set(e, ST_PROFILE, 0,
				       "no profile '%s'; to read the one right here write '%s'",
				       name, planted[i]);
	}
	if (profile_list(d->arena, d->expand, &all, &ignored) == 0 && all)
		near = str_nearest(arena_strndup(d->arena, name, n), next_located, all);
	if (near)
		return err_set(e, ST_PROFILE, 0, "no profile '%s'; did you mean '%s'?", name, near);
	return err_set(e, ST_PROFILE, 0,
		       "no profile '%s' in %.120s, %.60s/profiles, or the shipped %.60s/profiles",
		       name, user ? user : "(no home)", path_sysconf, path_data);
}

static int open_named(struct draft *d, const char *name, int *ret_fd, const char **ret_path,
		      struct err *e)
{
	size_t n = stem(name);

	if (!n)
		return err_set(e, ST_PROFILE, 0,
			       "'%.100s' is no profile name; for a file write './%.100s'", name,
			       name);
	for (unsigned i = 0; i < PLACE_COUNT; i++) {
		const char *dir = place_dir(d->arena, d->expand, (enum place)i);
		const char *path;
		int r;

		if (!dir)
			continue;
		path = arena_printf(d->arena, "%s/%.*s.ini", dir, (int)n, name);
		r = profile_open_path(path, i != PLACE_USER, ret_fd, e);
		if (r < 0)
			return r;
		if (r) {
			*ret_path = path;
			return 0;
		}
	}
	return not_found(d, name, n, e);
}

int profile_open(struct draft *d, const char *name, int *ret_fd, const char **ret, struct err *e)
{
	const char *path = name, *real;
	own_fd fd = FD_NONE;
	int r;

	if (strchr(name, '/')) {
		r = profile_open_path(name, false, &fd, e);
		if (!r)
			r = err_set(e, ST_PROFILE, ENOENT, "open profile '%s'", name);
	} else {
		r = open_named(d, name, &fd, &path, e);
	}
	if (r < 0)
		return r;
	r = real_path(d->arena, fd, path, &real, e);
	if (r < 0)
		return r;
	*ret_fd = fd_take(&fd);
	*ret = real;
	return 0;
}

/* Keep the list sorted; the first of a name stays. */
static void add_located(struct arena *a, struct located **list, const char *dir, const char *file,
			enum place place)
{
	size_t n = strlen(file);
	struct located *l;
	char *name;
	int order;

	if (n < 5 || !str_eq(file + n - 4, ".ini") || !stem(file))
		return;
	name = arena_strndup(a, file, n - 4);
	for (order = 1; *list; list = &(*list)->next) {
		order = strcmp((*list)->name, name);
		if (order >= 0)
			break;
	}
	if (*list && order == 0)
		return;
	l = arena_new(a, struct located);
	*l = (struct located){
		.name = name,
		.path = arena_printf(a, "%s/%s", dir, file),
		.from = place_names[place],
		.next = *list,
	};
	*list = l;
}

int profile_list(struct arena *a, const struct expansion *x, struct located **ret, struct err *e)
{
	struct located *list = NULL;

	for (unsigned i = 0; i < PLACE_COUNT; i++) {
		const char *path = place_dir(a, x, (enum place)i);
		own_dir dir = path ? opendir(path) : NULL;
		const struct dirent *entry;

		if (!dir && path && errno != ENOENT && errno != ENOTDIR)
			return err_set(e, ST_PROFILE, errno, "open directory '%s'", path);
		while (dir && (entry = readdir(dir)))
			add_located(a, &list, path, entry->d_name, (enum place)i);
	}
	*ret = list;
	return 0;
}
