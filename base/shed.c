// SPDX-License-Identifier: GPL-2.0-or-later
/* Privileges given up, and ids mapped; the gate, jail-unpack, jail-pull and P1. */
#include "base/shed.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"

int shed_capabilities(struct err *e)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	/* Only who has CAP_SETPCAP may, and only for them it matters. */
	for (int cap = 0; prctl(PR_CAPBSET_DROP, cap) == 0; cap++)
		;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return err_set(e, ST_CAPS, errno, "clear the ambient capabilities");
	if (syscall(SYS_capset, &head, none) < 0)
		return err_set(e, ST_CAPS, errno, "drop all capabilities");
	return 0;
}

int map_one_id(uid_t inside, uid_t outside, gid_t gid_inside, gid_t gid_outside, struct err *e)
{
	struct {
		const char *file;
		char line[32];
	} maps[] = { { "/proc/self/setgroups", "deny" },
		     { "/proc/self/gid_map", "" },
		     { "/proc/self/uid_map", "" } };

	(void)snprintf(maps[1].line, sizeof(maps[1].line), "%u %u 1\n", gid_inside, gid_outside);
	(void)snprintf(maps[2].line, sizeof(maps[2].line), "%u %u 1\n", inside, outside);
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
		int rc = fs_write_file_at(AT_FDCWD, maps[i].file, maps[i].line);

		if (rc < 0)
			return err_set(e, ST_USERNS, -rc, "write '%s'", maps[i].file);
	}
	return 0;
}
