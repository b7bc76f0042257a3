// SPDX-License-Identifier: GPL-2.0-or-later
/* Fuzzes the profile reader: bad ones change nothing, a good one written again reads the same. */
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "profiles/reader.h"
#include "tests/fuzz/oracle.h"

/* A draft in which flags have set a scalar and a list: a profile must not touch them. */
static void begin(struct draft *d, struct arena *a)
{
	struct err e = { 0 };

	MUST(arena_init(a, &e) == 0, e.what);
	MUST(draft_init(d, a, &oracle_home, &e) == 0, e.what);
	MUST(draft_set_flag(d, OPT_TMP, "12345", &e) == 0, e.what);
	MUST(draft_set_flag(d, OPT_RO, "/flag", &e) == 0, e.what);
}

static int add(struct draft *d, const char *text, size_t n, struct err *e)
{
	own_fd fd = memfd_create("profile", MFD_CLOEXEC);
	char path[32];

	MUST(fd >= 0 && fchmod(fd, 0600) == 0, "memfd");
	MUST(fs_write_all(fd, text, n) == 0, "write");
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return draft_add_profile(d, path, e);
}

static void check_value(const struct value *v, enum opt id, unsigned lines)
{
	MUST(v->text && *v->text, options[id].key);
	if (v->origin.kind != ORIGIN_FILE)
		return;
	MUST(options[id].section != NULL, v->text);
	MUST(strlen(v->text) < 4096, v->text);
	MUST(str_is_utf8(v->text, strlen(v->text)), v->text);
	MUST(!v->required || (options[id].bits & OPT_BIT_BANG), v->text);
	/* A parent may be longer. */
	MUST(v->origin.line >= 1 && (!strstr(v->origin.file, "/fd/") || v->origin.line <= lines),
	     v->text);
	for (const char *s = v->text; *s; s++)
		MUST((unsigned char)*s >= 0x20 || *s == '\t', v->text);
}

static void check_draft(const struct draft *d, const char *text, size_t n)
{
	unsigned lines = 1;

	for (size_t i = 0; i < n; i++)
		lines += text[i] == '\n';
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		for (const struct value *v = d->values[i]; v; v = v->next) {
			check_value(v, (enum opt)i, lines);
			MUST(!v->next || (options[i].bits & OPT_BIT_LIST), v->text);
			MUST(!v->next || v->origin.kind <= v->next->origin.kind, v->text);
		}
	}
	MUST(d->values[OPT_TMP]->number == 12345, d->values[OPT_TMP]->text);
}

/* What the files set, as a profile; NULL when a line or the file would be too long for one. */
static char *write_profile(const struct draft *d, size_t *ret_n)
{
	char *out = NULL;
	size_t n = 0;
	own_file f = open_memstream(&out, &n);
	const char *section = "";
	bool fits = true;

	MUST(f != NULL, "memory");
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		for (const struct value *v = d->values[i]; v; v = v->next) {
			if (v->origin.kind != ORIGIN_FILE || i == OPT_EXTENDS)
				continue;
			if (!str_eq(section, options[i].section))
				fprintf(f, "[%s]\n", options[i].section);
			section = options[i].section;
			fprintf(f, "%s%s = %s ; again\n", options[i].key, v->required ? "!" : "",
				v->text);
			if (strlen(options[i].key) + strlen(v->text) + 13 > PROFILE_LINE_MAX)
				fits = false;
		}
	}
	file_release(&f);
	if (!fits || n > PROFILE_FILE_MAX)
		str_release(&out);
	*ret_n = n;
	return out;
}

static void check_again(const struct draft *d)
{
	size_t n = 0;
	own_str again = write_profile(d, &n);
	own_str before = NULL;
	own_str after = NULL;
	struct err e = { 0 };
	struct arena arena;
	struct draft second;

	if (!again)
		return;
	begin(&second, &arena);
	MUST(add(&second, again, n, &e) == 0, e.what);
	/* `extends` was not written again. */
	second.values[OPT_EXTENDS] = d->values[OPT_EXTENDS];
	before = oracle_dump(d, false);
	after = oracle_dump(&second, false);
	MUST(str_eq(before, after), again);
	arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	own_str before = NULL;
	own_str after = NULL;
	struct err e = { 0 };
	struct arena arena;
	struct draft d;

	/* Eight profiles of this size fit in an arena; larger ones have a unit test. */
	if (size > 32768)
		return 0;
	begin(&d, &arena);
	before = oracle_dump(&d, true);
	if (add(&d, (const char *)data, size, &e) < 0) {
		after = oracle_dump(&d, true);
		MUST(str_eq(before, after), e.what);
		MUST(e.stage == ST_PROFILE && strchr(e.what, ':'), e.what);
		MUST(strlen(e.what) < sizeof(e.what) - 1, e.what);
	} else {
		MUST(!e.stage && !e.what[0], e.what);
		check_draft(&d, (const char *)data, size);
		check_again(&d);
	}
	arena_free(&arena);
	return 0;
}
