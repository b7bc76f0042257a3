/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The host's /etc/hosts, kept as text and looked through at each question; read before confinement. */
#ifndef JAIL_GATE_HOSTSFILE_H
#define JAIL_GATE_HOSTSFILE_H

#include <stddef.h>

#include "net/addr.h"

/*
 * A file of at most size bytes into buf; the length, or -errno (a missing file is -ENOENT, what is
 * no regular file -EINVAL). Of a longer one the whole lines that fit, and *ret_cut.
 */
ssize_t conf_read(const char *path, char *buf, size_t size, bool *ret_cut);

/* The next line of *at[0..*left) without its comment; false at the end. */
bool conf_line(const char **at, size_t *left, const char **ret_line, size_t *ret_n);
/* The next word of a line, cut off from it; false: there is none. Tabs and spaces part words. */
bool conf_word(const char **line, size_t *n, const char **ret_word, size_t *ret_len);

/* The addresses of a canonical name, IPv4 first, at most max. A line that is none is passed over. */
size_t hosts_find(const char *text, size_t n, const char *name, struct addr *ret, size_t max);

#endif
