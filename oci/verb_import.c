// SPDX-License-Identifier: GPL-2.0-or-later
/* jail image import: what kind of thing the source is; jail-image. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "oci/image_verbs.h"
#include "oci/import.h"

enum form { FORM_ANY, FORM_OCI, FORM_OCI_ARCHIVE, FORM_DOCKER_ARCHIVE, FORM_TAR, FORM_DIR };

static const struct {
	const char *prefix;
	enum form form;
	bool named; /* FILE:NAME */
} forms[] = {
	{ "oci:", FORM_OCI, true },
	{ "oci-archive:", FORM_OCI_ARCHIVE, true },
	{ "docker-archive:", FORM_DOCKER_ARCHIVE, true },
	{ "tar:", FORM_TAR, false },
	{ "dir:", FORM_DIR, false },
	{ "", FORM_ANY, true }, /* last: fits everything */
};

struct what {
	enum form form;
	char path[PATH_MAX];
	const char *name;
};

/* "FORM:PATH[:NAME]". A path that is there as it stands has no name behind it. */
static int take_source(const char *word, struct what *w, struct err *e)
{
	size_t i = 0;
	char *colon;
	struct text t;

	while (!str_starts(word, forms[i].prefix))
		i++;
	*w = (struct what){ .form = forms[i].form };
	text_init(&t, w->path, sizeof(w->path));
	text_add(&t, word + strlen(forms[i].prefix));
	if (t.full)
		return err_set(e, ST_IMAGE, ENAMETOOLONG, "source '%.100s'", word);
	/* A tag may hold a ':' of its own (x:1): the shortest path that is there counts. */
	for (colon = forms[i].named && access(w->path, F_OK) < 0 ? strchr(w->path, ':') : NULL;
	     colon; colon = strchr(colon + 1, ':')) {
		*colon = '\0';
		if (access(w->path, F_OK) == 0) {
			w->name = colon + 1;
			return 0;
		}
		*colon = ':';
	}
	return 0;
}

/* localhost/FILE: lower case, without what a repository's name cannot hold. */
static void name_after(const char *path, char *buf, size_t size)
{
	static const char *const ends[] = { ".zst", ".gz", ".tgz", ".tar" };
	char real[PATH_MAX], *base;
	struct text t;
	size_t n;

	if (!realpath(path, real))
		real[0] = '\0';
	base = strrchr(real, '/') ? strrchr(real, '/') + 1 : real;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		n = strlen(base);
		if (n > strlen(ends[i]) && str_eq(base + n - strlen(ends[i]), ends[i]))
			base[n - strlen(ends[i])] = '\0';
	}
	text_init(&t, buf, size);
	text_add(&t, "localhost/");
	n = t.len;
	for (; *base && t.len < 120; base++) {
		char c = *base >= 'A' && *base <= 'Z' ? (char)(*base - 'A' + 'a') : *base;
		bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

		if (plain)
			text_addn(&t, &c, 1);
		else if (t.len > n && buf[t.len - 1] != '-')
			text_add(&t, "-");
	}
	if (t.len > n && buf[t.len - 1] == '-')
		buf[--t.len] = '\0';
	if (t.len == n)
		text_add(&t, "image");
}

static bool holds(int dir, const char *name)
{
	return faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* A layout has both files; newer `docker save` writes both forms, and the layout says more. */
static enum form look(int dir, enum form form, bool archive)
{
	if (form != FORM_ANY)
		return form;
	if (holds(dir, "oci-layout") && holds(dir, "index.json"))
		return archive ? FORM_OCI_ARCHIVE : FORM_OCI;
	if (archive && holds(dir, "manifest.json"))
		return FORM_DOCKER_ARCHIVE;
	return archive ? FORM_TAR : FORM_DIR;
}

/* Unpacked in the cage, an archive is a directory like any other. */
static int from_archive(struct import *im, enum form form, int input, const char *path, struct err *e)
{
	own_fd tree = FD_NONE;
	struct job j;
	int rc;

	job_init(&j);
	(void)snprintf(j.what, sizeof(j.what), "archive '%.150s'", path);
	rc = job_prepare(&j, im->store, e);
	if (rc == 0)
		rc = job_start(&j, im->store, input, e);
	if (rc == 0)
		rc = job_wait(&j, e);
	if (rc == 0) {
		tree = openat(j.dir, "tree", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		form = look(tree, form, true);
		if (form == FORM_OCI_ARCHIVE)
			rc = import_layout(im, tree, e);
		else if (form == FORM_DOCKER_ARCHIVE)
			rc = import_docker(im, tree, e);
		else
			rc = import_tree(im, &j, e);
	}
	job_drop(&j, im->store);
	return rc;
}

static int from_path(struct import *im, const struct what *w, struct err *e)
{
	bool standard = str_eq(w->path, "-");
	own_fd fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
			     : open(w->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	bool wants_dir = w->form == FORM_OCI || w->form == FORM_DIR;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(e, ST_IMAGE, errno, "open '%.200s'", w->path);
	if (S_ISDIR(st.st_mode) != wants_dir && w->form != FORM_ANY)
		return err_set(e, ST_IMAGE, 0, "'%.200s': expected a %s", w->path,
			       wants_dir ? "directory" : "file");
	if (!S_ISDIR(st.st_mode))
		return from_archive(im, w->form, fd, w->path, e);
	return look(fd, w->form, false) == FORM_OCI ? import_layout(im, fd, e)
						    : import_directory(im, w->path, e);
}

int image_import(const struct image_call *c, struct err *e)
{
	own_store s = { .root = FD_NONE, .tmp = FD_NONE, .lock = FD_NONE, .say = image_say };
	struct import im = { .store = &s };
	char full[REF_TEXT_MAX];
	struct what w;
	struct ref r;
	int rc = take_source(c->words[0], &w, e);

	platform_native(&im.platform);
	if (rc == 0 && c->platform && !platform_parse(c->platform, &im.platform))
		rc = err_set(e, ST_USAGE, 0, "--platform: expected OS/ARCH[/VARIANT], got '%.60s'",
			     c->platform);
	if (rc == 0 && c->words[1]) {
		rc = ref_parse(c->words[1], &r, e);
		if (rc == 0 && r.digest.text[0])
			rc = err_set(e, ST_USAGE, 0,
				     "import: the new name '%.200s' cannot hold a digest",
				     c->words[1]);
		ref_format(&r, full, sizeof(full));
		im.reference = full;
	}
	im.name = w.name;
	if (rc == 0) {
		name_after(w.path, im.fallback, sizeof(im.fallback));
		rc = store_open(&s, STORE_ADD, e);
	}
	if (rc == 0)
		rc = from_path(&im, &w, e);
	if (rc == 0)
		printf("%s %s\n", im.called, im.manifest.text);
	return rc;
}
