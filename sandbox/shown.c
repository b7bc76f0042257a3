// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the shown trees to the file systems they lie on; P0.
 *
 * Only mountinfo has the number that the kernel calls a file system by: stat has another one for
 * each subvolume of btrfs. Where the list cannot be had or read, or has too many mounts, that is no
 * failure: it only means more to look at.
 */
#include "sandbox/shown.h"

#include <fcntl.h>
#include <string.h>

#include "base/kernel.h"
#include "base/own.h"
#include "sandbox/mountinfo.h"

#define LINES_SIZE 65536

const struct mount_op *shown_by_user(const struct mount_draft *m, const char *path)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct mount_op *op = &m->ops[i];

		if (op->kind == MK_BIND && op->option != OPT_COUNT && path_beneath(path, op->target))
			return op;
	}
	return NULL;
}

static void add(struct shown *s, struct place p)
{
	if (s->n == PLACES_MAX)
		s->unknown = true;
	else
		s->places[s->n++] = p;
}

/* Is this bind's tree a part of another's? */
static bool within_another(const struct mount_draft *m, size_t i)
{
	for (size_t j = 0; j < m->n; j++) {
		const struct mount_op *op = &m->ops[j];

		if (j != i && op->kind == MK_BIND && op->option != OPT_COUNT && op->is_dir &&
		    path_beneath(m->ops[i].target, op->target) &&
		    (j < i || !str_eq(m->ops[i].target, op->target)))
			return true;
	}
	return false;
}

static void add_trees(const struct mount_draft *m, struct shown *s)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct mount_op *op = &m->ops[i];
		struct k_statx st;

		if (op->kind != MK_BIND || op->option == OPT_COUNT || !op->is_dir ||
		    within_another(m, i))
			continue;
		if (k_statx(AT_FDCWD, op->source, AT_SYMLINK_NOFOLLOW, K_STATX_MNT_ID, &st) < 0 ||
		    !(st.mask & K_STATX_MNT_ID)) {
			s->unknown = true;
			st = (struct k_statx){ 0 };
		}
		add(s, (struct place){ .path = op->source,
				       .mount = st.mnt_id,
				       .st_dev = MOUNTINFO_DEV(st.dev_major, st.dev_minor) });
	}
}

/* A mount that a tree lies on, or that lies in a tree. Returns how many trees now know theirs. */
static size_t take_mount(struct arena *a, struct shown *s, size_t trees, const struct mountinfo *m)
{
	bool beneath = false;
	size_t known = 0;

	for (size_t i = 0; i < trees; i++) {
		struct place *p = &s->places[i];

		if (p->mount == m->id) {
			p->dev = m->dev;
			known++;
		} else if (path_beneath(m->point, p->path)) {
			beneath = true;
		}
	}
	if (beneath)
		add(s, (struct place){
			       .path = arena_strdup(a, m->point), .mount = m->id, .dev = m->dev });
	return known;
}

void shown_read(const struct mount_draft *m, struct shown *ret)
{
	own_fd fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	struct shown s = { .places = arena_array(m->arena, struct place, PLACES_MAX) };
	char buf[LINES_SIZE];
	struct mountinfo_reader reader = { .fd = fd, .buf = buf, .size = sizeof(buf) };
	struct mountinfo line;
	size_t trees, known = 0;
	int rc = -1;

	add_trees(m, &s);
	trees = s.n;
	while (fd >= 0 && !s.unknown && (rc = mountinfo_next(&reader, &line)) > 0)
		known += take_mount(m->arena, &s, trees, &line);
	s.unknown = s.unknown || rc < 0 || known != trees;
	if (s.unknown)
		s.n = trees;
	*ret = s;
}

bool shown_device(const struct shown *s, uint32_t dev)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->places[i].dev == dev)
			return true;
	}
	return s->unknown;
}

bool shown_subvolumes(const struct shown *s, uint32_t dev)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct place *p = &s->places[i];

		if (p->dev == dev && p->st_dev && p->st_dev != dev)
			return true;
	}
	return false;
}

bool shown_twice(const struct shown *s, uint32_t dev)
{
	const struct place *first = NULL;

	for (size_t i = 0; i < s->n; i++) {
		const struct place *p = &s->places[i];

		if (p->dev != dev)
			continue;
		if (first && first->mount != p->mount)
			return true;
		first = p;
	}
	return s->unknown;
}
