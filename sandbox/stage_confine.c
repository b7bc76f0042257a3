// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The stages that take away: ids, keys, limits, Landlock, seccomp; P1. Capabilities are in caps.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/shed.h"
#include "landlock/ruleset.h"
#include "sandbox/image.h"
#include "sandbox/setup.h"
#include "sandbox/wire.h"
#include "sandbox/weak.h"

/* The supervisor maps the ids of real root's command, and says when. */
static int wait_for_go(struct setup *s, struct err *e)
{
	struct record r;
	int rc = wire_receive(s->wire, &r, NULL, true);

	if (rc == 0)
		_exit(125); /* the supervisor is gone; so are we */
	if (rc < 0 || r.type != REC_GO)
		return err_set(e, ST_WIRE, rc < 0 ? -rc : EPROTO, "wait for the supervisor");
	return 0;
}

/*
 * An ordinary user stays who they are. Real root does not: it turns into the unprivileged user of
 * the map, and leaves its groups behind (which only it may do).
 */
int stage_identity(struct setup *s, struct err *e)
{
	const struct plan *p = s->plan;
	int rc = p->remap ? wait_for_go(s, e)
			  : map_one_id(p->uid, p->caller->uid, p->gid, p->caller->gid, e);

	if (rc < 0)
		return rc;
	if (p->remap) {
		if (!weakened(WEAK_GROUPS) && setgroups(0, NULL) < 0)
			return err_set(e, ST_USERNS, errno, "drop the supplementary groups");
		if (setresgid(p->gid, p->gid, p->gid) < 0 || setresuid(p->uid, p->uid, p->uid) < 0)
			return err_set(e, ST_USERNS, errno, "become the unprivileged user");
	}
	if (getuid() != p->uid || geteuid() != p->uid || getgid() != p->gid || getegid() != p->gid)
		return err_set(e, ST_USERNS, EPERM, "the ids inside are not the planned ones");
	return 0;
}

/*
 * A session keyring of our own, empty: the caller's holds keys, and no namespace keeps them apart.
 */
int stage_keyring(struct setup *s, struct err *e)
{
	(void)s;
	if (!weakened(WEAK_KEYRING) && syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 &&
	    errno != ENOSYS)
		return err_set(e, ST_USERNS, errno, "join a fresh session keyring");
	return 0;
}

int stage_hostname(struct setup *s, struct err *e)
{
	if (!weakened(WEAK_UTSNS) && sethostname(s->plan->hostname, strlen(s->plan->hostname)) < 0)
		return err_set(e, ST_NET, errno, "set the host name");
	return 0;
}

/* Never above what the caller has: both limits go down, or stay. */
static int lower(int resource, const char *name, rlim_t value, struct err *e)
{
	struct rlimit l;

	if (getrlimit((__rlimit_resource_t)resource, &l) < 0)
		return err_set(e, ST_LIMITS, errno, "read the limit %s", name);
	if (l.rlim_max > value)
		l.rlim_max = value;
	if (l.rlim_cur > value)
		l.rlim_cur = value;
	if (setrlimit((__rlimit_resource_t)resource, &l) < 0)
		return err_set(e, ST_LIMITS, errno, "set the limit %s", name);
	return 0;
}

/*
 * What the kernel counts for the caller too: half of it, so that the caller's own programs find some
 * left.
 */
static int lower_shared(struct err *e)
{
	static const struct {
		int resource;
		const char *name;
	} shared[] = { { RLIMIT_SIGPENDING, "sigpending" },
		       { RLIMIT_MSGQUEUE, "msgqueue" },
		       { RLIMIT_MEMLOCK, "memlock" } };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(shared); i++) {
		struct rlimit l;

		if (getrlimit((__rlimit_resource_t)shared[i].resource, &l) < 0)
			return err_set(e, ST_LIMITS, errno, "read the limit %s", shared[i].name);
		if (l.rlim_cur != RLIM_INFINITY)
			rc = lower(shared[i].resource, shared[i].name, l.rlim_cur / 2, e);
	}
	return rc;
}

int stage_limits(struct setup *s, struct err *e)
{
	const struct limits *l = &s->plan->limits;
	int rc = 0;

	if (weakened(WEAK_LIMITS))
		return 0;
	rc = lower(RLIMIT_CORE, "core", 0, e);
	if (rc == 0)
		rc = lower(RLIMIT_NOFILE, "files", l->files, e);
	/*
	 * Counted in our own user namespace since Linux 5.14: this jail's processes, not all of the
	 * user's.
	 */
	if (rc == 0)
		rc = lower(RLIMIT_NPROC, "pids", l->pids, e);
	if (rc == 0)
		rc = lower_shared(e);
	if (rc == 0 && l->has_fsize)
		rc = lower(RLIMIT_FSIZE, "fsize", l->fsize, e);
	/* Without a cgroup the best there is: per process, and of private memory only. */
	if (rc == 0 && l->has_memory && !s->session->cgroup)
		rc = lower(RLIMIT_DATA, "memory", l->memory, e);
	return rc;
}

static int grant(const struct setup *s, int ruleset, const char *path, enum access access,
		 struct err *e)
{
	own_fd fd = fs_openat2(AT_FDCWD, path, O_PATH, RESOLVE_NO_SYMLINKS);

	if (fd < 0)
		return err_set(e, ST_LANDLOCK, -fd, "open '%s' for its Landlock rule", path);
	return ruleset_add(ruleset, fd, path, access, s->plan->landlock_abi, e);
}

static enum access root_access(const struct plan *p)
{
	if (!p->image)
		return ACCESS_LIST;
	return p->image->writable ? ACCESS_WRITE : ACCESS_READ;
}

int stage_landlock(struct setup *s, struct err *e)
{
	const struct plan *p = s->plan;
	own_fd ruleset = FD_NONE;
	int rc;

	if (weakened(WEAK_LANDLOCK))
		return 0;
	rc = ruleset_create(p->landlock_abi, p->landlock_net, &ruleset, e);
	/*
	 * Names only, everywhere: `ls /` works, and a rule on / cannot be narrower than all that is
	 * beneath. An image is all there is to read.
	 */
	if (rc == 0)
		rc = grant(s, ruleset, "/", root_access(p), e);
	for (size_t i = 0; rc == 0 && i < p->mounts.n; i++) {
		if (p->mounts.ops[i].access != ACCESS_NONE)
			rc = grant(s, ruleset, p->mounts.ops[i].target, p->mounts.ops[i].access, e);
	}
	return rc < 0 ? rc : ruleset_apply(ruleset, e);
}

int confine_seccomp(const struct filter *f, struct err *e)
{
	struct sock_fprog program = { .len = (unsigned short)f->len,
				      .filter = (struct sock_filter *)(uintptr_t)f->code };

	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
		return err_set(e, ST_SECCOMP, errno, "load the system call filter");
	return 0;
}
