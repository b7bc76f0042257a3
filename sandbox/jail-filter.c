// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jail-filter: compiles seccomp programs. Runs at build time, to write filters.inc, and as a helper
 * of P0 for profiles that change a preset's list; it reads nothing but its arguments.
 *
 *	jail-filter PRESET [--allow NAME]... [--deny NAME]... [--arch ARCH]
 *		raw BPF on stdout
 *	jail-filter --emit-c [PRESET]...
 *		filters.inc on stdout, of these presets or of all
 *
 * What is denied wins over what is allowed. Exit 0, or 1 with one line on stderr.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/own.h"
#include "base/text.h"
#include "sandbox/bpf.h"
#include "sandbox/policy.h"

static const char head[] =
	"/* Written by jail-filter from syscalls.def and checks.def: do not edit. */\n"
	"#if !defined(FILTERS_x86_64) && !defined(FILTERS_aarch64) /* else the includer has chosen */\n"
	"#if defined(__x86_64__)\n"
	"#define FILTERS_x86_64\n"
	"#define NATIVE filters_x86_64\n"
	"#elif defined(__aarch64__)\n"
	"#define FILTERS_aarch64\n"
	"#define NATIVE filters_aarch64\n"
	"#else\n"
	"#error \"no seccomp programs for this architecture: see sandbox/calls.c\"\n"
	"#endif\n"
	"#endif\n"
	"struct filter_named {\n"
	"\tconst char *preset;\n"
	"\tstruct filter filter;\n"
	"};\n";

static void print_array(const struct program *prog, const char *preset, const char *arch)
{
	printf("\nstatic const struct sock_filter %s_%s[] = {", preset, arch);
	for (size_t i = 0; i < prog->len; i++) {
		const struct sock_filter *f = &prog->code[i];

		printf("%s{ 0x%02x, %u, %u, 0x%x },", i % 4 ? " " : "\n\t", f->code, f->jt, f->jf,
		       f->k);
	}
	printf("\n};\n");
}

/* Of the presets that the command line names, or of all of them, the i-th. */
static const char *wanted(char **argv, size_t i)
{
	return argv[2] ? argv[2 + i] : policy_preset(i);
}

/* The arrays of one architecture, and their table; the includer says which it wants. */
static int emit_arch(enum arch arch, char **argv, struct err *e)
{
	const char *name = arch_name(arch), *preset;

	printf("\n#ifdef FILTERS_%s\n", name);
	for (size_t i = 0; (preset = wanted(argv, i)); i++) {
		struct program prog;
		struct policy p;
		int r = policy_load(&p, preset, e);

		if (r >= 0)
			r = bpf_compile(&p, arch, &prog, e);
		if (r < 0)
			return r;
		print_array(&prog, preset, name);
	}
	printf("\nstatic const struct filter_named filters_%s[] = {\n", name);
	for (size_t i = 0; (preset = wanted(argv, i)); i++)
		printf("\t{ \"%s\", { %s_%s, sizeof(%s_%s) / sizeof(struct sock_filter) } },\n",
		       preset, preset, name, preset, name);
	printf("};\n#endif\n");
	return 0;
}

static int emit_c(char **argv, struct err *e)
{
	fputs(head, stdout);
	for (unsigned i = 0; i < ARCH_COUNT; i++) {
		int r = emit_arch((enum arch)i, argv, e);

		if (r < 0)
			return r;
	}
	return 0;
}

/* All of one option's values, in the order given. */
static int apply(struct policy *p, char **argv, const char *option,
		 int (*change)(struct policy *p, const char *name, struct err *e), struct err *e)
{
	for (size_t i = 2; argv[i]; i += 2) {
		int r = str_eq(argv[i], option) ? change(p, argv[i + 1], e) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

/* Options come in pairs; *ret stays as it is unless they name an architecture. */
static int read_options(char **argv, enum arch *ret, struct err *e)
{
	enum arch arch = *ret;

	for (size_t i = 2; argv[i]; i += 2) {
		if (!argv[i + 1])
			return err_set(e, ST_FILTER, 0, "'%s' needs a value", argv[i]);
		if (str_eq(argv[i], "--allow") || str_eq(argv[i], "--deny"))
			continue;
		if (!str_eq(argv[i], "--arch"))
			return err_set(e, ST_FILTER, 0, "unknown option '%s'", argv[i]);
		if (!arch_find(argv[i + 1], &arch))
			return err_set(e, ST_FILTER, 0, "unknown architecture '%s'", argv[i + 1]);
	}
	*ret = arch;
	return 0;
}

static int emit_raw(char **argv, struct err *e)
{
	struct program prog;
	struct policy p;
	enum arch arch = arch_native();
	int r;

	r = read_options(argv, &arch, e);
	if (r >= 0)
		r = policy_load(&p, argv[1], e);
	if (r >= 0)
		r = apply(&p, argv, "--allow", policy_allow, e);
	if (r >= 0)
		r = apply(&p, argv, "--deny", policy_deny, e);
	if (r >= 0)
		r = bpf_compile(&p, arch, &prog, e);
	if (r < 0)
		return r;
	(void)fwrite(prog.code, sizeof(prog.code[0]), prog.len, stdout);
	return 0;
}

int main(int argc, char **argv)
{
	struct err e = { 0 };
	int r;

	if (argc < 2)
		r = err_set(&e, ST_USAGE, 0,
			    "usage: jail-filter PRESET [--allow NAME] [--deny NAME] [--arch ARCH]");
	else if (str_eq(argv[1], "--emit-c"))
		r = emit_c(argv, &e);
	else
		r = emit_raw(argv, &e);
	if (r >= 0 && (fflush(stdout) || ferror(stdout)))
		r = err_set(&e, ST_FILTER, errno ? errno : EIO, "write the program");
	if (r >= 0)
		return 0;
	fprintf(stderr, "%s%s%s\n", e.what, e.code ? ": " : "", e.code ? strerror(e.code) : "");
	return 1;
}
