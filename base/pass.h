/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes and descriptors in one message of a local socket; used by every process, allocates nothing. */
#ifndef JAIL_BASE_PASS_H
#define JAIL_BASE_PASS_H

#include <stddef.h>

#define PASS_MAX 253 /* descriptors at once: the kernel's own limit */

/* All of it, or -errno. n_fds may be 0. Never raises SIGPIPE. */
int pass_send(int socket, const void *data, size_t n, const int *fds, size_t n_fds);

#endif
