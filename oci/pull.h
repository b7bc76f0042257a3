/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jail-pull: fetches manifests and blobs of one repository into one directory. Asked on stdin, in
 * lines; answers on stdout, in lines; fails with one line on stderr and exit 1.
 *
 *   jail-pull [OPTION...] DIR REFERENCE
 *
 *   manifest              ask for the manifest that REFERENCE names
 *   manifest DIGEST SIZE  ask for one that an index names
 *   blob DIGEST SIZE      ask for a blob
 *   go                    fetch all that was asked for so far, side by side
 *
 *   progress DIGEST BYTES TOTAL       now and then
 *   note TEXT                         a transfer broke and goes on; the registry asks to wait
 *   manifest DIGEST SIZE TYPE         SIZE bytes follow, checked; TYPE as the registry says, or -
 *   blob DIGEST SIZE NAME             DIR/NAME is whole and checked
 *   done                              all that was asked for before go
 *
 * NAME is sha256-HEX; what is not whole yet is NAME.part and is gone on with the next time. The
 * caller sees to it that no two ask for one blob in one DIR at the same time, and moves what is
 * whole to where it belongs.
 */
#ifndef JAIL_OCI_PULL_H
#define JAIL_OCI_PULL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "oci/digest.h"
#include "oci/hash.h"
#include "oci/pull_auth.h"
#include "oci/pull_http.h"
#include "oci/ref.h"

#define PULL_MANIFEST_MAX ((uint64_t)4 << 20)
#define PULL_BLOB_MAX	  ((uint64_t)64 << 30)
#define PULL_ANSWER_MAX	  ((size_t)64 << 10) /* of a token server, and of errors */
#define PULL_ASKED_MAX	  1024u
#define PULL_SIDE_BY_SIDE 4u
#define PULL_REDIRECTS	  8u
#define PULL_WAIT_MAX_S	  60u /* a registry that asks for more is told good-bye */

struct pull_options {
	const char *dir, *reference;
	bool plain_http;
	uint64_t stall_s, connect_s, total_s;
	uint64_t tries;	  /* in a row, without a byte of progress */
	uint64_t pace_ms; /* the first pause between tries; it doubles */
};

/* How to show who we are to the registry; made by auth_answer() from a challenge. */
struct auth {
	char header[AUTH_SECRET_MAX + 16]; /* empty: nothing was asked for yet */
	unsigned generation;
};

struct pull {
	struct pull_options opt;
	struct ref ref;
	struct credentials cred;
	struct origin origin;	      /* of the registry */
	char base[REF_NAME_MAX + 16]; /* https://HOST[:PORT] */
	struct http *http;	      /* fetches */
	struct http *side;	      /* tokens: one at a time, while fetches wait */
	const char *ca;
	struct auth auth;
	int dirfd;
	bool reached;	   /* it answered once */
	uint64_t deadline; /* by pull_now() */
};

/* Milliseconds that only go forward. */
uint64_t pull_now(void);
/* Whether a URL may be used at all: https, or http where it was allowed. */
bool pull_may_use(const struct pull *p, const struct origin *o, bool after_https);
/* The pause before try number `n`, with what the registry asked for (0: nothing). */
uint64_t pull_pause_ms(const struct pull *p, unsigned n, unsigned retry_after);
/* One line on stdout; exits quietly when nobody reads any more. */
void pull_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void pull_hand_over(const void *p, size_t n);

/*
 * Answer the challenge of a 401: p->auth is renewed. Blocks. An error tells what the user can do
 * about it.
 */
int auth_answer(struct pull *p, const char *challenge, struct err *e);
/* The line for a user whom the registry does not let in. */
int auth_refused(const struct pull *p, int status, const char *said, struct err *e);

/* ---- a file that is being filled (pull_sink.c) -------------------------------------------------- */

struct sink {
	int dirfd, fd;
	struct digest want;
	struct hash *hash;
	uint64_t len, size;
	bool old; /* some of it is from an earlier run */
	char name[DIGEST_TEXT_MAX], part[DIGEST_TEXT_MAX + 8];
};

/* Opens or makes the part; what an earlier run left of it is hashed and kept. */
int sink_open(struct sink *s, int dirfd, const struct digest *want, uint64_t size, struct err *e);
int sink_add(struct sink *s, const void *p, size_t n, struct err *e);
/* From nothing again. */
int sink_restart(struct sink *s, struct err *e);
/*
 * It has all its bytes: check, and give it its name. 1 when the digest is another's (`got` says
 * which): the part is empty again.
 */
int sink_finish(struct sink *s, struct digest *ret_got, struct err *e);
void sink_close(struct sink *s);

/* ---- fetching (pull_fetch.c) -------------------------------------------------------------------- */

struct fetch;

int fetch_new(struct pull *p, bool manifest, const struct digest *want, uint64_t size,
	      struct fetch **ret, struct err *e);
void fetch_free(struct pull *p, struct fetch *f);
/* All of them, side by side, until all are there or one cannot be had. */
int fetch_all(struct pull *p, struct fetch **list, size_t n, struct err *e);

/* ---- the cage (pull_confine.c) ------------------------------------------------------------------ */

/*
 * From here on this process writes beneath `dirfd` alone, reads what a resolver and TLS need
 * (`ca` besides the system's, or NULL), runs no program and gains no privilege. Before any byte
 * comes from the network.
 */
int pull_confine(int dirfd, const char *ca, struct err *e);

#endif
