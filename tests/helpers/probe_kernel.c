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
#include <unistd.h>

#include "base/own.h"
#include "tests/helpers/probe.h"

#define K_UFFD_USER_MODE_ONLY 1
#define K_X32_SYSCALL_BIT     0x40000000
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

	if (!probe_number(c->argv[0], UINT32_MAX, &persona))
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

/* getpid of the 32-bit interface; a filter that only looks at numbers takes it for writev. */
static int int80_getpid(uint64_t arg)
{
	long r = 20;

	(void)arg;
	__asm__ volatile("int $0x80" : "+a"(r) : : "memory", "r8", "r9", "r10", "r11");
	return r < 0 ? (int)-r : r == getpid() ? 0 : EPROTO;
}

static int x32_getpid(uint64_t arg)
{
	long r = syscall(K_X32_SYSCALL_BIT | SYS_getpid);

	(void)arg;
	return r < 0 ? errno : 0;
}
#else
static int not_here(uint64_t arg)
{
	(void)arg;
	return ENOSYS;
}
#define read_ldt     not_here
#define int80_getpid not_here
#define x32_getpid   not_here
#endif

static long try_modify_ldt(const struct call *c)
{
	return probe_in_child(c, read_ldt, 0);
}

static long try_int80(const struct call *c)
{
	return probe_in_child(c, int80_getpid, 0);
}

static long try_x32(const struct call *c)
{
	return probe_in_child(c, x32_getpid, 0);
}

const struct probe probes_kernel[] = {
	{ "keyctl", "", 0, 0, try_keyctl, 0 },
	{ "add_key", "", 0, 0, try_add_key, 0 },
	{ "request_key", "", 0, 0, try_request_key, 0 },
	{ "bpf", "", 0, 0, try_bpf, 0 },
	{ "userfaultfd", "", 0, 0, try_userfaultfd, 0 },
	{ "perf", "", 0, 0, try_perf, 0 },
	{ "io_uring", "", 0, 0, try_io_uring, 0 },
	{ "open_by_handle", "", 0, 0, try_open_by_handle, 0 },
	{ "finit_module", "", 0, 0, try_finit_module, 0 },
	{ "kexec", "", 0, 0, try_kexec, 0 },
	{ "personality", "NUMBER", 1, 1, try_personality, 0 },
	{ "modify_ldt", "", 0, 0, try_modify_ldt, 0 },
	{ "int80", "", 0, 0, try_int80, 0 },
	{ "x32", "", 0, 0, try_x32, 0 },
	{ 0 },
};
