// SPDX-License-Identifier: GPL-2.0-or-later
/* The files of /etc that tell who and where we are, written anew; P0. */
#include <string.h>
#include <sys/random.h>

#include "base/own.h"
#include "sandbox/image.h"
#include "sandbox/root.h"

static const char *machine_id(struct arena *a)
{
	unsigned char bytes[16] = { 0 };
	struct text t;
	char hex[40];

	if (getrandom(bytes, sizeof(bytes), GRND_NONBLOCK) != sizeof(bytes))
		memset(bytes, 0x6a, sizeof(bytes)); /* early boot: any valid id does */
	text_init(&t, hex, sizeof(hex));
	for (size_t i = 0; i < sizeof(bytes); i++)
		text_addf(&t, "%02x", bytes[i]);
	text_add(&t, "\n");
	return arena_strdup(a, hex);
}

/* The shell is the caller's own where it exists inside, so that $SHELL and passwd agree. */
const char *root_shell(const struct plan *p)
{
	const char *s = p->caller->shell;

	if (p->image) /* which may have no other, or not even this one */
		return "/bin/sh";
	return str_starts(s, "/bin/") || str_starts(s, "/usr/bin/") ? s : "/bin/sh";
}

int root_add_etc(struct mount_draft *m, const struct plan *p, struct err *e)
{
	struct arena *a = m->arena;
	const char *me = arena_printf(a, "%s:x:%u:%u:%s:%s:%s\n", p->user, p->uid, p->gid, p->user,
				      p->home_spelled, root_shell(p));
	const char *group = arena_printf(a, "%s:x:%u:\n", p->user, p->gid);
	struct {
		const char *path, *contents;
	} files[] = {
		{ "/etc/passwd",
		  arena_printf(a, "%s%snobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
			       p->uid ? "root:x:0:0:root:/root:/usr/sbin/nologin\n" : "", me) },
		{ "/etc/group",
		  arena_printf(a, "%s%snogroup:x:65534:\n", p->gid ? "root:x:0:\n" : "", group) },
		{ "/etc/hosts",
		  arena_printf(a, "127.0.0.1 localhost %s\n::1 localhost\n", p->hostname) },
		{ "/etc/hostname", arena_printf(a, "%s\n", p->hostname) },
		{ "/etc/machine-id", machine_id(a) },
		/* The gate answers there, and has no IPv6 addresses to give. */
		{ "/etc/resolv.conf", p->network ? "nameserver 127.0.0.1\noptions no-aaaa\n"
						 : "# no network: no name server\n" },
		{ "/etc/nsswitch.conf",
		  "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nnetworks: files\n"
		  "protocols: files\nservices: files\n" },
	};
	int rc = 0;

	if (p->image) {
		files[0].contents = image_passwd(a, p->image, files[0].contents);
		files[1].contents = image_group(a, p->image, files[1].contents);
	}
	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(files); i++)
		rc = mounts_add_file(m, files[i].path, files[i].contents, e);
	return rc;
}
