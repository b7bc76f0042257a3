// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of a layer's directories; jail-unpack. */
#include "oci/dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/text.h"
#include "oci/record.h"

/* Some 300,000 directories of a usual length; a tar bomb ends here and not in swap. */
#define PATHS_MAX ((size_t)32 << 20)

static uint32_t hash_of(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

/* The slot of a path: its own, or the free one where it belongs. */
static uint32_t *slot_of(const struct dirs *d, const char *path)
{
	size_t i = hash_of(path) & (d->slots_n - 1);

	while (d->slots[i] && !str_eq(d->v[d->slots[i] - 1].path, path))
		i = (i + 1) & (d->slots_n - 1);
	return &d->slots[i];
}

static bool grow(struct dirs *d)
{
	size_t cap = d->cap ? d->cap * 2 : 1024;
	struct dir *v = reallocarray(d->v, cap, sizeof(*v));
	uint32_t *slots = calloc(cap * 2, sizeof(*slots));

	if (v)
		d->v = v;
	if (!v || !slots) {
		free(slots);
		return false;
	}
	free(d->slots);
	d->cap = cap;
	d->slots = slots;
	d->slots_n = cap * 2;
	for (size_t i = 0; i < d->n; i++)
		*slot_of(d, d->v[i].path) = (uint32_t)i + 1;
	return true;
}

struct dir *dirs_at(struct dirs *d, const char *path)
{
	size_t n = strlen(path) + 1;
	uint32_t *slot;

	if (d->n == d->cap && !grow(d))
		return NULL;
	slot = slot_of(d, path);
	if (!*slot) {
		char *copy = d->bytes + n > PATHS_MAX ? NULL : strdup(path);

		if (!copy)
			return NULL;
		d->bytes += n;
		d->v[d->n] = (struct dir){ .path = copy, .mode = 0755, .implicit = true };
		*slot = (uint32_t)++d->n;
	}
	return &d->v[*slot - 1];
}

/* What is beneath a directory has its path as a prefix, and so is greater: first. */
static int deepest_first(const void *a, const void *b)
{
	return strcmp(((const struct dir *)b)->path, ((const struct dir *)a)->path);
}

int dirs_finish(struct dirs *d, int root)
{
	if (d->n)
		qsort(d->v, d->n, sizeof(d->v[0]), deepest_first);
	free(d->slots); /* indexes that are no more */
	d->slots = NULL;
	d->slots_n = d->cap = 0;
	for (size_t i = 0; i < d->n; i++) {
		const struct dir *dir = &d->v[i];
		const struct timespec times[2] = { { dir->sec, dir->nsec }, { dir->sec, dir->nsec } };
		own_fd fd = fs_openat2(root, *dir->path ? dir->path : ".", O_RDONLY | O_DIRECTORY,
				       RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);

		if (fd == -ENOENT || fd == -ENOTDIR || fd == -ELOOP)
			continue; /* a later entry took its place */
		if (fd < 0)
			return fd;
		if (fchmod(fd, dir->mode) < 0 || futimens(fd, times) < 0)
			return -errno;
	}
	return 0;
}

void dirs_tell(const struct dirs *d, FILE *out)
{
	char line[3 * PATH_MAX];
	struct text t;

	for (size_t i = 0; i < d->n; i++) {
		if (!d->v[i].implicit)
			continue;
		text_init(&t, line, sizeof(line));
		record_escape(&t, d->v[i].path, NULL);
		(void)fprintf(out, "implicit %s\n", line);
	}
}

void dirs_free(struct dirs *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->v[i].path);
	free(d->v);
	free(d->slots);
	*d = (struct dirs){ 0 };
}
