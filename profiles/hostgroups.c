// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading groups.ini; in P0, opens and reads the three files and nothing more. */
#include "profiles/hostgroups.h"

#include <errno.h>
#include <string.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/paths.h"
#include "profiles/locate.h"
#include "profiles/reader.h"

static bool is_name(const char *s, size_t n)
{
	return n && n < 64 && s[0] != '-' && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-") >= n;
}

/* "a   b" is "a b". */
static const char *words_of(struct arena *a, const char *s, size_t n)
{
	char *out = arena_alloc(a, n + 1);
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		char c = line_blank(s[i]) ? ' ' : s[i];

		if (c != ' ' || (len && out[len - 1] != ' '))
			out[len++] = c;
	}
	return out;
}

struct groups_reader {
	struct arena *arena;
	const char *file;
	unsigned line;
	bool begun;
	size_t n;
	struct hostgroup **end;
	struct err *e;
};

#define fault(r, ...) profile_err((r)->e, (r)->file, (r)->line, __VA_ARGS__)

static int take_pair(struct groups_reader *r, const char *s, size_t n)
{
	const char *equals = memchr(s, '=', n), *value;
	size_t key = equals ? (size_t)(equals - s) : 0;
	struct hostgroup *g;

	if (!equals)
		return fault(r, "missing '=' between a group's name and its hosts");
	while (key && line_blank(s[key - 1]))
		key--;
	if (!is_name(s, key))
		return fault(r, "'%.*s' is no name of a group: small letters, digits, hyphens",
			     (int)(key < 60 ? key : 60), s);
	for (value = equals + 1; value < s + n && line_blank(*value); value++)
		;
	if (value == s + n)
		return fault(r, "the group has no hosts: write them behind the '='");
	if (r->n++ == HOSTGROUPS_MAX)
		return fault(r, "more than %d lines of groups", HOSTGROUPS_MAX);
	g = arena_new(r->arena, struct hostgroup);
	*g = (struct hostgroup){
		.name = arena_strndup(r->arena, s, key),
		.words = words_of(r->arena, value, (size_t)(s + n - value)),
		.file = r->file,
		.line = r->line,
	};
	*r->end = g;
	r->end = &g->next;
	return 0;
}

static int take_line(struct groups_reader *r, const char *s, size_t n)
{
	if (n > PROFILE_LINE_MAX)
		return fault(r, "the line has %zu bytes, more than %zu: make it shorter", n,
			     PROFILE_LINE_MAX);
	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)s[i] >= 0x7f || ((unsigned char)s[i] < 0x20 && s[i] != '\t')) {
			if (s[0] == ';' || s[0] == '#')
				return 0;
			return fault(r, "byte 0x%02x: a host's name is plain ASCII",
				     (unsigned char)s[i]);
		}
	}
	if (!n || s[0] == ';' || s[0] == '#' || !line_without_comment(s, n))
		return 0;
	if (line_blank(s[0]))
		return fault(r, "indented line: there are no continuations, start it in column 1");
	n = line_without_comment(s, n);
	if (s[0] == '[') {
		if (n != 8 || memcmp(s, "[groups]", 8) != 0 || r->begun)
			return fault(r, "the one section of this file is [groups], once");
		r->begun = true;
		return 0;
	}
	if (!r->begun)
		return fault(r, "a group stands before [groups]");
	return take_pair(r, s, n);
}

int hostgroups_parse(struct arena *a, const char *file, const char *text, size_t n,
		     struct hostgroup **list, struct err *e)
{
	struct groups_reader r = { .arena = a, .file = file, .end = list, .e = e };
	const char *end = text + n;

	for (; *r.end; r.end = &(*r.end)->next)
		r.n++;
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t len = (size_t)((newline ? newline : end) - text);
		int rc;

		r.line++;
		rc = take_line(&r, text, len);
		if (rc < 0)
			return rc;
		text += len + (newline ? 1 : 0);
	}
	return 0;
}

static int read_file(struct arena *a, const char *path, bool by_root, struct hostgroup **list,
		     struct profile_file **files, struct err *e)
{
	own_fd fd = FD_NONE;
	own_str text = NULL;
	struct profile_file *f;
	ssize_t n;
	int rc = profile_open_path(path, by_root, &fd, e);

	if (rc <= 0)
		return rc;
	text = malloc(PROFILE_FILE_MAX + 1);
	if (!text)
		return err_set(e, ST_PROFILE, ENOMEM, "read '%s'", path);
	n = fs_read_fd(fd, text, PROFILE_FILE_MAX + 1);
	if (n < 0)
		return err_set(e, ST_PROFILE, (int)-n, "read '%s'", path);
	f = arena_new(a, struct profile_file);
	*f = (struct profile_file){ .next = *files, .name = path, .path = path, .by_path = true };
	*files = f;
	return hostgroups_parse(a, path, text, (size_t)n, list, e);
}

int hostgroups_read(struct arena *a, const struct expansion *x, struct hostgroup **ret,
		    struct profile_file **files, struct err *e)
{
	struct hostgroup *list = NULL;
	int rc = read_file(a, arena_printf(a, "%s/groups.ini", path_data), true, &list, files, e);

	if (rc == 0)
		rc = read_file(a, arena_printf(a, "%s/groups.ini", path_sysconf), true, &list,
			       files, e);
	if (rc == 0 && x->config_home)
		rc = read_file(a, arena_printf(a, "%s/jail/groups.ini", x->config_home), false,
			       &list, files, e);
	if (rc == 0)
		*ret = list;
	return rc;
}

static const char *next_name(void *arg, size_t i)
{
	const struct hostgroup *g = *(const struct hostgroup *const *)arg;

	while (g && i--)
		g = g->next;
	return g ? g->name : NULL;
}

const char *hostgroups_nearest(const struct hostgroup *list, const char *name)
{
	return str_nearest(name, next_name, &list);
}
