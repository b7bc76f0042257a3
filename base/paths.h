/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the installed parts are: compiled in, never taken from the environment. The test-only twin
 * is tests/intree-paths.c.
 */
#ifndef JAIL_BASE_PATHS_H
#define JAIL_BASE_PATHS_H

extern const char path_libexec[];  /* helpers: jail-filter */
extern const char path_gate[];	   /* the program jail-gate */
extern const char path_selftest[]; /* the hardening suite: run, and all it needs */
extern const char path_data[];	   /* shipped profiles are beneath it, in profiles/ */
extern const char path_sysconf[];  /* the administrator's, in profiles/ */
extern const char path_version[];

#endif
