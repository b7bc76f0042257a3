// SPDX-License-Identifier: GPL-2.0-or-later
/* The region that holds the draft and the plan; P0 fills it, everyone reads it. */
#include "base/arena.h"

#include <errno.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/own.h"

/* Far above any real plan (a few tens of KiB); what is not touched is not paid for. */
#define ARENA_SIZE ((size_t)16 << 20)

int arena_init(struct arena *a, struct err *e)
{
	void *p = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return err_set(e, ST_PLAN, errno, "reserve memory for the plan");
	*a = (struct arena){ .base = p, .size = ARENA_SIZE };
	return 0;
}

void *arena_alloc(struct arena *a, size_t n)
{
	const size_t align = alignof(max_align_t);
	static const char full[] = "jail: the plan does not fit in memory: make the profile smaller\n";
	void *p;

	if (n > a->size - a->used - align) {
		(void)!write(STDERR_FILENO, full, sizeof(full) - 1);
		_exit(125);
	}
	p = a->base + a->used;
	a->used += (n + align - 1) & ~(align - 1);
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);

	memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	size_t room = a->size - a->used;
	va_list ap;
	int n;

	/* Written where it will stay; arena_alloc then claims just as much, or ends the process. */
	va_start(ap, fmt);
	n = vsnprintf(a->base + a->used, room, fmt, ap);
	va_end(ap);
	return arena_alloc(a, (size_t)(n < 0 ? 0 : n) + 1);
}

int arena_seal(struct arena *a, struct err *e)
{
	if (mprotect(a->base, a->size, PROT_READ) < 0)
		return err_set(e, ST_PLAN, errno, "seal the plan");
	return 0;
}

void arena_free(struct arena *a)
{
	if (a->base)
		(void)munmap(a->base, a->size);
	*a = (struct arena){ 0 };
}
