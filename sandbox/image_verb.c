// SPDX-License-Identifier: GPL-2.0-or-later
/* The verb that hands over to jail-image, which links what jail does not; P0. */
#include <errno.h>
#include <unistd.h>

#include "base/paths.h"
#include "sandbox/verbs.h"

int verb_image(struct call *c, struct err *e)
{
	const char *program = arena_printf(c->arena, "%s/jail-image", path_libexec);
	static char name[] = "jail-image"; /* as locks will call it */

	c->argv[0] = name;
	(void)execv(program, c->argv);
	return err_set(e, ST_USAGE, errno, "image: run '%s'", program);
}
