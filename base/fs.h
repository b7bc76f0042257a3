/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small file helpers on descriptors; used by P0 and, where they do not allocate, by P1. */
#ifndef JAIL_BASE_FS_H
#define JAIL_BASE_FS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * openat2(2), always O_CLOEXEC; returns -errno. A kernel without it (before 5.6) is -ENOSYS: jail
 * needs newer calls anyway. To refuse links leave O_NOFOLLOW out: with O_PATH it opens a link at
 * the end itself, and RESOLVE_NO_SYMLINKS then has nothing to refuse.
 */
int fs_openat2(int dirfd, const char *path, uint64_t flags, uint64_t resolve);

/* Write all of buf, or -errno. */
int fs_write_all(int fd, const void *buf, size_t n);

/* Open, write in one call, close: for /proc and /sys files, where a partial write is a failure. */
int fs_write_file_at(int dirfd, const char *path, const char *text);

/*
 * Read a whole file of at most size-1 bytes into buf and terminate it; the length, or -errno.
 * -EFBIG when it is larger. Refuses anything but a regular file when `regular` is set (a FIFO would
 * block, a device may have effects).
 */
ssize_t fs_read_fd(int fd, char *buf, size_t size);
ssize_t fs_read_file_at(int dirfd, const char *path, char *buf, size_t size, bool regular);

#endif
