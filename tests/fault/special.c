// SPDX-License-Identifier: GPL-2.0-or-later
/* The failures that have a hint, and file systems that are full; tests only. */
#include "tests/fault/special.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/wait.h>

#include "base/own.h"
#include "base/text.h"

static struct outcome outcome;

/* The last call of `role` that fits the pattern fails with `code`; or, with `then`, the first of that name behind it. */
static const struct {
	const char *config;
	enum role role;
	const char *call, *then;
	int code;
	const char *says;
} rows[] = {
	{ "pipes", ROLE_P0, "clone3(*", NULL, ENOSYS, "older than 5.9" },
	{ "pipes", ROLE_P0, "clone3(*", NULL, EPERM,
	  "user namespaces are refused here; run `jail doctor`" },
	{ "pipes", ROLE_P0, "clone3(*", NULL, ENOSPC, "user.max_user_namespaces is used up or zero" },
	{ "pipes", ROLE_P0, "clone3(*", NULL, EINVAL, "lacks a namespace" },
	{ "pipes", ROLE_P0, "landlock_create_ruleset(1)", NULL, ENOSYS, "the kernel has no Landlock" },
	{ "pipes", ROLE_P0, "landlock_create_ruleset(1)", NULL, EOPNOTSUPP, "lsm= list" },
	{ "pipes", ROLE_P1, "landlock_create_ruleset(0)", NULL, ENOSYS, "the kernel has no Landlock" },
	{ "pipes", ROLE_P1, "landlock_create_ruleset(0)", NULL, EOPNOTSUPP, "lsm= list" },
	{ "pipes", ROLE_P1, "landlock_restrict_self(*", NULL, E2BIG, "apply the Landlock ruleset" },
	{ "pipes", ROLE_P1, "openat(*setgroups)", NULL, EACCES, "setgroups" },
	{ "pipes", ROLE_P1, "openat(*gid_map)", "write", EPERM,
	  "the id maps were refused; run `jail doctor`" },
	{ "pipes", ROLE_P1, "openat(*uid_map)", "write", EPERM,
	  "the id maps were refused; run `jail doctor`" },
	{ "pipes", ROLE_NET, "unshare(*", NULL, ENOSPC, "make the network namespace" },
	{ "pipes", ROLE_NET, "ioctl(*", NULL, EPERM, "bring lo up" },
	{ "pipes", ROLE_P1, "setns(*", NULL, EPERM, "join the network namespace" },
	{ "pipes", ROLE_NET, "openat(*max_user_namespaces)", "write", EPERM,
	  "user.max_user_namespaces" },
	{ "pipes", ROLE_P1, "mount(/)", NULL, EPERM,
	  "an outer sandbox or container forbids this mount" },
	{ "pipes", ROLE_P1, "pivot_root(*", NULL, EINVAL, "pivot_root" },
	{ "pipes", ROLE_P1, "seccomp(1)", NULL, ENOSYS, "the kernel has no seccomp filters" },
	{ "pipes", ROLE_P2, "seccomp(1)", NULL, ENOSYS, "the kernel has no seccomp filters" },
	{ "pipes", ROLE_P2, "execve(*", NULL, EACCES, "run 'posture': Permission denied" },
	{ "pipes", ROLE_P2, "execve(*", NULL, ENOENT, "run 'posture'" },
	{ "terminal", ROLE_P1, "setsid(*", NULL, EPERM, "start a session" },
	{ "root", ROLE_P0, "openat(*uid_map)", "write", EPERM, "the id maps were refused" },
	{ "root", ROLE_P0, "mount_setattr(*", NULL, EINVAL, "run jail as an ordinary user" },
	{ "root", ROLE_P1, "fsopen(proc)", NULL, EPERM, "outer sandbox" },
	{ "root", ROLE_P1, "setresuid(*", NULL, EAGAIN, "become the unprivileged user" },
};

static bool find(const struct seen *seen, size_t n, size_t row, struct fault *ret)
{
	bool found = false;

	for (size_t i = 0; i < n; i++) {
		size_t j = i;

		if (seen[i].role != rows[row].role || fnmatch(rows[row].call, seen[i].text, 0) != 0)
			continue;
		while (rows[row].then && j < n &&
		       (seen[j].role != rows[row].role ||
			!str_eq(call_name(seen[j].nr), rows[row].then)))
			j++;
		if (j == n)
			continue;
		*ret = (struct fault){ FAULT_ERROR, seen[j].role, seen[j].nr, seen[j].nth,
				       rows[row].code };
		found = true;
	}
	return found;
}

/* `what` may be NULL: any words will do. */
static bool refused_with(const struct outcome *o, const char *what)
{
	const int code = WIFEXITED(o->trace.status) ? WEXITSTATUS(o->trace.status) : -1;

	return code >= 125 && code <= 127 && str_starts(o->err, "jail: ") &&
	       strchr(o->err, '\n') == o->err + strlen(o->err) - 1 && !o->report[0] &&
	       !o->left[0] && !o->trace.left && (!what || strstr(o->err, what));
}

void special_faults(struct tap *t, const struct room *r, const struct config *c,
		    const struct seen *seen, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fault f;

		if (!str_eq(rows[i].config, c->name))
			continue;
		if (!find(seen, n, i, &f) || room_run(r, c, &f, NULL, 0, &outcome) < 0)
			tap_is(t, false, "%s: %s is never called", role_name(rows[i].role),
			       rows[i].call);
		else
			tap_is(t, refused_with(&outcome, rows[i].says),
			       "%s: %s %s%s%s: says '%s': %.*s", c->name, role_name(rows[i].role),
			       outcome.trace.hit.text, ": ", strerror(rows[i].code), rows[i].says,
			       (int)strcspn(outcome.err, "\n"), outcome.err);
	}
}

void special_small(struct tap *t, const struct room *r)
{
	static const char *const no_inodes[] = { "--inodes", "1", NULL };
	static const char *const few_inodes[] = { "--inodes", "2", NULL };
	static const struct config configs[] = {
		{ "no inode free", IO_PIPES, false, no_inodes, NULL },
		{ "one inode free", IO_PIPES, false, few_inodes, NULL },
	};
	const struct fault none = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(configs); i++) {
		int rc = room_run(r, &configs[i], &none, NULL, 0, &outcome);

		tap_is(t, rc == 0 && refused_with(&outcome, "No space left on device"),
		       "/tmp with %s: refused: %.*s", configs[i].name,
		       (int)strcspn(outcome.err, "\n"), outcome.err);
	}
}
