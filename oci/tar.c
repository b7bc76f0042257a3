// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading tar by libarchive; jail-unpack, inside the cage. What libarchive would do with an entry is
 * not asked: it restores setuid bits and refuses merged-usr images, so layer.c does the writing.
 */
#include "oci/tar.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>

#include "base/text.h"

#define BLOCK 512

struct source {
	tar_input input;
	void *arg;
	struct archive *archive;
	struct archive_entry *entry;
	uint64_t end;	/* of what was read of the entry */
	uint64_t total; /* of what the input gave */
	bool over;	/* and it has no more */
	bool unpadded;	/* it ended with the last byte of an entry, as umoci leaves it: no error */
};

static la_ssize_t on_read(struct archive *a, void *arg, const void **ret)
{
	struct source *s = arg;
	la_ssize_t n = (la_ssize_t)s->input(s->arg, ret);

	(void)a;
	s->over |= n == 0;
	s->total += n > 0 ? (uint64_t)n : 0;
	return n;
}

/* What libarchive says, without its newlines: it quotes what is in the archive. */
static int broken(const struct source *s, struct err *e)
{
	const char *why = archive_error_string(s->archive);

	return err_set(e, ST_IMAGE, 0, "tar: expected a valid archive, got: %.200s",
		       why ? why : "damaged");
}

static int on_data(void *arg, const void **ret, size_t *ret_n, int64_t *ret_offset, struct err *e)
{
	struct source *s = arg;
	la_int64_t offset = 0;
	int rc;

	do {
		rc = archive_read_data_block(s->archive, ret, ret_n, &offset);
	} while (rc == ARCHIVE_OK && *ret_n == 0);
	*ret_offset = offset;
	if (rc == ARCHIVE_EOF)
		return 0;
	if (rc == ARCHIVE_OK) {
		s->end = (uint64_t)offset + *ret_n;
		return 1;
	}
	s->unpadded = s->over && s->end && s->end == (uint64_t)archive_entry_size(s->entry) &&
		      s->total % BLOCK == s->end % BLOCK;
	return s->unpadded ? 0 : broken(s, e);
}

static int on_xattr(void *arg, const char **ret_name, const void **ret_value, size_t *ret_n)
{
	struct source *s = arg;

	return archive_entry_xattr_next(s->entry, ret_name, ret_value, ret_n) == ARCHIVE_OK;
}

static enum entry_kind kind_of(struct archive_entry *ae)
{
	switch (archive_entry_filetype(ae)) {
	case AE_IFREG:
		return ENTRY_FILE;
	case AE_IFDIR:
		return ENTRY_DIR;
	case AE_IFLNK:
		return ENTRY_SYMLINK;
	case AE_IFIFO:
		return ENTRY_FIFO;
	default:
		return ENTRY_SKIP; /* devices and sockets */
	}
}

static int apply_one(struct source *s, struct layer *l, struct err *e)
{
	const struct entry_source src = { s, on_data, on_xattr };
	struct archive_entry *ae = s->entry;
	la_int64_t size = archive_entry_size(ae);
	const char *hard = archive_entry_hardlink(ae);
	struct entry en = {
		.kind = hard ? ENTRY_HARDLINK : kind_of(ae),
		.path = archive_entry_pathname(ae),
		.link = hard ? hard : archive_entry_symlink(ae),
		.mode = archive_entry_perm(ae),
		.size = size > 0 ? (uint64_t)size : 0,
		.sec = archive_entry_mtime(ae),
		.nsec = archive_entry_mtime_nsec(ae),
		.uid = (uint64_t)archive_entry_uid(ae),
		.gid = (uint64_t)archive_entry_gid(ae),
	};

	if (!en.path)
		return err_set(e, ST_IMAGE, 0, "tar: expected a name, got an entry without one");
	(void)archive_entry_xattr_reset(ae);
	return layer_add(l, &en, &src, e);
}

static int apply_all(struct source *s, struct layer *l, struct err *e)
{
	for (;;) {
		int rc = archive_read_next_header(s->archive, &s->entry);

		if (rc == ARCHIVE_EOF)
			return 0;
		/* a warning is about a name in another character set, or an attribute unknown */
		if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN)
			return broken(s, e);
		s->end = 0;
		rc = apply_one(s, l, e);
		if (rc < 0 || s->unpadded)
			return rc;
	}
}

int tar_apply(tar_input input, void *arg, struct layer *l, struct err *e)
{
	struct source s = { .input = input, .arg = arg, .archive = archive_read_new() };
	int rc;

	if (!s.archive)
		return err_set(e, ST_IMAGE, ENOMEM, "unpack");
	/* "empty" is for a layer of no bytes at all */
	if (archive_read_support_format_tar(s.archive) != ARCHIVE_OK ||
	    archive_read_support_format_empty(s.archive) != ARCHIVE_OK ||
	    archive_read_open(s.archive, &s, NULL, on_read, NULL) != ARCHIVE_OK)
		rc = broken(&s, e);
	else
		rc = apply_all(&s, l, e);
	(void)archive_read_free(s.archive);
	return rc;
}
