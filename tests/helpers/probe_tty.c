// SPDX-License-Identifier: GPL-2.0-or-later
/* Attempts at the terminal on descriptor 0; runs inside a jail. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "tests/helpers/probe.h"

#define TTY		 0
#define K_TIOCL_GETSHIFT 6 /* asks only */
#define K_N_TTY		 0 /* the line discipline that is there already */

/*
 * The kernel looks at 32 bits of the command; a filter that compares all 64 is passed by setting
 * one of the others. What is pushed is a comment to a shell.
 */
static long push_input(const struct call *c)
{
	uint64_t command = TIOCSTI;
	char pushed = '#';

	if (c->argv[0]) {
		if (!str_eq(c->argv[0], "high"))
			return PROBE_USAGE;
		command |= (uint64_t)1 << 32;
	}
	return syscall(SYS_ioctl, TTY, command, &pushed);
}

/* The same into a terminal of its own, which is the controlling one of a child in a new session. */
static int push_own(uint64_t high)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave;
	char pushed = '#';

	if (master < 0 || unlockpt(master) < 0)
		return ENODEV;
	slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY);
	if (slave < 0 || setsid() < 0 || ioctl(slave, TIOCSCTTY, 0) < 0)
		return ENODEV;
	return syscall(SYS_ioctl, slave, TIOCSTI | high, &pushed) < 0 ? errno : 0;
}

static long push_input_own(const struct call *c)
{
	uint64_t high;

	if (!probe_number(c->argv[0], UINT64_MAX, &high))
		return PROBE_USAGE;
	return probe_in_child(c, push_own, high);
}

static long console_call(const struct call *c)
{
	char subcode = K_TIOCL_GETSHIFT;

	(void)c;
	return ioctl(TTY, TIOCLINUX, &subcode);
}

static long set_discipline(const struct call *c)
{
	int discipline = K_N_TTY;

	(void)c;
	return ioctl(TTY, TIOCSETD, &discipline);
}

static long show_size(const struct call *c)
{
	struct winsize w;

	if (ioctl(TTY, TIOCGWINSZ, &w) < 0)
		return -1;
	printf("%s %u %u\n", c->name, (unsigned)w.ws_row, (unsigned)w.ws_col);
	return PROBE_SAID;
}

static long show_name(const struct call *c)
{
	char name[256];
	int r = ttyname_r(TTY, name, sizeof(name));

	if (r) {
		errno = r;
		return -1;
	}
	printf("%s %s\n", c->name, name);
	return PROBE_SAID;
}

const struct probe probes_tty[] = {
	{ "tiocsti", "[high]", 0, 1, push_input, 0 },
	{ "tiocsti-own", "BITS", 1, 1, push_input_own, 0 },
	{ "tioclinux", "", 0, 0, console_call, 0 },
	{ "tiocsetd", "", 0, 0, set_discipline, 0 },
	{ "winsize", "", 0, 0, show_size, 0 },
	{ "ttyname", "", 0, 0, show_name, 0 },
	{ 0 },
};
