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
	int code;
	const char *call, *then, *says;
} rows[] = {
	{ "pipes", ROLE_P0, ENOSYS, "clone3(*", NULL, "older than 5.9" },
	{ "pipes", ROLE_P0, EPERM, "clone3(*", NULL,
	  "user namespaces are refused here; run `jail doctor`" },
	{ "pipes", ROLE_P0, ENOSPC, "clone3(*", NULL, "user.max_user_namespaces is used up or zero" },
	{ "pipes", ROLE_P0, EINVAL, "clone3(*", NULL, "lacks a namespace" },
	{ "pipes", ROLE_P0, ENOSYS, "landlock_create_ruleset(1)", NULL, "the kernel has no Landlock" },
	{ "pipes", ROLE_P0, EOPNOTSUPP, "landlock_create_ruleset(1)", NULL, "lsm= list" },
	{ "pipes", ROLE_P1, ENOSYS, "landlock_create_ruleset(0)", NULL, "the kernel has no Landlock" },
	{ "pipes", ROLE_P1, EOPNOTSUPP, "landlock_create_ruleset(0)", NULL, "lsm= list" },
	{ "pipes", ROLE_P1, E2BIG, "landlock_restrict_self(*", NULL, "apply the Landlock ruleset" },
	{ "pipes", ROLE_P1, EACCES, "openat(*setgroups)", NULL, "setgroups" },
	{ "pipes", ROLE_P1, EPERM, "openat(*gid_map)", "write",
	  "the id maps were refused; run `jail doctor`" },
	{ "pipes", ROLE_P1, EPERM, "openat(*uid_map)", "write",
	  "the id maps were refused; run `jail doctor`" },
	{ "pipes", ROLE_NET, ENOSPC, "unshare(*", NULL, "make the network namespace" },
	{ "pipes", ROLE_NET, EPERM, "ioctl(*", NULL, "bring lo up" },
	{ "pipes", ROLE_P1, EPERM, "setns(*", NULL, "join the network namespace" },
	{ "pipes", ROLE_NET, EPERM, "openat(*max_user_namespaces)", "write",
	  "user.max_user_namespaces" },
	{ "pipes", ROLE_P1, EPERM, "mount(/)", NULL,
	  "an outer sandbox or container forbids this mount" },
	{ "pipes", ROLE_P1, EINVAL, "pivot_root(*", NULL, "pivot_root" },
	{ "pipes", ROLE_P1, ENOSYS, "seccomp(1)", NULL, "the kernel has no seccomp filters" },
	{ "pipes", ROLE_P2, ENOSYS, "seccomp(1)", NULL, "the kernel has no seccomp filters" },
	{ "pipes", ROLE_P2, EACCES, "execve(*", NULL, "run 'posture': Permission denied" },
	{ "pipes", ROLE_P2, ENOENT, "execve(*", NULL, "run 'posture'" },
	{ "terminal", ROLE_P1, EPERM, "setsid(*", NULL, "start a session" },
	{ "root", ROLE_P0, EPERM, "openat(*uid_map)", "write", "the id maps were refused" },
	{ "root", ROLE_P0, EINVAL, "mount_setattr(*", NULL, "run jail as an ordinary user" },
	{ "root", ROLE_P1, EPERM, "fsopen(proc)", NULL, "outer sandbox" },
	{ "root", ROLE_P1, EAGAIN, "setresuid(*", NULL, "become the unprivileged user" },
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
		{ "no inode free", IO_PIPES, false, no_inodes, NULL, NULL },
		{ "one inode free", IO_PIPES, false, few_inodes, NULL, NULL },
	};
	const struct fault none = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(configs); i++) {
		int rc = room_run(r, &configs[i], &none, NULL, 0, &outcome);

		tap_is(t, rc == 0 && refused_with(&outcome, "No space left on device"),
		       "/tmp with %s: refused: %.*s", configs[i].name,
		       (int)strcspn(outcome.err, "\n"), outcome.err);
	}
}
