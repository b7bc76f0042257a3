// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * seccomp programs by name: the shipped ones from filters.inc, a profile's own from jail-filter by
 * way of the user's cache. Runs in P0, before any process of the jail is made.
 *
 * A cached file holds the whole request (preset, sorted names, and which jail-filter answered), and
 * then the program. It counts only when its request is ours byte for byte, so that its name may be
 * a weak hash, and a new jail-filter replaces what an old one wrote. The cache is a convenience:
 * one that cannot be read or written is passed over, never an error. What can be written there
 * decides what the next jail may do: files.c refuses to make the folder writable inside one.
 */
#include "sandbox/filter.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/paths.h"
#include "base/text.h"

#include "sandbox/filters.inc"

#define FORMAT	    "jail-filter cache 1"
#define INSNS_MAX   4096 /* the kernel's BPF_MAXINSNS */
#define WORDS_MAX   512	 /* names in one list */
#define REQUEST_MAX 32768

/* A list of names, sorted, each once. */
struct words {
	const char *word[WORDS_MAX];
	size_t n;
};

struct request {
	const char *preset, *helper; /* helper: the path of jail-filter */
	struct words allow, deny;
	char *text;	 /* the request in full, as it stands at the head of a cached file */
	size_t text_len; /* padded with NUL to a multiple of an instruction */
	char name[32];	 /* of the cached file */
};

struct filter filter_shipped(const char *preset)
{
	for (size_t i = 0; i < ARRAY_SIZE(NATIVE); i++)
		if (str_eq(NATIVE[i].preset, preset))
			return NATIVE[i].filter;
	return (struct filter){ .code = NULL, .len = 0 };
}

static int compare_words(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int split_words(struct arena *a, const char *list, struct words *ret, struct err *e)
{
	size_t n = 0;

	ret->n = 0;
	if (list && strchr(list, '\n')) /* the request's own separator */
		return err_set(e, ST_FILTER, EINVAL, "a line break among system calls");
	for (const char *at = list ? list : ""; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
		if (ret->n == WORDS_MAX)
			return err_set(e, ST_FILTER, E2BIG, "more than %d system calls in a list",
				       WORDS_MAX);
		ret->word[ret->n++] = arena_strndup(a, at, strcspn(at, " "));
	}
	qsort(ret->word, ret->n, sizeof(ret->word[0]), compare_words);
	for (size_t i = 0; i < ret->n; i++)
		if (!n || !str_eq(ret->word[n - 1], ret->word[i]))
			ret->word[n++] = ret->word[i];
	ret->n = n;
	return 0;
}

static uint64_t fnv1a(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
	return h;
}

static void add_words(struct text *t, const char *key, const struct words *words)
{
	text_add(t, key);
	for (size_t i = 0; i < words->n; i++)
		text_addf(t, " %s", words->word[i]);
	text_add(t, "\n");
}

/* Fill in text and name. The name leaves the helper out, so that a new one takes over the file. */
static int describe(struct arena *a, struct request *r, struct err *e)
{
	struct stat st;
	struct text t, name;

	if (stat(r->helper, &st) < 0)
		return err_set(e, ST_FILTER, errno, "find '%s'", r->helper);
	r->text = arena_alloc(a, REQUEST_MAX);
	text_init(&t, r->text, REQUEST_MAX - sizeof(struct sock_filter));
	text_addf(&t, FORMAT "\npreset %s\n", r->preset);
	add_words(&t, "allow", &r->allow);
	add_words(&t, "deny", &r->deny);
	text_init(&name, r->name, sizeof(r->name));
	text_addf(&name, "%016llx", (unsigned long long)fnv1a(t.buf, t.len));
	text_addf(&t, "helper %llu %llu %lld %lld.%09ld\n", (unsigned long long)st.st_dev,
		  (unsigned long long)st.st_ino, (long long)st.st_size,
		  (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	if (t.full)
		return err_set(e, ST_FILTER, E2BIG, "too many system calls in a list");
	r->text_len = (t.len / sizeof(struct sock_filter) + 1) * sizeof(struct sock_filter);
	return 0;
}

/* Open, or make, a folder that is ours alone. */
static int open_private_dir(int at, const char *name)
{
	own_fd fd = FD_NONE;
	struct stat st;

	(void)mkdirat(at, name, 0700);
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || st.st_uid != geteuid() || (st.st_mode & 022))
		return -EPERM;
	return fd_take(&fd);
}

/* The cache folder, or -errno: then there is none. */
static int open_cache(const char *cache_home)
{
	own_fd home = FD_NONE, jail = FD_NONE;

	if (!cache_home || cache_home[0] != '/')
		return -ENOENT;
	(void)mkdir(cache_home, 0700);
	home = open(cache_home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (home < 0)
		return -errno;
	jail = open_private_dir(home, "jail");
	if (jail < 0)
		return jail;
	return open_private_dir(jail, "filters");
}

/* Bytes of a program into the arena; false when no program has that many. */
static bool keep_program(struct arena *a, const char *bytes, size_t size, struct filter *ret)
{
	struct sock_filter *code;

	if (!size || size % sizeof(*code) || size / sizeof(*code) > INSNS_MAX)
		return false;
	code = arena_array(a, struct sock_filter, size / sizeof(*code));
	memcpy(code, bytes, size);
	*ret = (struct filter){ .code = code, .len = size / sizeof(*code) };
	return true;
}

static bool read_cached(struct arena *a, int dir, const struct request *r, struct filter *ret)
{
	const size_t max = REQUEST_MAX + INSNS_MAX * sizeof(struct sock_filter) + 1;
	own_fd fd = openat(dir, r->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	own_str buf = NULL;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 07777) != 0600)
		return false;
	buf = malloc(max);
	n = buf ? fs_read_fd(fd, buf, max) : -ENOMEM;
	if (n < 0 || (size_t)n <= r->text_len || memcmp(buf, r->text, r->text_len) != 0)
		return false;
	return keep_program(a, buf + r->text_len, (size_t)n - r->text_len, ret);
}

static void write_cached(int dir, const struct request *r, const struct filter *f)
{
	own_fd fd = FD_NONE;
	char temp[64];
	struct text t;

	text_init(&t, temp, sizeof(temp));
	text_addf(&t, ".%s.%ld", r->name, (long)getpid());
	(void)unlinkat(dir, temp, 0); /* left by a process of our number that died */
	fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (fchmod(fd, 0600) < 0 || fs_write_all(fd, r->text, r->text_len) < 0 ||
	    fs_write_all(fd, f->code, f->len * sizeof(*f->code)) < 0 ||
	    renameat(dir, temp, dir, r->name) < 0)
		(void)unlinkat(dir, temp, 0);
}

static char **make_argv(struct arena *a, const struct request *r)
{
	char **argv = arena_array(a, char *, 2 * (r->allow.n + r->deny.n) + 3);
	size_t n = 0;

	argv[n++] = arena_strdup(a, "jail-filter");
	argv[n++] = arena_strdup(a, r->preset);
	for (size_t i = 0; i < r->allow.n; i++) {
		argv[n++] = arena_strdup(a, "--allow");
		argv[n++] = arena_strdup(a, r->allow.word[i]);
	}
	for (size_t i = 0; i < r->deny.n; i++) {
		argv[n++] = arena_strdup(a, "--deny");
		argv[n++] = arena_strdup(a, r->deny.word[i]);
	}
	return argv;
}

/* Start the helper with nothing but its arguments: no environment, no input, no signal settings. */
static int spawn_helper(const char *path, char **argv, int out, int err, pid_t *ret)
{
	char *no_env[] = { NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t all, none;
	int r;

	(void)sigfillset(&all);
	(void)sigemptyset(&none);
	r = posix_spawn_file_actions_init(&files);
	if (r)
		return -r;
	r = posix_spawnattr_init(&attr);
	if (!r) {
		r = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
		r = r ? r : posix_spawn_file_actions_adddup2(&files, out, 1);
		r = r ? r : posix_spawn_file_actions_adddup2(&files, err, 2);
		r = r ? r : posix_spawnattr_setsigdefault(&attr, &all);
		r = r ? r : posix_spawnattr_setsigmask(&attr, &none);
		r = r ? r
		      : posix_spawnattr_setflags(&attr,
						 POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
		r = r ? r : posix_spawn(ret, path, &files, &attr, argv, no_env);
		(void)posix_spawnattr_destroy(&attr);
	}
	(void)posix_spawn_file_actions_destroy(&files);
	return -r;
}

static int wait_helper(pid_t pid, int *ret_status)
{
	while (waitpid(pid, ret_status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* Turn what the helper said, and how it ended, into a program or an error. */
static int take_answer(struct arena *a, const char *bytes, ssize_t n, int status, char *said,
		       struct filter *ret, struct err *e)
{
	said[strcspn(said, "\n")] = '\0';
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return err_set(e, ST_FILTER, 0, "%s", *said ? said : "jail-filter failed");
	if (n < 0 || !keep_program(a, bytes, (size_t)n, ret))
		return err_set(e, ST_FILTER, 0, "jail-filter gave no seccomp program");
	return 0;
}

/* Both pipes hold more than the helper ever writes, so they can be read one after the other. */
static int compile(struct arena *a, const struct request *r, struct filter *ret, struct err *e)
{
	const size_t max = INSNS_MAX * sizeof(struct sock_filter) + 1;
	own_fd out_r = FD_NONE, out_w = FD_NONE, err_r = FD_NONE, err_w = FD_NONE;
	own_str bytes = malloc(max);
	char said[sizeof(e->what)] = "";
	int out[2], err[2], status = 0, done;
	pid_t pid = -1;
	ssize_t n;

	if (!bytes)
		return err_set(e, ST_FILTER, ENOMEM, "read from jail-filter");
	if (pipe2(out, O_CLOEXEC) < 0)
		return err_set(e, ST_FILTER, errno, "make a pipe to jail-filter");
	out_r = out[0];
	out_w = out[1];
	if (pipe2(err, O_CLOEXEC) < 0)
		return err_set(e, ST_FILTER, errno, "make a pipe to jail-filter");
	err_r = err[0];
	err_w = err[1];
	done = spawn_helper(r->helper, make_argv(a, r), out_w, err_w, &pid);
	if (done < 0)
		return err_set(e, ST_FILTER, -done, "run '%s'", r->helper);
	fd_release(&out_w);
	fd_release(&err_w);
	n = fs_read_fd(out_r, bytes, max);
	fd_release(&out_r);
	if (fs_read_fd(err_r, said, sizeof(said)) < 0)
		said[sizeof(said) - 1] = '\0';
	fd_release(&err_r);
	done = wait_helper(pid, &status);
	if (done < 0)
		return err_set(e, ST_FILTER, -done, "wait for jail-filter");
	return take_answer(a, bytes, n, status, said, ret, e);
}

int filter_custom(struct arena *a, const char *cache_home, const char *preset, const char *allow,
		  const char *deny, struct filter *ret, struct err *e)
{
	struct request *r = arena_new(a, struct request);
	own_fd dir = FD_NONE;
	int done;

	r->preset = preset;
	r->helper = arena_printf(a, "%s/jail-filter", path_libexec);
	done = split_words(a, allow, &r->allow, e);
	if (done >= 0)
		done = split_words(a, deny, &r->deny, e);
	if (done >= 0 && !r->allow.n && !r->deny.n && filter_shipped(preset).len) {
		*ret = filter_shipped(preset);
		return 0;
	}
	if (done >= 0)
		done = describe(a, r, e);
	if (done < 0)
		return done;
	dir = open_cache(cache_home);
	if (dir >= 0 && read_cached(a, dir, r, ret))
		return 0;
	done = compile(a, r, ret, e);
	if (done >= 0 && dir >= 0)
		write_cached(dir, r, ret);
	return done;
}
