// SPDX-License-Identifier: GPL-2.0-or-later
/* jail profile: which profiles there are, what one says, whether one is right; P0. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "profiles/locate.h"
#include "sandbox/caller.h"
#include "sandbox/explain.h"
#include "sandbox/network.h"
#include "sandbox/verbs.h"

static char buf[256 << 10];

static int list(struct call *c, const struct caller *who, bool json, struct err *e)
{
	struct located *all;
	struct text t;
	struct json j;
	int rc = profile_list(c->arena, &who->expand, &all, e);

	if (rc < 0)
		return rc;
	text_init(&t, buf, sizeof(buf));
	json_init(&j, &t);
	if (json)
		json_open(&j, NULL, '[');
	for (const struct located *l = all; l; l = l->next) {
		if (!json) {
			text_addf(&t, "%-12s %-8s ", l->name, l->from);
			text_add_clean(&t, l->path);
			text_add(&t, "\n");
			continue;
		}
		json_open(&j, NULL, '{');
		json_str(&j, "name", l->name);
		json_str(&j, "from", l->from);
		json_str(&j, "path", l->path);
		json_close(&j, '}');
	}
	if (json) {
		json_close(&j, ']');
		text_add(&t, "\n");
	}
	return verb_show(&t, e);
}

/* Read one profile with all it extends, as a run would. */
static int read_one(struct call *c, const struct caller *who, const char *name, struct draft *d,
		    struct err *e)
{
	int rc = draft_init(d, c->arena, &who->expand, e);

	return rc < 0 ? rc : draft_add_profile(d, name, e);
}

static int show(struct call *c, const struct caller *who, const char *name, struct err *e)
{
	struct draft d;
	struct text t;
	int rc = read_one(c, who, name, &d, e);

	if (rc < 0)
		return rc;
	text_init(&t, buf, sizeof(buf));
	for (const struct profile_file *f = d.files; f; f = f->next) {
		text_add(&t, "; ");
		text_add_clean(&t, f->path);
		text_add(&t, "\n");
	}
	explain_settings(&d, &t);
	return verb_show(&t, e);
}

static int check(struct call *c, const struct caller *who, const char *name, struct err *e)
{
	char line[400];
	struct draft d;
	struct text t, vain;
	int rc = read_one(c, who, name, &d, e);

	if (rc == 0)
		rc = network_check(&d, e);
	if (rc < 0)
		return rc;
	text_init(&t, buf, sizeof(buf));
	text_add_clean(&t, name);
	text_add(&t, ": ok\n");
	text_init(&vain, line, sizeof(line));
	if (network_in_vain(&d, &vain)) {
		text_add(&t, "note: ");
		text_add_clean(&t, line);
		text_add(&t, "\n");
	}
	return verb_show(&t, e);
}

int verb_profile(struct call *c, struct err *e)
{
	const char *verb = c->argc > 1 ? c->argv[1] : "";
	struct caller who;
	int rc = caller_read(c->arena, c->env, &who, e);

	if (rc < 0)
		return rc;
	if (str_eq(verb, "ls") && (c->argc == 2 || (c->argc == 3 && str_eq(c->argv[2], "--json"))))
		return list(c, &who, c->argc == 3, e);
	if (str_eq(verb, "show") && c->argc == 3)
		return show(c, &who, c->argv[2], e);
	if (str_eq(verb, "check") && c->argc == 3)
		return check(c, &who, c->argv[2], e);
	return err_set(e, ST_USAGE, 0, "profile: one of: ls [--json], show NAME, check NAME|FILE");
}
