/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting for a word in memory that another thread or process sets; P1, its thread and P2. Whoever
 * waits looks again now and then: a wake-up that failed must not be waited for.
 */
#ifndef JAIL_SANDBOX_FUTEX_H
#define JAIL_SANDBOX_FUTEX_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Until *word is not `value` any more, or something else woke us. */
static inline void futex_sleep(_Atomic uint32_t *word, uint32_t value)
{
	const struct timespec soon = { .tv_nsec = 50000000 };

	(void)syscall(SYS_futex, word, FUTEX_WAIT, value, &soon, NULL, 0);
}

static inline void futex_set(_Atomic uint32_t *word, uint32_t value)
{
	*word = value;
	(void)syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Until *word is set, or *alive, unless NULL, is not any more. */
static inline void futex_await(_Atomic uint32_t *word, _Atomic uint32_t *alive)
{
	while (!*word && (!alive || *alive))
		futex_sleep(word, 0);
}

#endif
