/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the host does in the hardening suite; one command a function. */
#ifndef JAIL_TESTS_ESCAPE_HOST_H
#define JAIL_TESTS_ESCAPE_HOST_H

#include <stddef.h>
#include <stdio.h>

/* Each takes its arguments, which end with NULL, and returns the exit status. */
int host_pty(char **argv);
int host_group(char **argv);
int host_find(char **argv);
int host_world(char **argv);

/* Says "ready", and closes stdout, so that whoever reads a pipe to the end gets on. */
void host_ready(void);

/* Says what failed, with errno; returns the exit status for it. */
int host_fail(const char *what);

/* Bytes as Python writes them: b'a\x1b'. Nothing that a terminal would take for a command. */
void host_print_bytes(FILE *out, const unsigned char *s, size_t n);

#endif
