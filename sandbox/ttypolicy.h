/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which terminal sequences ttyfilter lets through, and what they leave switched on. Runs in P0. */
#ifndef JAIL_SANDBOX_TTYPOLICY_H
#define JAIL_SANDBOX_TTYPOLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/ttyfilter.h"

#define TTY_PARAMS_MAX 32

/* CSI prefix params inter final; 0 for a prefix or an intermediate that is not there. */
struct tty_csi {
	uint8_t prefix, inter, final;
	size_t n; /* parameters given, those past the array too */
	uint32_t params[TTY_PARAMS_MAX];
};

/* s is what follows "ESC [", its final byte included. False when it is malformed. */
bool tty_csi_parse(const uint8_t *s, size_t n, struct tty_csi *ret);
bool tty_csi_allowed(const struct tty_csi *c);

/* s is what follows ESC: intermediates and a final byte. */
bool tty_esc_allowed(const uint8_t *s, size_t n);

/*
 * s is what follows "ESC ]", without the terminator. Cleaned in place: the new length, 0 to drop
 * the sequence.
 */
size_t tty_osc_clean(uint8_t *s, size_t n);

/*
 * The length of the character s begins with; 0 when it is not valid UTF-8, -1 when n bytes do not
 * tell yet.
 */
int tty_utf8_length(const uint8_t *s, size_t n);

/* U+0080 to U+009F: terminals decode UTF-8 first and obey these as they obey the raw bytes. */
static inline bool tty_utf8_is_c1(const uint8_t *s)
{
	return s[0] == 0xc2 && s[1] < 0xa0;
}

/* Take note of a sequence that is let through. */
void tty_note_csi(struct ttymodes *m, const struct tty_csi *c);
void tty_note_esc(struct ttymodes *m, const uint8_t *s, size_t n);
void tty_note_osc(struct ttymodes *m, const uint8_t *s, size_t n);

/* Write what undoes it all; at most TTYFILTER_FINISH_MAX - 4 bytes. */
size_t tty_undo(const struct ttymodes *m, char *out);

#endif
