// SPDX-License-Identifier: GPL-2.0-or-later
/* What the guest's shell cannot do by itself; runs outside of the jail. */
#include <pty.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/* listen NAME COMMAND...: on an abstract socket, while the command runs; a program to be kept from. */
static int listen_abstract(char **argv)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t n = strlen(argv[0]);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0 || n >= sizeof(to.sun_path))
		return 2;
	memcpy(to.sun_path + 1, argv[0], n);
	n += offsetof(struct sockaddr_un, sun_path) + 1;
	if (bind(fd, (struct sockaddr *)&to, (socklen_t)n) == 0 && listen(fd, 8) == 0)
		(void)execvp(argv[1], argv + 1);
	perror("listen");
	return 2;
}

/* bound PATH: a socket that nobody listens on. */
static int bind_path(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0 || strlen(path) >= sizeof(to.sun_path))
		return 2;
	memcpy(to.sun_path, path, strlen(path));
	return bind(fd, (struct sockaddr *)&to, sizeof(to)) < 0;
}

/* pty COMMAND...: on a terminal of its own, with what it says to be read from our stdout. */
static int run_on_pty(char **argv)
{
	char buf[4096];
	int master, status;
	pid_t pid = forkpty(&master, NULL, NULL, NULL);
	ssize_t n;

	if (pid < 0)
		return 2;
	if (!pid) {
		(void)execvp(argv[0], argv);
		_exit(127);
	}
	while ((n = read(master, buf, sizeof(buf))) > 0)
		if (write(1, buf, (size_t)n) != n)
			return 2;
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

int main(int argc, char **argv)
{
	if (argc > 3 && strcmp(argv[1], "listen") == 0)
		return listen_abstract(argv + 2);
	if (argc > 2 && strcmp(argv[1], "pty") == 0)
		return run_on_pty(argv + 2);
	if (argc == 3 && strcmp(argv[1], "bound") == 0)
		return bind_path(argv[2]);
	/* delegate DIR: the mark that systemd sets. */
	if (argc == 3 && strcmp(argv[1], "delegate") == 0)
		return setxattr(argv[2], "user.delegate", "1", 1, 0) < 0;
	return 2;
}
