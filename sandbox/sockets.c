// SPDX-License-Identifier: GPL-2.0-or-later
/* Masking the sockets that host programs hold in shared trees; P0. */
#include "sandbox/sockets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/own.h"

static bool shown_by_user(const struct mount_draft *m, const char *path)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct mount_op *op = &m->ops[i];

		if (op->kind == MK_BIND && op->option != OPT_COUNT && path_beneath(path, op->target))
			return true;
	}
	return false;
}

/* "Num RefCount Protocol Flags Type St Inode Path": the path is the rest of the line behind the seventh field. */
static const char *path_of(char *line)
{
	for (int field = 0; field < 7; field++) {
		line += strspn(line, " ");
		line += strcspn(line, " \n");
	}
	line += strspn(line, " ");
	line[strcspn(line, "\n")] = '\0';
	return line[0] == '/' ? line : NULL;
}

int sockets_mask(struct mount_draft *m, struct err *e)
{
	own_file list = fopen("/proc/net/unix", "re");
	own_str line = NULL;
	size_t size = 0;

	if (!list)
		return err_set(e, ST_PLAN, errno, "read the list of sockets '/proc/net/unix'");
	while (getline(&line, &size, list) > 0) {
		const char *path = path_of(line);
		struct resolved r;
		int rc;

		if (!path || path_resolve(m->arena, path, &r, e) < 0) {
			if (e->stage)
				return -e->code;
			continue; /* bound once, unlinked since, or in a place we cannot see either */
		}
		fd_release(&r.fd);
		if (!S_ISSOCK(r.st.st_mode) || !shown_by_user(m, r.path))
			continue;
		rc = mounts_add(m, MK_MASK, r.path, NULL, e);
		if (rc < 0)
			return rc;
	}
	return ferror(list) ? err_set(e, ST_PLAN, EIO, "read '/proc/net/unix'") : 0;
}
