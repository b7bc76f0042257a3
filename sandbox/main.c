// SPDX-License-Identifier: GPL-2.0-or-later
/* jail: which verb, and the one place that prints an error; P0. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/text.h"
#include "sandbox/session.h"
#include "sandbox/verbs.h"

static const struct {
	const char *word;
	int (*run)(struct call *c, struct err *e);
} verbs[] = {
	{ "run", verb_run },	       { "explain", verb_explain },	  { "doctor", verb_doctor },
	{ "profile", verb_profile },   { "completion", verb_completion }, { "help", verb_help },
	{ "selftest", verb_selftest }, { "image", verb_image },
};

static void print_error(const struct err *e)
{
	char line[1400];
	struct text t;
	char message[1200];

	err_format(e, message, sizeof(message));
	text_init(&t, line, sizeof(line));
	text_addf(&t, "jail: %s\n", message);
	(void)fs_write_all(STDERR_FILENO, line, t.len);
}

/* `jail --profile x explain`: the words behind options are the command's. */
static void blame_order(struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
		const char *word = verbs[i].word;
		size_t n = strlen(word);

		if (strncmp(e->what, "run '", 5) != 0 || strncmp(e->what + 5, word, n) != 0 ||
		    e->what[5 + n] != '\'')
			continue;
		*e = (struct err){ 0 };
		(void)err_set(
			e, ST_EXEC, 0,
			"'%s' is no program here; as a word to jail it comes first: jail %s [OPTIONS] ...",
			word, word);
		return;
	}
}

int main(int argc, char **argv, char **env)
{
	/* for a caller that gives no words at all */
	static char name[] = "jail", *none[] = { name, NULL };
	struct call c = { .argc = argc,
			  .argv = argc ? argv : none,
			  .env = env,
			  .launcher_argv = argc ? argv : none };
	int (*run)(struct call *, struct err *) = verb_command;
	struct err e = { 0 };
	struct arena arena = { 0 };
	int rc = session_fill_stdio(&e);

	if (rc == 0)
		rc = arena_init(&arena, &e);
	c.arena = &arena;
	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(verbs); i++) {
		if (str_eq(argv[1], verbs[i].word)) {
			run = verbs[i].run;
			/* the suite and the images have options of their own, and words about them */
			if (run != verb_selftest && run != verb_image && argc > 2 &&
			    (str_eq(argv[2], "--help") || str_eq(argv[2], "-h")))
				run = verb_help;
			c.argc--;
			c.argv++;
			break;
		}
	}
	if (rc == 0)
		rc = run(&c, &e);
	if (rc == EXIT_NOTFOUND && e.stage == ST_EXEC)
		blame_order(&e);
	if (e.stage)
		print_error(&e);
	return rc < 0 ? EXIT_JAIL : rc;
}
