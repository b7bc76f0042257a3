// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command of the fault tests: writes down everything that makes up its confinement, and thereby that it ran at all; runs inside a
 * jail. The report goes to the file "report" in the workspace, or to stdout when the workspace is read-only.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/text.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

#define DEPTH_MAX 6

static char report_buf[256 << 10];
static char file_buf[128 << 10];

static const char *error_of(long rc)
{
	return rc < 0 ? strerror(errno) : "allowed";
}

/* The lines of /proc/PID/status that say what a process may do. */
static void add_status(struct text *t, const char *path, bool self)
{
	static const char *const lines[] = { "Umask:",	"NSpid:",  "PPid:",   "Uid:",	 "Gid:",
					     "Groups:", "SigIgn:", "SigCgt:", "CapInh:", "CapPrm:",
					     "CapEff:", "CapBnd:", "CapAmb:", "NoNew",	 "Seccomp" };
	ssize_t n = fs_read_file_at(AT_FDCWD, path, file_buf, sizeof(file_buf), false);
	char *line = file_buf;

	text_addf(t, "%s\n", path);
	if (n < 0) {
		text_addf(t, "  %s\n", strerror((int)-n));
		return;
	}
	while (line && *line) {
		char *end = strchr(line, '\n');

		if (end)
			*end++ = '\0';
		for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
			if (str_starts(line, lines[i]))
				text_addf(t, "  %s\n", line);
		}
		/* pid 1 blocks all but one while it waits, and a few while it does not. */
		if (self && str_starts(line, "SigBlk:"))
			text_addf(t, "  %s\n", line);
		line = end;
	}
}

static void add_fds(struct text *t)
{
	own_dir dir = opendir("/proc/self/fd");
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		char target[256];
		uint64_t fd;
		ssize_t n;

		if (!str_to_u64(d->d_name, INT32_MAX, &fd) || (int)fd == dirfd(dir))
			continue;
		n = readlinkat(dirfd(dir), d->d_name, target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		target[strcspn(target, "[")] = '\0'; /* pipe:[1234] */
		text_addf(t, "fd %s %s %o\n", d->d_name, target, fcntl((int)fd, F_GETFL));
	}
}

/* "36 35 98:0 /mnt1 /mnt2 rw,noatime shared:1 - ext3 /dev/root rw": without the numbers. */
static void add_mounts(struct text *t)
{
	char *line = file_buf;

	if (fs_read_file_at(AT_FDCWD, "/proc/self/mountinfo", file_buf, sizeof(file_buf), false) < 0)
		text_addf(t, "mountinfo: %s\n", strerror(errno));
	while (line && *line) {
		char *end = strchr(line, '\n'), *layers;

		if (end)
			*end++ = '\0';
		for (int field = 0; field < 3; field++) {
			line += strcspn(line, " ");
			line += strspn(line, " ");
		}
		layers = strstr(line, ",lowerdir");
		if (layers) /* an overlay's, by the numbers of descriptors, which are never the same */
			*layers = '\0';
		text_addf(t, "mount %s\n", line);
		line = end;
	}
}

static void add_limits(struct text *t)
{
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		struct rlimit l = { 0 };

		(void)getrlimit((__rlimit_resource_t)i, &l);
		text_addf(t, "limit %d %llu %llu\n", i, (unsigned long long)l.rlim_cur,
			  (unsigned long long)l.rlim_max);
	}
}

/* What unshare says is seccomp's word; these are the kernel's own. */
static void add_sysctls(struct text *t)
{
	static const char *const names[] = { "user", "mnt", "pid",    "net",
					     "ipc",  "uts", "cgroup", "time" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[64], value[32];
		ssize_t n;

		(void)snprintf(path, sizeof(path), "/proc/sys/user/max_%s_namespaces", names[i]);
		n = fs_read_file_at(AT_FDCWD, path, value, sizeof(value), false);
		text_addf(t, "sysctl %s %s", path, n < 0 ? strerror((int)-n) : value);
		text_add(t, n < 0 ? "\n" : "");
	}
}

static void add_net(struct text *t)
{
	own_fd fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct if_nameindex *all;

	if (fd < 0) {
		text_addf(t, "socket: %s\n", strerror(errno));
		return;
	}
	for (int i = 1; i < 64; i++) {
		struct ifreq r = { .ifr_ifindex = i };

		if (ioctl(fd, SIOCGIFNAME, &r) < 0)
			continue;
		text_addf(t, "interface %s", r.ifr_name);
		text_addf(t, " flags %x\n",
			  ioctl(fd, SIOCGIFFLAGS, &r) < 0 ? 0xffff : (unsigned short)r.ifr_flags);
	}
	all = if_nameindex();
	text_addf(t, "nameindex: %s\n", all ? "yes" : strerror(errno));
	if (all)
		if_freenameindex(all);
}

static uint64_t hash_file(int dir, const char *name)
{
	uint64_t h = 14695981039346656037u;
	ssize_t n = fs_read_file_at(dir, name, file_buf, sizeof(file_buf), true);

	for (ssize_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)file_buf[i]) * 1099511628211u;
	return n < 0 ? 0 : h;
}

/* One name of a directory; opened when it is a directory of the root's own file system. */
static void add_entry(struct text *t, int dir, const char *at, const char *name, dev_t root,
		      int *ret_fd)
{
	char target[256] = "";
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		text_addf(t, "tree %s/%s %s\n", at, name, strerror(errno));
		return;
	}
	if (st.st_dev != root)
		return; /* a mount: its attributes are told elsewhere */
	if (S_ISLNK(st.st_mode)) {
		ssize_t n = readlinkat(dir, name, target, sizeof(target) - 1);

		target[n > 0 ? n : 0] = '\0';
	}
	text_addf(t, "tree %s/%s %o %u:%u %s", at, name, st.st_mode, st.st_uid, st.st_gid, target);
	/* The machine's id is another in each jail. */
	if (S_ISREG(st.st_mode) && !str_eq(name, "machine-id"))
		text_addf(t, "%llx", (unsigned long long)hash_file(dir, name));
	text_add(t, "\n");
	if (S_ISDIR(st.st_mode))
		*ret_fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/* All that was made on the root itself. */
static void add_tree(struct text *t, int root_fd)
{
	struct level {
		DIR *dir;
		char at[512];
	} stack[DEPTH_MAX] = { { .dir = fdopendir(root_fd) } };
	size_t depth = 1;
	struct stat root;
	struct text at;

	if (stat("/", &root) < 0 || !stack[0].dir)
		text_addf(t, "tree / %s\n", strerror(errno));
	while (depth) {
		struct level *l = &stack[depth - 1];
		struct dirent *d = l->dir ? readdir(l->dir) : NULL;
		int fd = FD_NONE;

		if (!d) {
			dir_release(&l->dir);
			depth--;
			continue;
		}
		if (!str_eq(d->d_name, ".") && !str_eq(d->d_name, ".."))
			add_entry(t, dirfd(l->dir), l->at, d->d_name, root.st_dev, &fd);
		if (fd < 0 || depth == DEPTH_MAX) {
			fd_release(&fd);
			continue;
		}
		text_init(&at, stack[depth].at, sizeof(stack[depth].at));
		text_addf(&at, "%s/%s", stack[depth - 1].at, d->d_name);
		stack[depth++].dir = fdopendir(fd);
	}
}

static void add_attempts(struct text *t)
{
	static const struct {
		const char *name;
		int flag;
	} spaces[] = {
		{ "user", CLONE_NEWUSER },     { "mnt", CLONE_NEWNS },	  { "pid", CLONE_NEWPID },
		{ "net", CLONE_NEWNET },       { "ipc", CLONE_NEWIPC },	  { "uts", CLONE_NEWUTS },
		{ "cgroup", CLONE_NEWCGROUP }, { "time", CLONE_NEWTIME },
	};
	own_fd fd = FD_NONE;
	char name[256] = "";

	/* The mount is writable, the file is ours, and the rule for /proc has no truncation: only Landlock is in the way. */
	fd = open("/proc/self/comm", O_WRONLY | O_TRUNC | O_CLOEXEC);
	text_addf(t, "landlock: truncate %s\n", error_of(fd));
	fd_release(&fd);
	fd = open("/proc/self/comm", O_WRONLY | O_CLOEXEC);
	text_addf(t, "landlock: write %s\n", error_of(fd));
	fd_release(&fd);
	fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
	text_addf(t, "terminal: %s\n",
		  fd < 0		       ? strerror(errno)
		  : tcgetpgrp(fd) == getpgrp() ? "foreground"
					       : "background");
	(void)gethostname(name, sizeof(name));
	text_addf(t, "hostname %s, setting it: %s\n", name, error_of(sethostname(name, strlen(name))));
	text_addf(t, "session keyring: %s\n",
		  error_of(syscall(SYS_keyctl, 0 /* KEYCTL_GET_KEYRING_ID */, -3, 0)));
	text_addf(t, "dumpable %d\n", prctl(PR_GET_DUMPABLE));
	for (size_t i = 0; i < ARRAY_SIZE(spaces); i++)
		text_addf(t, "unshare %s: %s\n", spaces[i].name, error_of(unshare(spaces[i].flag)));
}

static void add_self(struct text *t, char **argv, char **envp)
{
	char cwd[4096] = "";

	text_addf(t, "cwd %s\n", getcwd(cwd, sizeof(cwd)) ? cwd : strerror(errno));
	text_addf(t, "ids %u %u %u %u\n", getuid(), geteuid(), getgid(), getegid());
	text_addf(t, "process %d group %d session %d\n", getpid(), getpgrp(), getsid(0));
	for (char **v = argv; *v; v++)
		text_addf(t, "argv %s\n", *v);
	for (char **v = envp; *v; v++)
		text_addf(t, "env %s\n", *v);
}

int main(int argc, char **argv, char **envp)
{
	struct text t;
	int out;

	(void)argc;
	text_init(&t, report_buf, sizeof(report_buf));
	add_self(&t, argv, envp);
	add_status(&t, "/proc/self/status", true);
	add_fds(&t);
	add_mounts(&t);
	add_limits(&t);
	add_sysctls(&t);
	add_net(&t);
	add_tree(&t, open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	add_attempts(&t);
	/* The last one: in a test pid 1 may be dying by now, and only this tells of it. */
	add_status(&t, "/proc/1/status", false);
	if (t.full)
		return 3;
	out = open("report", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fs_write_all(out < 0 ? STDOUT_FILENO : out, t.buf, t.len) < 0)
		return 4;
	return out >= 0 && fs_write_all(STDOUT_FILENO, "ran\n", 4) < 0 ? 5 : 0;
}
