// SPDX-License-Identifier: GPL-2.0-or-later
/* What all forms of import share; jail-image. */
#include "oci/import.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/text.h"
#include "oci/hash.h"

int import_open(int dir, const char *path, struct err *e)
{
	own_fd fd = fs_openat2(dir, path, O_RDONLY | O_NONBLOCK | O_NOCTTY,
			       RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
	struct stat st;

	if (fd < 0)
		return err_set(e, ST_IMAGE, -fd, "open '%.200s' of the image", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(e, ST_IMAGE, 0, "'%.200s' of the image: expected a file", path);
	return fd_take(&fd);
}

int import_read(int dir, const char *path, char **ret, size_t *ret_n, struct err *e)
{
	own_fd fd = import_open(dir, path, e);
	own_str buf = malloc(MANIFEST_MAX + 1);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = buf ? fs_read_fd(fd, buf, MANIFEST_MAX + 1) : -ENOMEM;
	if (n == -EFBIG)
		return err_set(e, ST_IMAGE, 0,
			       "'%.200s' of the image: expected at most %zu bytes, got more", path,
			       MANIFEST_MAX);
	if (n < 0)
		return err_set(e, ST_IMAGE, (int)-n, "read '%.200s' of the image", path);
	*ret_n = (size_t)n;
	*ret = buf;
	buf = NULL;
	return 0;
}

void import_hash(const char *text, size_t n, struct digest *ret)
{
	struct digest like = { "sha256:" };
	struct hash *h = NULL;
	struct err e = { 0 };

	if (hash_start(&like, &h, &e) < 0)
		abort(); /* no memory, or a libcrypto without SHA-256 */
	hash_add(h, text, n);
	if (hash_finish(h, ret, &e) < 0)
		abort();
}

int import_make_manifest(struct image *image, char **ret, struct err *e)
{
	const size_t size = 1 << 18;
	own_str buf = malloc(size);
	struct text t;
	struct json j;

	if (!buf)
		return err_set(e, ST_IMAGE, ENOMEM, "make a manifest");
	text_init(&t, buf, size);
	json_init(&j, &t);
	json_open(&j, NULL, '{');
	json_int(&j, "schemaVersion", 2);
	json_str(&j, "mediaType", MEDIA_OCI_MANIFEST);
	json_open(&j, "config", '{');
	json_str(&j, "mediaType", MEDIA_OCI_CONFIG);
	json_str(&j, "digest", image->config.text);
	json_int(&j, "size", (int64_t)image->config_n);
	json_close(&j, '}');
	json_open(&j, "layers", '[');
	for (size_t i = 0; i < image->settings.n; i++) {
		json_open(&j, NULL, '{');
		json_str(&j, "mediaType", MEDIA_OCI_LAYER);
		json_str(&j, "digest", image->layers[i].digest.text);
		json_int(&j, "size", (int64_t)image->layers[i].size);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	if (t.full)
		return err_set(e, ST_IMAGE, EFBIG, "make a manifest");
	image->manifest_text = buf;
	image->manifest_n = t.len;
	import_hash(buf, t.len, &image->manifest);
	*ret = buf;
	buf = NULL;
	return 0;
}

/* docker.io/x/y:1 is a name; 1.0 is a tag of what the file is called. */
static int choose_name(struct import *im, const char *found, struct err *e)
{
	char text[2 * REF_TEXT_MAX];
	struct err unused = { 0 };
	struct ref r;
	struct text t;

	text_init(&t, text, sizeof(text));
	if (im->reference) {
		text_add(&t, im->reference);
	} else if (found && strchr(found, '/') && ref_parse(found, &r, &unused) == 0) {
		text_add(&t, found);
	} else {
		text_addf(&t, "%s:%s", im->fallback, found && *found ? found : "latest");
		unused = (struct err){ 0 };
		if (t.full || ref_parse(text, &r, &unused) < 0) {
			text_init(&t, text, sizeof(text));
			text_addf(&t, "%s:latest", im->fallback);
		}
	}
	if (ref_parse(text, &r, e) < 0)
		return -EINVAL;
	ref_format(&r, im->called, sizeof(im->called));
	return 0;
}

int import_finish(struct import *im, struct image *image, const char *found, struct err *e)
{
	int rc = choose_name(im, found, e);

	image->reference = im->called;
	if (rc == 0)
		rc = image_install(im->store, image, e);
	if (rc == 0)
		im->manifest = image->manifest;
	return rc;
}
