/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting for a word in memory that another thread or process sets; P1, its thread and P2. Whoever
 * waits looks again now and then: a wake-up that failed must not be waited for.
 *
 * By the bare instruction: syscall(2) writes errno when a wait ends without a wake-up, and those who
 * wait share it with P1, which is asking it about something else.
 */
#ifndef JAIL_SANDBOX_FUTEX_H
#define JAIL_SANDBOX_FUTEX_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

static inline long futex(_Atomic uint32_t *word, int op, uint32_t value, const struct timespec *t)
{
#if defined(__x86_64__)
	register const struct timespec *timeout __asm__("r10") = t;
	long r = SYS_futex;

	__asm__ volatile("syscall"
			 : "+a"(r)
			 : "D"(word), "S"(op), "d"(value), "r"(timeout)
			 : "rcx", "r11", "memory");
	return r;
#elif defined(__aarch64__)
	register long r __asm__("x0") = (long)word;
	register long a1 __asm__("x1") = op, a2 __asm__("x2") = value, a3 __asm__("x3") = (long)t,
			 nr __asm__("x8") = SYS_futex;

	__asm__ volatile("svc 0" : "+r"(r) : "r"(a1), "r"(a2), "r"(a3), "r"(nr) : "memory");
	return r;
#else
#error "jail runs on x86_64 and aarch64"
#endif
}

/* Until *word is not `value` any more, or something else woke us. */
static inline void futex_sleep(_Atomic uint32_t *word, uint32_t value)
{
	const struct timespec soon = { .tv_nsec = 50000000 };

	(void)futex(word, FUTEX_WAIT, value, &soon);
}

static inline void futex_set(_Atomic uint32_t *word, uint32_t value)
{
	*word = value;
	(void)futex(word, FUTEX_WAKE, 1, NULL);
}

/* Until *word is set, or *alive, unless NULL, is not any more. */
static inline void futex_await(_Atomic uint32_t *word, _Atomic uint32_t *alive)
{
	while (!*word && (!alive || *alive))
		futex_sleep(word, 0);
}

#endif
