// SPDX-License-Identifier: GPL-2.0-or-later
/* Fuzzes the value parsers: what is taken, written in its shortest form, means the same again. */
#include "profiles/values.h"
#include "tests/fuzz/oracle.h"

static bool numeric(enum opt_type type)
{
	return type == TYPE_BOOL || type == TYPE_CHOICE || type == TYPE_SIZE ||
	       type == TYPE_COUNT || type == TYPE_DURATION || type == TYPE_CPU;
}

static void check_number(const struct option_def *o, const struct value *v, struct arena *a)
{
	char buf[64], shorter[64];
	struct value again = { 0 };
	struct err why = { 0 };
	struct text t;

	text_init(&t, buf, sizeof(buf));
	value_format(o, v->number, &t);
	MUST(!t.full && t.len, v->text);
	MUST(value_parse(o, buf, &oracle_home, a, &again, &why) == 0, buf);
	MUST(again.number == v->number, v->text);
	text_init(&t, shorter, sizeof(shorter));
	value_format(o, again.number, &t);
	MUST(str_eq(buf, shorter), buf);
	if (o->type != TYPE_BOOL && o->type != TYPE_CHOICE)
		MUST(v->number || (o->bits & OPT_BIT_ZERO), v->text);
}

static void check_text(const struct option_def *o, const struct value *v, struct arena *a)
{
	struct value again = { 0 };
	struct err why = { 0 };

	MUST(value_parse(o, v->text, &oracle_home, a, &again, &why) == 0, v->text);
	MUST(str_eq(again.text, v->text), v->text);
	if (o->type == TYPE_ENVSET)
		MUST(strchr(v->text, '=') > v->text, v->text);
	if (o->type == TYPE_PATH)
		MUST(!strstr(v->text, "${") && v->text[0] != '~', v->text);
	if (o->type == TYPE_WORDS)
		MUST(!strstr(v->text, "  ") && !strpbrk(v->text, "\t\"'"), v->text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct option_def *o;
	struct value v = { .text = "untouched", .number = 4711 };
	struct err why = { 0 };
	own_str text = NULL;
	struct arena arena;

	if (size < 1 || size > 16384)
		return 0;
	/* Letters as seeds can be read: 'A' is the first option. */
	o = &options[(data[0] + OPT_COUNT * 2 - 'A') % OPT_COUNT];
	text = strndup((const char *)data + 1, size - 1);
	MUST(text && arena_init(&arena, &why) == 0, "memory");
	if (value_parse(o, text, &oracle_home, &arena, &v, &why) < 0) {
		MUST(str_eq(v.text, "untouched") && v.number == 4711, text);
		MUST(why.stage != ST_NONE && why.what[0], text);
	} else {
		MUST(!v.required && v.text && *v.text, text);
		if (numeric(o->type))
			check_number(o, &v, &arena);
		else
			check_text(o, &v, &arena);
	}
	arena_free(&arena);
	return 0;
}
