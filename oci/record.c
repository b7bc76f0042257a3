// SPDX-License-Identifier: GPL-2.0-or-later
/* Writing records; jail-image. */
#include "oci/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"

void record_escape(struct text *t, const char *s, const char *safe)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		bool plain = safe ? strchr(safe, c) != NULL : c >= 0x20 && c != 0x7f && c != '%';

		if (plain)
			text_addn(t, s, 1);
		else
			text_addf(t, "%%%02X", c);
	}
}

static int hex(char c)
{
	static const char digits[] = "0123456789ABCDEF";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

bool record_unescape(char *s)
{
	char *out = s;

	while (*s) {
		int high, low;

		if (*s != '%') {
			*out++ = *s++;
			continue;
		}
		high = hex(s[1]);
		low = high < 0 ? -1 : hex(s[2]);
		if (low < 0 || (high | low) == 0)
			return false;
		*out++ = (char)(high << 4 | low);
		s += 3;
	}
	*out = '\0';
	return true;
}

static int line(struct text *t, const char *key, const char *value, struct err *e)
{
	size_t before = t->len;

	text_addf(t, "%s ", key);
	record_escape(t, value, NULL);
	text_add(t, "\n");
	if (t->full)
		return err_set(e, ST_IMAGE, 0, "image config: more than %zu KiB of settings",
			       RECORD_MAX >> 10);
	if (t->len - before > RECORD_LINE_MAX)
		return err_set(e, ST_IMAGE, 0, "image config: %s '%.40s...' is longer than %zu KiB",
			       key, value, RECORD_LINE_MAX >> 10);
	return 0;
}

static int lines(struct text *t, const char *key, const struct words *w, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < w->n; i++)
		rc = line(t, key, w->v[i], e);
	return rc;
}

static int optional(struct text *t, const char *key, const char *value, struct err *e)
{
	return value && *value ? line(t, key, value, e) : 0;
}

int record_write(const struct image_record *r, char **ret, size_t *ret_n, struct err *e)
{
	own_str buf = malloc(RECORD_MAX);
	struct text t;
	int rc;

	if (!buf)
		return err_set(e, ST_IMAGE, ENOMEM, "write a record");
	if (!r->n_layers || r->n_layers > LAYERS_MAX)
		return err_set(e, ST_IMAGE, 0, "image: %zu layers, expected 1 to %zu", r->n_layers,
			       LAYERS_MAX);
	text_init(&t, buf, RECORD_MAX);
	text_add(&t, "jail-image 1\n");
	rc = line(&t, "reference", r->reference, e);
	if (rc == 0)
		rc = line(&t, "manifest", r->manifest.text, e);
	for (size_t i = 0; rc == 0 && i < r->n_layers; i++)
		rc = line(&t, "layer", r->layers[i].text, e);
	if (rc == 0)
		rc = lines(&t, "env", &r->env, e);
	if (rc == 0)
		rc = lines(&t, "entrypoint", &r->entrypoint, e);
	if (rc == 0)
		rc = lines(&t, "cmd", &r->cmd, e);
	if (rc == 0)
		rc = optional(&t, "workdir", r->workdir, e);
	if (rc == 0)
		rc = optional(&t, "user", r->user, e);
	if (rc == 0)
		rc = optional(&t, "stop-signal", r->stop_signal, e);
	text_add(&t, "end\n");
	if (rc == 0 && t.full)
		rc = err_set(e, ST_IMAGE, 0, "image config: more than %zu KiB of settings",
			     RECORD_MAX >> 10);
	if (rc < 0)
		return rc;
	*ret_n = t.len;
	*ret = buf;
	buf = NULL;
	return 0;
}
