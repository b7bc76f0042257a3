/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store of images: files and flock, no database. Everything appears by rename out of tmp/, so
 * what is there is whole; what a crash leaves is in tmp/, and goes with the next run that is alone.
 *
 *	blobs/ALGORITHM/HEX		manifests and configs, and layers that wait to be unpacked
 *	layers/ALGORITHM-HEX		an unpacked layer, ready to be a lower of an overlay
 *	meta/ALGORITHM-HEX		what was noticed when it was unpacked (oci/layer.h)
 *	images/ALGORITHM-HEX/record	an image, by its manifest (oci/record.h)
 *	refs/ESCAPED-REFERENCE		one line, the digest of a manifest
 *	locks/NAME			flock files; each names its holder: "PID PROGRAM"
 *	parts/ALGORITHM-HEX[.part]	blobs on their way here; the next pull goes on with them (oci/pull.h)
 *	tmp/				whatever is not finished
 */
#ifndef JAIL_OCI_STORE_H
#define JAIL_OCI_STORE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/own.h"
#include "oci/digest.h"
#include "oci/ref.h"

#define MANIFEST_MAX ((size_t)4 << 20) /* manifests, indexes, configs: none is larger */

enum store_use {
	STORE_LOOK,  /* read only; a store that is not there is an empty one */
	STORE_ADD,   /* beside others who add */
	STORE_ALONE, /* nobody else adds or removes */
};

struct store {
	char path[PATH_MAX];
	int root, tmp; /* FD_NONE when there is no store */
	int lock;
	unsigned serial;	       /* of names in tmp/ */
	void (*say)(const char *line); /* told what is waited for; may be NULL */
};

/* Find the store by XDG_DATA_HOME or HOME, make it if it is to be used, and take its lock. */
int store_open(struct store *s, enum store_use use, struct err *e);
void store_close(struct store *s);
#define own_store __attribute__((cleanup(store_close))) struct store

/* The lock of one name, held while *ret is open; waits for another holder and says who it is. */
int store_lock(struct store *s, const char *name, int *ret, struct err *e);

/* A fresh directory in tmp/; its name is at most 40 bytes. It goes with store_drop_tmp. */
int store_make_tmp(struct store *s, char name[40], int *ret_fd, struct err *e);
void store_drop_tmp(struct store *s, const char *name);

bool store_has_layer(const struct store *s, const struct digest *d);
bool store_has_image(const struct store *s, const struct digest *manifest);
/* The blob for reading; -ENOENT without an error text when it is not there. */
int store_open_blob(const struct store *s, const struct digest *d);
/* A small blob, checked against its digest once more; *ret is terminated and to be freed. */
int store_read_blob(const struct store *s, const struct digest *d, char **ret, size_t *ret_n,
		    struct err *e);

/* Write a file of ours: `to` is relative to the store. It is there whole, or as it was. */
int store_put_file(struct store *s, const char *to, const void *data, size_t n, struct err *e);
int store_put_blob(struct store *s, const struct digest *d, const void *data, size_t n, struct err *e);
/* Rename dirfd/name, an unpacked tree, into layers/. One that is there already stays. */
int store_put_layer(struct store *s, const struct digest *d, int dirfd, const char *name,
		    struct err *e);
int store_put_record(struct store *s, const struct digest *manifest, const char *text, size_t n,
		     struct err *e);
int store_put_ref(struct store *s, const char *reference, const struct digest *manifest,
		  struct err *e);

/* The manifest that a completed reference stands for; false when there is none. */
bool store_get_ref(const struct store *s, const char *reference, struct digest *ret);
/* Takes the name away, not the image. */
int store_remove_ref(struct store *s, const char *reference, struct err *e);
/* Remove "images/x", "layers/x", ..; gone from sight in one step, then from the disk. */
int store_remove(struct store *s, const char *what, struct err *e);

/* Each name in one of the directories above, sorted; a failure of `each` ends it. */
int store_list(const struct store *s, const char *dir,
	       int (*each)(void *arg, const char *name, struct err *e), void *arg, struct err *e);
/* The digest that a name like sha256-HEX stands for. */
bool store_name_digest(const char *name, struct digest *ret);

#endif
