// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From draft to plan; P0.
 *
 * Each part below fills its share of the plan and judges what it filled. What concerns two parts at
 * once is a row in check.c.
 */
#include "sandbox/plan.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "landlock/ruleset.h"
#include "sandbox/check.h"
#include "sandbox/environ.h"
#include "sandbox/explain.h"
#include "sandbox/files.h"
#include "sandbox/network.h"
#include "sandbox/image.h"
#include "sandbox/root.h"
#include "sandbox/sockets.h"
#include "sandbox/weak.h"

/*
 * Inside, real root's command is an ordinary user: agents refuse uid 0, and this one has none of
 * its rights.
 */
#define REMAPPED_UID 1000

struct note *plan_note(struct arena *a, struct plan *p, bool weak, const char *id, const char *fmt, ...)
{
	struct note **tail = &p->notes, *n;
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	while (*tail)
		tail = &(*tail)->next;
	n = arena_new(a, struct note);
	*n = (struct note){ .weak = weak, .id = id, .text = arena_strdup(a, text) };
	*tail = n;
	return n;
}

static bool yes(const struct draft *d, enum opt id)
{
	return draft_get(d, id)->number != 0;
}

/*
 * The home is an empty tree where it is outside, unless nothing private can be there: a container's
 * user often lives in "/", a service's in "/dev/null".
 */
static void plan_home(struct arena *a, struct plan *p)
{
	const struct caller *c = p->caller;
	char real[PATH_MAX];

	p->home = c->home;
	p->home_spelled = c->home_spelled;
	if (!root_occupies(c->home) && !root_occupies(c->home_spelled))
		return;
	p->home = arena_printf(a, "%s/jail", realpath("/home", real) ? real : "/home");
	p->home_spelled = p->home;
	plan_note(a, p, false, "home-moved",
		  "the home '%s' belongs to the system: inside it is '%s'", c->home_spelled, p->home);
}

static int plan_identity(struct plan *p, struct err *e)
{
	const struct caller *c = p->caller;
	const bool allow_root = yes(p->draft, OPT_ALLOW_ROOT);

	p->uid = c->uid;
	p->gid = c->gid;
	p->user = c->user;
	p->hostname = draft_get(p->draft, OPT_HOSTNAME)->text;
	if (!c->kernel_root || allow_root)
		return 0;
	if (!c->can_remap)
		return err_set(
			e, ST_IDMAP, 0,
			"started by root inside a user namespace or container: the command would own the kernel's files");
	p->remap = true;
	p->uid = REMAPPED_UID;
	p->gid = REMAPPED_UID;
	p->user = "jail";
	return 0;
}

static int plan_kernel(struct arena *a, struct plan *p, struct err *e)
{
	const struct draft *d = p->draft;
	const struct value *preset = draft_get(d, OPT_SECCOMP);
	const struct value *allow = draft_get(d, OPT_ALLOW_SYSCALL),
			   *deny = draft_get(d, OPT_DENY_SYSCALL);
	char allowed[4096], denied[4096];
	struct text t;
	int no_landlock;

	p->nested_userns = yes(d, OPT_NESTED_USERNS);
	p->proc_pids_only = draft_get(d, OPT_PROC)->number == 1;
	p->new_netns = draft_get(d, OPT_NETWORK)->number != NETWORK_HOST;
	p->loopback = yes(d, OPT_LOOPBACK);
	p->landlock_net = p->new_netns && !p->loopback;
	p->raw_escapes = draft_get(d, OPT_ESCAPES)->number == 1;
	p->landlock_abi = landlock_abi(&no_landlock);
	if (!p->landlock_abi)
		return err_set(e, ST_LANDLOCK, no_landlock, "ask the kernel for Landlock");
	p->seccomp = preset->text;
	p->init_filter = filter_shipped("init");
	p->command_filter = filter_shipped(preset->text);
	if (!p->init_filter.len || !p->command_filter.len)
		return err_set(
			e, ST_FILTER, 0,
			"no system call list for this processor: jail runs on x86_64 and aarch64");
	if (!allow && !deny)
		return 0;
	text_init(&t, allowed, sizeof(allowed));
	for (const struct value *v = allow; v; v = v->next)
		text_addf(&t, "%s%s", t.len ? " " : "", v->text);
	if (t.full)
		return err_set(e, ST_FILTER, E2BIG, "allow-syscall");
	text_init(&t, denied, sizeof(denied));
	for (const struct value *v = deny; v; v = v->next)
		text_addf(&t, "%s%s", t.len ? " " : "", v->text);
	if (t.full)
		return err_set(e, ST_FILTER, E2BIG, "deny-syscall");
	return filter_custom(a, p->caller->expand.cache_home, preset->text, allow ? allowed : NULL,
			     deny ? denied : NULL, &p->command_filter, e);
}

static bool number(const struct draft *d, enum opt id, uint64_t *ret)
{
	const struct value *v = draft_get(d, id);

	*ret = v ? v->number : 0;
	return v != NULL;
}

static void plan_limits(struct plan *p)
{
	const struct draft *d = p->draft;
	struct limits *l = &p->limits;

	l->has_memory = number(d, OPT_MEMORY, &l->memory);
	l->has_swap = number(d, OPT_SWAP, &l->swap);
	l->has_cpu = number(d, OPT_CPU, &l->cpu);
	l->has_fsize = number(d, OPT_FSIZE, &l->fsize);
	(void)number(d, OPT_PIDS, &l->pids);
	(void)number(d, OPT_FILES, &l->files);
	(void)number(d, OPT_TIME, &l->time_ms);
	(void)number(d, OPT_GRACE, &l->grace_ms);
}

static int plan_mounts(struct arena *a, struct plan *p, struct err *e)
{
	const struct draft *d = p->draft;
	struct mount_draft m;
	int rc;

	mounts_init(&m, a);
	rc = root_add_system(&m, p, draft_get(d, OPT_TMP)->number, draft_get(d, OPT_SHM)->number,
			     draft_get(d, OPT_INODES)->number, e);
	if (rc == 0)
		rc = root_add_policy(&m, e);
	if (rc == 0)
		rc = files_add(&m, p, e);
	if (rc == 0 && p->landlock_abi < 9 && !weakened(WEAK_SOCKETS))
		rc = sockets_mask(&m, p, e);
	if (rc == 0)
		p->mounts = mounts_finish(&m);
	return rc;
}

/* Put the finished plan's own description into the files that the command will find. */
static void write_policy(struct arena *a, struct plan *p)
{
	explain_policy(a, p, &p->policy_json, &p->policy_text);
	for (size_t i = 0; i < p->mounts.n; i++) {
		struct mount_op *op = &p->mounts.ops[i];

		if (op->kind != MK_FILE)
			continue;
		if (str_eq(op->target, ROOT_POLICY_JSON))
			op->source = p->policy_json;
		if (str_eq(op->target, ROOT_POLICY_TEXT))
			op->source = p->policy_text;
		op->length = strlen(op->source);
	}
}

int plan_build(struct arena *a, const struct draft *d, const struct caller *c, char *const *argv,
	       struct plan **ret, struct err *e)
{
	struct plan *p = arena_new(a, struct plan);
	int rc;

	p->draft = d;
	p->caller = c;
	p->argv = argv;
	p->events_fd = FD_NONE;
	plan_limits(p);
	plan_home(a, p);
	rc = check_draft(p, e);
	if (rc == 0)
		rc = plan_identity(p, e);
	if (rc == 0)
		rc = image_plan(a, p, e);
	if (rc == 0)
		rc = plan_kernel(a, p, e);
	if (rc == 0)
		rc = network_plan(a, p, e);
	if (rc == 0)
		rc = plan_mounts(a, p, e);
	if (rc == 0)
		rc = environ_build(a, p, e);
	if (rc == 0)
		rc = check_plan(a, p, e);
	if (rc < 0)
		return rc;
	write_policy(a, p);
	*ret = p;
	return 0;
}
