/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time in an event: UTC, to the millisecond; every process. */
#ifndef JAIL_BASE_NOW_H
#define JAIL_BASE_NOW_H

#define NOW_SIZE 40

/* "2026-01-31T23:59:59.123Z". libc's way to a calendar opens files: this one does not. */
void now_format(char ret[NOW_SIZE]);

#endif
