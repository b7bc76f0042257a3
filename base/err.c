// SPDX-License-Identifier: GPL-2.0-or-later
/* Errors: filled anywhere, turned into words here; any process. */
#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"

static const char *const names[ST_COUNT] = {
	[ST_NONE] = "none",	      [ST_USAGE] = "usage",   [ST_PROFILE] = "profile",
	[ST_PLAN] = "plan",	      [ST_IMAGE] = "image",   [ST_KERNEL] = "kernel",
	[ST_FILTER] = "filter",	      [ST_CGROUP] = "cgroup", [ST_IDMAP] = "idmap",
	[ST_CLONE] = "clone",	      [ST_USERNS] = "userns", [ST_SYSCTL] = "sysctl",
	[ST_MOUNT] = "mount",	      [ST_NET] = "net",	      [ST_TTY] = "tty",
	[ST_LIMITS] = "limits",	      [ST_CAPS] = "caps",     [ST_LANDLOCK] = "landlock",
	[ST_SECCOMP] = "seccomp",     [ST_EXEC] = "exec",     [ST_WIRE] = "wire",
	[ST_SUPERVISE] = "supervise",
};

#define NO_NFT \
	"the kernel lacks a part of nftables (sets, nat, log); run `jail doctor`, or accept a weaker gate with without-nft = yes in a trusted profile"

/* What a user can do about a failure. The first row that fits is used; code 0 fits any. */
static const struct {
	enum stage stage;
	int code;
	const char *hint;
} hints[] = {
	{ ST_CLONE, EPERM,
	  "user namespaces are refused here; run `jail doctor` for the setting to change" },
	{ ST_CLONE, ENOSPC, "user.max_user_namespaces is used up or zero; run `jail doctor`" },
	{ ST_CLONE, ENOSYS,
	  "clone3 is refused: this is inside another sandbox, or the kernel is older than 5.9" },
	{ ST_CLONE, EINVAL, "this kernel lacks a namespace that jail needs; run `jail doctor`" },
	{ ST_USERNS, EPERM, "the id maps were refused; run `jail doctor`" },
	{ ST_MOUNT, EPERM, "an outer sandbox or container forbids this mount; run `jail doctor`" },
	{ ST_MOUNT, EACCES, "an outer sandbox or a directory's mode forbids this; run `jail doctor`" },
	{ ST_MOUNT, ENOSPC, "a file system of the jail's own is full: raise inodes, tmp or shm" },
	{ ST_NET, ENOENT, NO_NFT },
	{ ST_NET, EOPNOTSUPP, NO_NFT },
	{ ST_NET, EPROTONOSUPPORT, NO_NFT },
	{ ST_NET, EAFNOSUPPORT, NO_NFT },
	{ ST_EXEC, ELIBACC, "its #! interpreter or its loader does not exist inside" },
	{ ST_LANDLOCK, ENOSYS,
	  "the kernel has no Landlock (5.13 or later, with lsm=landlock); run `jail doctor`" },
	{ ST_LANDLOCK, EOPNOTSUPP,
	  "Landlock is built in but off: add landlock to the kernel's lsm= list" },
	{ ST_SECCOMP, ENOSYS, "the kernel has no seccomp filters (CONFIG_SECCOMP_FILTER)" },
	{ ST_IDMAP, 0,
	  "run jail as an ordinary user, or accept the risk with allow-root = yes in a trusted profile" },
};

int err_set(struct err *e, enum stage stage, int code, const char *fmt, ...)
{
	va_list ap;

	if (e->stage == ST_NONE) {
		e->code = code;
		e->stage = stage;
		va_start(ap, fmt);
		(void)vsnprintf(e->what, sizeof(e->what), fmt, ap);
		va_end(ap);
	}
	return code ? -code : -EINVAL;
}

const char *stage_name(enum stage stage)
{
	return (unsigned)stage < ST_COUNT ? names[stage] : "unknown";
}

const char *err_hint(const struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(hints); i++) {
		if (hints[i].stage == e->stage && (!hints[i].code || hints[i].code == e->code))
			return hints[i].hint;
	}
	return NULL;
}

void err_format(const struct err *e, char *buf, unsigned long size)
{
	const char *hint = err_hint(e);
	struct text t;

	text_init(&t, buf, size);
	text_add_clean(&t, e->what);
	if (e->code)
		text_addf(&t, ": %s", strerror(e->code));
	if (hint)
		text_addf(&t, "; %s", hint);
}
