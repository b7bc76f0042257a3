// SPDX-License-Identifier: GPL-2.0-or-later
/* Collecting mounts and ordering them; P0, pure but for the arena. */
#include "sandbox/mountlist.h"

#include <limits.h>
#include <string.h>

#include "base/kernel.h"
#include "base/own.h"
#include "sandbox/weak.h"

void mounts_init(struct mount_draft *m, struct arena *a)
{
	*m = (struct mount_draft){ .arena = a, .ops = arena_array(a, struct mount_op, MOUNTS_MAX) };
}

int mounts_add(struct mount_draft *m, enum mount_kind kind, const char *target,
	       struct mount_op **ret, struct err *e)
{
	struct mount_op *op;

	if (m->n == MOUNTS_MAX)
		return err_set(e, ST_PLAN, 0, "more than %d paths: name a parent directory instead",
			       MOUNTS_MAX);
	op = &m->ops[m->n++];
	*op = (struct mount_op){
		.kind = kind,
		.target = target,
		.tree_fd = FD_NONE,
		.option = OPT_COUNT,
		.mode = 0755,
	};
	if (ret)
		*ret = op;
	return 0;
}

int mounts_add_file(struct mount_draft *m, const char *at, const char *contents, struct err *e)
{
	struct mount_op *op;
	int rc = mounts_add(m, MK_FILE, at, &op, e);

	if (rc < 0)
		return rc;
	op->source = contents;
	op->length = strlen(contents);
	op->mode = 0644;
	return 0;
}

int mounts_add_host(struct mount_draft *m, const struct resolved *r, bool readonly,
		    enum access access, struct mount_op **ret, struct err *e)
{
	struct mount_op *op;
	int rc;

	for (const struct link_passed *l = r->links; l; l = l->next) {
		rc = mounts_add(m, MK_SYMLINK, l->at, &op, e);
		if (rc < 0)
			return rc;
		op->source = l->text;
	}
	rc = mounts_add(m, MK_BIND, r->path, &op, e);
	if (rc < 0)
		return rc;
	op->source = r->path;
	op->is_dir = S_ISDIR(r->st.st_mode);
	op->readonly = readonly;
	op->dev = r->st.st_dev;
	op->ino = r->st.st_ino;
	op->access = access;
	if (ret)
		*ret = op;
	return 0;
}

unsigned mounts_attrs(const struct mount_op *op)
{
	return (op->readonly && !weakened(WEAK_READONLY) ? K_MOUNT_ATTR_RDONLY : 0) |
	       (weakened(WEAK_NOSUID) ? 0 : K_MOUNT_ATTR_NOSUID) |
	       (op->device || weakened(WEAK_NODEV) ? 0 : K_MOUNT_ATTR_NODEV);
}

/*
 * Path order in which '/' sorts before everything, so that a directory is followed by all that is
 * in it.
 */
static int by_path(const char *a, const char *b)
{
	for (;; a++, b++) {
		int x = *a == '/' ? 1 : *a ? (unsigned char)*a + 1 : 0;
		int y = *b == '/' ? 1 : *b ? (unsigned char)*b + 1 : 0;

		if (x != y || !x)
			return x - y;
	}
}

/* Insertion sort: the list is short, nearly in order, and equal targets must keep theirs. */
static void sort(struct mount_op *ops, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct mount_op op = ops[i];
		size_t j = i;

		while (j && by_path(ops[j - 1].target, op.target) > 0) {
			ops[j] = ops[j - 1];
			j--;
		}
		ops[j] = op;
	}
}

static bool is_mount(const struct mount_op *op)
{
	return op->kind == MK_TMPFS || op->kind == MK_BIND || op->kind == MK_PROC ||
	       op->kind == MK_DEVPTS;
}

/* Does `cover`, the mount that op's target lies on, already give what op would? */
static bool redundant(const struct mount_op *op, const struct mount_op *cover)
{
	if (!cover || cover->kind != MK_BIND)
		return false;
	if (op->kind == MK_SYMLINK || op->kind == MK_DIR)
		return true; /* the host's own tree has it */
	return op->kind == MK_BIND && op->readonly && cover->readonly && !op->device;
}

/*
 * A Landlock rule on a directory holds for all that is beneath, mounts or not: a rule that adds
 * nothing to one above is left out.
 */
static void drop_rules(struct mount_op *ops, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const uint64_t wanted = landlock_access_rights(ops[i].access, INT_MAX, 0);

		for (size_t j = 0; wanted && j < i; j++) {
			if (ops[j].access != ACCESS_NONE &&
			    path_beneath(ops[i].target, ops[j].target) &&
			    !(wanted & ~landlock_access_rights(ops[j].access, INT_MAX, 0))) {
				ops[i].access = ACCESS_NONE;
				break;
			}
		}
	}
}

struct mount_list mounts_finish(struct mount_draft *m)
{
	const struct mount_op *stack[MOUNTS_MAX];
	size_t depth = 0, kept = 0;

	sort(m->ops, m->n);
	for (size_t i = 0; i < m->n; i++) {
		struct mount_op op = m->ops[i];
		const struct mount_op *cover;

		if (i + 1 < m->n && str_eq(op.target, m->ops[i + 1].target))
			continue; /* the later one wins */
		while (depth && !path_beneath(op.target, stack[depth - 1]->target))
			depth--;
		cover = depth ? stack[depth - 1] : NULL;
		if (redundant(&op, cover))
			continue;
		op.make_point = !cover || cover->kind == MK_TMPFS;
		op.on_root = !cover;
		m->ops[kept] = op;
		if (is_mount(&op))
			stack[depth++] = &m->ops[kept];
		kept++;
	}
	drop_rules(m->ops, kept);
	return (struct mount_list){ .ops = m->ops, .n = kept };
}

bool mounts_show(const struct mount_list *l, const char *path)
{
	const struct mount_op *cover = NULL;

	for (size_t i = 0; i < l->n; i++) {
		if (is_mount(&l->ops[i]) && path_beneath(path, l->ops[i].target))
			cover = &l->ops[i];
	}
	return cover && cover->kind == MK_BIND;
}

bool mounts_have(const struct mount_list *l, const char *path)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct mount_op *op = &l->ops[i];

		if (path_beneath(op->target, path) &&
		    (op->kind != MK_FILE || !str_eq(op->target, path)))
			return true;
	}
	return mounts_show(l, path);
}
