// SPDX-License-Identifier: GPL-2.0-or-later
/* jail-image: `jail image`. Keeps the store, reads manifests and configs, starts jail-unpack and jail-pull. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "oci/image_verbs.h"

#define EXIT_JAIL 125

static const struct verb {
	const char *word, *operands, *says;
	unsigned least, most;	      /* operands */
	bool json, platform, network; /* the options that it takes */
	int (*run)(const struct image_call *c, struct err *e);
} verbs[] = {
	{ "import", "[--platform OS/ARCH[/VARIANT]] SOURCE [REFERENCE]",
	  "take an image from an OCI layout, an archive, a tar or a directory", 1, 2, false, true,
	  false, image_import },
	{ "pull", "[--platform P] [--plain-http] [--quiet] REFERENCE",
	  "fetch an image from a registry", 1, 1, false, true, true, image_pull },
	{ "ls", "[--json]", "list the images", 0, 0, true, false, false, image_ls },
	{ "inspect", "[--json] IMAGE", "show config, history, layers and sizes", 1, 1, true, false,
	  false, image_inspect },
	{ "rm", "IMAGE", "remove a name, and the image with its last one", 1, 1, false, false,
	  false, image_rm },
	{ "prune", "[--json]", "remove all that no image with a name needs", 0, 0, true, false,
	  false, image_prune },
};

void image_say(const char *line)
{
	(void)fprintf(stderr, "jail: %s\n", line);
}

static int help(void)
{
	puts("usage: jail image VERB ...\n");
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		printf("  %-8s %-50s %s\n", verbs[i].word, verbs[i].operands, verbs[i].says);
	puts("\nSOURCE: oci:DIR[:NAME] oci-archive:FILE[:NAME] docker-archive:FILE[:NAME] tar:FILE dir:PATH,\n"
	     "or a path, and what it is is seen. See jail-image(1).");
	return fflush(stdout) ? -EIO : 0;
}

static const char *next_word(void *arg, size_t i)
{
	(void)arg;
	return i < ARRAY_SIZE(verbs) ? verbs[i].word : NULL;
}

static const struct verb *find(const char *word, struct err *e)
{
	const char *near = str_nearest(word, next_word, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
		if (str_eq(verbs[i].word, word))
			return &verbs[i];
	}
	(void)err_set(e, ST_USAGE, 0, "image: unknown verb '%.60s'; %s%s", word,
		      near ? "did you mean " : "try `jail image help`", near ? near : "");
	return NULL;
}

/* Options stand anywhere; "--" ends them. */
static int read_words(const struct verb *v, char **argv, struct image_call *c, struct err *e)
{
	bool options = true;

	for (; *argv; argv++) {
		if (options && str_eq(*argv, "--")) {
			options = false;
		} else if (options && v->json && str_eq(*argv, "--json")) {
			c->json = true;
		} else if (options && v->network && str_eq(*argv, "--plain-http")) {
			c->plain_http = true;
		} else if (options && v->network && str_eq(*argv, "--quiet")) {
			c->quiet = true;
		} else if (options && v->platform && str_eq(*argv, "--platform") && argv[1]) {
			c->platform = *++argv;
		} else if (options && v->platform && str_starts(*argv, "--platform=")) {
			c->platform = *argv + strlen("--platform=");
		} else if (options && (*argv)[0] == '-' && (*argv)[1]) {
			return err_set(e, ST_USAGE, 0,
				       "image %s: unknown option '%.60s'; usage: jail image %s %s",
				       v->word, *argv, v->word, v->operands);
		} else if (c->n == v->most) {
			return err_set(e, ST_USAGE, 0,
				       "image %s: '%.60s' is one word too many; usage: jail image %s %s",
				       v->word, *argv, v->word, v->operands);
		} else {
			c->words[c->n++] = *argv;
		}
	}
	if (c->n < v->least)
		return err_set(e, ST_USAGE, 0, "image %s: usage: jail image %s %s", v->word,
			       v->word, v->operands);
	return 0;
}

static int run(char **argv, struct err *e)
{
	struct image_call c = { .n = 0 };
	const struct verb *v;
	struct rlimit files;
	int rc;

	if (!argv[0] || !argv[1] || str_eq(argv[1], "help") || str_eq(argv[1], "--help") ||
	    str_eq(argv[1], "-h") || (argv[2] && str_eq(argv[2], "--help")))
		return help();
	v = find(argv[1], e);
	if (!v)
		return -EINVAL;
	rc = read_words(v, argv + 2, &c, e);
	if (rc < 0)
		return rc;
	(void)umask(077);
	/* a lock and a tree for each of up to 500 layers */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	rc = v->run(&c, e);
	if (rc == 0 && (fflush(stdout) || ferror(stdout)))
		rc = err_set(e, ST_USAGE, errno ? errno : EIO, "write to stdout");
	return rc;
}

int main(int argc, char **argv)
{
	struct err e = { 0 };
	char line[1200];

	(void)argc;
	if (run(argv, &e) < 0) {
		err_format(&e, line, sizeof(line));
		image_say(line);
		return EXIT_JAIL;
	}
	return 0;
}
