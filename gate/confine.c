// SPDX-License-Identifier: GPL-2.0-or-later
/* The gate shuts itself in, and so does its connector. Each step is fatal when it fails. */
#include "gate/confine.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "base/shed.h"
#include "base/text.h"
#include "landlock/ruleset.h"

struct filter {
	const struct sock_filter *code;
	size_t len; /* instructions */
};

#include "gate/filters.inc"

static const char *const presets[] = { [CONFINE_GATE] = "gate", [CONFINE_CONNECTOR] = "connector" };

void leave(int code)
{
	/* Not for (;;): the compiler would see that it never returns, and mark it for us. */
	while (syscall(SYS_exit_group, code) <= 0)
		;
}

/* No core holds what passed through us; and no children, whatever happens. */
static int limit(struct err *e)
{
	const struct rlimit none = { 0, 0 };

	if (setrlimit(RLIMIT_CORE, &none) < 0 || setrlimit(RLIMIT_NPROC, &none) < 0)
		return err_set(e, ST_LIMITS, errno, "set the gate's limits");
	return 0;
}

/* The second wall behind a filter that lets nothing be opened. jail itself does not run without it. */
static int forbid_files(struct err *e)
{
	own_fd ruleset = FD_NONE;
	int missing, abi = landlock_abi(&missing), rc;

	if (!abi)
		return err_set(e, ST_LANDLOCK, missing, "ask the kernel for Landlock");
	rc = ruleset_create(abi, false, &ruleset, e);
	return rc < 0 ? rc : ruleset_apply(ruleset, e);
}

static int load_filter(const char *preset, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(NATIVE); i++) {
		const struct filter *f = &NATIVE[i].filter;
		struct sock_fprog program = { .len = (unsigned short)f->len,
					      .filter = (struct sock_filter *)(uintptr_t)f->code };

		if (!str_eq(NATIVE[i].preset, preset))
			continue;
		if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
			return err_set(e, ST_SECCOMP, errno, "load the gate's filter");
		return 0;
	}
	return err_set(e, ST_SECCOMP, ENOENT, "find the gate's filter");
}

int confine(enum confined what, struct err *e)
{
	int rc = limit(e);

	if (rc == 0)
		rc = shed_capabilities(e);
	if (rc == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		rc = err_set(e, ST_CAPS, errno, "set no_new_privs");
	if (rc == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		rc = err_set(e, ST_CAPS, errno, "make the gate unreadable");
	if (rc == 0)
		rc = forbid_files(e);
	return rc < 0 ? rc : load_filter(presets[what], e);
}
