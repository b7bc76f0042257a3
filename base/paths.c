// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the installed parts are; the build passes the directories. */
#include "base/paths.h"

const char path_libexec[] = JAIL_LIBEXECDIR;
const char path_gate[] = JAIL_LIBEXECDIR "/jail-gate";
const char path_selftest[] = JAIL_LIBEXECDIR "/selftest";
const char path_data[] = JAIL_DATADIR;
const char path_sysconf[] = JAIL_SYSCONFDIR;
const char path_version[] = PACKAGE_VERSION;
