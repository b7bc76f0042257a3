// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading an image's record; P0, pure but for the arena.
 *
 * Lines are "KEY VALUE"; in values %XX stands for bytes that would break a line. The first line says
 * which form this is and the last says that nothing is missing: a record that was cut off is none.
 */
#include "sandbox/imagerecord.h"

#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "oci/digest.h"

static const char first_line[] = "jail-image 1";
static const char last_line[] = "end";

struct reading {
	struct image_config r;
	size_t layers, env, entrypoint, cmd; /* how many */
	unsigned line;
	struct err *e;
};

static int refuse(const struct reading *g, const char *why)
{
	return err_set(g->e, ST_IMAGE, 0, "line %u of the image's record: %s", g->line, why);
}

static bool is_digest(const char *s)
{
	struct digest d;

	return digest_parse(s, &d);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* In place: %XX is never shorter than what it stands for. False for one that stands for nothing. */
static bool decode(char *s)
{
	char *out = s;

	for (; *s; s++) {
		if (*s == '%') {
			int high = hex_digit(s[1]), low = high < 0 ? -1 : hex_digit(s[2]);

			if (low < 0 || !(high | low))
				return false;
			*out++ = (char)(high << 4 | low);
			s += 2;
		} else if ((unsigned char)*s < 0x20 || *s == 0x7f) {
			return false;
		} else {
			*out++ = *s;
		}
	}
	*out = '\0';
	return true;
}

static int set_one(const struct reading *g, const char **where, const char *value)
{
	if (*where)
		return refuse(g, "given twice");
	if (!*value)
		return refuse(g, "no value");
	*where = value;
	return 0;
}

static int add_word(const struct reading *g, char **list, size_t *n, char *value)
{
	if (*n == IMAGE_WORDS_MAX)
		return refuse(g, "too many of these");
	list[(*n)++] = value;
	return 0;
}

static int take_reference(struct reading *g, char *value)
{
	return set_one(g, &g->r.reference, value);
}

static int take_manifest(struct reading *g, char *value)
{
	return is_digest(value) ? set_one(g, &g->r.manifest, value) : refuse(g, "not a digest");
}

static int take_layer(struct reading *g, char *value)
{
	if (!is_digest(value))
		return refuse(g, "not a digest");
	if (g->layers == IMAGE_LAYERS_MAX)
		return refuse(g, "too many layers");
	g->r.layers[g->layers++] = value;
	return 0;
}

static int take_env(struct reading *g, char *value)
{
	if (*value == '=' || !strchr(value, '='))
		return refuse(g, "not NAME=VALUE");
	return add_word(g, g->r.env, &g->env, value);
}

static int take_entrypoint(struct reading *g, char *value)
{
	return add_word(g, g->r.entrypoint, &g->entrypoint, value);
}

static int take_cmd(struct reading *g, char *value)
{
	return add_word(g, g->r.cmd, &g->cmd, value);
}

static int take_workdir(struct reading *g, char *value)
{
	return *value == '/' ? set_one(g, &g->r.workdir, value) : refuse(g, "not an absolute path");
}

static int take_user(struct reading *g, char *value)
{
	return set_one(g, &g->r.user, value);
}

static int take_stop_signal(struct reading *g, char *value)
{
	return set_one(g, &g->r.stop_signal, value);
}

static const struct {
	const char *key;
	int (*take)(struct reading *g, char *value);
} keys[] = {
	{ "reference", take_reference },
	{ "manifest", take_manifest },
	{ "layer", take_layer },
	{ "env", take_env },
	{ "entrypoint", take_entrypoint },
	{ "cmd", take_cmd },
	{ "workdir", take_workdir },
	{ "user", take_user },
	{ "stop-signal", take_stop_signal },
};

static int take_line(struct reading *g, char *line)
{
	char *value = strchr(line, ' ');

	if (!value)
		return refuse(g, "not KEY VALUE");
	*value++ = '\0';
	if (!decode(value))
		return refuse(g, "a byte that cannot be there");
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (str_eq(line, keys[i].key))
			return keys[i].take(g, value);
	}
	return refuse(g, "an unknown key");
}

/* The next line of what is left, without its newline; NULL when there is none that is whole. */
static char *next_line(char **rest)
{
	char *line = *rest, *end = strchr(line, '\n');

	if (!end)
		return NULL;
	*end = '\0';
	*rest = end + 1;
	return line;
}

static int take_lines(struct reading *g, char *text)
{
	bool ended = false;
	char *line;

	while ((line = next_line(&text))) {
		int rc = 0;

		g->line++;
		if (ended)
			return refuse(g, "something behind its end");
		if (g->line == 1)
			rc = str_eq(line, first_line) ? 0 : refuse(g, "not the form that is known");
		else if (str_eq(line, last_line))
			ended = true;
		else
			rc = take_line(g, line);
		if (rc < 0)
			return rc;
	}
	g->line++;
	if (!ended || *text)
		return refuse(g, "the end is missing");
	return 0;
}

int image_record_parse(struct arena *a, char *text, size_t n, struct image_config *ret, struct err *e)
{
	struct reading g = { .e = e };
	int rc;

	if (n >= IMAGE_RECORD_MAX || strlen(text) != n)
		return err_set(e, ST_IMAGE, 0, "the image's record is too long or holds a NUL");
	g.r.layers = arena_array(a, const char *, IMAGE_LAYERS_MAX + 1);
	g.r.env = arena_array(a, char *, IMAGE_WORDS_MAX + 1);
	g.r.entrypoint = arena_array(a, char *, IMAGE_WORDS_MAX + 1);
	g.r.cmd = arena_array(a, char *, IMAGE_WORDS_MAX + 1);
	rc = take_lines(&g, text);
	if (rc < 0)
		return rc;
	if (!g.r.reference || !g.r.manifest || !g.layers)
		return err_set(e, ST_IMAGE, 0,
			       "the image's record is without a reference, a manifest or layers");
	*ret = g.r;
	return 0;
}
