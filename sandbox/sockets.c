// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Masking the sockets that host programs hold in shared trees; P0.
 *
 * The kernel tells of each bound socket which inode it is, and by which name it was bound. The
 * inode is the truth; the name is where to look first, and may be relative, or have been given up
 * by a rename, or stand for something else today. So a socket on a file system of which the command
 * sees a part is looked for, until it is settled where it lies:
 *
 *   by its name; a relative one is tried at the top of each shown tree, and then where the caller's
 *   other programs stand, for one of them has bound it;
 *   in the directory of its name, as when it was bound there by another (ssh does that);
 *   in the shown trees, all of them, but not for long.
 *
 * The usual socket takes the first of these, and mostly none: it lies in /run. The last one is for
 * what is left, and a socket that was unlinked while somebody still listens is left at every start:
 * nothing tells it from one that was moved.
 *
 * What may not be taken for settled: an inode with a second name, a file system that is seen through
 * two mounts, a number that two sockets have. Numbers are unique in a subvolume only, and of longer
 * ones the kernel tells a half. All paths are wanted then at which a socket has that number.
 */
#include "sandbox/sockets.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/mountinfo.h"
#include "sandbox/shown.h"
#include "sandbox/sockdiag.h"
#include "sandbox/sockwalk.h"

#define SOUGHT_MAX 4096

/*
 * How many names are read at a start, in the directories of old names and in whole trees. 10,000 take
 * five to ten milliseconds, once they are cached. A socket that was bound in a shown tree, or by the
 * caller in a place unknown, is worth more of them than one that most likely is elsewhere.
 */
#define NAMES_OLD  2000
#define NAMES_NEAR 200000
#define NAMES_FAR  10000

/* How many processes are asked where they stand, and names tried there. */
#define GUESSES_MAX 5000

struct sought {
	uint32_t dev, ino;
	const char *name;
	bool settled;
	bool near;   /* bound in a shown tree, or by the caller */
	bool shared; /* another one has the same number */
};

struct search {
	struct mount_draft *m;
	struct shown shown;
	struct sought *sought; /* room for SOUGHT_MAX */
	size_t n, open;	       /* open: not settled */
	bool full;	       /* there are more */
	unsigned guesses;      /* that may still be made */
	/* for the walk: what is looked for now */
	struct sought *one;	   /* or NULL for all */
	const struct place *place; /* where, or NULL for anywhere */
};

/*
 * Is it certain that `st` is the socket, and that it can be seen at no other path? With subvolumes a
 * name in the one that the tree begins in is taken for enough, and for what has left its name
 * nothing is.
 */
static bool settles(const struct search *s, const struct sought *k, const struct stat *st,
		    const struct mount_op *shown)
{
	if (st->st_nlink != 1 || k->shared || shown_twice(&s->shown, k->dev))
		return false;
	if (shown_subvolumes(&s->shown, k->dev))
		return !shown || (st->st_dev == shown->dev && !s->place);
	return MOUNTINFO_DEV(major(st->st_dev), minor(st->st_dev)) == k->dev;
}

/* A path is masked once, however many sockets have its name: those of a server's connections do. */
static int mask(struct mount_draft *m, const char *path, struct err *e)
{
	for (size_t i = 0; i < m->n; i++) {
		if (m->ops[i].kind == MK_MASK && str_eq(m->ops[i].target, path))
			return 0;
	}
	return mounts_add(m, MK_MASK, path, NULL, e);
}

/* If the socket is at this path, mask it there when it can be seen. */
static int try_path(struct search *s, struct sought *k, const char *path, struct err *e)
{
	const struct mount_op *shown;
	struct resolved r;
	int rc = 0;

	if (path_resolve(s->m->arena, path, &r, e) < 0)
		/* bound once, unlinked since, or where we cannot see either */
		return e->stage ? -e->code : 0;
	fd_release(&r.fd);
	if (!S_ISSOCK(r.st.st_mode) || (uint32_t)r.st.st_ino != k->ino)
		return 0;
	shown = shown_by_user(s->m, r.path);
	if (shown)
		rc = mask(s->m, r.path, e);
	if (rc == 0 && !k->settled && settles(s, k, &r.st, shown)) {
		k->settled = true;
		s->open--;
	}
	return rc;
}

/* The same for a relative name, which is mostly somewhere else: nothing is kept of a wrong guess. */
static int try_in(struct search *s, struct sought *k, const char *dir, struct err *e)
{
	char path[PATH_MAX];
	struct stat st;
	struct text t;

	text_init(&t, path, sizeof(path));
	text_addf(&t, "%s/%s", str_eq(dir, "/") ? "" : dir, k->name);
	if (t.full || k->settled || !s->guesses)
		return 0;
	s->guesses--;
	if (stat(path, &st) < 0)
		return path_absent(errno) ? 0 : err_set(e, ST_PLAN, errno, "look for '%s'", path);
	return S_ISSOCK(st.st_mode) && (uint32_t)st.st_ino == k->ino ? try_path(s, k, path, e) : 0;
}

static int try_name(struct search *s, struct sought *k, struct err *e)
{
	int rc = 0;

	if (k->name[0] == '/')
		return try_path(s, k, k->name, e);
	for (size_t i = 0; rc == 0 && i < s->shown.n; i++)
		rc = try_in(s, k, s->shown.places[i].path, e);
	return rc;
}

static bool wants_process(const struct search *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!s->sought[i].settled && s->sought[i].name[0] != '/')
			return true;
	}
	return false;
}

/* Relative to where each process stands; only the caller's own can be asked. */
static int try_processes(struct search *s, struct err *e)
{
	own_dir proc = wants_process(s) ? opendir("/proc") : NULL;
	char dir[PATH_MAX], before[PATH_MAX] = "", link[NAME_MAX + 8];
	const struct dirent *entry;
	int rc = 0;

	while (rc == 0 && proc && s->guesses && (entry = readdir(proc))) {
		uint64_t pid;
		ssize_t n;

		if (!str_to_u64(entry->d_name, INT_MAX, &pid))
			continue;
		s->guesses--;
		(void)snprintf(link, sizeof(link), "%s/cwd", entry->d_name);
		n = readlinkat(dirfd(proc), link, dir, sizeof(dir) - 1);
		if (n <= 0)
			continue;
		dir[n] = '\0';
		if (dir[0] != '/' || str_eq(dir, before))
			continue;
		memcpy(before, dir, (size_t)n + 1);
		for (size_t i = 0; rc == 0 && i < s->n; i++) {
			if (s->sought[i].name[0] != '/')
				rc = try_in(s, &s->sought[i], dir, e);
		}
	}
	return rc;
}

static int met(void *arg, const char *path, const struct stat *st, struct err *e)
{
	struct search *s = arg;

	for (size_t i = 0; i < s->n; i++) {
		struct sought *k = &s->sought[i];
		int rc;

		if (k->settled || (uint32_t)st->st_ino != k->ino || (s->one && k != s->one) ||
		    (s->place && !s->shown.unknown && s->place->dev != k->dev))
			continue;
		rc = try_path(s, k, path, e);
		if (rc < 0)
			return rc;
	}
	return s->one ? s->one->settled : !s->open;
}

/* Was it renamed in its directory? */
static int try_directory(struct search *s, struct sought *k, struct sockwalk *w, struct err *e)
{
	char dir[SOCKET_NAME_MAX + 1];
	struct text t;

	text_init(&t, dir, sizeof(dir));
	text_add(&t, k->name);
	if (dir[0] != '/')
		return 0;
	*strrchr(dir, '/') = '\0';
	s->one = k;
	s->place = NULL;
	return sockwalk_directory(w, dir[0] ? dir : "/", e);
}

static int try_trees(struct search *s, struct sockwalk *w, struct err *e)
{
	int rc = 0;

	s->one = NULL;
	for (size_t i = 0; rc == 0 && s->open && i < s->shown.n; i++) {
		bool wanted = s->shown.unknown;

		s->place = &s->shown.places[i];
		for (size_t j = 0; j < s->n && !wanted; j++)
			wanted = !s->sought[j].settled && s->sought[j].dev == s->place->dev;
		if (wanted)
			rc = sockwalk_tree(w, s->place->path, e);
	}
	return rc;
}

static void note_lost(const struct search *s, struct plan *p, bool weak)
{
	p->sockets_unsure = true;
	plan_note(s->m->arena, p, weak, "sockets",
		  "not all that is shown could be searched for sockets that host programs have moved (%zu%s): one that lies there can be reached",
		  s->open, s->full ? " or more" : "");
}

static int find_all(struct search *s, struct plan *p, struct err *e)
{
	struct sockwalk old = { .met = met, .arg = s, .left = NAMES_OLD };
	struct sockwalk trees = { .met = met, .arg = s, .left = NAMES_FAR, .cross = s->shown.unknown };
	bool near = false;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->n; i++)
		rc = try_name(s, &s->sought[i], e);
	if (rc == 0)
		rc = try_processes(s, e);
	for (size_t i = 0; rc >= 0 && i < s->n; i++) {
		if (!s->sought[i].settled)
			rc = try_directory(s, &s->sought[i], &old, e);
	}
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < s->n; i++)
		near = near || (!s->sought[i].settled && s->sought[i].near);
	if (near)
		trees.left = NAMES_NEAR;
	if (s->open)
		rc = try_trees(s, &trees, e);
	if (rc >= 0 && ((s->open && trees.cut) || s->full))
		note_lost(s, p, near || s->full);
	return rc < 0 ? rc : 0;
}

/*
 * The caller's own may be anywhere, whatever their names say: links and /proc/self/fd lead elsewhere.
 * Root's are the system's, as a rule, so for root the name must tell.
 */
static bool is_near(const struct search *s, const struct caller *c, const struct bound_socket *b)
{
	if (b->uid == c->uid && (c->uid || b->name[0] != '/'))
		return true;
	return b->name[0] == '/' && shown_by_user(s->m, b->name);
}

static void add(struct search *s, const struct caller *c, const struct bound_socket *b)
{
	bool shared = false;

	for (size_t i = 0; i < s->n; i++) {
		struct sought *k = &s->sought[i];

		if (k->dev != b->dev || k->ino != b->ino)
			continue;
		if (str_eq(k->name, b->name))
			return;
		k->shared = shared = true;
	}
	if (s->n == SOUGHT_MAX) {
		s->full = true;
		return;
	}
	s->open++;
	s->sought[s->n++] = (struct sought){
		.dev = b->dev,
		.ino = b->ino,
		.name = arena_strdup(s->m->arena, b->name),
		.near = is_near(s, c, b),
		.shared = shared,
	};
}

/*
 * "Num RefCount Protocol Flags Type St Inode Path": the path is the rest of the line behind the
 * seventh field.
 */
static const char *path_of(const char *line)
{
	for (int field = 0; field < 7; field++) {
		line += strspn(line, " ");
		line += strcspn(line, " ");
	}
	line += strspn(line, " ");
	return line[0] == '/' ? line : NULL;
}

static int mask_name(struct mount_draft *m, const char *path, struct err *e)
{
	struct resolved r;

	if (path_resolve(m->arena, path, &r, e) < 0)
		return e->stage ? -e->code : 0;
	fd_release(&r.fd);
	return S_ISSOCK(r.st.st_mode) && shown_by_user(m, r.path) ? mask(m, r.path, e) : 0;
}

/* What is left where the kernel does not tell the inodes: whatever is a socket by one of the names. */
static int mask_names(struct mount_draft *m, struct err *e)
{
	own_fd list = open("/proc/net/unix", O_RDONLY | O_CLOEXEC);
	char buf[32768];
	size_t kept = 0;
	ssize_t n;

	if (list < 0)
		return err_set(e, ST_PLAN, errno, "read the list of sockets '/proc/net/unix'");
	while ((n = read(list, buf + kept, sizeof(buf) - kept)) > 0) {
		char *line = buf, *end;

		kept += (size_t)n;
		while ((end = memchr(line, '\n', kept - (size_t)(line - buf)))) {
			const char *path;
			int rc;

			*end = '\0';
			path = path_of(line);
			rc = path ? mask_name(m, path, e) : 0;
			if (rc < 0)
				return rc;
			line = end + 1;
		}
		kept -= (size_t)(line - buf);
		memmove(buf, line, kept);
	}
	return n < 0 ? err_set(e, ST_PLAN, errno, "read '/proc/net/unix'") : 0;
}

/* A kernel without such sockets, or an outer sandbox that keeps us from asking it. */
static bool may_not_ask(int code)
{
	return code == EPROTONOSUPPORT || code == EAFNOSUPPORT || code == ECONNREFUSED ||
	       code == EPERM || code == EACCES;
}

/* 1 when the list was read, 0 when there is none to be had. */
static int list_all(struct search *s, const struct caller *c, struct err *e)
{
	struct bound_socket b;
	struct sockdiag d;
	int rc = sockdiag_open(&d);
	const bool asked = rc == 0;

	while (rc >= 0 && (rc = sockdiag_next(&d, &b)) > 0) {
		if (!s->sought) {
			s->sought = arena_array(s->m->arena, struct sought, SOUGHT_MAX);
			shown_read(s->m, &s->shown);
		}
		if (shown_device(&s->shown, b.dev))
			add(s, c, &b);
	}
	fd_release(&d.fd);
	if (rc == 0)
		return 1;
	if (asked ? rc == -ENOENT : may_not_ask(-rc))
		return 0;
	return err_set(e, ST_PLAN, -rc, "ask the kernel for the list of sockets");
}

int sockets_mask(struct mount_draft *m, struct plan *p, struct err *e)
{
	struct search s = { .m = m, .guesses = GUESSES_MAX };
	int rc = list_all(&s, p->caller, e);

	if (rc != 0)
		return rc < 0 ? rc : find_all(&s, p, e);
	p->sockets_unsure = true;
	plan_note(m->arena, p, false, "sockets",
		  "the kernel does not tell where sockets are: one that a host program bound by a relative path, or renamed, can be reached");
	return mask_names(m, e);
}
