// SPDX-License-Identifier: GPL-2.0-or-later
/* The plan in words; P0, pure. */
#include "sandbox/explain.h"

#include <inttypes.h>
#include <string.h>

#include "base/own.h"
#include "sandbox/network.h"
#include "sandbox/image.h"

/* With as many rules as the gate can have. */
#define POLICY_MAX ((size_t)2 << 20)

static const char indent[] = "  ";

void explain_size(struct text *t, uint64_t bytes)
{
	static const char units[] = "BKMGTP";
	unsigned unit = 0;

	while (bytes >= 1024 && bytes % 1024 == 0 && unit + 2 < sizeof(units)) {
		bytes /= 1024;
		unit++;
	}
	text_addf(t, "%" PRIu64 "%.*s", bytes, unit ? 1 : 0, units + unit);
}

static void add_origin(struct text *t, const struct origin *o, enum opt id)
{
	text_add(t, "  ; ");
	origin_format(o, id, t);
}

static void heading(struct text *t, const char *title)
{
	text_addf(t, "\n%s\n", title);
}

/* One line, `what` in a column of its own. */
static void row(struct text *t, const char *what, const char *path, const char *why)
{
	text_addf(t, "%s%-8s ", indent, what);
	text_add_clean(t, path);
	if (why)
		text_addf(t, "  (%s)", why);
	text_add(t, "\n");
}

static void add_word(struct text *t, const char *word)
{
	const char *quote = *word && !strpbrk(word, " \t\n\"'$&|;<>()*?[]\\") ? "" : "'";

	text_addf(t, " %s", quote);
	text_add_clean(t, word);
	text_add(t, quote);
}

/* A row of words, or of the names of variables alone; none when there are none. */
static void add_words(struct text *t, const char *what, char *const *words, bool names)
{
	if (!*words)
		return;
	text_addf(t, "%s%-8s", indent, what);
	for (char *const *v = words; *v; v++) {
		char name[128];
		struct text n;

		text_init(&n, name, sizeof(name));
		text_addn(&n, *v, strcspn(*v, "="));
		add_word(t, names ? name : *v);
	}
	text_add(t, "\n");
}

static void add_command(const struct plan *p, struct text *t)
{
	text_add(t, "Command ");
	if (!p->argv || !p->argv[0])
		text_add(t, " (none given)");
	for (char *const *v = p->argv; v && *v; v++)
		add_word(t, *v);
	text_add(t, "\n");
	row(t, "as", p->user, NULL);
	text_addf(t, "%s%-8s %u inside, %u outside\n", indent, "uid", p->uid,
		  p->remap ? JAIL_KUID : p->caller->uid);
	row(t, "in", p->cwd, NULL);
	row(t, "host", p->hostname, "what uname says");
}

/* What an image says, as far as it counts here; the names of its variables are with the others. */
static void add_image(const struct plan *p, struct text *t)
{
	const struct image *i = p->image;
	const struct image_config *r = &i->record;
	const char *values[] = { r->reference, r->manifest, r->workdir, r->user, r->stop_signal };
	static const char *const names[] = { "name", "digest", "workdir", "user", "stop" };

	heading(t, "Image (all that it says is for the command alone)");
	text_addf(t, "%s%-8s ", indent, "image");
	text_add_clean(t, i->named);
	add_origin(t, &i->origin, OPT_IMAGE);
	text_add(t, "\n");
	for (size_t k = 0; k < ARRAY_SIZE(names); k++) {
		if (values[k])
			row(t, names[k], values[k], NULL);
	}
	text_addf(t, "%s%-8s %zu, in ", indent, "layers", i->layers_n);
	text_add_clean(t, i->base.source);
	text_add(t, "\n");
	add_words(t, "entry", r->entrypoint, false);
	add_words(t, "cmd", r->cmd, false);
	add_words(t, "sets", r->env, true);
}

static void add_files(const struct plan *p, struct text *t)
{
	char note[300];
	struct text n;

	heading(t, p->image ? "Files (above those of the image)"
			    : "Files (what is not listed does not exist inside)");
	if (p->image) {
		const bool writable = p->image->writable;

		text_init(&n, note, sizeof(note));
		if (writable)
			explain_size(&n, p->image->size);
		text_add(&n, writable ? " of writes, gone at the end" : "the image");
		row(t, writable ? "rw" : "ro", "/", note);
	}
	for (size_t i = 0; i < p->mounts.n; i++) {
		const struct mount_op *op = &p->mounts.ops[i];

		text_init(&n, note, sizeof(note));
		if (op->kind == MK_BIND && op->option != OPT_COUNT) {
			text_addf(&n, "%s; ",
				  op->option == OPT_PROFILE ? "profile" : options[op->option].key);
			origin_format(&op->origin, op->option, &n);
			row(t, op->readonly ? "ro" : "rw", op->target, note);
		} else if (op->kind == MK_BIND && !op->device) {
			row(t, "ro", op->target, "system");
		} else if (op->kind == MK_TMPFS) {
			explain_size(&n, op->size);
			text_add(&n, ", gone at the end");
			row(t, "private", op->target, note);
		} else if (op->kind == MK_MASK && !str_starts(op->target, "/proc/")) {
			row(t, "hidden", op->target, "a host program's socket");
		}
	}
	row(t, "private", "/proc",
	    p->proc_pids_only ? "processes only" : "host details masked, /proc/sys read-only");
	row(t, "private", "/dev", "null zero full random urandom tty, own terminals");
	row(t, "made", "/etc",
	    p->new_netns ? "passwd group hosts hostname machine-id nsswitch.conf resolv.conf"
			 : "passwd group hosts hostname machine-id nsswitch.conf");
}

static const char *network_in_words(const struct plan *p)
{
	if (!p->new_netns)
		return "the host's own";
	if (p->network)
		return "through the gate only";
	return p->loopback ? "none but localhost" : "none";
}

static void add_walls(const struct plan *p, struct text *t)
{
	heading(t, "Walls");
	row(t, "network", network_in_words(p), NULL);
	text_addf(t, "%s%-8s preset %s%s, %zu instructions\n", indent, "seccomp", p->seccomp,
		  draft_get(p->draft, OPT_ALLOW_SYSCALL) || draft_get(p->draft, OPT_DENY_SYSCALL)
			  ? " with changes"
			  : "",
		  p->command_filter.len);
	text_addf(t, "%s%-8s ABI %d%s\n", indent, "landlock", p->landlock_abi,
		  p->landlock_net ? ", no TCP" : "");
	row(t, "caps", "none, no_new_privs, securebits locked", NULL);
	row(t, "userns", p->nested_userns ? "may be made inside" : "none can be made inside", NULL);
	row(t, "terminal",
	    p->raw_escapes ? "own pty, escapes pass" : "own pty, clipboard and device escapes removed",
	    NULL);
}

static void add_limits(const struct plan *p, struct text *t)
{
	const struct limits *l = &p->limits;

	heading(t, "Limits");
	text_addf(t,
		  "%s%-8s %" PRIu64 "\n%s%-8s %" PRIu64
		  " for each process, or the caller's limit if that is lower\n",
		  indent, "pids", l->pids, indent, "files", l->files);
	if (l->has_memory) {
		text_addf(t, "%s%-8s ", indent, "memory");
		explain_size(t, l->memory);
		text_add(t, "\n");
	}
	if (l->has_swap) {
		text_addf(t, "%s%-8s ", indent, "swap");
		explain_size(t, l->swap);
		text_add(t, "\n");
	}
	if (l->has_fsize) {
		text_addf(t, "%s%-8s ", indent, "fsize");
		explain_size(t, l->fsize);
		text_add(t, " for each file\n");
	}
	if (l->has_cpu)
		text_addf(t, "%s%-8s %" PRIu64 ".%03" PRIu64 "\n", indent, "cpu", l->cpu / 1000,
			  l->cpu % 1000);
	if (l->time_ms)
		text_addf(t, "%s%-8s %s, then %s of grace\n", indent, "time",
			  draft_get(p->draft, OPT_TIME)->text, draft_get(p->draft, OPT_GRACE)->text);
}

static void add_environment(const struct plan *p, struct text *t)
{
	heading(t, "Environment (names; nothing else is passed)");
	text_add(t, indent);
	for (char *const *v = p->envp; *v; v++) {
		char name[128];
		size_t n = strcspn(*v, "=");

		n = n < sizeof(name) ? n : sizeof(name) - 1;
		memcpy(name, *v, n);
		name[n] = '\0';
		text_add_clean(t, name);
		text_add(t, v[1] ? " " : "\n");
	}
}

/* A variable's value may be a secret, and explain is for showing to others: the name alone. */
static void add_value(struct text *t, enum opt id, const struct value *v)
{
	if (id != OPT_SET) {
		text_add_clean(t, v->text);
		return;
	}
	text_addn(t, v->text, strcspn(v->text, "="));
	text_add(t, "=...");
}

void explain_settings(const struct draft *d, struct text *t)
{
	const char *section = NULL;

	for (unsigned id = 0; id < OPT_COUNT; id++) {
		const struct option_def *o = &options[id];

		for (const struct value *v = o->section ? draft_get(d, (enum opt)id) : NULL; v;
		     v = v->next) {
			if (!section || !str_eq(section, o->section))
				text_addf(t, "%s[%s]\n", section ? "\n" : "", o->section);
			section = o->section;
			text_addf(t, "%s%s = ", o->key,
				  v->required && v->origin.kind == ORIGIN_FILE ? "!" : "");
			add_value(t, (enum opt)id, v);
			add_origin(t, &v->origin, (enum opt)id);
			text_add(t, "\n");
		}
	}
}

void explain_text(const struct plan *p, struct text *t)
{
	add_command(p, t);
	heading(t, "Profiles");
	for (const struct profile_file *f = p->draft->files; f; f = f->next)
		row(t, f->name, f->path, NULL);
	if (p->image)
		add_image(p, t);
	add_files(p, t);
	explain_network_text(p, t);
	add_walls(p, t);
	add_limits(p, t);
	add_environment(p, t);
	if (p->notes)
		heading(t, "Notes");
	for (const struct note *n = p->notes; n; n = n->next)
		row(t, n->weak ? "WEAK" : "note", n->text, NULL);
	heading(t, "Settings (and where each comes from)");
	explain_settings(p->draft, t);
}

void explain_policy(struct arena *a, const struct plan *p, const char **ret_json, const char **ret_text)
{
	static char buf[POLICY_MAX];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	explain_text(p, &t);
	*ret_text = arena_strdup(a, buf);
	text_init(&t, buf, sizeof(buf));
	explain_json(p, &t);
	*ret_json = arena_strdup(a, buf);
}
