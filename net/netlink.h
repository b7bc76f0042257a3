/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A few lines of netlink: messages written into bounded memory, sent, and every answer looked at.
 * No allocation; P0 builds, P1 talks.
 */
#ifndef JAIL_NET_NETLINK_H
#define JAIL_NET_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What does not fit sets `full` and is dropped. */
struct netlink {
	uint8_t *bytes;
	size_t used, size;
	bool full;
};

void netlink_init(struct netlink *nl, uint8_t *bytes, size_t size);

/* A message with its own fixed part; what netlink_end wants. */
size_t netlink_begin(struct netlink *nl, uint16_t type, uint16_t flags, uint32_t seq,
		     const void *head, size_t n);
void netlink_end(struct netlink *nl, size_t at);

/* An attribute; or one that holds others, whose beginning netlink_close wants. */
void netlink_put(struct netlink *nl, uint16_t type, const void *data, size_t n);
size_t netlink_open(struct netlink *nl, uint16_t type);
void netlink_close(struct netlink *nl, size_t at);

/* A finished message, with another sequence number. */
void netlink_copy(struct netlink *nl, const void *message, size_t n, uint32_t seq);

/* A descriptor, or -errno. */
int netlink_socket(int protocol);

/*
 * Send, then wait for the acknowledgements of `n` messages that are numbered from `first` on: 0, or
 * -errno of the first that failed, whose number is in *ret_failed (UINT32_MAX: of none).
 */
int netlink_talk(int fd, const void *bytes, size_t length, uint32_t first, unsigned n,
		 uint32_t *ret_failed);

#endif
