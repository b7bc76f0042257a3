// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes the unpacking of a layer, without the cage around it: nothing appears outside of the
 * directory, no setuid or setgid bit, no device but whiteouts, and what is outside stays as it is.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "oci/layer.h"
#include "oci/tar.h"
#include "oci/tree.h"
#include "tests/fuzz/oracle.h"

struct input {
	const uint8_t *data;
	size_t size;
};

static size_t next(void *arg, const void **ret)
{
	struct input *in = arg;
	size_t n = in->size;

	*ret = in->data;
	in->size = 0;
	return n;
}

/* One directory's names: what they are is as it must be; the first directory's name is kept. */
static void check_names(int dir, char *sub, size_t size, size_t *ret_n)
{
	own_fd fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	own_dir d = fdopendir(fd);
	const struct dirent *one;

	MUST(d, "open");
	(void)fd_take(&fd);
	*ret_n = 0;
	sub[0] = '\0';
	while ((one = readdir(d))) {
		struct stat st;

		if (str_eq(one->d_name, ".") || str_eq(one->d_name, ".."))
			continue;
		++*ret_n;
		MUST(fstatat(dir, one->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0, one->d_name);
		MUST(!(st.st_mode & (S_ISUID | S_ISGID)), one->d_name);
		MUST(!S_ISBLK(st.st_mode) && !S_ISSOCK(st.st_mode), one->d_name);
		MUST(!S_ISCHR(st.st_mode) || st.st_rdev == 0, one->d_name);
		MUST(!str_starts(one->d_name, ".wh."), one->d_name);
		if (S_ISDIR(st.st_mode) && !sub[0])
			(void)snprintf(sub, size, "%s", one->d_name);
	}
}

/* All of the tree, by taking one directory after another out to the top. */
static void check_tree(int top)
{
	char sub[256], name[32];
	unsigned long serial = 0;
	own_fd at = openat(top, "tree", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	size_t n;

	if (at < 0 && errno == EACCES && fchmodat(top, "tree", 0700, 0) == 0)
		at = openat(top, "tree", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	MUST(at >= 0 && fchmod(at, 0700) == 0, "tree");
	for (;;) {
		check_names(at, sub, sizeof(sub), &n);
		if (!sub[0])
			break;
		(void)snprintf(name, sizeof(name), "moved%lu", serial++);
		MUST(fchmodat(at, sub, 0700, 0) == 0 && renameat(at, sub, top, name) == 0, sub);
	}
	for (unsigned long i = 0; i < serial; i++) {
		own_fd fd = FD_NONE;

		(void)snprintf(name, sizeof(name), "moved%lu", i);
		fd = openat(top, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		MUST(fd >= 0, name);
		for (;;) {
			char next_name[32];

			check_names(fd, sub, sizeof(sub), &n);
			if (!sub[0])
				break;
			(void)snprintf(next_name, sizeof(next_name), "moved%lu", serial++);
			MUST(fchmodat(fd, sub, 0700, 0) == 0 && renameat(fd, sub, top, next_name) == 0,
			     sub);
		}
	}
}

static void check_outside(int top)
{
	char buf[8] = "";
	own_fd fd = openat(top, "outside/file", O_RDONLY | O_CLOEXEC);
	own_fd dir = openat(top, "outside", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	char sub[256];
	size_t n;

	MUST(fd >= 0 && read(fd, buf, sizeof(buf)) == 4 && memcmp(buf, "safe", 4) == 0, "outside");
	MUST(fstat(fd, &st) == 0 && st.st_nlink == 1 && (st.st_mode & 07777) == 0640, "outside");
	check_names(dir, sub, sizeof(sub), &n);
	MUST(n == 1, "outside");
	check_names(top, sub, sizeof(sub), &n);
	MUST(n == 2, "beside");
}

static void unpack(int top, const uint8_t *data, size_t size)
{
	const struct layer_limits limits = { 2000, 8 << 20 };
	own_fd root = openat(top, "tree", O_PATH | O_DIRECTORY | O_CLOEXEC);
	own_str told = NULL;
	size_t told_n = 0;
	own_file out = open_memstream(&told, &told_n);
	struct input in = { data, size };
	struct layer_counts counts;
	struct layer *l = NULL;
	struct err e = { 0 };

	MUST(out && layer_new(root, &limits, NULL, &l, &e) == 0, "memory");
	MUST(layer_add_alias(l, "low", "/d/../outside/../../outside", &e) == 0, "memory");
	if (tar_apply(next, &in, l, &e) < 0 || layer_finish(l, out, &counts, &e) < 0)
		MUST(e.what[0] && e.stage != ST_NONE, "says why");
	layer_free(l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/jail-fuzz.XXXXXX";
	own_fd top = FD_NONE, file = FD_NONE;

	(void)umask(0);
	MUST(mkdtemp(path), path);
	top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	MUST(mkdirat(top, "outside", 0700) == 0 && mkdirat(top, "tree", 0755) == 0, path);
	file = openat(top, "outside/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0640);
	MUST(write(file, "safe", 4) == 4, path);
	unpack(top, data, size);
	check_outside(top);
	check_tree(top);
	MUST(tree_remove(AT_FDCWD, path) == 0, path);
	return 0;
}
