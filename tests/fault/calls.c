// SPDX-License-Identifier: GPL-2.0-or-later
/* What is worth knowing about a system call: its name, what it is about, whether it can fail; tests only. */
#include "tests/fault/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"

#define NR_MAX 512
#define NO     7 /* no such argument */

/* Which argument is a path or a name, which one selects what the call does, and which is a descriptor worth a name. */
static const struct {
	const char *name;
	unsigned char path, kind, kind2, fd;
} about[] = {
	{ "access", 0, NO, NO, NO },
	{ "arch_prctl", NO, 0, NO, NO },
	{ "chdir", 0, NO, NO, NO },
	{ "execve", 0, NO, NO, NO },
	{ "fchown", NO, NO, NO, 0 },
	{ "faccessat", 1, NO, NO, NO },
	{ "faccessat2", 1, NO, NO, NO },
	{ "fcntl", NO, 1, NO, NO },
	{ "fsconfig", 2, 1, NO, NO },
	{ "fsopen", 0, NO, NO, NO },
	{ "fstat", NO, NO, NO, 0 },
	{ "fstatfs", NO, NO, NO, 0 },
	{ "ftruncate", NO, NO, NO, 0 },
	{ "futex", NO, 1, NO, NO },
	{ "ioctl", NO, 1, NO, NO },
	{ "keyctl", NO, 0, NO, NO },
	{ "landlock_create_ruleset", NO, 2, NO, NO },
	{ "lstat", 0, NO, NO, NO },
	{ "mkdir", 0, NO, NO, NO },
	{ "mkdirat", 1, NO, NO, NO },
	{ "mount", 1, NO, NO, NO },
	{ "mount_setattr", 1, NO, NO, NO },
	{ "move_mount", 3, NO, NO, NO },
	{ "newfstatat", 1, NO, NO, 0 },
	{ "open", 0, NO, NO, NO },
	{ "open_tree", 1, NO, NO, NO },
	{ "openat", 1, NO, NO, NO },
	{ "openat2", 1, NO, NO, NO },
	{ "pivot_root", 0, NO, NO, NO },
	{ "prctl", NO, 0, 1, NO },
	{ "prlimit64", NO, 1, NO, NO },
	{ "read", NO, NO, NO, 0 },
	{ "readlink", 0, NO, NO, NO },
	{ "readlinkat", 1, NO, NO, NO },
	{ "seccomp", NO, 0, NO, NO },
	{ "stat", 0, NO, NO, NO },
	{ "statfs", 0, NO, NO, NO },
	{ "statx", 1, NO, NO, NO },
	{ "symlinkat", 2, NO, NO, NO },
	{ "umount2", 0, NO, NO, NO },
	{ "unlink", 0, NO, NO, NO },
	{ "unlinkat", 1, NO, NO, NO },
	{ "write", NO, NO, NO, 0 },
};

/* "This system call is always successful", says its page; or it has no result that anybody could look at. */
static const char *const infallible[] = {
	"exit",	   "exit_group", "getegid", "geteuid", "getgid",	  "getpgrp",	  "getpid",
	"getppid", "getuid",	 "gettid",  "umask",   "restart_syscall", "rt_sigreturn",
};

/* A sanitizer that is refused memory ends the process in its own words. */
static const char *const sanitizers[] = { "brk", "madvise", "mmap", "mprotect", "munmap" };

static const char *const writers[] = {
	"creat",     "fallocate", "ftruncate", "link",	   "linkat",	"mkdir",     "mkdirat",
	"mknod",     "mknodat",	  "rename",    "renameat", "renameat2", "rmdir",     "symlink",
	"symlinkat", "truncate",  "unlink",    "unlinkat", "chmod",	"fchmod",    "fchmodat",
	"chown",     "fchown",	  "fchownat",  "lchown",   "setxattr",	"utimensat",
};

#if defined(__SANITIZE_ADDRESS__)
const bool call_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
const bool call_sanitized = true;
#else
const bool call_sanitized = false;
#endif
#else
const bool call_sanitized = false;
#endif

const char *call_name(int nr)
{
	static char *names[NR_MAX];
	static char other[16];

	if (nr < 0 || nr >= NR_MAX) {
		(void)snprintf(other, sizeof(other), "call%d", nr);
		return other;
	}
	if (!names[nr])
		names[nr] = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, nr);
	if (!names[nr] && asprintf(&names[nr], "call%d", nr) < 0)
		abort();
	return names[nr];
}

int call_number(const char *name)
{
	return seccomp_syscall_resolve_name(name);
}

static bool is_one_of(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(name, list[i]))
			return true;
	}
	return false;
}

/* Text from the process's memory; false when it may not be read, as pid 1's once it is not dumpable. */
static bool peek_text(pid_t pid, uint64_t address, char *buf, size_t size)
{
	size_t n = 0;

	while (n + sizeof(long) < size) {
		long word;

		errno = 0;
		word = ptrace(PTRACE_PEEKDATA, pid, (void *)(uintptr_t)(address + n), NULL);
		if (errno)
			break;
		memcpy(buf + n, &word, sizeof(word));
		n += sizeof(word);
		if (memchr(&word, '\0', sizeof(word)))
			return true;
	}
	buf[n] = '\0';
	return n > 0;
}

static size_t about_of(const char *name)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(about) && !str_eq(about[i].name, name))
		i++;
	return i;
}

/* What the descriptor is open on. A number in the path is a process's, and another in each run. */
static void add_file(struct text *t, pid_t pid, uint64_t fd)
{
	char link[64], path[SEEN_TEXT];
	ssize_t n;

	(void)snprintf(link, sizeof(link), "/proc/%d/fd/%d", pid, (int)fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	text_add_clean(t, path);
}

void call_describe(struct seen *s, pid_t pid)
{
	const char *name = call_name(s->nr);
	size_t i = about_of(name);
	char path[SEEN_TEXT] = "";
	struct text t;

	text_init(&t, s->text, sizeof(s->text));
	text_addf(&t, "%s(", name);
	if (i < ARRAY_SIZE(about)) {
		if (about[i].kind != NO)
			text_addf(&t, "%llu", (unsigned long long)s->args[about[i].kind]);
		if (about[i].kind2 != NO)
			text_addf(&t, ",%llu", (unsigned long long)s->args[about[i].kind2]);
		if (about[i].path != NO && s->args[about[i].path] &&
		    !peek_text(pid, s->args[about[i].path], path, sizeof(path)))
			(void)snprintf(path, sizeof(path), "?");
		text_add_clean(&t, path);
		if (about[i].fd != NO && !path[0])
			add_file(&t, pid, s->args[about[i].fd]);
	}
	text_add(&t, ")");
}

uint64_t call_kind(const struct seen *s)
{
	size_t i = about_of(call_name(s->nr));

	return i < ARRAY_SIZE(about) && about[i].kind != NO ? s->args[about[i].kind] : 0;
}

bool call_writes(const struct seen *s)
{
	const char *name = call_name(s->nr);

	if (str_eq(name, "openat"))
		return s->args[2] & O_CREAT;
	if (str_eq(name, "open"))
		return s->args[1] & O_CREAT;
	/* no file of anybody's */
	if (str_starts(s->text, "fchown(pipe:") || str_starts(s->text, "ftruncate(/memfd:"))
		return false;
	return is_one_of(name, writers, ARRAY_SIZE(writers));
}

bool call_cannot_fail(const struct seen *s)
{
	const char *name = call_name(s->nr);

	/* P0 kills none but its own child. */
	if (str_eq(name, "kill"))
		return s->role == ROLE_P0;
	if (str_eq(name, "futex"))
		return ((unsigned)s->args[1] & (unsigned)FUTEX_CMD_MASK) == FUTEX_WAKE;
	if (call_sanitized && is_one_of(name, sanitizers, ARRAY_SIZE(sanitizers)))
		return true;
	return is_one_of(name, infallible, ARRAY_SIZE(infallible));
}
