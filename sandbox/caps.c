// SPDX-License-Identifier: GPL-2.0-or-later
/* Capabilities: has this process one (P0), and from here on none at all (P1). */
#include "sandbox/caps.h"

#include <errno.h>
#include <linux/securebits.h>
#include <sys/capability.h>
#include <sys/prctl.h>

#include "sandbox/setup.h"
#include "sandbox/weak.h"

bool caps_can_remap(void)
{
	static const cap_value_t needed[] = { CAP_SYS_ADMIN, CAP_SETUID, CAP_SETGID };
	cap_t caps = cap_get_proc();
	bool all = caps != NULL;

	for (size_t i = 0; all && i < sizeof(needed) / sizeof(needed[0]); i++) {
		cap_flag_value_t v = CAP_CLEAR;

		all = cap_get_flag(caps, needed[i], CAP_EFFECTIVE, &v) == 0 && v == CAP_SET;
	}
	(void)cap_free(caps);
	return all;
}

/*
 * Every capability the kernel knows leaves the bounding set. It says EINVAL at the first it does
 * not know, to both questions; the first 41 are known to every kernel that has Landlock, so a
 * refusal of one of those is no end of the list.
 */
static int empty_bounding_set(struct err *e)
{
	int cap = 0;

	while (prctl(PR_CAPBSET_DROP, cap) == 0)
		cap++;
	if (errno != EINVAL || cap < 41 || prctl(PR_CAPBSET_READ, cap) >= 0)
		return err_set(e, ST_CAPS, errno, "drop capability %d for good", cap);
	return 0;
}

/*
 * Read back from the kernel: no set may hold a bit. The ambient set cannot, when nothing is
 * permitted.
 */
static int verify_no_caps(struct err *e)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (capget(&head, data) < 0)
		return err_set(e, ST_CAPS, errno, "read the capabilities back");
	for (int i = 0; i < 2; i++) {
		if (data[i].effective || data[i].permitted || data[i].inheritable)
			return err_set(e, ST_CAPS, EPERM, "capabilities are left after dropping them");
	}
	return 0;
}

/* jail-weak alone: what the namespace gave survives the exec. */
static int keep_capabilities(struct err *e)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (capget(&head, data) < 0)
		return err_set(e, ST_CAPS, errno, "read the capabilities");
	for (int i = 0; i < 2; i++)
		data[i].inheritable = data[i].permitted;
	if (capset(&head, data) < 0)
		return err_set(e, ST_CAPS, errno, "keep the capabilities");
	for (unsigned cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++) {
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0) < 0)
			return err_set(e, ST_CAPS, errno, "keep capability %u", cap);
	}
	return 0;
}

static int drop_capabilities(struct err *e)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { 0 };

	if (prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
					     SECBIT_NO_SETUID_FIXUP_LOCKED |
					     SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE |
					     SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED) < 0)
		return err_set(e, ST_CAPS, errno, "lock the securebits");
	if (empty_bounding_set(e) < 0)
		return -e->code;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return err_set(e, ST_CAPS, errno, "clear the ambient capabilities");
	if (capset(&head, none) < 0)
		return err_set(e, ST_CAPS, errno, "drop the capabilities");
	return verify_no_caps(e);
}

int stage_caps(struct setup *s, struct err *e)
{
	int rc = weakened(WEAK_CAPS) ? keep_capabilities(e) : drop_capabilities(e);

	(void)s;
	if (rc < 0)
		return rc;
	if (!weakened(WEAK_NNP) && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
				    prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1))
		return err_set(e, ST_CAPS, errno, "set no_new_privs");
	/*
	 * pid 1 is a copy of the launcher: what is in its memory is nobody's business inside. The
	 * command's exec makes it dumpable.
	 */
	if (prctl(PR_SET_DUMPABLE, weakened(WEAK_DUMPABLE), 0, 0, 0) < 0)
		return err_set(e, ST_CAPS, errno, "make pid 1 unreadable");
	return 0;
}
