// SPDX-License-Identifier: GPL-2.0-or-later
/* Masking the sockets that host programs hold in shared trees; P0. */
#include "sandbox/sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static int mask_one(struct mount_draft *m, const char *path, struct err *e)
{
	struct resolved r;

	if (path_resolve(m->arena, path, &r, e) < 0)
		/* bound once, unlinked since, or where we cannot see either */
		return e->stage ? -e->code : 0;
	fd_release(&r.fd);
	if (!S_ISSOCK(r.st.st_mode) || !shown_by_user(m, r.path))
		return 0;
	return mounts_add(m, MK_MASK, r.path, NULL, e);
}

int sockets_mask(struct mount_draft *m, struct err *e)
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
			rc = path ? mask_one(m, path, e) : 0;
			if (rc < 0)
				return rc;
			line = end + 1;
		}
		kept -= (size_t)(line - buf);
		memmove(buf, line, kept);
	}
	return n < 0 ? err_set(e, ST_PLAN, errno, "read '/proc/net/unix'") : 0;
}
