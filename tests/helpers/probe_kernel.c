// SPDX-License-Identifier: GPL-2.0-or-later
/* Attempts at parts of the kernel that a jail hides; runs inside a jail. */

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/helpers/probe.h"

#define K_UFFD_USER_MODE_ONLY 1
#define HANDLE_BYTES	      128

static long try_keyctl(const struct call *c)
{
	(void)c;
	return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0, 0, 0);
}

static long try_add_key(const struct call *c)
{
	(void)c;
	return syscall(SYS_add_key, "user", "jail-probe", "x", 1, KEY_SPEC_PROCESS_KEYRING);
}

static long try_request_key(const struct call *c)
{
	(void)c;
	return syscall(SYS_request_key, "user", "jail-probe", NULL, KEY_SPEC_PROCESS_KEYRING);
}

/* As jail's launcher would leave it: a key of the session's, then another program. */
static long with_key(const struct call *c)
{
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 ||
	    syscall(SYS_add_key, "user", c->argv[0], "x", 1, KEY_SPEC_SESSION_KEYRING) < 0)
		return PROBE_UNREADY;
	(void)execvp(c->argv[1], c->argv + 1);
	return PROBE_UNREADY;
}

/* Into the session's keyring, where everybody of that session finds it. */
static long plant_key(const struct call *c)
{
	return syscall(SYS_add_key, "user", c->argv[0], "x", 1, KEY_SPEC_SESSION_KEYRING);
}

static long find_key(const struct call *c)
{
	return syscall(SYS_request_key, "user", c->argv[0], NULL, 0);
}

static long try_bpf(const struct call *c)
{
	union bpf_attr attr;

	(void)c;
	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = 4;
	attr.value_size = 4;
	attr.max_entries = 1;
	return syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
}

/* "return 0", for a socket. */
static long load_program(const struct call *c)
{
	static const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;

	(void)c;
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uintptr_t)program;
	attr.insn_cnt = ARRAY_SIZE(program);
	attr.license = (uintptr_t) "GPL";
	return syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static long try_userfaultfd(const struct call *c)
{
	(void)c;
	return syscall(SYS_userfaultfd, O_CLOEXEC | K_UFFD_USER_MODE_ONLY);
}

static long try_perf(const struct call *c)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	(void)c;
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static long try_io_uring(const struct call *c)
{
	struct io_uring_params params = { 0 };

	(void)c;
	return syscall(SYS_io_uring_setup, 4, &params);
}

/* No ring has this descriptor: EBADF and EOPNOTSUPP say that the call was allowed. */
static long try_io_uring_enter(const struct call *c)
{
	own_fd fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return PROBE_UNREADY;
	return c->data ? syscall(SYS_io_uring_register, fd, 0, NULL, 0)
		       : syscall(SYS_io_uring_enter, fd, 0, 0, 0, NULL, 0);
}

static long try_name_to_handle(const struct call *c)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + HANDLE_BYTES];
	} u = { .handle = { .handle_bytes = HANDLE_BYTES } };
	int mount_id;

	(void)c;
	return name_to_handle_at(AT_FDCWD, "/", &u.handle, &mount_id, 0);
}

/*
 * What belongs to the machine, or is old (SYS-14). Permission is asked for first, and each is then
 * stopped by an argument: ENOENT, EINVAL and the like say that the call was allowed. ADJTIMEX and
 * those below ask only, or act on this process.
 */
enum {
	M_REBOOT,
	M_SWAPON,
	M_SWAPOFF,
	M_ACCT,
	M_DELETE_MODULE,
	M_INIT_MODULE,
	M_KEXEC_FILE,
	M_QUOTACTL,
	M_ADJTIMEX,
	M_SYSLOG,
	M_FANOTIFY,
	M_MBIND,
	M_GET_MEMPOLICY,
	M_MOVE_PAGES,
	M_IOPL,
	M_USELIB,
};

static long machine_call(uint64_t which)
{
	static const char nowhere[] = "/nonexistent/jail-probe";
	static char page[2 * 4096];
	void *at = (void *)(((uintptr_t)page + 4095) & ~(uintptr_t)4095);
	struct timex clock = { .modes = 0 };
	int status = 0;

	switch (which) {
	case M_REBOOT:
		return syscall(SYS_reboot, 0, 0, 0, NULL);
	case M_SWAPON:
		return syscall(SYS_swapon, nowhere, 0);
	case M_SWAPOFF:
		return syscall(SYS_swapoff, nowhere);
	case M_ACCT:
		return syscall(SYS_acct, nowhere);
	case M_DELETE_MODULE:
		return syscall(SYS_delete_module, "jail_probe_no_module", O_NONBLOCK);
	case M_INIT_MODULE:
		return syscall(SYS_init_module, page, sizeof(page), "");
	case M_KEXEC_FILE:
		return syscall(SYS_kexec_file_load, -1, -1, 0, NULL, 0x8000);
	case M_QUOTACTL:
		return syscall(SYS_quotactl, 0x800001 << 8, NULL, 0, NULL); /* Q_SYNC */
	case M_ADJTIMEX:
		return syscall(SYS_adjtimex, &clock);
	case M_SYSLOG:
		return syscall(SYS_syslog, 10, NULL, 0); /* how large is it */
	case M_FANOTIFY:
		return syscall(SYS_fanotify_init, 0x200, O_RDONLY); /* FAN_REPORT_FID */
	case M_MBIND:
		return syscall(SYS_mbind, at, 4096, 0, NULL, 0, 0);
	case M_GET_MEMPOLICY:
		return syscall(SYS_get_mempolicy, NULL, NULL, 0, NULL, 0);
	case M_MOVE_PAGES:
		return syscall(SYS_move_pages, 0, 1, &at, NULL, &status, 0);
#ifdef __x86_64__
	case M_IOPL:
		return syscall(SYS_iopl, 0);
	case M_USELIB:
		return syscall(SYS_uselib, nowhere);
#endif
	default:
		errno = ENOSYS;
		return -1;
	}
}

static long try_machine(const struct call *c)
{
	return machine_call(c->data);
}

/*
 * Where the handle itself cannot be had, one that is made up: permission is asked for before it is
 * read.
 */
static long try_open_by_handle(const struct call *c)
{
	own_fd dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = FD_NONE;
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + HANDLE_BYTES];
	} u = { .handle = { .handle_bytes = HANDLE_BYTES } };
	int mount_id;

	(void)c;
	if (dir < 0)
		return PROBE_UNREADY;
	if (name_to_handle_at(AT_FDCWD, "/", &u.handle, &mount_id, 0) < 0) {
		u.handle.handle_bytes = 8;
		u.handle.handle_type = 1;
	}
	fd = open_by_handle_at(dir, &u.handle, O_RDONLY | O_CLOEXEC);
	return fd;
}

/* /dev/null is no module: ENOEXEC or EINVAL say that loading was allowed. */
static long try_finit_module(const struct call *c)
{
	own_fd fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)c;
	if (fd < 0)
		return PROBE_UNREADY;
	return syscall(SYS_finit_module, fd, "", 0);
}

/*
 * With a flag that does not exist, which is looked at after permission: no segments would mean
 * "unload".
 */
static long try_kexec(const struct call *c)
{
	(void)c;
	return syscall(SYS_kexec_load, 0, 0, NULL, 0x8000);
}

static long try_personality(const struct call *c)
{
	uint64_t persona;

	if (!probe_number(c->argv[0], UINT64_MAX, &persona))
		return PROBE_USAGE;
	return syscall(SYS_personality, persona);
}

#ifdef __x86_64__
static int read_ldt(uint64_t arg)
{
	char entries[64];

	(void)arg;
	return syscall(SYS_modify_ldt, 0, entries, sizeof(entries)) < 0 ? errno : 0;
}
#else
static int not_here(uint64_t arg)
{
	(void)arg;
	return ENOSYS;
}
#define read_ldt not_here
#endif

static long try_modify_ldt(const struct call *c)
{
	return probe_in_child(c, read_ldt, 0);
}

const struct probe probes_kernel[] = {
	{ "keyctl", "", 0, 0, try_keyctl, 0 },
	{ "add_key", "", 0, 0, try_add_key, 0 },
	{ "request_key", "", 0, 0, try_request_key, 0 },
	{ "with-key", "NAME COMMAND...", 2, 64, with_key, 0 },
	{ "plant-key", "NAME", 1, 1, plant_key, 0 },
	{ "find-key", "NAME", 1, 1, find_key, 0 },
	{ "bpf", "", 0, 0, try_bpf, 0 },
	{ "bpf-program", "", 0, 0, load_program, 0 },
	{ "userfaultfd", "", 0, 0, try_userfaultfd, 0 },
	{ "perf", "", 0, 0, try_perf, 0 },
	{ "io_uring", "", 0, 0, try_io_uring, 0 },
	{ "io_uring_enter", "", 0, 0, try_io_uring_enter, 0 },
	{ "io_uring_register", "", 0, 0, try_io_uring_enter, 1 },
	{ "name_to_handle", "", 0, 0, try_name_to_handle, 0 },
	{ "reboot", "", 0, 0, try_machine, M_REBOOT },
	{ "swapon", "", 0, 0, try_machine, M_SWAPON },
	{ "swapoff", "", 0, 0, try_machine, M_SWAPOFF },
	{ "acct", "", 0, 0, try_machine, M_ACCT },
	{ "delete_module", "", 0, 0, try_machine, M_DELETE_MODULE },
	{ "init_module", "", 0, 0, try_machine, M_INIT_MODULE },
	{ "kexec_file", "", 0, 0, try_machine, M_KEXEC_FILE },
	{ "quotactl", "", 0, 0, try_machine, M_QUOTACTL },
	{ "adjtimex", "", 0, 0, try_machine, M_ADJTIMEX },
	{ "syslog", "", 0, 0, try_machine, M_SYSLOG },
	{ "fanotify_init", "", 0, 0, try_machine, M_FANOTIFY },
	{ "mbind", "", 0, 0, try_machine, M_MBIND },
	{ "get_mempolicy", "", 0, 0, try_machine, M_GET_MEMPOLICY },
	{ "move_pages", "", 0, 0, try_machine, M_MOVE_PAGES },
	{ "iopl", "", 0, 0, try_machine, M_IOPL },
	{ "uselib", "", 0, 0, try_machine, M_USELIB },
	{ "open_by_handle", "", 0, 0, try_open_by_handle, 0 },
	{ "finit_module", "", 0, 0, try_finit_module, 0 },
	{ "kexec", "", 0, 0, try_kexec, 0 },
	{ "personality", "NUMBER", 1, 1, try_personality, 0 },
	{ "modify_ldt", "", 0, 0, try_modify_ldt, 0 },
	{ 0 },
};
