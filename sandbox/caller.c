// SPDX-License-Identifier: GPL-2.0-or-later
/* Who calls: uid, home, directory, groups, environment; P0, before anything is planned. */
#include "sandbox/caller.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/text.h"
#include "sandbox/caps.h"

const char *caller_getenv(const struct caller *c, const char *name)
{
	size_t n = strlen(name);

	for (char *const *v = c->env; v && *v; v++) {
		if (strncmp(*v, name, n) == 0 && (*v)[n] == '=')
			return *v + n + 1;
	}
	return NULL;
}

static const char *absolute_env(const struct caller *c, const char *name)
{
	const char *v = caller_getenv(c, name);

	return v && v[0] == '/' ? v : NULL;
}

/* Split line at ':' into at most n fields; the number found. */
static size_t split(char *line, char **fields, size_t n)
{
	size_t i = 0;

	while (i < n && line) {
		fields[i++] = line;
		line = strchr(line, ':');
		if (line)
			*line++ = '\0';
	}
	return i;
}

/*
 * The passwd line of our uid. Read by hand: NSS would load whatever modules the system names into
 * this process, and cost more than the rest of the start. Users that only a directory service knows
 * have their environment to speak for them.
 */
static int read_passwd(struct arena *a, struct caller *c, struct err *e)
{
	static char buf[256 << 10];
	char *line = buf, *fields[7];
	ssize_t n = fs_read_file_at(AT_FDCWD, "/etc/passwd", buf, sizeof(buf), true);

	if (n == -ENOENT || n == -EACCES || n == -EINVAL || n == -EFBIG)
		return 0; /* not there, or no file for reading by hand */
	if (n < 0)
		return err_set(e, ST_PLAN, (int)-n, "read '/etc/passwd'");
	while (line && *line) {
		char *next = strchr(line, '\n');
		uint64_t uid;

		if (next)
			*next++ = '\0';
		if (split(line, fields, 7) == 7 && str_to_u64(fields[2], UINT32_MAX, &uid) &&
		    uid == c->uid) {
			c->user = arena_strdup(a, fields[0]);
			c->home_spelled = arena_strdup(a, fields[5]);
			c->shell = arena_strdup(a, fields[6]);
			break;
		}
		line = next;
	}
	return 0;
}

/*
 * Kernel root is told by what it owns, not by what it is called: the sysctl files belong to uid 0
 * of the initial user namespace. In a namespace where that uid is not mapped they show as the
 * overflow uid, which nobody runs as; where it is mapped to us, whatever our number, a process
 * without one capability could still write them.
 */
static bool is_kernel_root(uid_t uid)
{
	struct stat st;

	if (stat("/proc/sys/kernel/core_pattern", &st) < 0)
		return uid == 0; /* /proc is masked: assume the worse */
	return st.st_uid == uid;
}

static int read_ids(struct arena *a, struct caller *c, struct err *e)
{
	char map[64];
	ssize_t n;

	c->uid = getuid();
	c->gid = getgid();
	if (c->uid != geteuid() || c->gid != getegid() || getauxval(AT_SECURE))
		return err_set(
			e, ST_USAGE, 0,
			"jail must not be setuid, setgid or given file capabilities: it needs none");
	n = fs_read_file_at(AT_FDCWD, "/proc/self/uid_map", map, sizeof(map), false);
	c->initial_userns = n > 0 && strstr(map, " 4294967295\n");
	c->kernel_root = is_kernel_root(c->uid);
	c->can_remap = c->kernel_root && c->initial_userns && caps_can_remap();
	c->groups_n = getgroups(0, NULL);
	if (c->groups_n > 0) {
		c->groups = arena_array(a, gid_t, (size_t)c->groups_n);
		c->groups_n = getgroups(c->groups_n, c->groups);
	}
	if (c->groups_n < 0)
		return err_set(e, ST_PLAN, errno, "read the supplementary groups");
	return 0;
}

static const char *xdg(struct arena *a, const struct caller *c, const char *name, const char *below)
{
	const char *v = absolute_env(c, name);

	return v ? v : arena_printf(a, "%s/%s", str_eq(c->home, "/") ? "" : c->home, below);
}

static int read_home(struct arena *a, struct caller *c, struct err *e)
{
	const char *spelled = absolute_env(c, "HOME");
	char real[PATH_MAX];

	if (spelled)
		/* not the environment's own: pid 1 wipes that */
		c->home_spelled = arena_strdup(a, spelled);
	if (!c->home_spelled || c->home_spelled[0] != '/')
		return err_set(e, ST_PLAN, 0, "no home directory: set HOME to an absolute path");
	/*
	 * A home that does not exist (nobody, a service user) is still a fine empty place inside.
	 */
	if (realpath(c->home_spelled, real))
		c->home = arena_strdup(a, real);
	else if (errno == ENOENT || errno == ENOTDIR || errno == EACCES)
		c->home = arena_strdup(a, c->home_spelled);
	else /* what is refused for the home must be refused for where it really is */
		return err_set(e, ST_PLAN, errno, "find the home directory '%s'", c->home_spelled);
	c->expand = (struct expansion){
		.home = c->home,
		.user = c->user,
		.config_home = xdg(a, c, "XDG_CONFIG_HOME", ".config"),
		.data_home = xdg(a, c, "XDG_DATA_HOME", ".local/share"),
		.cache_home = xdg(a, c, "XDG_CACHE_HOME", ".cache"),
		.state_home = xdg(a, c, "XDG_STATE_HOME", ".local/state"),
	};
	return 0;
}

int caller_read(struct arena *a, char *const *env, struct caller *ret, struct err *e)
{
	struct caller c = { .env = env };
	char cwd[PATH_MAX];
	int r;

	r = read_ids(a, &c, e);
	if (r == 0)
		r = read_passwd(a, &c, e);
	if (r < 0)
		return r;
	if (!c.user || !*c.user) {
		const char *user = caller_getenv(&c, "USER");

		c.user = user && *user ? user : "user";
	}
	if (!c.shell || c.shell[0] != '/')
		c.shell = "/bin/sh";
	r = read_home(a, &c, e);
	if (r < 0)
		return r;
	if (!getcwd(cwd, sizeof(cwd)))
		return err_set(e, ST_PLAN, errno, "find the current directory");
	if (cwd[0] != '/')
		return err_set(e, ST_PLAN, 0,
			       "the current directory is not reachable from /: cd somewhere else");
	c.cwd = arena_strdup(a, cwd);
	*ret = c;
	return 0;
}
