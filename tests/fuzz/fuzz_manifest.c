// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes what is made of an index, a manifest or a config: whatever it is, digests are digests, limits
 * hold, and a record can be written or says why not.
 */
#include "oci/manifest.h"
#include "tests/fuzz/oracle.h"

static void check_digest(const struct digest *d)
{
	struct digest again;

	MUST(digest_parse(d->text, &again) && !strchr(d->text, '/'), d->text);
}

static void check_manifest(const struct doc *d)
{
	struct platform want = { "linux", "amd64", "" };
	struct descriptor chosen;
	own_manifest m = { 0 };
	struct err e = { 0 };

	if (index_select(d, "fuzz", NULL, &want, &chosen, &e) == 0)
		check_digest(&chosen.digest);
	else
		MUST(e.what[0], "index_select says why");
	e = (struct err){ 0 };
	if (manifest_read(d, "fuzz", &m, &e) < 0) {
		MUST(e.what[0] && !m.layers, "manifest_read says why");
		return;
	}
	MUST(m.n && m.n <= LAYERS_MAX, "layers");
	check_digest(&m.config.digest);
	for (size_t i = 0; i < m.n; i++)
		check_digest(&m.layers[i].digest);
}

static void check_config(const struct doc *d)
{
	own_config c = { 0 };
	struct image_record r = { .reference = "x" };
	own_str text = NULL;
	struct err e = { 0 };
	size_t n = 0, lines = 0;

	if (config_read(d, "fuzz", &c, &e) < 0) {
		MUST(e.what[0] && !c.diff_ids, "config_read says why");
		return;
	}
	r.layers = c.diff_ids;
	r.n_layers = c.n;
	r.env = c.env;
	r.entrypoint = c.entrypoint;
	r.cmd = c.cmd;
	r.workdir = c.workdir;
	r.user = c.user;
	r.stop_signal = c.stop_signal;
	if (record_write(&r, &text, &n, &e) < 0) {
		MUST(e.what[0], "record_write says why");
		return;
	}
	/* one line for each thing, whatever bytes it is made of */
	for (size_t i = 0; i < n; i++) {
		MUST((unsigned char)text[i] >= 0x20 || text[i] == '\n', "control bytes");
		lines += text[i] == '\n';
	}
	MUST(lines == 4 + c.n + c.env.n + c.entrypoint.n + c.cmd.n + (c.workdir && *c.workdir) +
			      (c.user && *c.user) + (c.stop_signal && *c.stop_signal),
	     text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = { 0 };
	own_doc d = NULL;
	int kind;

	if (doc_parse((const char *)data, size, "fuzz", &d, &e) < 0) {
		MUST(!d && e.what[0], "doc_parse says why");
		return 0;
	}
	e = (struct err){ 0 };
	kind = manifest_is_index(d, "", "fuzz", &e);
	MUST(kind >= 0 || e.what[0], "manifest_is_index says why");
	check_manifest(d);
	check_config(d);
	return 0;
}
