// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading the host's hosts file, and the lines and words of such files; in the gate. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/own.h"
#include "gate/hostsfile.h"

enum { ADDRESS_SIZE = 64 };

ssize_t conf_read(const char *path, char *buf, size_t size, bool *ret_cut)
{
	own_fd fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	size_t n = 0;
	char more;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	while (n < size) {
		ssize_t got = read(fd, buf + n, size - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	*ret_cut = n == size && read(fd, &more, 1) == 1;
	while (*ret_cut && n && buf[n - 1] != '\n')
		n--;
	return (ssize_t)n;
}

bool conf_line(const char **at, size_t *left, const char **ret_line, size_t *ret_n)
{
	const char *end = *left ? memchr(*at, '\n', *left) : NULL;
	const char *comment;
	size_t n = end ? (size_t)(end - *at) : *left;

	if (!*left)
		return false;
	comment = memchr(*at, '#', n);
	*ret_line = *at;
	*ret_n = comment ? (size_t)(comment - *at) : n;
	n += end != NULL;
	*at += n;
	*left -= n;
	return true;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

bool conf_word(const char **line, size_t *n, const char **ret_word, size_t *ret_len)
{
	size_t from = 0, to;

	while (from < *n && is_space((*line)[from]))
		from++;
	for (to = from; to < *n && !is_space((*line)[to]);)
		to++;
	if (from == to)
		return false;
	*ret_word = *line + from;
	*ret_len = to - from;
	*line += to;
	*n -= to;
	return true;
}

static bool line_has(const char *line, size_t n, const char *name, size_t name_n)
{
	const char *word;
	size_t len;

	while (conf_word(&line, &n, &word, &len)) {
		if (len == name_n + 1 && word[name_n] == '.')
			len--;
		if (len == name_n && strncasecmp(word, name, len) == 0)
			return true;
	}
	return false;
}

static bool parse_address(const char *word, size_t len, struct addr *ret)
{
	char text[ADDRESS_SIZE];

	if (len >= sizeof(text))
		return false;
	memcpy(text, word, len);
	text[len] = '\0';
	return addr_parse(text, ret);
}

/* Once for each family, in two passes: simpler than sorting, and the text is short. */
static size_t find_family(const char *text, size_t left, const char *name, int family,
			  struct addr *ret, size_t max)
{
	const size_t name_n = strlen(name);
	const char *line, *word;
	size_t n, len, found = 0;

	while (found < max && conf_line(&text, &left, &line, &n)) {
		struct addr a;

		if (conf_word(&line, &n, &word, &len) && line_has(line, n, name, name_n) &&
		    parse_address(word, len, &a) && a.family == family)
			ret[found++] = a;
	}
	return found;
}

size_t hosts_find(const char *text, size_t n, const char *name, struct addr *ret, size_t max)
{
	size_t found = find_family(text, n, name, 4, ret, max);

	return found + find_family(text, n, name, 6, ret + found, max - found);
}
