/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An image as the root: found in the store or in a directory, read, opened, and put into the plan.
 * All that an image says (variables, words, directories) is data for the final exec. Runs in P0; P1
 * reads the struct.
 */
#ifndef JAIL_SANDBOX_IMAGE_H
#define JAIL_SANDBOX_IMAGE_H

#include "sandbox/imagerecord.h"
#include "sandbox/mountlist.h"

struct image_layer {
	const char *name; /* beneath the image's base; "." is the base itself */
	int fd;		  /* O_PATH: pins what was there when it was planned; */
	dev_t dev;	  /* anything else there later is refused */
	ino_t ino;
};

struct image {
	const char *named; /* as the user wrote it */
	struct origin origin;
	struct image_config record; /* no reference and no manifest: a directory */
	struct mount_op base;	    /* MK_BIND, never in the list: where the layers are */
	struct image_layer *layers; /* the topmost first, none twice */
	size_t layers_n;
	bool writable; /* root-writes = tmpfs */
	uint64_t size, inodes;
	int stop_signal;
	const char *user_inside; /* what the image's passwd says of its user; NULL: nothing */
};

/* Is the root to be anything but the host's system? */
bool image_wanted(const struct draft *d);

/*
 * Get the image into the store when it is not there and `pull` allows, by jail-image. Says nothing
 * and starts nothing for a directory, or when the image is there. -ECANCELED with *e empty when
 * jail-image failed, and has said why.
 */
int image_fetch(struct arena *a, const struct draft *d, const struct caller *c, struct err *e);

/*
 * Read and open the image that the draft names: p->image, and with it p->argv (the entry point
 * before the words, or the image's own words when there are none). Nothing but reading.
 */
int image_plan(struct arena *a, struct plan *p, struct err *e);

/* Where the command starts: chdir, the image's own directory, else as ever. Adds what is missing. */
int image_choose_cwd(struct mount_draft *m, struct plan *p, struct err *e);

/* The image's own files of users, and then ours; text is what jail would write alone. */
const char *image_passwd(struct arena *a, const struct image *i, const char *text);
const char *image_group(struct arena *a, const struct image *i, const char *text);
/* "1000:1000 of node" for a user's name as the image's passwd has it; NULL when it has not. */
const char *image_find_user(struct arena *a, const struct image *i, const char *user);

/* The number behind "SIGTERM", "TERM" or "15"; 0 when there is none. */
int image_signal(const char *name);

/*
 * Where an image of this name would be, for image_fetch and image_plan: the kind of source, the
 * name of its file in refs/, and for a source on this machine its path.
 */
enum image_kind { IMAGE_HOST, IMAGE_DIR, IMAGE_FILE, IMAGE_REFERENCE };
struct image_name {
	enum image_kind kind;
	const char *called;    /* for people: the reference, or scheme and path */
	const char *scheme;    /* "oci:", "dir:"; IMAGE_DIR and IMAGE_FILE */
	const char *file;      /* absolute; likewise */
	const char *path;      /* the same, with :NAME behind it where there is one */
	const char *reference; /* complete; what the store has it by */
	const char *pinned;    /* the digest behind '@', or NULL */
	const char *ref_file;  /* beneath the store: refs/... */
};
int image_name_parse(struct arena *a, const struct draft *d, const struct caller *c,
		     struct image_name *ret, struct err *e);

/* $XDG_DATA_HOME/jail/images, O_PATH; -ENOENT without a word when it is not there. */
int image_store_open(struct arena *a, const struct caller *c, const char **ret_path, int *ret_fd,
		     struct err *e);

/* The manifest's digest that the store has for this name; -ENOENT without a word when none. */
int image_store_find(int store, const struct image_name *n, struct arena *a, const char **ret,
		     struct err *e);

#endif
