// SPDX-License-Identifier: GPL-2.0-or-later
/* Small file helpers on descriptors; no allocation, any process. */
#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"

int fs_openat2(int dirfd, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = { .flags = flags | O_CLOEXEC, .resolve = resolve };
	long fd;

	/* EAGAIN: a rename raced a scoped lookup; the kernel asks for another try. */
	for (int tries = 0; tries < 32; tries++) {
		fd = syscall(SYS_openat2, dirfd, path, &how, sizeof(how));
		if (fd >= 0)
			return (int)fd;
		if (errno != EAGAIN && errno != EINTR)
			break;
	}
	return -errno;
}

int fs_write_all(int fd, const void *buf, size_t n)
{
	const char *p = buf;

	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

int fs_write_file_at(int dirfd, const char *path, const char *text)
{
	own_fd fd = openat(dirfd, path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	size_t n = strlen(text);
	ssize_t done;

	if (fd < 0)
		return -errno;
	done = write(fd, text, n);
	if (done < 0)
		return -errno;
	return (size_t)done == n ? 0 : -EIO;
}

ssize_t fs_read_fd(int fd, char *buf, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = read(fd, buf + len, size - len);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (!n) {
			buf[len] = '\0';
			return (ssize_t)len;
		}
		len += (size_t)n;
	}
	return -EFBIG;
}

ssize_t fs_read_file_at(int dirfd, const char *path, char *buf, size_t size, bool regular)
{
	own_fd fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (regular && fstat(fd, &st) < 0)
		return -errno;
	if (regular && !S_ISREG(st.st_mode))
		return -EINVAL;
	return fs_read_fd(fd, buf, size);
}
