// SPDX-License-Identifier: GPL-2.0-or-later
/* The cage of jail-pull: what a child that is in it can do, and what not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "landlock/ruleset.h"
#include "oci/pull.h"

static char dir[64];

/* What `what` returns in the cage: 0, or an errno. */
static int inside(int (*what)(void))
{
	int status = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		struct err e = { 0 };
		int dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (dirfd < 0 || pull_confine(dirfd, NULL, &e) < 0)
			_exit(255);
		_exit(what());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_not_equal(WEXITSTATUS(status), 255);
	return WEXITSTATUS(status);
}

static int result(long rc)
{
	return rc < 0 ? errno : 0;
}

static int read_hosts(void)
{
	return result(open("/etc/hosts", O_RDONLY));
}

static int write_inside(void)
{
	char path[96];

	(void)snprintf(path, sizeof(path), "%s/file", dir);
	return result(open(path, O_WRONLY | O_CREAT, 0600));
}

static void *nothing(void *arg)
{
	return arg;
}

static int make_thread(void)
{
	pthread_t t;

	return pthread_create(&t, NULL, nothing, NULL) || pthread_join(t, NULL);
}

static int find_name(void)
{
	struct addrinfo *list;

	return getaddrinfo("localhost", "443", NULL, &list) != 0;
}

static int make_inet(void)
{
	return result(socket(AF_INET6, SOCK_STREAM, 0)) && result(socket(AF_INET, SOCK_STREAM, 0));
}

static void test_needs(void **state)
{
	(void)state;
	assert_int_equal(inside(read_hosts), 0);
	assert_int_equal(inside(write_inside), 0);
	assert_int_equal(inside(make_thread), 0);
	assert_int_equal(inside(find_name), 0);
	assert_int_equal(inside(make_inet), 0);
}

static int read_passwd(void)
{
	return result(open("/etc/passwd", O_RDONLY));
}

static int read_self(void)
{
	return result(open("/proc/self/environ", O_RDONLY));
}

static int list_root(void)
{
	int fd = open("/", O_RDONLY | O_DIRECTORY);

	return result(fd);
}

static int write_tmp(void)
{
	return result(open("/tmp/jail-test-outside", O_WRONLY | O_CREAT, 0600));
}

static int make_fifo(void)
{
	char path[96];

	(void)snprintf(path, sizeof(path), "%s/fifo", dir);
	return result(mkfifo(path, 0600));
}

static void test_files(void **state)
{
	(void)state;
	assert_int_equal(inside(read_passwd), EACCES);
	assert_int_equal(inside(read_self), EACCES);
	assert_int_equal(inside(list_root), EACCES);
	assert_int_equal(inside(write_tmp), EACCES);
	assert_int_equal(inside(make_fifo), ENOSYS);
}

static int run_program(void)
{
	char *argv[] = { NULL };

	return result(execve("/bin/true", argv, argv));
}

static int run_descriptor(void)
{
	return result(syscall(SYS_execveat, AT_FDCWD, "/bin/true", NULL, NULL, 0));
}

static int make_process(void)
{
	return result(syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0));
}

static int make_local(void)
{
	return result(socket(AF_UNIX, SOCK_STREAM, 0));
}

static int make_packet(void)
{
	return result(socket(AF_PACKET, SOCK_RAW, 0));
}

static int listen_on(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return result(listen(fd, 1));
}

static int trace(void)
{
	return result(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL));
}

static int gain(void)
{
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == -1 ? errno : 0;
}

static void test_calls(void **state)
{
	(void)state;
	assert_int_equal(inside(run_program), ENOSYS);
	assert_int_equal(inside(run_descriptor), ENOSYS);
	assert_int_equal(inside(make_process), EPERM);
	assert_int_equal(inside(make_local), EAFNOSUPPORT);
	assert_int_equal(inside(make_packet), EAFNOSUPPORT);
	assert_int_equal(inside(listen_on), ENOSYS);
	assert_int_equal(inside(trace), ENOSYS);
	assert_int_equal(inside(gain), ENOSYS); /* prctl is gone, with all it could undo */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_needs),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_calls),
	};
	const char *tmp = getenv("TMPDIR");
	int missing, rc;

	if (!landlock_abi(&missing)) {
		printf("1..0 # SKIP this kernel has no Landlock\n");
		return 0;
	}
	(void)snprintf(dir, sizeof(dir), "%.40s/jail-cage.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return 1;
	cmocka_set_message_output(CM_OUTPUT_TAP);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	{
		char path[96];

		(void)snprintf(path, sizeof(path), "%s/file", dir);
		(void)unlink(path);
		(void)rmdir(dir);
	}
	return rc;
}
