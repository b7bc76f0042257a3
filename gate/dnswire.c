// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of DNS messages (RFC 1035 §4); in the gate. Every byte is hostile. */
#include <string.h>

#include "gate/dnswire.h"

enum { LABEL_MAX = 63, POINTER = 0xc0 };

static const uint8_t *take(struct wire_in *r, size_t n)
{
	const uint8_t *p = r->m + r->at;

	if (r->bad || n > r->n - r->at) {
		r->bad = true;
		return NULL;
	}
	r->at += n;
	return p;
}

uint16_t wire_get16(struct wire_in *r)
{
	const uint8_t *p = take(r, 2);

	if (!p)
		return 0;
	return (uint16_t)(p[0] << 8 | p[1]);
}

uint32_t wire_get32(struct wire_in *r)
{
	uint32_t high = wire_get16(r);

	return high << 16 | wire_get16(r);
}

void wire_skip(struct wire_in *r, size_t n)
{
	(void)take(r, n);
}

void wire_get_head(struct wire_in *r, struct wire_head *ret)
{
	ret->id = wire_get16(r);
	ret->flags = wire_get16(r);
	ret->questions = wire_get16(r);
	ret->answers = wire_get16(r);
	ret->authorities = wire_get16(r);
	ret->additional = wire_get16(r);
}

static uint8_t lower(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c;
}

/* One label, its length first; false: it does not fit. */
static bool add_label(struct wire_name *w, const uint8_t *label, size_t n)
{
	if (w->n + 1 + n > WIRE_NAME_MAX)
		return false;
	w->bytes[w->n++] = (uint8_t)n;
	for (size_t i = 0; i < n; i++)
		w->bytes[w->n++] = lower(label[i]);
	return true;
}

void wire_get_name(struct wire_in *r, struct wire_name *ret)
{
	struct wire_in at = *r; /* wanders off with pointers; r stops behind the first of them */
	size_t front = r->at;
	bool jumped = false;

	ret->n = 0;
	for (;;) {
		const uint8_t *p = take(&at, 1);
		uint8_t n = p ? *p : 0;

		if (p && (n & POINTER) == POINTER) {
			const uint8_t *low = take(&at, 1);
			size_t target = low ? (size_t)(n & ~POINTER) << 8 | *low : front;

			if (!jumped)
				r->at = at.at;
			jumped = true;
			if (target >= front)
				break;
			front = at.at = target;
			continue;
		}
		p = p && n <= LABEL_MAX ? take(&at, n) : NULL;
		if (!p || !add_label(ret, p, n))
			break;
		if (n == 0) {
			if (!jumped)
				r->at = at.at;
			return;
		}
	}
	r->bad = true;
}

void wire_get_record(struct wire_in *r, struct wire_record *ret)
{
	wire_get_name(r, &ret->owner);
	ret->type = wire_get16(r);
	ret->class = wire_get16(r);
	ret->ttl = wire_get32(r);
	ret->size = wire_get16(r);
	ret->data = r->at;
	wire_skip(r, ret->size);
}

void wire_put(struct wire_out *w, const void *bytes, size_t n)
{
	if (w->full || n > w->size - w->at) {
		w->full = true;
		return;
	}
	if (n)
		memcpy(w->m + w->at, bytes, n);
	w->at += n;
}

void wire_put16(struct wire_out *w, uint16_t v)
{
	const uint8_t b[2] = { (uint8_t)(v >> 8), (uint8_t)v };

	wire_put(w, b, sizeof(b));
}

void wire_put32(struct wire_out *w, uint32_t v)
{
	wire_put16(w, (uint16_t)(v >> 16));
	wire_put16(w, (uint16_t)v);
}

void wire_put_head(struct wire_out *w, const struct wire_head *h)
{
	wire_put16(w, h->id);
	wire_put16(w, h->flags);
	wire_put16(w, h->questions);
	wire_put16(w, h->answers);
	wire_put16(w, h->authorities);
	wire_put16(w, h->additional);
}

bool wire_name_from(const char *name, struct wire_name *ret)
{
	ret->n = 0;
	while (*name) {
		size_t n = strcspn(name, ".");

		if (n == 0 || n > LABEL_MAX || !add_label(ret, (const uint8_t *)name, n))
			return false;
		name += n + (name[n] == '.');
	}
	return ret->n && add_label(ret, NULL, 0);
}

bool wire_name_text(const struct wire_name *w, char ret[NAME_SIZE])
{
	char text[WIRE_NAME_MAX];
	size_t n = 0;

	ret[0] = '\0';
	for (size_t i = 0; w->bytes[i]; i += 1u + w->bytes[i]) {
		const uint8_t *label = w->bytes + i + 1;

		/* Two labels and one with a dot in it would read the same. */
		if (memchr(label, '.', w->bytes[i]))
			return false;
		if (n)
			text[n++] = '.';
		memcpy(text + n, label, w->bytes[i]);
		n += w->bytes[i];
	}
	if (name_canonical(text, n, ret) == 0)
		return true;
	ret[0] = '\0';
	return false;
}

bool wire_name_eq(const struct wire_name *a, const struct wire_name *b)
{
	return a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}
