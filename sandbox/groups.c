// SPDX-License-Identifier: GPL-2.0-or-later
/* Which of the caller's groups are dangerous to leave with a command; P0. */
#include "sandbox/groups.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/text.h"

static const char *const dangerous[] = { "docker", "podman", "lxd",    "incus", "libvirt",
					 "kvm",	   "disk",   "shadow", "root",	"kmem" };

/* The gid in "name:password:gid:members", when the line is that of `name`. */
static bool gid_of_line(const char *line, const char *name, gid_t *ret)
{
	size_t n = strlen(name);
	char digits[16];
	uint64_t gid;

	if (strncmp(line, name, n) != 0 || line[n] != ':')
		return false;
	line += n + 1;
	line += strcspn(line, ":\n");
	n = *line == ':' ? strcspn(++line, ":\n") : 0;
	if (n >= sizeof(digits))
		return false;
	memcpy(digits, line, n);
	digits[n] = '\0';
	if (!str_to_u64(digits, UINT32_MAX, &gid))
		return false;
	*ret = (gid_t)gid;
	return true;
}

static bool is_named(const char *list, const char *name, gid_t wanted)
{
	for (const char *line = list; line; line = strchr(line, '\n')) {
		gid_t gid;

		line += *line == '\n';
		if (gid_of_line(line, name, &gid))
			return gid == wanted;
	}
	return false;
}

const char *group_is_dangerous(gid_t gid)
{
	char list[32 << 10];

	if (fs_read_file_at(AT_FDCWD, "/etc/group", list, sizeof(list), true) < 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(dangerous); i++) {
		if (is_named(list, dangerous[i], gid))
			return dangerous[i];
	}
	return NULL;
}
