/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's list of bound Unix sockets, by netlink: for each not only the name it was bound by,
 * but the inode. Runs in P0.
 */
#ifndef JAIL_SANDBOX_SOCKDIAG_H
#define JAIL_SANDBOX_SOCKDIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* As the caller bound it: maybe relative to a directory nobody knows, maybe no longer there. */
#define SOCKET_NAME_MAX 108

struct bound_socket {
	uint32_t dev; /* of the file system, by MOUNTINFO_DEV */
	uint32_t ino; /* the lower half, where numbers are longer */
	uid_t uid;    /* who made it; (uid_t)-1 where the kernel does not say */
	char name[SOCKET_NAME_MAX + 1];
};

/* As much as the kernel puts into one answer. */
#define SOCKDIAG_SIZE 32768

struct sockdiag {
	int fd;
	bool done;
	size_t used, next;
	char buf[SOCKDIAG_SIZE];
};

/*
 * Ask for the list: 0, or -errno. The caller releases d->fd in both cases. Sockets of other network
 * namespaces are not in it.
 */
int sockdiag_open(struct sockdiag *d);

/*
 * 1 and the next socket that has a file and that somebody could reach, 0 after the last, or -errno:
 * -ENOENT from a kernel without unix_diag, -EBADMSG for an answer that makes no sense.
 */
int sockdiag_next(struct sockdiag *d, struct bound_socket *ret);

/* The same from what is in the buffer; 0 means that it is used up, or that the list is (d->done). */
int sockdiag_parse(struct sockdiag *d, struct bound_socket *ret);

#endif
