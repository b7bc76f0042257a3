// SPDX-License-Identifier: GPL-2.0-or-later
/* filter_custom: what jail-filter makes of a profile's changes, and its cache; a test program. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/own.h"
#include "base/text.h"
#include "sandbox/filter.h"
#include "tests/seccomp/interp.h"
#include "tests/seccomp/tap.h"

#if defined(__x86_64__)
#define AUDIT_ARCH 0xc000003eu
#else
#define AUDIT_ARCH 0xc00000b7u
#endif

struct bench {
	struct tap tap;
	struct arena arena;
	struct err e;
	struct filter f;
	char home[64]; /* the cache home */
};

/* Ask, with a clean error each time. */
static int ask(struct bench *b, const char *preset, const char *allow, const char *deny)
{
	b->e = (struct err){ 0 };
	b->f = (struct filter){ 0 };
	return filter_custom(&b->arena, b->home, preset, allow, deny, &b->f, &b->e);
}

static bool gives(const struct bench *b, long nr, __u64 arg0, const char *verdict)
{
	struct seccomp_data d = { .nr = (int)nr, .arch = AUDIT_ARCH, .args = { arg0 } };
	struct outcome o = interp_run(b->f.code, b->f.len, &d);

	return str_eq(interp_verdict(&o), verdict);
}

/* How many files are in the cache, and the path of one of them. */
static size_t cached_files(const struct bench *b, char *ret, size_t size)
{
	char dir[128];
	own_dir d = NULL;
	struct text t;
	size_t n = 0;

	text_init(&t, dir, sizeof(dir));
	text_addf(&t, "%s/jail/filters", b->home);
	d = opendir(dir);
	for (struct dirent *ent; d && (ent = readdir(d));) {
		if (str_eq(ent->d_name, ".") || str_eq(ent->d_name, ".."))
			continue;
		n++;
		text_init(&t, ret, size);
		text_addf(&t, "%s/%s", dir, ent->d_name);
	}
	return n;
}

static void remove_cached(const struct bench *b)
{
	char path[512];

	while (cached_files(b, path, sizeof(path)))
		(void)unlink(path);
}

static void test_changes(struct bench *b)
{
	tap_is(&b->tap, ask(b, "agent", "ptrace io_uring_setup", "connect") == 0,
	       "a changed preset is compiled");
	tap_is(&b->tap, gives(b, SYS_ptrace, 0, "allow") && gives(b, 425, 0, "allow"),
	       "what was allowed is");
	tap_is(&b->tap, gives(b, SYS_connect, 0, "EPERM"), "what was denied is");
	tap_is(&b->tap,
	       gives(b, SYS_read, 0, "allow") && gives(b, SYS_bpf, 0, "EPERM") &&
		       gives(b, SYS_socket, 40, "EPERM"),
	       "the rest is as in the preset");
	tap_is(&b->tap, ask(b, "strict", "socket", NULL) == 0 && gives(b, SYS_socket, 40, "allow"),
	       "allowing a checked call drops its check");
	tap_is(&b->tap, ask(b, "agent", "mount", "mount") == 0 && gives(b, SYS_mount, 0, "EPERM"),
	       "denied wins over allowed");
	tap_is(&b->tap, ask(b, "agent", "", NULL) == 0 && b->f.code == filter_shipped("agent").code,
	       "no change is the shipped program");
}

static void test_errors(struct bench *b)
{
	tap_is(&b->tap, ask(b, "agent", "ptrcae", NULL) < 0 && strstr(b->e.what, "'ptrace'"),
	       "an unknown call names the nearest: %s", b->e.what);
	tap_is(&b->tap, !b->f.code, "and leaves the output alone");
	tap_is(&b->tap, b->e.stage == ST_FILTER, "and says at which stage");
	tap_is(&b->tap, ask(b, "agent", NULL, "execve") < 0 && strstr(b->e.what, "execve"),
	       "what every program needs cannot be denied: %s", b->e.what);
	tap_is(&b->tap, ask(b, "nonesuch", "ptrace", NULL) < 0, "an unknown preset: %s", b->e.what);
	tap_is(&b->tap, ask(b, "agent", "--deny", NULL) < 0, "an option is no call: %s", b->e.what);
	tap_is(&b->tap, ask(b, "agent", "ptrace\nbpf", NULL) < 0, "a line break: %s", b->e.what);
}

/* Flip the last action of the cached program, so that it can be told from a fresh one. */
static bool mark(const char *path)
{
	own_fd fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat st;
	char byte = 42;

	return fd >= 0 && fstat(fd, &st) == 0 && pwrite(fd, &byte, 1, st.st_size - 4) == 1;
}

static bool marked(const struct bench *b)
{
	return b->f.len && (b->f.code[b->f.len - 1].k & 0xff) == 42;
}

static void test_cache(struct bench *b)
{
	char path[512] = "", other[520];
	struct stat st;
	struct text t;

	remove_cached(b);
	(void)ask(b, "agent", "ptrace bpf", "kcmp kcmp");
	tap_is(&b->tap,
	       cached_files(b, path, sizeof(path)) == 1 && stat(path, &st) == 0 &&
		       (st.st_mode & 07777) == 0600 && st.st_size % 8 == 0,
	       "a program is kept, for us alone");
	tap_is(&b->tap, mark(path) && ask(b, "agent", "bpf  ptrace", "kcmp") == 0 && marked(b),
	       "the same request in another order is read from the cache");
	tap_is(&b->tap,
	       chmod(path, 0644) == 0 && ask(b, "agent", "bpf ptrace", "kcmp") == 0 && !marked(b),
	       "a file that others may read is not trusted");
	tap_is(&b->tap, stat(path, &st) == 0 && (st.st_mode & 07777) == 0600, "and is replaced");
	text_init(&t, other, sizeof(other));
	text_addf(&t, "%s.real", path);
	tap_is(&b->tap,
	       mark(path) && rename(path, other) == 0 && symlink(other, path) == 0 &&
		       ask(b, "agent", "bpf ptrace", "kcmp") == 0 && !marked(b),
	       "a symbolic link is not followed");
	(void)unlink(other);
	tap_is(&b->tap,
	       mark(path) && truncate(path, 40) == 0 &&
		       ask(b, "agent", "bpf ptrace", "kcmp") == 0 && b->f.len > 100,
	       "a truncated file is not used");
	(void)unlink(path);
}

/* A file under the right name that was made for another request, as a hash collision would be. */
static void test_collision(struct bench *b)
{
	char first[512] = "", second[512] = "", kept[520];
	struct text t;

	remove_cached(b);
	(void)ask(b, "agent", "ptrace", NULL);
	(void)cached_files(b, first, sizeof(first));
	text_init(&t, kept, sizeof(kept));
	text_addf(&t, "%s/other", b->home);
	(void)rename(first, kept);
	(void)ask(b, "agent", "bpf", NULL);
	(void)cached_files(b, second, sizeof(second));
	tap_is(&b->tap,
	       rename(kept, second) == 0 && ask(b, "agent", "bpf", NULL) == 0 &&
		       gives(b, SYS_bpf, 0, "allow") && gives(b, SYS_ptrace, 0, "EPERM"),
	       "another request's program is not taken for ours");
	remove_cached(b);
}

static void test_no_cache(struct bench *b)
{
	char good[sizeof(b->home)], path[128];
	struct text t;

	memcpy(good, b->home, sizeof(good));
	text_init(&t, b->home, sizeof(b->home));
	text_add(&t, "/proc/nonesuch");
	tap_is(&b->tap, ask(b, "agent", "ptrace", NULL) == 0 && gives(b, SYS_ptrace, 0, "allow"),
	       "a cache that cannot be made does not matter");
	memcpy(b->home, good, sizeof(good));
	text_init(&t, path, sizeof(path));
	text_addf(&t, "%s/jail/filters", b->home);
	tap_is(&b->tap,
	       chmod(path, 0777) == 0 && ask(b, "agent", "ptrace", NULL) == 0 &&
		       !cached_files(b, good, sizeof(good)),
	       "a folder that others may write to is not used");
	(void)chmod(path, 0700);
}

static void clean_up(const struct bench *b)
{
	static const char *const dirs[] = { "/jail/filters", "/jail", "" };

	remove_cached(b);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		char path[128];
		struct text t;

		text_init(&t, path, sizeof(path));
		text_addf(&t, "%s%s", b->home, dirs[i]);
		(void)rmdir(path);
	}
}

int main(void)
{
	struct bench b = { .home = "/tmp/jail-test-custom.XXXXXX" };

	if (!mkdtemp(b.home) || arena_init(&b.arena, &b.e) < 0) {
		printf("Bail out! no temporary folder or no memory\n");
		return 1;
	}
	test_changes(&b);
	remove_cached(&b);
	test_errors(&b);
	test_cache(&b);
	test_collision(&b);
	test_no_cache(&b);
	clean_up(&b);
	arena_free(&b.arena);
	return tap_done(&b.tap);
}
