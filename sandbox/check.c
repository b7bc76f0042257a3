// SPDX-License-Identifier: GPL-2.0-or-later
/* The cross-field rules; P0, pure. */
#include "sandbox/check.h"

#include <string.h>

#include "base/own.h"
#include "sandbox/groups.h"
#include "sandbox/mountlist.h"

static bool is(const struct plan *p, enum opt id, const char *word)
{
	const struct value *v = draft_get(p->draft, id);

	return v && str_eq(v->text, word);
}

static bool writes_without_image(const struct plan *p)
{
	return is(p, OPT_IMAGE, "host") && !is(p, OPT_ROOT_WRITES, "none");
}

static bool browser_without_userns(const struct plan *p)
{
	return is(p, OPT_SECCOMP, "browser") && !draft_get(p->draft, OPT_NESTED_USERNS)->number;
}

static bool userns_without_browser(const struct plan *p)
{
	return draft_get(p->draft, OPT_NESTED_USERNS)->number && !is(p, OPT_SECCOMP, "browser") &&
	       !draft_get(p->draft, OPT_ALLOW_SYSCALL);
}

static bool swap_without_memory(const struct plan *p)
{
	return p->limits.has_swap && !p->limits.has_memory;
}

static bool no_processes(const struct plan *p)
{
	return p->limits.pids < 4;
}

static bool no_files(const struct plan *p)
{
	return p->limits.files < 16;
}

static bool no_memory(const struct plan *p)
{
	return p->limits.has_memory && p->limits.memory < 64 << 10;
}

static bool zero_time(const struct plan *p)
{
	return draft_get(p->draft, OPT_TIME) && !p->limits.time_ms;
}

/* A setting that cannot stand with another: what to look at, and what to say. */
static const struct {
	bool (*wrong)(const struct plan *p);
	enum opt at;
	const char *message;
} rules[] = {
	{ writes_without_image, OPT_ROOT_WRITES,
	  "root-writes = tmpfs needs an image: the host's own system is always read-only" },
	{ browser_without_userns, OPT_SECCOMP, "seccomp = browser needs nested-userns = yes" },
	{ userns_without_browser, OPT_NESTED_USERNS,
	  "nested-userns = yes needs seccomp = browser, which lets the calls through" },
	{ swap_without_memory, OPT_SWAP, "swap needs memory to be set too" },
	{ no_processes, OPT_PIDS, "pids below 4 cannot run anything" },
	{ no_files, OPT_FILES, "files below 16 cannot run anything" },
	{ no_memory, OPT_MEMORY, "memory below 64K cannot run anything" },
	{ zero_time, OPT_TIME, "a time of zero ends before it starts" },
};

int check_draft(const struct plan *p, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		char origin[256];
		struct text t;

		if (!rules[i].wrong(p))
			continue;
		text_init(&t, origin, sizeof(origin));
		origin_format(&draft_get(p->draft, rules[i].at)->origin, rules[i].at, &t);
		return err_set(e, ST_PLAN, 0, "%s: %s", origin, rules[i].message);
	}
	return 0;
}

/*
 * One word of `require`: known and fulfilled, or an error. cgroup is judged when the limits are
 * applied.
 */
static int check_requirement(const struct plan *p, const struct value *v, const char *word,
			     struct err *e)
{
	uint64_t abi;
	char origin[256];
	struct text t;

	if (str_eq(word, "cgroup") || (str_eq(word, "sockets") && !p->sockets_unsure))
		return 0;
	text_init(&t, origin, sizeof(origin));
	origin_format(&v->origin, OPT_REQUIRE, &t);
	if (str_eq(word, "sockets"))
		return err_set(
			e, ST_PLAN, 0,
			"%s: sockets is required and not all of the host's could be found; `jail explain` without it tells why",
			origin);
	if (!str_starts(word, "landlock-") || !str_to_u64(word + 9, 99, &abi))
		return err_set(
			e, ST_PLAN, 0,
			"%s: require '%s': known are cgroup, sockets and landlock-N (N is an ABI, 1 to 99)",
			origin, word);
	if ((uint64_t)p->landlock_abi < abi)
		return err_set(e, ST_LANDLOCK, 0,
			       "%s: landlock-%u is required and this kernel has ABI %d", origin,
			       (unsigned)abi, p->landlock_abi);
	return 0;
}

static int check_requirements(const struct plan *p, struct err *e)
{
	for (const struct value *v = draft_get(p->draft, OPT_REQUIRE); v; v = v->next) {
		const char *s = v->text;

		while (*s) {
			size_t n = strcspn(s, " ");
			char word[64];
			int rc;

			if (n >= sizeof(word))
				return err_set(e, ST_PLAN, 0,
					       "require '%.40s...': no such requirement", s);
			memcpy(word, s, n);
			word[n] = '\0';
			rc = check_requirement(p, v, word, e);
			if (rc < 0)
				return rc;
			s += n;
			s += strspn(s, " ");
		}
	}
	return 0;
}

/* Everything that makes this jail weaker than the usual one, because somebody asked for it. */
static void note_weak(struct arena *a, struct plan *p)
{
	if (!p->new_netns)
		plan_note(a, p, true, "network-host",
			  "the command shares the host's network, its local services included");
	if (p->without_nft)
		plan_note(a, p, true, "without-nft",
			  "the gate does without nftables where there is none: refusals are not counted");
	if (p->caller->kernel_root && !p->remap)
		plan_note(a, p, true, "allow-root",
			  "the command runs as root of the host, without capabilities");
	if (p->nested_userns)
		plan_note(a, p, true, "nested-userns",
			  "user namespaces inside open much of the kernel to the command");
	for (const struct value *v = draft_get(p->draft, OPT_ALLOW_SYSCALL); v; v = v->next)
		plan_note(a, p, true, "allow-syscall", "system calls beyond the preset: %s", v->text);
	if (str_eq(p->seccomp, "debug"))
		plan_note(a, p, false, "seccomp-debug", "processes inside can trace each other");
	if (p->raw_escapes)
		plan_note(a, p, false, "escapes-raw",
			  "terminal escapes reach the terminal unfiltered");
}

/* What this machine cannot do, or cannot take away. */
static void note_machine(struct arena *a, struct plan *p)
{
	const char *group;

	for (unsigned i = 0; i < landlock_steps_n; i++) {
		if (landlock_steps[i].abi > p->landlock_abi)
			plan_note(a, p, false, "landlock-abi", "Landlock ABI %d of this kernel: %s",
				  p->landlock_abi, landlock_steps[i].without);
	}
	for (int i = 0; !p->remap && i < p->caller->groups_n; i++) {
		if (p->caller->groups[i] == p->caller->gid)
			continue;
		group = group_is_dangerous(p->caller->groups[i]);
		if (group)
			plan_note(a, p, false, "group",
				  "group '%s' stays with the command (a user cannot drop it); nothing shown by default is its own, so show nothing that is",
				  group);
	}
}

int check_plan(struct arena *a, struct plan *p, struct err *e)
{
	const struct value *v = draft_get(p->draft, OPT_CHDIR);
	int rc = check_requirements(p, e);

	if (rc < 0)
		return rc;
	if (v && !p->image && !mounts_have(&p->mounts, p->cwd))
		return err_set(e, ST_PLAN, 0,
			       "chdir '%s' does not exist inside: show it with --ro or --rw",
			       v->text);
	note_weak(a, p);
	note_machine(a, p);
	return 0;
}
