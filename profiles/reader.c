// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The strict line reader in front of inih; in P0.
 *
 * inih splits long lines, joins indented ones, cuts values at " ;" and takes ':' for '=', and its
 * result says nothing of a reader that stopped early. So nothing doubtful reaches it: each line is
 * checked and taken apart here, and inih is fed a clean one, "[section]" or "key=v", with names out
 * of the option table. The value stays here. inih then calls back with the section and key that it
 * understood, and these must be the ones that were fed: two parsers agree, or there is no profile.
 */
#include "profiles/reader.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct reader {
	const char *file;
	const char *at, *end; /* what is left to read */
	unsigned line;
	enum opt section; /* the first option of the section; OPT_COUNT before any */
	bool sections[OPT_COUNT];
	bool keys[OPT_COUNT];
	char value[PROFILE_LINE_MAX + 1];
	struct entry entry;
	bool waiting; /* `entry` was fed, and inih has not called back yet */
	int failed;   /* the first -errno; what inih returns is only a second opinion */
	entry_sink sink;
	void *arg;
	struct err *e;
};

int profile_err(struct err *e, const char *file, unsigned line, const char *fmt, ...)
{
	const char *dots = strlen(file) > 150 ? "..." : "";
	const char *tail = *dots ? file + strlen(file) - 150 : file;
	char message[sizeof(e->what)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	return err_set(e, ST_PROFILE, 0, "%s%s:%u: %s", dots, tail, line, message);
}

/* A fault in the line at hand. */
#define fault(r, ...) profile_err((r)->e, (r)->file, (r)->line, __VA_ARGS__)

static enum opt find_section(const char *name)
{
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		if (options[i].section && str_eq(options[i].section, name))
			return (enum opt)i;
	}
	return OPT_COUNT;
}

/* The bytes of one line, before anything is read into them. */
static int check_bytes(struct reader *r, const char *s, size_t n)
{
	if (r->line == 1 && n >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0)
		return fault(r, "begins with a byte order mark: save it as UTF-8 without BOM");
	if (n > PROFILE_LINE_MAX)
		return fault(r, "the line has %zu bytes, more than %zu: make it shorter", n,
			     PROFILE_LINE_MAX);
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '\r')
			return fault(r, "has DOS line endings: run sed -i 's/\\r$//' on it");
		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return fault(r, "%s (0x%02x) at byte %zu of the line: remove it",
				     c ? "control byte" : "NUL byte", c, i + 1);
	}
	if (!str_is_utf8(s, n))
		return fault(r, "is not UTF-8: save it as UTF-8");
	return 0;
}

size_t line_without_comment(const char *s, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (s[i] == ';' && line_blank(s[i - 1]) && (i + 1 == n || line_blank(s[i + 1])))
			n = i;
	}
	while (n && line_blank(s[n - 1]))
		n--;
	return n;
}

static int unknown_section(struct reader *r, const char *name)
{
	const char *near = option_nearest_section(name);
	char list[200];
	struct text t;

	if (near)
		return fault(r, "unknown section [%.60s]; did you mean [%s]?", name, near);
	text_init(&t, list, sizeof(list));
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		if (options[i].section && find_section(options[i].section) == i)
			text_addf(&t, " [%s]", options[i].section);
	}
	return fault(r, "unknown section [%.60s]; there are%s", name, list);
}

static int take_section(struct reader *r, char *s, size_t n)
{
	char *close = memchr(s, ']', n);
	enum opt id;

	if (!close)
		return fault(r, "'%.60s': missing ']'", s);
	if (close != s + n - 1)
		return fault(r, "'%.60s' behind the ']': put it on a line of its own", close + 1);
	*close = '\0';
	id = find_section(s + 1);
	if (id == OPT_COUNT)
		return unknown_section(r, s + 1);
	if (r->sections[id])
		return fault(r, "section [%s] for the second time: put its keys together", s + 1);
	r->sections[id] = true;
	r->section = id;
	return 0;
}

static int unknown_key(struct reader *r, const char *key)
{
	const char *section = r->section == OPT_COUNT ? NULL : options[r->section].section;
	const char *near = section ? option_nearest_key(section, key) : NULL;
	char list[200];
	struct text t;

	for (unsigned i = 0; i < OPT_COUNT; i++) {
		if (!options[i].section || !str_eq(options[i].key, key))
			continue;
		return fault(r, "key '%s' belongs in section [%s]", key, options[i].section);
	}
	if (!section)
		return fault(r, "key '%.60s' stands before any [section]", key);
	if (near)
		return fault(r, "unknown key '%.60s' in section [%s]; did you mean '%s'?", key,
			     section, near);
	text_init(&t, list, sizeof(list));
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		if (options[i].section && str_eq(options[i].section, section))
			text_addf(&t, " %s", options[i].key);
	}
	return fault(r, "unknown key '%.60s' in [%s]; it has%s", key, section, list);
}

/* Which option the key is, whether it may stand here, and whether it says "required". */
static int take_key(struct reader *r, char *key, size_t n)
{
	bool bang = n && key[n - 1] == '!';
	enum opt id = OPT_COUNT;

	key[bang ? n - 1 : n] = '\0';
	if (!*key)
		return fault(r, "no key before '='");
	if (r->section != OPT_COUNT)
		id = option_by_key(options[r->section].section, key);
	if (id == OPT_COUNT)
		return unknown_key(r, key);
	if (bang && !(options[id].bits & OPT_BIT_BANG))
		return fault(r, "'%s!': only a path in a list can be required; write '%s ='", key,
			     key);
	if (r->keys[id] && !(options[id].bits & OPT_BIT_LIST))
		return fault(r, "'%s' for the second time: it has one value, so remove one", key);
	r->keys[id] = true;
	r->entry = (struct entry){ .id = id, .required = bang, .line = r->line };
	return 0;
}

static int take_pair(struct reader *r, char *s, size_t n)
{
	char *equals = memchr(s, '=', n), *value;
	size_t key = equals ? (size_t)(equals - s) : 0;
	int rc;

	if (!equals)
		return fault(r, "'%.60s': missing '=' between a key and a value", s);
	for (value = equals + 1; line_blank(*value); value++)
		;
	while (key && line_blank(s[key - 1]))
		key--;
	rc = take_key(r, s, key);
	if (rc < 0)
		return rc;
	n -= (size_t)(value - s);
	/* Right behind '=' a comment needs no blank before it: "ro=; x" has no value either. */
	if (!n || (*value == ';' && (n == 1 || line_blank(value[1]))))
		return fault(r, "'%s' has no value: write one behind the '='",
			     options[r->entry.id].key);
	if (n > 1 && (*value == '"' || *value == '\'') && value[n - 1] == *value)
		return fault(r, "'%s': a value is not quoted: it ends with the line",
			     options[r->entry.id].key);
	memmove(r->value, value, n + 1);
	r->entry.value = r->value;
	r->waiting = true;
	return 0;
}

/* Check one line and write what inih may know of it, at most `size` bytes with the end. */
static int take_line(struct reader *r, const char *s, size_t n, char *out, size_t size)
{
	char *line = r->value; /* room for a line; a value is moved to its front */
	struct text t;
	int rc = check_bytes(r, s, n);

	if (rc < 0)
		return rc;
	text_init(&t, out, size);
	if (!n || s[0] == ';' || s[0] == '#' || !line_without_comment(s, n)) {
		text_add(&t, "\n");
		return 0;
	}
	if (line_blank(s[0]))
		return fault(r, "indented line: there are no continuations, start it in column 1");
	n = line_without_comment(s, n);
	memcpy(line, s, n);
	line[n] = '\0';
	rc = line[0] == '[' ? take_section(r, line, n) : take_pair(r, line, n);
	if (rc < 0)
		return rc;
	if (r->waiting)
		text_addf(&t, "%s%s=v\n", options[r->entry.id].key, r->entry.required ? "!" : "");
	else
		text_addf(&t, "[%s]\n", options[r->section].section);
	if (t.full)
		return fault(r, "inih was built for shorter lines");
	return 0;
}

/* inih's way to ask for a line; NULL ends its reading, for good reasons and bad. */
static char *next_line(char *out, int size, void *stream)
{
	struct reader *r = stream;
	const char *s = r->at, *newline;

	if (r->failed || s == r->end)
		return NULL;
	r->line++;
	newline = memchr(s, '\n', (size_t)(r->end - s));
	r->at = newline ? newline + 1 : r->end;
	if (r->waiting)
		r->failed = profile_err(r->e, r->file, r->line - 1, "inih overlooked this line");
	else
		r->failed = take_line(r, s, (size_t)((newline ? newline : r->end) - s), out,
				      (size_t)size);
	return r->failed ? NULL : out;
}

/* inih's way to tell what it saw: 1 goes on. */
static int on_pair(void *user, const char *section, const char *name, const char *value)
{
	struct reader *r = user;
	const struct option_def *o = &options[r->entry.id];
	size_t n = strlen(o->key);

	if (r->failed)
		return 0;
	if (!name)
		return 1; /* some builds announce sections */
	if (!r->waiting || !str_eq(section, o->section) || !str_starts(name, o->key) ||
	    !str_eq(name + n, r->entry.required ? "!" : "") || !value || !str_eq(value, "v")) {
		r->failed = fault(r, "inih understood something else");
		return 0;
	}
	r->waiting = false;
	r->failed = r->sink(r->arg, &r->entry, r->e);
	return !r->failed;
}

int profile_read(const char *file, const char *text, size_t n, entry_sink sink, void *arg,
		 struct err *e)
{
	struct reader r = {
		.file = file,
		.at = text,
		.end = text + n,
		.section = OPT_COUNT,
		.sink = sink,
		.arg = arg,
		.e = e,
	};
	int rc;

	if (n > PROFILE_FILE_MAX)
		return profile_err(e, file, 1, "the file is larger than %zu KiB",
				   PROFILE_FILE_MAX >> 10);
	rc = ini_parse_stream(next_line, &r, on_pair, &r);
	if (r.failed)
		return r.failed;
	if (rc != 0 || r.waiting || r.at != r.end)
		return profile_err(e, file, r.line, "inih could not read this line");
	return 0;
}
