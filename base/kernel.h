/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's interface where libc headers are too old or disagree with each other: constants and
 * thin system call wrappers, one place for all of them. Names carry a K_ or k_ prefix so that newer
 * headers never clash. Wrappers return like libc: -1 and errno.
 */
#ifndef JAIL_BASE_KERNEL_H
#define JAIL_BASE_KERNEL_H

#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * System calls younger than Debian 12's or musl's headers; one number on every architecture jail is
 * built for.
 */
#define K_NR_open_tree	     428
#define K_NR_move_mount	     429
#define K_NR_fsopen	     430
#define K_NR_fsconfig	     431
#define K_NR_fsmount	     432
#define K_NR_clone3	     435
#define K_NR_close_range     436
#define K_NR_mount_setattr   442
#define K_NR_landlock_create 444
#define K_NR_landlock_add    445
#define K_NR_landlock_self   446

#define K_OPEN_TREE_CLONE   1u
#define K_OPEN_TREE_CLOEXEC 02000000u
#define K_AT_EMPTY_PATH	    0x1000u
#define K_AT_RECURSIVE	    0x8000u

#define K_MOVE_MOUNT_F_EMPTY_PATH 0x00000004u
#define K_MOVE_MOUNT_T_EMPTY_PATH 0x00000040u

#define K_FSOPEN_CLOEXEC      1u
#define K_FSMOUNT_CLOEXEC     1u
#define K_FSCONFIG_SET_FLAG   0u
#define K_FSCONFIG_SET_STRING 1u
#define K_FSCONFIG_CMD_CREATE 6u

#define K_MOUNT_ATTR_RDONLY 0x00000001u
#define K_MOUNT_ATTR_NOSUID 0x00000002u
#define K_MOUNT_ATTR_NODEV  0x00000004u
#define K_MOUNT_ATTR_NOEXEC 0x00000008u
#define K_MOUNT_ATTR_IDMAP  0x00100000u

/* mount(2)'s flags, where libc has no name for one yet. */
#define K_MS_NOSYMFOLLOW 256ul

struct k_mount_attr {
	uint64_t attr_set, attr_clr, propagation, userns_fd;
};

/* clone3(2). The stack members stay zero: the child goes on with a copy of ours, like fork. */
struct k_clone_args {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid,
		set_tid_size, cgroup;
};

#define K_PIDFD_GET_MNT_NAMESPACE 0xff03u /* _IO(0xff, 3) */

/* statx(2): of all it tells, the device, and in which mount a path ends (since 5.8). */
struct k_statx {
	uint32_t mask, unused[33], dev_major, dev_minor;
	uint64_t mnt_id, spare[13];
};

#define K_STATX_MNT_ID 0x1000u

/* What getdents64(2) fills a buffer with; `reclen` bytes each. */
struct k_dirent {
	uint64_t ino;
	int64_t off;
	uint16_t reclen;
	uint8_t type; /* DT_ */
	char name[];
};

#define K_CLONE_PIDFD	      0x00001000ull
#define K_CLONE_NEWTIME	      0x00000080ull
#define K_CLONE_CLEAR_SIGHAND 0x100000000ull
#define K_CLONE_INTO_CGROUP   0x200000000ull

static inline int k_open_tree(int dirfd, const char *path, unsigned flags)
{
	return (int)syscall(K_NR_open_tree, dirfd, path, flags);
}

static inline int k_move_mount(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
	return (int)syscall(K_NR_move_mount, from_fd, from, to_fd, to, flags);
}

static inline int k_fsopen(const char *fs, unsigned flags)
{
	return (int)syscall(K_NR_fsopen, fs, flags);
}

static inline int k_fsconfig(int fd, unsigned cmd, const char *key, const void *value, int aux)
{
	return (int)syscall(K_NR_fsconfig, fd, cmd, key, value, aux);
}

static inline int k_fsmount(int fd, unsigned flags, unsigned attr)
{
	return (int)syscall(K_NR_fsmount, fd, flags, attr);
}

static inline int k_mount_setattr(int fd, const char *path, unsigned flags, struct k_mount_attr *attr)
{
	return (int)syscall(K_NR_mount_setattr, fd, path, flags, attr, sizeof(*attr));
}

static inline long k_clone3(struct k_clone_args *args)
{
	return syscall(K_NR_clone3, args, sizeof(*args));
}

static inline int k_close_range(unsigned first, unsigned last, unsigned flags)
{
	return (int)syscall(K_NR_close_range, first, last, flags);
}

static inline int k_pivot_root(const char *new_root, const char *put_old)
{
	return (int)syscall(SYS_pivot_root, new_root, put_old);
}

static inline int k_statx(int dirfd, const char *path, int flags, unsigned mask, struct k_statx *st)
{
	return (int)syscall(SYS_statx, dirfd, path, flags, mask, st);
}

static inline long k_getdents64(int fd, void *buf, size_t size)
{
	return syscall(SYS_getdents64, fd, buf, size);
}

static inline int k_pidfd_send_signal(int pidfd, int sig)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0);
}

#endif
