/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading /proc/self/mountinfo a line at a time, into a buffer of the caller's. Runs in P0, and with
 * the old mount API in P1.
 */
#ifndef JAIL_SANDBOX_MOUNTINFO_H
#define JAIL_SANDBOX_MOUNTINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mountinfo {
	uint64_t id, parent;
	const char *point;   /* where it is mounted, seen from the reader's root; in the buffer */
	unsigned long flags; /* MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, K_MS_NOSYMFOLLOW */
	bool tied;	     /* shared, a slave, or unbindable */
	uint32_t dev;	     /* the file system's device, by MOUNTINFO_DEV */
};

/*
 * A device number as the kernel keeps it, and hands it out in places. What stat says is another one
 * on file systems that have a number for each subvolume.
 */
#define MOUNTINFO_DEV(high, low) ((uint32_t)(high) << 20 | (uint32_t)(low))

struct mountinfo_reader {
	int fd;
	char *buf;
	size_t size, used, next;
};

/*
 * The line without its newline, taken apart in place; -EINVAL for anything that is not understood
 * in full.
 */
int mountinfo_parse(char *line, struct mountinfo *ret);

/*
 * 1 and the next mount, 0 after the last one, or -errno; -EFBIG when a line is longer than the
 * buffer. *ret lasts until the next call.
 */
int mountinfo_next(struct mountinfo_reader *r, struct mountinfo *ret);

#endif
