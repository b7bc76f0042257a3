// SPDX-License-Identifier: GPL-2.0-or-later
/* Platforms as images name them; jail-image and jail-pull. */
#include "oci/platform.h"

#include <string.h>
#include <sys/utsname.h>

#include "base/own.h"
#include "base/text.h"

static const struct {
	const char *machine, *architecture, *variant;
} machines[] = {
	{ "x86_64", "amd64", "" },
	{ "aarch64", "arm64", "v8" },
	{ "armv8l", "arm", "v7" },
	{ "armv7l", "arm", "v7" },
	{ "armv6l", "arm", "v6" },
	{ "i386", "386", "" },
	{ "i486", "386", "" },
	{ "i586", "386", "" },
	{ "i686", "386", "" },
	{ "ppc64le", "ppc64le", "" },
	{ "s390x", "s390x", "" },
	{ "riscv64", "riscv64", "" },
	{ "loongarch64", "loong64", "" },
};

static void set(char *field, size_t size, const char *value)
{
	struct text t;

	text_init(&t, field, size);
	text_add(&t, value);
}

void platform_native(struct platform *ret)
{
	struct platform p = { .os = "linux" };
	struct utsname u = { .machine = "" };

	(void)uname(&u);
	set(p.architecture, sizeof(p.architecture), u.machine);
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		if (!str_eq(machines[i].machine, u.machine))
			continue;
		set(p.architecture, sizeof(p.architecture), machines[i].architecture);
		set(p.variant, sizeof(p.variant), machines[i].variant);
	}
	*ret = p;
}

bool platform_parse(const char *s, struct platform *ret)
{
	struct platform p = { .os = "" };
	char *fields[] = { p.os, p.architecture, p.variant };
	size_t i = 0;

	for (;;) {
		size_t n = strcspn(s, "/");

		if (!n || n >= sizeof(p.os) || i == ARRAY_SIZE(fields))
			return false;
		memcpy(fields[i++], s, n);
		if (!s[n])
			break;
		s += n + 1;
	}
	if (i < 2)
		return false;
	*ret = p;
	return true;
}

/* v7 -> 7; 0 when it is no such thing. */
static int level(const char *variant)
{
	return variant[0] == 'v' && variant[1] >= '1' && variant[1] <= '9' && !variant[2]
		       ? variant[1] - '0'
		       : 0;
}

static int variant_fit(const struct platform *want, const char *has)
{
	const char *usual = str_eq(want->architecture, "arm64") ? "v8"
			    : str_eq(want->architecture, "arm") ? "v7"
								: "";
	const char *wants = *want->variant ? want->variant : usual;

	if (!*has)
		has = usual;
	if (str_eq(has, wants) || (!*wants && str_eq(has, "v1")))
		return 100;
	/* Old 32-bit code runs on newer machines; the nearest is best. */
	if (str_eq(want->architecture, "arm") && level(has) && level(has) < level(wants))
		return 10 + level(has);
	return 0;
}

int platform_fit(const struct platform *want, const char *os, const char *architecture,
		 const char *variant)
{
	if (!os && !architecture)
		return 1;
	if (!os || !architecture || !str_eq(os, want->os) || !str_eq(architecture, want->architecture))
		return 0;
	return variant_fit(want, variant ? variant : "");
}
