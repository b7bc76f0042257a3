// SPDX-License-Identifier: GPL-2.0-or-later
/* Which of the caller's groups are dangerous to leave with a command; P0. */
#include "sandbox/groups.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/text.h"

static const char *const dangerous[] = { "docker", "podman", "lxd", "incus", "libvirt", "kvm", "disk", "shadow", "root", "kmem" };

/* Find "name:...:gid:" in /etc/group's text. */
static gid_t gid_of(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *line = list; line; line = strchr(line, '\n')) {
		unsigned gid;

		line += *line == '\n';
		if (strncmp(line, name, n) == 0 && line[n] == ':' && sscanf(line + n, ":%*[^:\n]:%u:", &gid) == 1)
			return gid;
	}
	return (gid_t)-1;
}

const char *group_is_dangerous(gid_t gid)
{
	char list[32 << 10];

	if (fs_read_file_at(AT_FDCWD, "/etc/group", list, sizeof(list), true) < 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(dangerous); i++) {
		if (gid_of(list, dangerous[i]) == gid)
			return dangerous[i];
	}
	return NULL;
}
