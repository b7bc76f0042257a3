// SPDX-License-Identifier: GPL-2.0-or-later
/* The draft: fallbacks, and batches of settings put above them; in P0, no effects. */
#include "profiles/draft.h"

#include <errno.h>

#include "profiles/batch.h"
#include "profiles/values.h"

int draft_init(struct draft *d, struct arena *arena, const struct expansion *x, struct err *e)
{
	struct draft fresh = { .arena = arena, .expand = x };

	for (unsigned i = 0; i < OPT_COUNT; i++) {
		struct err why = { 0 };
		struct value *v;

		if (!options[i].fallback)
			continue;
		v = arena_new(arena, struct value);
		if (value_parse(&options[i], options[i].fallback, x, arena, v, &why) < 0)
			return err_set(e, ST_PROFILE, 0, "the fallback of %s, '%s': %s",
				       options[i].flag ? options[i].flag : options[i].key,
				       options[i].fallback, why.what);
		fresh.values[i] = v;
	}
	*d = fresh;
	return 0;
}

void batch_init(struct batch *b)
{
	*b = (struct batch){ 0 };
	b->end = &b->first;
	b->files_end = &b->files;
}

int batch_add(struct draft *d, struct batch *b, enum opt id, const char *text, bool required,
	      const struct origin *o, struct err *why)
{
	struct value v = { .required = required, .origin = *o };
	struct setting *s;
	int r = value_parse(&options[id], text, d->expand, d->arena, &v, why);

	if (r < 0)
		return r;
	s = arena_new(d->arena, struct setting);
	s->id = id;
	s->value = v;
	*b->end = s;
	b->end = &s->next;
	return 0;
}

int batch_add_flag(struct draft *d, struct batch *b, enum opt id, const char *text, struct err *e)
{
	const struct option_def *o = &options[id];
	const struct origin origin = { .kind = ORIGIN_FLAG };
	struct err why = { 0 };
	int r;

	if (!o->flag)
		return err_set(e, ST_USAGE, 0, "'%s' can be set in a profile only", o->key);
	if (!text && o->type == TYPE_BOOL)
		text = "yes";
	if (!text || (!*text && o->arg))
		return err_set(e, ST_USAGE, 0, "--%s: needs %s", o->flag, o->arg);
	r = batch_add(d, b, id, text, o->type == TYPE_PATH, &origin, &why);
	if (r < 0)
		return err_set(e, ST_USAGE, 0, "--%s=%.100s: %s", o->flag, text, why.what);
	return 0;
}

/* Behind what the same kind of source gave before, and before what a stronger one gave. */
static void insert(struct value **values, struct value ***at, struct value *v)
{
	if (!*at) {
		if (*values && (*values)->origin.kind == ORIGIN_DEFAULT)
			*values = NULL;
		*at = values;
	}
	while (**at && (**at)->origin.kind <= v->origin.kind)
		*at = &(**at)->next;
	v->next = **at;
	**at = v;
	*at = &v->next;
}

void batch_commit(struct draft *d, struct batch *b)
{
	struct value **at[OPT_COUNT] = { 0 };
	struct profile_file **files = &d->files;

	for (struct setting *s = b->first; s; s = s->next) {
		struct value **old = &d->values[s->id];

		if (options[s->id].bits & OPT_BIT_LIST) {
			insert(old, &at[s->id], &s->value);
			continue;
		}
		while (*old && (*old)->origin.kind > s->value.origin.kind)
			old = &(*old)->replaced;
		s->value.replaced = *old;
		*old = &s->value;
	}
	while (*files)
		files = &(*files)->next;
	*files = b->files;
	batch_init(b);
}

int draft_add_profile(struct draft *d, const char *name, struct err *e)
{
	struct batch b;
	int r;

	batch_init(&b);
	r = batch_add_profile(d, &b, name, e);
	if (r < 0)
		return r;
	batch_commit(d, &b);
	return 0;
}

int draft_set_flag(struct draft *d, enum opt id, const char *text, struct err *e)
{
	struct batch b;
	int r;

	batch_init(&b);
	r = batch_add_flag(d, &b, id, text, e);
	if (r < 0)
		return r;
	batch_commit(d, &b);
	return 0;
}

void origin_format(const struct origin *o, enum opt id, struct text *t)
{
	if (o->kind == ORIGIN_FILE && !o->line)
		text_add(t, o->file); /* the file as a whole */
	else if (o->kind == ORIGIN_FILE)
		text_addf(t, "%s:%u", o->file, o->line);
	else if (o->kind == ORIGIN_FLAG)
		text_addf(t, "--%s", options[id].flag ? options[id].flag : options[id].key);
	else
		text_add(t, "default");
}
