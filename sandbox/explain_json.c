// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The plan as JSON; P0, pure. The shape is stable: members may be added, none changes its meaning.
 */
#include <string.h>

#include "base/json.h"
#include "sandbox/image.h"
#include "sandbox/explain.h"
#include "sandbox/network.h"

static void add_origin(struct json *j, const struct origin *o, enum opt id)
{
	char buf[512];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	origin_format(o, id, &t);
	json_str(j, "origin", buf);
}

static void add_mounts(struct json *j, const struct plan *p)
{
	static const char *const kinds[] = {
		[MK_DIR] = "directory",	    [MK_SYMLINK] = "link", [MK_FILE] = "file",
		[MK_TMPFS] = "tmpfs",	    [MK_BIND] = "bind",	   [MK_PROC] = "proc",
		[MK_READONLY] = "readonly", [MK_MASK] = "mask",	   [MK_DEVPTS] = "devpts",
	};

	json_open(j, "mounts", '[');
	for (size_t i = 0; i < p->mounts.n; i++) {
		const struct mount_op *op = &p->mounts.ops[i];

		json_open(j, NULL, '{');
		json_str(j, "path", op->target);
		json_str(j, "kind", kinds[op->kind]);
		if (op->kind == MK_BIND)
			json_bool(j, "writable", !op->readonly);
		if (op->kind == MK_SYMLINK)
			json_str(j, "to", op->source);
		if (op->kind == MK_TMPFS)
			json_int(j, "size", (int64_t)op->size);
		if (op->option != OPT_COUNT) {
			json_str(j, "option",
				 op->option == OPT_PROFILE ? "profile" : options[op->option].key);
			add_origin(j, &op->origin, op->option);
		}
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void add_words(struct json *j, const char *name, char *const *words, bool names)
{
	json_open(j, name, '[');
	for (char *const *v = words; *v; v++) {
		char text[256];
		struct text t;

		text_init(&t, text, sizeof(text));
		text_addn(&t, *v, strcspn(*v, "="));
		json_str(j, NULL, names ? text : *v);
	}
	json_close(j, ']');
}

static void add_image(struct json *j, const struct image *i)
{
	const struct image_config *r = &i->record;

	json_open(j, "image", '{');
	json_str(j, "image", i->named);
	add_origin(j, &i->origin, OPT_IMAGE);
	if (r->reference)
		json_str(j, "reference", r->reference);
	if (r->manifest)
		json_str(j, "digest", r->manifest);
	json_str(j, "base", i->base.source);
	json_open(j, "layers", '[');
	for (size_t k = i->layers_n; k > 0; k--)
		json_str(j, NULL, i->layers[k - 1].name);
	json_close(j, ']');
	json_bool(j, "writable", i->writable);
	add_words(j, "environment", r->env, true);
	add_words(j, "entrypoint", r->entrypoint, false);
	add_words(j, "cmd", r->cmd, false);
	if (r->workdir)
		json_str(j, "workdir", r->workdir);
	if (r->user)
		json_str(j, "user", r->user);
	json_int(j, "stop_signal", i->stop_signal);
	json_close(j, '}');
}

static void add_settings(struct json *j, const struct draft *d)
{
	json_open(j, "settings", '[');
	for (unsigned id = 0; id < OPT_COUNT; id++) {
		const struct option_def *o = &options[id];

		for (const struct value *v = o->section ? draft_get(d, (enum opt)id) : NULL; v;
		     v = v->next) {
			json_open(j, NULL, '{');
			json_str(j, "section", o->section);
			json_str(j, "key", o->key);
			if (id != OPT_SET) /* its value may be a secret */
				json_str(j, "value", v->text);
			json_bool(j, "required", v->required);
			add_origin(j, &v->origin, (enum opt)id);
			json_close(j, '}');
		}
	}
	json_close(j, ']');
}

static void add_lists(struct json *j, const struct plan *p)
{
	json_open(j, "environment", '[');
	for (char *const *v = p->envp; *v; v++) {
		char name[256];
		size_t n = strcspn(*v, "=");

		n = n < sizeof(name) ? n : sizeof(name) - 1;
		memcpy(name, *v, n);
		name[n] = '\0';
		json_str(j, NULL, name);
	}
	json_close(j, ']');
	json_open(j, "profiles", '[');
	for (const struct profile_file *f = p->draft->files; f; f = f->next)
		json_str(j, NULL, f->path);
	json_close(j, ']');
	json_open(j, "notes", '[');
	for (const struct note *n = p->notes; n; n = n->next) {
		json_open(j, NULL, '{');
		json_str(j, "id", n->id);
		json_bool(j, "weak", n->weak);
		json_str(j, "text", n->text);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void add_limits(struct json *j, const struct limits *l)
{
	json_open(j, "limits", '{');
	json_int(j, "pids", (int64_t)l->pids);
	json_int(j, "files", (int64_t)l->files);
	if (l->has_memory)
		json_int(j, "memory", (int64_t)l->memory);
	if (l->has_swap)
		json_int(j, "swap", (int64_t)l->swap);
	if (l->has_cpu)
		json_int(j, "cpu_milli", (int64_t)l->cpu);
	if (l->has_fsize)
		json_int(j, "fsize", (int64_t)l->fsize);
	if (l->time_ms)
		json_int(j, "time_ms", (int64_t)l->time_ms);
	json_int(j, "grace_ms", (int64_t)l->grace_ms);
	json_close(j, '}');
}

void explain_json(const struct plan *p, struct text *t)
{
	struct json j;

	json_init(&j, t);
	json_open(&j, NULL, '{');
	json_int(&j, "format", 1);
	json_open(&j, "command", '[');
	for (char *const *v = p->argv; v && *v; v++)
		json_str(&j, NULL, *v);
	json_close(&j, ']');
	json_str(&j, "user", p->user);
	json_int(&j, "uid", p->uid);
	json_int(&j, "uid_outside", p->remap ? JAIL_KUID : p->caller->uid);
	json_str(&j, "home", p->home);
	json_str(&j, "workspace", p->workspace);
	json_str(&j, "directory", p->cwd);
	json_str(&j, "hostname", p->hostname);
	json_str(&j, "network", p->network ? "gate" : p->new_netns ? "none" : "host");
	json_bool(&j, "loopback", p->loopback);
	json_str(&j, "seccomp", p->seccomp);
	json_int(&j, "landlock_abi", p->landlock_abi);
	json_bool(&j, "nested_userns", p->nested_userns);
	explain_network_json(p, &j);
	if (p->image)
		add_image(&j, p->image);
	add_limits(&j, &p->limits);
	add_mounts(&j, p);
	add_lists(&j, p);
	add_settings(&j, p->draft);
	json_close(&j, '}');
	text_add(t, "\n");
}
