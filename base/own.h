/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ownership by scope: values that release themselves; used by every process. */
#ifndef JAIL_BASE_OWN_H
#define JAIL_BASE_OWN_H

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * "No descriptor" is -EBADF everywhere: never 0, and never a plain -1 that some call might treat as
 * AT_FDCWD's cousin.
 */
#define FD_NONE (-EBADF)

/*
 * errno is not so much as written when the close succeeds: a thread of P1 shares it with P1 and may
 * be in here at any moment (sandbox/stage_beside.c).
 */
static inline void fd_release(int *fd)
{
	if (*fd >= 0) {
		int saved = errno;

		if (close(*fd) < 0) /* never retried: Linux frees the number first */
			errno = saved;
	}
	*fd = FD_NONE;
}

static inline int fd_take(int *fd)
{
	int taken = *fd;

	*fd = FD_NONE;
	return taken;
}

static inline void str_release(char **s)
{
	free(*s);
	*s = NULL;
}

static inline void file_release(FILE **f)
{
	if (*f) {
		int saved = errno;

		(void)fclose(*f);
		errno = saved;
	}
	*f = NULL;
}

static inline void dir_release(DIR **d)
{
	if (*d) {
		int saved = errno;

		(void)closedir(*d);
		errno = saved;
	}
	*d = NULL;
}

#define own_fd	 __attribute__((cleanup(fd_release))) int
#define own_str	 __attribute__((cleanup(str_release))) char *
#define own_file __attribute__((cleanup(file_release))) FILE *
#define own_dir	 __attribute__((cleanup(dir_release))) DIR *

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
