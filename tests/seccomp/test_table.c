// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the shipped seccomp programs do with which call, in an interpreter, for every architecture;
 * a test program. `test_table --update` writes the census files anew: review the diff.
 */
#include <linux/audit.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sandbox/bpf.h"
#include "tests/seccomp/suite.h"

/* What the kernel would take, and that it comes to an end for any number. */
static void structure_test(struct tap *t, const struct shipped *s)
{
	const __u64 none[6] = { 0 };
	unsigned longest = 0;
	bool ends = true;

	tap_is(t, bpf_is_sound(s->filter.code, s->filter.len), "%s %s is sound, %zu instructions",
	       s->preset, arch_name(s->arch), s->filter.len);
	for (unsigned nr = 0; nr < 4096; nr++) {
		struct outcome o = shipped_run(s, nr, none);

		ends = ends && o.ok;
		longest = !o.saw_args && o.steps > longest ? o.steps : longest;
	}
	tap_is(t, ends && longest <= 20, "%s %s ends for every number, after %u steps at most",
	       s->preset, arch_name(s->arch), longest);
}

/* SYS-02: a number means another call under another architecture. */
static void foreign_test(struct tap *t, const struct shipped *s)
{
	static const __u32 arches[] = { AUDIT_ARCH_I386, AUDIT_ARCH_X86_64, AUDIT_ARCH_ARM,
					AUDIT_ARCH_AARCH64, 0 };
	bool killed = true;

	for (size_t i = 0; i < sizeof(arches) / sizeof(arches[0]); i++) {
		for (int nr = 0; arches[i] != arch_audit(s->arch) && nr < 512; nr++) {
			struct seccomp_data d = { .nr = nr, .arch = arches[i] };
			struct outcome o = interp_run(s->filter.code, s->filter.len, &d);

			killed = killed && str_eq(interp_verdict(&o), "kill");
		}
	}
	tap_is(t, killed, "%s %s kills calls of another ABI", s->preset, arch_name(s->arch));
}

/* SYS-10: of all families, and of all netlink protocols (SYS-11), only those that were listed. */
static void family_test(struct tap *t, const struct shipped *s)
{
	unsigned nr = (unsigned)calls_number(s->arch, "socket");
	bool strict = str_eq(s->preset, "strict"), good = true;

	for (__u64 family = 0; family < 64; family++) {
		for (__u64 protocol = 0; protocol < 32; protocol++) {
			const __u64 raw[6] = { family, 3, protocol };
			struct outcome o = shipped_run(s, nr, raw);
			bool pass = !strict && (family == 1 || (family == 16 && !protocol));

			good = good && str_eq(interp_verdict(&o), pass ? "allow" : "EPERM");
		}
	}
	tap_is(t, good, "%s %s opens no other socket family", s->preset, arch_name(s->arch));
}

/* A program that is not sound must be found out: the check itself is checked. */
static void unsound_test(struct tap *t)
{
	const struct sock_filter ret = { BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW };
	const struct sock_filter off_end[] = { ret, { BPF_JMP | BPF_JA, 0, 0, 0 }, ret };
	const struct sock_filter far[] = { { BPF_JMP | BPF_JA, 0, 0, 1 }, ret };
	const struct sock_filter back[] = { { BPF_JMP | BPF_JA, 0, 0, 0xffffffff }, ret };
	const struct sock_filter wide[] = { { BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0 }, ret };
	const struct sock_filter odd[] = { { BPF_LD | BPF_W | BPF_ABS, 0, 0, 2 }, ret };
	const struct sock_filter past[] = { { BPF_LD | BPF_W | BPF_ABS, 0, 0, 64 }, ret };
	const struct sock_filter no_ret[] = { ret, { BPF_LD | BPF_W | BPF_ABS, 0, 0, 0 } };

	tap_is(t,
	       bpf_is_sound(off_end, 3) && !bpf_is_sound(far, 2) && !bpf_is_sound(back, 2) &&
		       !bpf_is_sound(wide, 2) && !bpf_is_sound(odd, 2) && !bpf_is_sound(past, 2) &&
		       !bpf_is_sound(no_ret, 2) && !bpf_is_sound(&ret, 0) && bpf_is_sound(&ret, 1),
	       "unsound programs are told from sound ones");
}

int main(int argc, char **argv)
{
	const char *top = getenv("top_srcdir");
	bool update = argc > 1 && str_eq(argv[1], "--update");
	struct tap t = { 0 };
	char data[4096];
	struct text path;

	text_init(&path, data, sizeof(data));
	text_addf(&path, "%s/tests/seccomp", top ? top : ".");
	unsound_test(&t);
	for (unsigned arch = 0; arch < ARCH_COUNT; arch++) {
		for (size_t i = 0; i < PRESETS; i++) {
			struct shipped s = shipped_get((enum arch)arch, i);

			structure_test(&t, &s);
			foreign_test(&t, &s);
			if (i < PRESETS_INSIDE)
				family_test(&t, &s);
		}
	}
	rows_test(&t, data);
	oracle_test(&t);
	synthetic_test(&t);
	census_test(&t, data, update);
	return tap_done(&t);
}
