/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A streaming filter for what a jailed program prints to the user's terminal. Runs in P0. */
#ifndef JAIL_SANDBOX_TTYFILTER_H
#define JAIL_SANDBOX_TTYFILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TTYFILTER_MAX	     4096 /* the longest sequence that is kept */
#define TTYFILTER_SLACK	     (TTYFILTER_MAX + 16)
#define TTYFILTER_FINISH_MAX 512

/* What the stream has switched on in the terminal and not off again. */
struct ttymodes {
	uint32_t modes;	       /* one bit per row of the table in ttymodes.c */
	uint8_t kitty_push[2]; /* keyboard flags pushed, on the main and the alternate screen */
	bool kitty_set;
	bool alt;
	bool keypad;
	bool g0;
	bool shifted;
	bool sgr;
	bool region;
	bool link;
	bool cursor_style;
	bool other_keys, format_keys;
};

struct ttyfilter {
	uint8_t state;
	uint8_t u8n;
	uint8_t u8[4]; /* a character that is not complete yet */
	size_t len;    /* of the sequence held in buf */
	struct ttymodes modes;
	uint8_t buf[TTYFILTER_MAX]; /* a sequence that is not complete yet, from its ESC */
};

void ttyfilter_init(struct ttyfilter *f);

/*
 * Filter n bytes into out, which holds n + TTYFILTER_SLACK and does not overlap in; the number of
 * bytes written. What is written is valid UTF-8, a few C0 controls and whole sequences from a list
 * of known ones, in their 7-bit form; an incomplete one is held for the next call, so where the
 * stream is cut does not matter. Unknown sequences and C1 controls are dropped, other invalid
 * bytes become '?'. The terminal must be in UTF-8 mode: to one that is not, valid UTF-8 may
 * contain C1 controls.
 */
size_t ttyfilter_run(struct ttyfilter *f, const char *in, size_t n, char *out);

/*
 * The stream is over: drop what is held and write, into out of TTYFILTER_FINISH_MAX bytes, what
 * puts back the modes the stream left on. The screen is not cleared. The filter is as after
 * ttyfilter_init. Replies to the stream's last queries may still arrive: restore the user's
 * terminal with TCSAFLUSH after writing this.
 */
size_t ttyfilter_finish(struct ttyfilter *f, char *out);

#endif
