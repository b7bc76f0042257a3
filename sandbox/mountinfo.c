// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading /proc/self/mountinfo; P0 and P1, pure but for the read. */
#include "sandbox/mountinfo.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/own.h"
#include "base/text.h"

/*
 * Every word that the kernel writes for a mount. One that is not here may mean a restriction we
 * would lose.
 */
static const struct {
	const char *word;
	unsigned long flag; /* 0: nothing that a remount could take away */
} words[] = {
	{ "rw", 0 },	       { "ro", MS_RDONLY },	{ "nosuid", MS_NOSUID },
	{ "nodev", MS_NODEV }, { "noexec", MS_NOEXEC }, { "nosymfollow", K_MS_NOSYMFOLLOW },
	{ "noatime", 0 },      { "nodiratime", 0 },	{ "relatime", 0 },
	{ "idmapped", 0 },
};

static bool parse_flags(char *list, unsigned long *ret)
{
	unsigned long flags = 0;
	char *word;

	while ((word = strsep(&list, ","))) {
		size_t i = 0;

		while (i < ARRAY_SIZE(words) && !str_eq(word, words[i].word))
			i++;
		if (i == ARRAY_SIZE(words))
			return false;
		flags |= words[i].flag;
	}
	*ret = flags;
	return true;
}

static bool is_octal(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '7')
			return false;
	}
	return true;
}

/* The kernel writes a blank, a tab, a newline and a backslash as \ooo. */
static bool unescape(char *s)
{
	char *out = s;

	while (*s) {
		if (*s != '\\') {
			*out++ = *s++;
			continue;
		}
		if (!is_octal(s + 1, 3) || s[1] > '3')
			return false;
		*out = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
		if (!*out++)
			return false;
		s += 4;
	}
	*out = '\0';
	return true;
}

/* "98:0": twelve bits and twenty. */
static bool parse_device(char *s, uint32_t *ret)
{
	char *high = strsep(&s, ":");
	uint64_t major, minor;

	if (!s || !str_to_u64(high, 0xfff, &major) || !str_to_u64(s, 0xfffff, &minor))
		return false;
	*ret = MOUNTINFO_DEV(major, minor);
	return true;
}

/*
 * 36 35 98:0 /root /point rw,noatime shared:1 - ext4 /dev/sda rw: any number of words may stand
 * before the dash.
 */
int mountinfo_parse(char *line, struct mountinfo *ret)
{
	char *id = strsep(&line, " "), *parent = strsep(&line, " ");
	char *device = strsep(&line, " "), *root = strsep(&line, " ");
	char *point = strsep(&line, " "), *flags = strsep(&line, " ");
	char *tie = strsep(&line, " ");
	struct mountinfo m = { .point = point };

	if (!tie || !parse_device(device, &m.dev) || !*root || !str_to_u64(id, UINT64_MAX, &m.id) ||
	    !str_to_u64(parent, UINT64_MAX, &m.parent) || !unescape(point) || point[0] != '/' ||
	    !parse_flags(flags, &m.flags))
		return -EINVAL;
	m.tied = !str_eq(tie, "-");
	while (tie && !str_eq(tie, "-"))
		tie = strsep(&line, " ");
	if (!tie || !line)
		return -EINVAL;
	*ret = m;
	return 0;
}

int mountinfo_next(struct mountinfo_reader *r, struct mountinfo *ret)
{
	for (;;) {
		char *line = r->buf + r->next;
		size_t left = r->used - r->next;
		char *end = memchr(line, '\n', left);
		ssize_t n;

		if (end) {
			int rc;

			*end = '\0';
			r->next += (size_t)(end - line) + 1;
			rc = mountinfo_parse(line, ret);
			return rc < 0 ? rc : 1;
		}
		memmove(r->buf, line, left);
		r->next = 0;
		r->used = left;
		if (left == r->size)
			return -EFBIG;
		do {
			n = read(r->fd, r->buf + left, r->size - left);
		} while (n < 0 && errno == EINTR);
		if (n < 0)
			return -errno;
		if (!n)
			return left ? -EINVAL : 0;
		r->used += (size_t)n;
	}
}
