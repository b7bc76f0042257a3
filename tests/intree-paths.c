// SPDX-License-Identifier: GPL-2.0-or-later
/* The test-only twin of base/paths.c: helpers and profiles from the build tree, the suite from the source tree, no administrator. */
#include "base/paths.h"

const char path_libexec[] = JAIL_LIBEXECDIR;
const char path_gate[] = JAIL_GATEDIR "/jail-gate";
const char path_selftest[] = JAIL_SELFTESTDIR;
const char path_data[] = JAIL_DATADIR;
const char path_sysconf[] = JAIL_SYSCONFDIR;
const char path_version[] = PACKAGE_VERSION;
