// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * deny ERRNO CALL[,CALL...] -- COMMAND...: runs COMMAND, for which the named system calls fail, as a container's filter would. "netlink"
 * stands for socket(2) with that family, "netfilter" for that of it which nftables speaks.
 */

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/own.h"
#include "base/text.h"

#define CALLS_MAX 32

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "no number for this architecture: see linux/audit.h"
#endif

static const struct {
	const char *name;
	int nr;
} calls[] = {
	{ "fsconfig", K_NR_fsconfig },
	{ "fsmount", K_NR_fsmount },
	{ "fsopen", K_NR_fsopen },
	{ "fspick", 433 },
	{ "mount", SYS_mount },
	{ "mount_setattr", K_NR_mount_setattr },
	{ "move_mount", K_NR_move_mount },
	{ "netfilter", SYS_socket },
	{ "netlink", SYS_socket },
	{ "open_tree", K_NR_open_tree },
	{ "pivot_root", SYS_pivot_root },
	{ "umount2", SYS_umount2 },
};

static const struct {
	const char *name;
	int code;
} codes[] = {
	{ "EACCES", EACCES },
	{ "EAFNOSUPPORT", EAFNOSUPPORT },
	{ "EINVAL", EINVAL },
	{ "EIO", EIO },
	{ "ENOSYS", ENOSYS },
	{ "EPERM", EPERM },
	{ "EPROTONOSUPPORT", EPROTONOSUPPORT },
};

static int errno_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		if (str_eq(name, codes[i].name))
			return codes[i].code;
	}
	return 0;
}

static int number_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		if (str_eq(name, calls[i].name))
			return calls[i].nr;
	}
	return -1;
}

static struct sock_filter load(size_t offset)
{
	return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

static struct sock_filter answer(uint32_t action)
{
	return (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
}

/* Go on when the value that was loaded is `k`, and pass over `n` instructions when it is not. */
static struct sock_filter unless(uint32_t k, uint8_t n)
{
	return (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, 0, n);
}

/* `list` is taken apart. */
static int compile(char *list, int code, struct sock_filter *out)
{
	char *name;
	int n = 0, known = 0;
	bool netfilter;

	/* Another ABI has other numbers: none of ours. */
	out[n++] = load(offsetof(struct seccomp_data, arch));
	out[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	out[n++] = answer(SECCOMP_RET_ALLOW);
	out[n++] = load(offsetof(struct seccomp_data, nr));
	while ((name = strsep(&list, ","))) {
		int nr = number_of(name);

		if (nr < 0 || known++ == CALLS_MAX) {
			fprintf(stderr, "deny: system call '%s'\n", name);
			return -EINVAL;
		}
		netfilter = str_eq(name, "netfilter");
		out[n++] = unless((uint32_t)nr, nr != SYS_socket ? 1 : netfilter ? 5 : 3);
		if (nr == SYS_socket) {
			out[n++] = load(offsetof(struct seccomp_data, args[0]));
			out[n++] = unless(AF_NETLINK, netfilter ? 3 : 1);
		}
		if (netfilter) {
			out[n++] = load(offsetof(struct seccomp_data, args[2]));
			out[n++] = unless(NETLINK_NETFILTER, 1);
		}
		out[n++] = answer(SECCOMP_RET_ERRNO | ((uint32_t)code & SECCOMP_RET_DATA));
		out[n++] = load(offsetof(struct seccomp_data, nr));
	}
	out[n++] = answer(SECCOMP_RET_ALLOW);
	return n;
}

int main(int argc, char **argv)
{
	struct sock_filter code[7 * CALLS_MAX + 5];
	struct sock_fprog program = { .filter = code };
	int n, denied = argc > 1 ? errno_of(argv[1]) : 0;

	if (argc < 5 || !denied || !str_eq(argv[3], "--")) {
		fprintf(stderr, "usage: deny ERRNO CALL[,CALL...] -- COMMAND [ARG...]\n");
		return 2;
	}
	n = compile(argv[2], denied, code);
	if (n < 0)
		return 2;
	program.len = (unsigned short)n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
		perror("deny: load the filter");
		return 99;
	}
	(void)execvp(argv[4], argv + 4);
	perror(argv[4]);
	return errno == ENOENT ? 127 : 126;
}
