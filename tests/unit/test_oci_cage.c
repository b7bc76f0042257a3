// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit test of jail-unpack's cage: what is left to somebody who took it over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/own.h"
#include "oci/cage.h"
#include "oci/tree.h"

static char dir[] = "/tmp/jail-cage.XXXXXX";

static bool refused(long rc, int code)
{
	return rc == -1 && errno == code;
}

/* In the cage: the number of the first thing that is not as it should be, or 0. */
static int look_around(void)
{
	char *const none[] = { NULL };
	int fd = open("/inside", O_RDWR | O_CREAT, 0600);

	if (fd < 0 || write(fd, "x", 1) != 1 || mkdirat(AT_FDCWD, "/d", 0755) < 0)
		return 1;
	if (!refused(open("/etc/passwd", O_RDONLY), ENOENT) ||
	    !refused(open("/../../etc/passwd", O_RDONLY), ENOENT))
		return 2;
	if (!refused(socket(AF_UNIX, SOCK_STREAM, 0), ENOSYS) ||
	    !refused(socket(AF_INET, SOCK_STREAM, 0), ENOSYS))
		return 3;
	if (!refused(execve("/inside", none, none), ENOSYS))
		return 4;
	if (!refused(mknodat(AT_FDCWD, "/null", S_IFCHR | 0666, makedev(1, 3)), EPERM) ||
	    !refused(mknodat(AT_FDCWD, "/disk", S_IFBLK | 0666, makedev(8, 0)), EPERM) ||
	    mknodat(AT_FDCWD, "/whiteout", S_IFCHR, 0) < 0)
		return 5;
	if (!refused(fchmod(fd, 04755), EPERM) || !refused(fchmod(fd, 02755), EPERM) ||
	    fchmod(fd, 01755) < 0)
		return 6;
	if (!refused(openat(AT_FDCWD, "/suid", O_WRONLY | O_CREAT, 04755), EPERM))
		return 7;
	if (!refused(syscall(SYS_clone, 17 /* SIGCHLD */, 0, 0, 0, 0), EPERM))
		return 8;
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		return 9;
	if (!refused(syscall(SYS_ptrace, 0, 0, 0, 0), ENOSYS) ||
	    !refused(syscall(SYS_mount, 0, 0, 0, 0, 0), ENOSYS) ||
	    !refused(syscall(SYS_unshare, 0), ENOSYS) || !refused(syscall(SYS_kill, 1, 0), ENOSYS))
		return 10;
	return 0;
}

static void test_cage(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		struct err e = { 0 };
		int rc = cage_enter(dir, &e);

		if (rc < 0)
			_exit(e.stage == ST_CLONE ? 77 : 99);
		_exit(look_around());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int begin(void **state)
{
	(void)state;
	return !mkdtemp(dir);
}

static int end(void **state)
{
	(void)state;
	return tree_remove(AT_FDCWD, dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_cage) };

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, begin, end);
}
