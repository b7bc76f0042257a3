// SPDX-License-Identifier: GPL-2.0-or-later
/* Which hosts npm and apt use here, by their files; P0, reads only. */
#include "sandbox/machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "base/fs.h"
#include "base/own.h"

enum { FILE_MAX = 256 << 10, FILES_MAX = 256 };

typedef int (*source_reader)(struct sources *s, const char *text, size_t n, unsigned *ret_line);

struct machine {
	struct arena *arena;
	struct sources *sources;
	struct profile_file **files;
	const char *group;
	unsigned n;
	struct err *e;
};

static int refuse(struct machine *m, const char *where, unsigned line, int code)
{
	char at[24] = "";
	struct text t;

	text_init(&t, at, sizeof(at));
	if (line)
		text_addf(&t, ":%u", line);
	return err_set(m->e, ST_PLAN, 0, "%s%s: %s: name the hosts in allow instead of @%s", where, at,
		       code == -E2BIG ? "more hosts than a group can have"
				      : "not an http or https URL of a host that the gate can reach",
		       m->group);
}

/* A file that may be missing, and that is not ours to judge when it cannot be read: npm cannot either. */
static int read_file(struct machine *m, const char *path, source_reader reader)
{
	own_str text = malloc(FILE_MAX);
	struct profile_file *f;
	unsigned line = 0;
	ssize_t n;
	int rc;

	if (!text)
		return err_set(m->e, ST_PLAN, ENOMEM, "read '%s'", path);
	n = fs_read_file_at(AT_FDCWD, path, text, FILE_MAX, true);
	if (n == -ENOENT || n == -ENOTDIR || n == -EACCES)
		return 0;
	if (n < 0)
		return err_set(m->e, ST_PLAN, (int)-n, "read '%s' for @%s", path, m->group);
	if (++m->n > FILES_MAX)
		return err_set(m->e, ST_PLAN, E2BIG, "read the files of @%s", m->group);
	f = arena_new(m->arena, struct profile_file);
	*f = (struct profile_file){ .next = *m->files, .name = path, .path = path, .by_path = true };
	*m->files = f;
	rc = reader(m->sources, text, (size_t)n, &line);
	return rc < 0 ? refuse(m, path, line, rc) : 0;
}

/* npm takes npm_config_registry in any mix of cases. */
static const char *registry_variable(const struct caller *c)
{
	static const char name[] = "npm_config_registry=";

	for (char *const *v = c->env; v && *v; v++) {
		if (strncasecmp(*v, name, sizeof(name) - 1) == 0 && (*v)[sizeof(name) - 1])
			return *v + sizeof(name) - 1;
	}
	return NULL;
}

static int npm_hosts(struct machine *m, const struct caller *c)
{
	static const char *const global[] = { "/etc/npmrc", "/usr/etc/npmrc", "/usr/local/etc/npmrc" };
	const char *url = registry_variable(c);
	int rc = 0;

	if (url) {
		rc = sources_add_url(m->sources, url, strlen(url));
		if (rc <= 0)
			return refuse(m, "npm_config_registry", 0, rc);
		m->sources->registry = true;
		rc = 0;
	}
	if (c->home_spelled)
		rc = read_file(m, arena_printf(m->arena, "%s/.npmrc", c->home_spelled), sources_npmrc);
	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(global); i++)
		rc = read_file(m, global[i], sources_npmrc);
	return rc;
}

static bool ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), k = strlen(suffix);

	return n > k && str_eq(s + n - k, suffix);
}

static int apt_hosts(struct machine *m)
{
	static const char parts[] = "/etc/apt/sources.list.d";
	own_dir dir = NULL;
	const struct dirent *entry;
	int rc = read_file(m, "/etc/apt/sources.list", sources_apt_list);

	dir = rc == 0 ? opendir(parts) : NULL;
	while (rc == 0 && dir && (entry = readdir(dir))) {
		const char *path = arena_printf(m->arena, "%s/%s", parts, entry->d_name);

		if (ends(entry->d_name, ".list"))
			rc = read_file(m, path, sources_apt_list);
		else if (ends(entry->d_name, ".sources"))
			rc = read_file(m, path, sources_apt_deb822);
	}
	return rc;
}

bool machine_knows(const char *name)
{
	return str_eq(name, "npm") || str_eq(name, "apt");
}

int machine_hosts(struct arena *a, const struct caller *c, const char *name, struct sources *ret,
		  struct profile_file **files, struct err *e)
{
	struct machine m = { .arena = a, .sources = ret, .files = files, .group = name, .e = e };

	*ret = (struct sources){ 0 };
	return str_eq(name, "npm") ? npm_hosts(&m, c) : apt_hosts(&m);
}
