// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the name of an image to its layers, open, and its settings; P0.
 *
 * The store is jail-image's: blobs/, layers/ (one tree for each), images/ (one record for each) and
 * refs/ (which image a name means). Here it is only read.
 */
#include "sandbox/image.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "oci/ref.h"

#define NO_LINKS (RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)

bool image_wanted(const struct draft *d)
{
	return !str_eq(draft_get(d, OPT_IMAGE)->text, "host");
}

/* "--image" or "claude.ini:12", for messages. */
static const char *asked_by(struct arena *a, const struct draft *d)
{
	char origin[256];
	struct text t;

	text_init(&t, origin, sizeof(origin));
	origin_format(&draft_get(d, OPT_IMAGE)->origin, OPT_IMAGE, &t);
	return arena_strdup(a, origin);
}

/* What a name in refs/ is called: all but these bytes as %XX. */
static const char *escape(struct arena *a, const char *s)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	char buf[3 * 512];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	for (; *s; s++) {
		if (strchr(plain, *s))
			text_addn(&t, s, 1);
		else
			text_addf(&t, "%%%02X", (unsigned char)*s);
	}
	return t.full || t.len > NAME_MAX ? NULL : arena_strdup(a, buf);
}

/* ~/x is in the home, as in every other path of a profile. */
static const char *absolute(struct arena *a, const struct caller *c, const char *path)
{
	if (str_eq(path, "~") || str_starts(path, "~/"))
		return arena_printf(a, "%s%s", c->home, path + 1);
	return path_absolute(a, c->cwd, path);
}

/*
 * One name for one file: without links and dots, as far as it is there. Behind the path of a layout
 * or an archive may stand :NAME, and the shortest path that is there counts.
 */
static void find_file(struct arena *a, const char *path, struct image_name *n, struct err *e)
{
	struct resolved r;

	n->file = n->path = path;
	if (path_resolve(a, path, &r, e) == 0) {
		fd_release(&r.fd);
		n->file = n->path = r.path;
		return;
	}
	for (const char *colon = path; !e->stage && (colon = strchr(colon, ':')); colon++) {
		if (path_resolve(a, arena_strndup(a, path, (size_t)(colon - path)), &r, e) < 0)
			continue;
		fd_release(&r.fd);
		n->file = r.path;
		n->path = arena_printf(a, "%s%s", r.path, colon);
		return;
	}
}

/*
 * What a source on this machine is called in the store, where names are references: letters and
 * digits as they are, all else as -XX.
 */
static const char *name_source(struct arena *a, const struct image_name *n)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	char buf[REF_NAME_MAX + 1];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_addf(&t, "localhost/%.*s/p", (int)strlen(n->scheme) - 1, n->scheme);
	for (const char *s = n->path; *s; s++) {
		if (strchr(plain, *s))
			text_addn(&t, s, 1);
		else
			text_addf(&t, "-%02x", (unsigned char)*s);
	}
	text_add(&t, ":latest");
	return t.full ? NULL : arena_strdup(a, buf);
}

static int name_reference(struct arena *a, const struct draft *d, const char *text,
			  struct image_name *n, struct err *e)
{
	char whole[REF_TEXT_MAX + 1];
	struct err why = { 0 };
	struct ref ref;

	if (ref_parse(text, &ref, &why) < 0)
		return err_set(e, ST_IMAGE, 0, "%s: %s", asked_by(a, d), why.what);
	ref_format(&ref, whole, sizeof(whole));
	n->kind = IMAGE_REFERENCE;
	n->called = n->reference = arena_strdup(a, whole);
	n->pinned = ref.digest.text[0] ? arena_strdup(a, ref.digest.text) : NULL;
	return 0;
}

int image_name_parse(struct arena *a, const struct draft *d, const struct caller *c,
		     struct image_name *ret, struct err *e)
{
	static const char *const schemes[] = { "dir:", "oci:", "oci-archive:", "docker-archive:" };
	const char *text = draft_get(d, OPT_IMAGE)->text, *escaped = NULL;
	struct image_name n = { .kind = IMAGE_HOST };
	int rc = 0;

	if (!image_wanted(d)) {
		*ret = n;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(schemes) && !n.scheme; i++) {
		if (!str_starts(text, schemes[i]))
			continue;
		n.kind = i ? IMAGE_FILE : IMAGE_DIR;
		n.scheme = schemes[i];
		find_file(a, absolute(a, c, text + strlen(schemes[i])), &n, e);
		n.called = arena_printf(a, "%s%s", n.scheme, n.path);
		n.reference = name_source(a, &n);
	}
	if (e->stage)
		return -EINVAL;
	if (n.scheme && !text[strlen(n.scheme)])
		return err_set(e, ST_IMAGE, 0, "%s: no path behind '%s'", asked_by(a, d), text);
	if (!n.scheme)
		rc = name_reference(a, d, text, &n, e);
	if (rc < 0)
		return rc;
	if (n.reference)
		escaped = escape(a, n.reference);
	if (!escaped && n.kind != IMAGE_DIR)
		return err_set(e, ST_IMAGE, ENAMETOOLONG, "%s: '%s'", asked_by(a, d), text);
	n.ref_file = escaped ? arena_printf(a, "refs/%s", escaped) : NULL;
	*ret = n;
	return 0;
}

int image_store_open(struct arena *a, const struct caller *c, const char **ret_path, int *ret_fd,
		     struct err *e)
{
	struct resolved r;
	int rc = path_resolve(a, arena_printf(a, "%s/jail/images", c->expand.data_home), &r, e);

	if (rc < 0)
		return rc;
	if (!S_ISDIR(r.st.st_mode) || r.st.st_uid != c->uid || (r.st.st_mode & 022)) {
		fd_release(&r.fd);
		return err_set(e, ST_IMAGE, 0,
			       "the store '%s' is not a directory of yours that nobody else can write",
			       r.path);
	}
	*ret_path = r.path;
	*ret_fd = r.fd;
	return 0;
}

static const char *image_dir(struct arena *a, const char *digest)
{
	struct digest d;

	return digest_parse(digest, &d) ? arena_printf(a, "images/%s", digest_name(&d).text) : NULL;
}

int image_store_find(int store, const struct image_name *n, struct arena *a, const char **ret,
		     struct err *e)
{
	char text[DIGEST_TEXT_MAX + 8];
	const char *digest = text, *dir;
	ssize_t len = fs_read_file_at(store, n->ref_file, text, sizeof(text), true);

	if (len == -ENOENT && n->pinned)
		digest = n->pinned;
	else if (len == -ENOENT)
		return -ENOENT;
	else if (len < 0)
		return err_set(e, ST_IMAGE, (int)-len, "read '%s' in the store", n->ref_file);
	else
		text[strcspn(text, "\n")] = '\0';
	dir = image_dir(a, digest);
	if (!dir)
		return err_set(e, ST_IMAGE, 0, "'%s' in the store holds no digest", n->ref_file);
	if (faccessat(store, arena_printf(a, "%s/record", dir), F_OK, 0) < 0)
		return errno == ENOENT
			       ? -ENOENT
			       : err_set(e, ST_IMAGE, errno, "look for '%s' in the store", dir);
	*ret = arena_strdup(a, digest);
	return 0;
}

/*
 * The record stays open and locked as long as jail runs: that is how `jail image rm` and prune know
 * that somebody stands on the layers.
 */
static int read_record(struct arena *a, int store, const char *digest, struct image *i, struct err *e)
{
	const char *file = arena_printf(a, "%s/record", image_dir(a, digest));
	int fd = fs_openat2(store, file, O_RDONLY | O_NOCTTY | O_NONBLOCK, NO_LINKS | RESOLVE_BENEATH);
	struct stat st;
	char *text;
	ssize_t n;

	if (fd < 0)
		return err_set(e, ST_IMAGE, -fd, "open '%s' in the store", file);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || (size_t)st.st_size >= IMAGE_RECORD_MAX) {
		(void)close(fd);
		return err_set(e, ST_IMAGE, 0, "'%s' in the store is no record", file);
	}
	if (flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
		(void)close(fd);
		return err_set(e, ST_IMAGE, 0, "the image '%s' is being removed", i->named);
	}
	text = arena_alloc(a, (size_t)st.st_size + 1);
	n = fs_read_fd(fd, text, (size_t)st.st_size + 1);
	if (n < 0)
		return err_set(e, ST_IMAGE, (int)-n, "read '%s' in the store", file);
	return image_record_parse(a, text, (size_t)n, &i->record, e);
}

static int open_layer(struct image *i, int base, const char *name, struct err *e)
{
	struct image_layer *l = &i->layers[i->layers_n];
	struct stat st;
	int fd;

	/* Twice the same is once: what the upper one shows and hides, the lower one does not change. */
	for (size_t k = 0; k < i->layers_n; k++) {
		if (str_eq(i->layers[k].name, name))
			return 0;
	}
	fd = fs_openat2(base, name, O_PATH | O_DIRECTORY, NO_LINKS | RESOLVE_BENEATH);
	if (fd == -ENOENT)
		return err_set(e, ST_IMAGE, 0,
			       "the image '%s' is not whole: '%s' is missing; pull or import it again",
			       i->named, name);
	if (fd < 0)
		return err_set(e, ST_IMAGE, -fd, "open the layer '%s'", name);
	if (fstat(fd, &st) < 0)
		return err_set(e, ST_IMAGE, errno, "stat the layer '%s'", name);
	*l = (struct image_layer){ .name = name, .fd = fd, .dev = st.st_dev, .ino = st.st_ino };
	i->layers_n++;
	return 0;
}

/* Where all layers are; from now on known by more than its path. */
static void set_base(struct image *i, const struct resolved *r)
{
	i->base = (struct mount_op){ .kind = MK_BIND,
				     .target = "/",
				     .source = r->path,
				     .is_dir = true,
				     .readonly = true,
				     .dev = r->st.st_dev,
				     .ino = r->st.st_ino,
				     .tree_fd = FD_NONE,
				     .option = OPT_IMAGE,
				     .origin = i->origin };
}

static int open_layers(struct arena *a, const char *store_path, struct image *i, struct err *e)
{
	struct resolved r;
	size_t n = 0;
	int rc = path_resolve(a, arena_printf(a, "%s/layers", store_path), &r, e);

	if (rc < 0)
		return err_set(e, ST_IMAGE, -rc, "open the layers in '%s'", store_path);
	set_base(i, &r);
	while (i->record.layers[n])
		n++;
	i->layers = arena_array(a, struct image_layer, n);
	while (rc == 0 && n > 0) {
		struct digest d = { "" };

		(void)digest_parse(i->record.layers[--n], &d);
		rc = open_layer(i, r.fd, arena_strdup(a, digest_name(&d).text), e);
	}
	fd_release(&r.fd);
	return rc;
}

/* How to get it by hand. */
static const char *fetch_verb(const struct image_name *n)
{
	return n->kind == IMAGE_FILE ? "import" : "pull";
}

static int open_stored(struct arena *a, const struct plan *p, const struct image_name *n,
		       struct image *i, struct err *e)
{
	const char *store_path, *digest = NULL;
	own_fd store = FD_NONE;
	int rc = image_store_open(a, p->caller, &store_path, &store, e);

	if (rc == 0)
		rc = image_store_find(store, n, a, &digest, e);
	if (rc < 0 && !e->stage)
		return err_set(e, ST_IMAGE, 0,
			       "%s: the image '%s' is not here; `jail image %s %s` gets it",
			       asked_by(a, p->draft), n->called, fetch_verb(n), n->called);
	if (rc == 0)
		rc = read_record(a, store, digest, i, e);
	if (rc == 0 && !str_eq(i->record.manifest, digest))
		rc = err_set(e, ST_IMAGE, 0, "the record of '%s' is another image's", n->called);
	return rc < 0 ? rc : open_layers(a, store_path, i, e);
}

/* A directory is shown as a whole, so what may not be shown may not be in it. */
static const char *why_no_root(const struct plan *p, const struct resolved *r)
{
	static const char *const own[] = { "/proc", "/sys", "/dev", "/run" };

	if (!S_ISDIR(r->st.st_mode))
		return "is no directory";
	if (path_beneath(p->caller->home, r->path))
		return "is your home directory or holds it: all of it would be shown";
	for (size_t k = 0; k < ARRAY_SIZE(own); k++) {
		if (path_beneath(r->path, own[k]) || path_beneath(own[k], r->path))
			return "is the host's own system: image = host shows what is needed of it";
	}
	return NULL;
}

static int open_directory(struct arena *a, const struct plan *p, const struct image_name *n,
			  struct image *i, struct err *e)
{
	static char *none[] = { NULL };
	struct resolved r;
	const char *why;
	int rc = path_resolve(a, n->path, &r, e);

	if (rc < 0)
		return err_set(e, ST_IMAGE, -rc, "%s: '%s'", asked_by(a, p->draft), n->path);
	why = why_no_root(p, &r);
	if (why) {
		fd_release(&r.fd);
		return err_set(e, ST_IMAGE, 0, "%s: '%s' %s", asked_by(a, p->draft), r.path, why);
	}
	set_base(i, &r);
	i->layers = arena_new(a, struct image_layer);
	i->record.env = i->record.entrypoint = i->record.cmd = none;
	rc = open_layer(i, r.fd, ".", e);
	fd_release(&r.fd);
	return rc;
}

static size_t count(char *const *words)
{
	size_t n = 0;

	while (words && words[n])
		n++;
	return n;
}

/* The entry point, and behind it what was given, or else what the image would have been given. */
static void compose_command(struct arena *a, struct plan *p)
{
	const struct image_config *r = &p->image->record;
	const bool own = draft_get(p->draft, OPT_ENTRYPOINT)->number != 0;
	char *const *words = p->argv ? p->argv : r->cmd;
	size_t first = own ? count(r->entrypoint) : 0, n = count(words);
	char **argv;

	if (!first && !n)
		return;
	argv = arena_array(a, char *, first + n + 1);
	memcpy(argv, r->entrypoint, first * sizeof(*argv));
	memcpy(argv + first, words, n * sizeof(*argv));
	p->argv = argv;
}

int image_signal(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} known[] = {
		{ "HUP", SIGHUP },   { "INT", SIGINT },	  { "QUIT", SIGQUIT },
		{ "ABRT", SIGABRT }, { "KILL", SIGKILL }, { "USR1", SIGUSR1 },
		{ "USR2", SIGUSR2 }, { "ALRM", SIGALRM }, { "TERM", SIGTERM },
		{ "CONT", SIGCONT }, { "STOP", SIGSTOP }, { "WINCH", SIGWINCH },
		{ "PWR", SIGPWR },
	};
	uint64_t n;

	if (str_to_u64(name, 64, &n))
		return (int)n;
	if (str_starts(name, "SIG"))
		name += 3;
	if (str_starts(name, "RTMIN+") && str_to_u64(name + 6, 30, &n))
		return SIGRTMIN + (int)n;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (str_eq(name, known[i].name))
			return known[i].number;
	}
	return 0;
}

/* What the image wants of a run, and does not get as it says. */
static void take_settings(struct arena *a, struct plan *p, struct image *i)
{
	const struct image_config *r = &i->record;

	i->stop_signal = r->stop_signal ? image_signal(r->stop_signal) : SIGTERM;
	if (!i->stop_signal) {
		i->stop_signal = SIGTERM;
		plan_note(a, p, false, "stop-signal",
			  "the image's stop signal '%s' is none that is known: it is SIGTERM",
			  r->stop_signal);
	}
	if (r->user) {
		i->user_inside = image_find_user(a, i, r->user);
		plan_note(a, p, false, "image-user",
			  "the image's user '%s' (%s) is not taken on: the command is the caller's, and so are all files of the image",
			  r->user, i->user_inside ? i->user_inside : "not in its passwd");
	}
	if (i->writable)
		plan_note(a, p, false, "root-writes",
			  "with a writable / Landlock lets writes through: what is read-only is held by its mount alone");
}

int image_plan(struct arena *a, struct plan *p, struct err *e)
{
	const struct draft *d = p->draft;
	struct image *i = arena_new(a, struct image);
	struct image_name n;
	int rc = image_name_parse(a, d, p->caller, &n, e);

	if (rc < 0 || n.kind == IMAGE_HOST)
		return rc;
	i->named = draft_get(d, OPT_IMAGE)->text;
	i->origin = draft_get(d, OPT_IMAGE)->origin;
	i->writable = draft_get(d, OPT_ROOT_WRITES)->number == 1;
	i->size = draft_get(d, OPT_TMP)->number;
	i->inodes = draft_get(d, OPT_INODES)->number;
	rc = n.kind == IMAGE_DIR ? open_directory(a, p, &n, i, e) : open_stored(a, p, &n, i, e);
	if (rc < 0)
		return rc;
	p->image = i;
	take_settings(a, p, i);
	compose_command(a, p);
	return 0;
}
