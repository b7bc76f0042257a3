// SPDX-License-Identifier: GPL-2.0-or-later
/* The terminal filter's parser: takes the stream apart into text and sequences. Runs in P0. */

/*
 * A terminal and a filter that disagree about where a sequence ends are a hole, and no two
 * terminals agree. So nothing is cut out of the stream: the stream is taken apart, and only text
 * that is valid and sequences that are complete and known are put into the output, each in one
 * piece. What a terminal would make of anything else does not matter, because it never sees it.
 *
 * The states are those of the DEC parser (https://vt100.net/emu/dec_ansi_parser), with three
 * differences: DCS, SOS, PM, APC and the title string of screen are one state, which ends at ESC,
 * CAN or SUB and keeps nothing; C1 controls, raw or encoded, never begin a sequence; and a C0
 * control inside a sequence is written before it, which is when a terminal would obey it.
 */

#include "sandbox/ttyfilter.h"

#include <string.h>

#include "sandbox/ttypolicy.h"

#define BEL 0x07
#define CAN 0x18
#define SUB 0x1a
#define ESC 0x1b

enum {
	IN_TEXT,
	IN_UTF8, /* in the middle of a character, held in u8 */
	IN_ESC,
	IN_CSI,
	IN_CSI_BAD, /* too long: dropped up to its final byte */
	IN_OSC,
	IN_OSC_ESC, /* the ESC of an ST, perhaps */
	IN_OSC_BAD, /* too long: dropped up to its terminator */
	IN_STRING,
};

/*
 * The controls a terminal may be given: BEL BS HT LF VT FF CR SO SI. NUL to ENQ, XON, XOFF and the
 * others have no use there.
 */
static const uint32_t good_c0 = 0x0000ff80;

static bool is_good_c0(uint8_t c)
{
	return c < 0x20 && (good_c0 >> c & 1);
}

static bool is_cancel(uint8_t c)
{
	return c == CAN || c == SUB;
}

static void put(char **out, const void *s, size_t n)
{
	memcpy(*out, s, n);
	*out += n;
}

static void put_c0(struct ttyfilter *f, uint8_t c, char **out)
{
	if (!is_good_c0(c))
		return;
	if (c == 0x0e || c == 0x0f)
		f->modes.shifted = c == 0x0e;
	*(*out)++ = (char)c;
}

/* A byte that is not part of a valid character. */
static void put_broken(uint8_t c, char **out)
{
	if (c >= 0xa0)
		*(*out)++ = '?';
}

/* All eight bytes are printable ASCII. */
static bool is_plain8(const uint8_t *p)
{
	const uint64_t ones = 0x0101010101010101, highs = ones * 0x80;
	uint64_t w, del;

	memcpy(&w, p, sizeof(w));
	del = w ^ ones * 0x7f;
	return !((w | (w - ones * 0x20) | (del - ones)) & highs);
}

/*
 * How many bytes can be copied as they are: printable characters, and the controls that change no
 * state.
 */
static size_t text_span(const uint8_t *s, size_t n)
{
	size_t i = 0;

	while (i < n) {
		int len;

		if (n - i >= 8 && is_plain8(s + i)) {
			i += 8;
		} else if ((s[i] >= 0x20 && s[i] < 0x7f) || (s[i] >= BEL && s[i] <= '\r')) {
			i++;
		} else {
			len = s[i] < 0x80 ? 0 : tty_utf8_length(s + i, n - i);
			if (len <= 0 || tty_utf8_is_c1(s + i))
				break;
			i += (size_t)len;
		}
	}
	return i;
}

static size_t string_span(const uint8_t *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] != ESC && !is_cancel(s[i]))
		i++;
	return i;
}

static void begin_sequence(struct ttyfilter *f)
{
	f->buf[0] = ESC;
	f->len = 1;
	f->state = IN_ESC;
}

/*
 * The handlers below take one byte, and return false when the byte is to be looked at again in the
 * new state.
 */

static bool in_text(struct ttyfilter *f, uint8_t c, char **out)
{
	if (c == ESC) {
		begin_sequence(f);
	} else if (c < 0x20) {
		put_c0(f, c, out);
	} else if (c < 0x7f) {
		*(*out)++ = (char)c;
	} else if (c > 0x7f) {
		if (tty_utf8_length(&c, 1)) {
			f->u8[0] = c;
			f->u8n = 1;
			f->state = IN_UTF8;
		} else {
			put_broken(c, out);
		}
	}
	return true;
}

static bool in_utf8(struct ttyfilter *f, uint8_t c, char **out)
{
	int len;

	f->u8[f->u8n++] = c;
	len = tty_utf8_length(f->u8, f->u8n);
	if (len < 0)
		return true;
	f->state = IN_TEXT;
	if (len > 0) {
		if (!tty_utf8_is_c1(f->u8))
			put(out, f->u8, (size_t)len);
		return true;
	}
	for (uint8_t i = 0; i < f->u8n - 1; i++)
		put_broken(f->u8[i], out);
	return false;
}

/*
 * What ESC and CSI have in common; true when the byte was dealt with, *ret_taken is then the
 * handler's result.
 */
static bool in_short(struct ttyfilter *f, uint8_t c, char **out, bool *ret_taken)
{
	*ret_taken = true;
	if (c == ESC) {
		begin_sequence(f);
	} else if (is_cancel(c)) {
		f->state = IN_TEXT;
	} else if (c < 0x20) {
		put_c0(f, c, out);
	} else if (c > 0x7f) {
		f->state = IN_TEXT;
		*ret_taken = false;
	} else if (c != 0x7f) {
		return false;
	}
	return true;
}

static void end_esc(struct ttyfilter *f, char **out)
{
	f->state = IN_TEXT;
	if (!tty_esc_allowed(f->buf + 1, f->len - 1))
		return;
	tty_note_esc(&f->modes, f->buf + 1, f->len - 1);
	put(out, f->buf, f->len);
}

static bool in_esc(struct ttyfilter *f, uint8_t c, char **out)
{
	bool taken, first = f->len == 1;

	if (in_short(f, c, out, &taken))
		return taken;
	if (f->len < 8) /* none that is known is as long */
		f->buf[f->len++] = c;
	if (c < 0x30)
		return true;
	if (first && c == '[')
		f->state = IN_CSI;
	else if (first && c == ']')
		f->state = IN_OSC;
	else if (first && strchr("PX^_k", c))
		f->state = IN_STRING;
	else
		end_esc(f, out);
	return true;
}

static void end_csi(struct ttyfilter *f, char **out)
{
	struct tty_csi csi;

	f->state = IN_TEXT;
	if (!tty_csi_parse(f->buf + 2, f->len - 2, &csi) || !tty_csi_allowed(&csi))
		return;
	tty_note_csi(&f->modes, &csi);
	put(out, f->buf, f->len);
}

static bool in_csi(struct ttyfilter *f, uint8_t c, char **out)
{
	bool taken;

	if (in_short(f, c, out, &taken))
		return taken;
	if (f->len == sizeof(f->buf))
		f->state = IN_CSI_BAD;
	else
		f->buf[f->len++] = c;
	if (c < 0x40)
		return true;
	if (f->state == IN_CSI)
		end_csi(f, out);
	f->state = IN_TEXT;
	return true;
}

static void end_osc(struct ttyfilter *f, const char *terminator, char **out)
{
	size_t n = tty_osc_clean(f->buf + 2, f->len - 2);

	f->state = IN_TEXT;
	if (!n)
		return;
	tty_note_osc(&f->modes, f->buf + 2, n);
	put(out, f->buf, 2 + n);
	put(out, terminator, strlen(terminator));
}

/*
 * The Linux console's palette, ESC ] R and ESC ] P with seven digits, has no terminator: waiting
 * for one would eat the text after.
 */
static bool is_console_palette(const uint8_t *s, size_t n)
{
	if (n == 1)
		return s[0] == 'R';
	if (n != 8 || s[0] != 'P')
		return false;
	for (size_t i = 1; i < n; i++)
		if (!strchr("0123456789abcdefABCDEF", s[i]))
			return false;
	return true;
}

static bool in_osc(struct ttyfilter *f, uint8_t c, char **out)
{
	if (c == BEL) {
		end_osc(f, "\a", out);
	} else if (c == ESC) {
		f->state = IN_OSC_ESC;
	} else if (is_cancel(c)) {
		f->state = IN_TEXT;
	} else if (c < 0x20 || c == 0x7f) {
		return true;
	} else if (f->len == sizeof(f->buf)) {
		f->state = IN_OSC_BAD;
	} else {
		f->buf[f->len++] = c;
		if (is_console_palette(f->buf + 2, f->len - 2))
			f->state = IN_TEXT;
	}
	return true;
}

static bool in_osc_esc(struct ttyfilter *f, uint8_t c, char **out)
{
	if (c == '\\') {
		end_osc(f, "\033\\", out);
		return true;
	}
	begin_sequence(f);
	return false;
}

static bool in_string(struct ttyfilter *f, uint8_t c)
{
	if (c == ESC)
		begin_sequence(f);
	else if (is_cancel(c) || (c == BEL && f->state == IN_OSC_BAD))
		f->state = IN_TEXT;
	return true;
}

static bool step(struct ttyfilter *f, uint8_t c, char **out)
{
	switch (f->state) {
	case IN_UTF8:
		return in_utf8(f, c, out);
	case IN_ESC:
		return in_esc(f, c, out);
	case IN_CSI:
	case IN_CSI_BAD:
		return in_csi(f, c, out);
	case IN_OSC:
		return in_osc(f, c, out);
	case IN_OSC_ESC:
		return in_osc_esc(f, c, out);
	case IN_OSC_BAD:
	case IN_STRING:
		return in_string(f, c);
	default:
		return in_text(f, c, out);
	}
}

void ttyfilter_init(struct ttyfilter *f)
{
	f->state = IN_TEXT;
	f->u8n = 0;
	f->len = 0;
	f->modes = (struct ttymodes){ 0 };
}

size_t ttyfilter_run(struct ttyfilter *f, const char *in, size_t n, char *out)
{
	const uint8_t *p = (const uint8_t *)in, *end = p + n;
	char *o = out;

	while (p < end) {
		if (f->state == IN_TEXT) {
			size_t span = text_span(p, (size_t)(end - p));

			put(&o, p, span);
			p += span;
		} else if (f->state == IN_STRING) {
			p += string_span(p, (size_t)(end - p));
		}
		if (p < end && step(f, *p, &o))
			p++;
	}
	return (size_t)(o - out);
}

size_t ttyfilter_finish(struct ttyfilter *f, char *out)
{
	char *o = out;

	if (f->state == IN_UTF8)
		for (uint8_t i = 0; i < f->u8n; i++)
			put_broken(f->u8[i], &o);
	o += tty_undo(&f->modes, o);
	ttyfilter_init(f);
	return (size_t)(o - out);
}
