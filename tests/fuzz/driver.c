// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Replays a fuzzer's corpus as a TAP test, where libFuzzer does not bring its own main. Without arguments the corpus of fuzz_X is
 * tests/fuzz/corpus/X in the source tree; arguments are files to run.
 */
#ifdef JAIL_LIBFUZZER
extern int driver_unused;
int driver_unused; /* a translation unit is never empty */
#else

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/own.h"

#define INPUT_MAX ((off_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int not_hidden(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* A buffer of the exact size, so that a sanitizer sees one byte too far. */
static int run_file(int dirfd, const char *name)
{
	own_fd fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
	own_str data = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size > INPUT_MAX)
		return -EINVAL;
	data = malloc((size_t)st.st_size);
	if (!data && st.st_size)
		return -ENOMEM;
	if (read(fd, data, (size_t)st.st_size) != st.st_size)
		return -EIO;
	(void)LLVMFuzzerTestOneInput((const uint8_t *)data, (size_t)st.st_size);
	return 0;
}

static int run_corpus(const char *self)
{
	const char *top = getenv("top_srcdir"), *slash = strrchr(self, '/');
	const char *name = slash ? slash + 1 : self;
	struct dirent **list = NULL;
	own_fd dirfd = FD_NONE;
	char path[4096];
	int n, bad = 0;

	if (!strncmp(name, "fuzz_", 5))
		name += 5;
	(void)snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/%s", top ? top : ".", name);
	dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	n = dirfd < 0 ? -1 : scandirat(dirfd, ".", &list, not_hidden, alphasort);
	if (n <= 0) {
		printf("1..1\nnot ok 1 - %s: no corpus\n", path);
		return 1;
	}
	printf("1..%d\n", n);
	for (int i = 0; i < n; i++) {
		int r;

		printf("# %s\n", list[i]->d_name); /* the last words before a crash */
		(void)fflush(stdout);
		r = run_file(dirfd, list[i]->d_name);
		printf("%sok %d - %s%s%s\n", r < 0 ? "not " : "", i + 1, list[i]->d_name,
		       r < 0 ? ": " : "", r < 0 ? strerror(-r) : "");
		bad |= r < 0;
		free(list[i]);
	}
	free(list);
	return bad;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return run_corpus(argv[0]);
	for (int i = 1; i < argc; i++) {
		int r = run_file(AT_FDCWD, argv[i]);

		if (r < 0) {
			fprintf(stderr, "%s: %s\n", argv[i], strerror(-r));
			return 1;
		}
	}
	return 0;
}

#endif
