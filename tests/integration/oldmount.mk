# SPDX-License-Identifier: GPL-2.0-or-later
# jail where an outer filter refuses the new mount API. deny stands in for that filter; it is nobody else's helper.
check_PROGRAMS += tests/helpers/deny
tests_helpers_deny_SOURCES = base/text.c tests/helpers/deny.c
tests_helpers_deny_CFLAGS = -std=gnu17 $(WARN_CFLAGS)

TESTS += tests/integration/oldmount.sh
EXTRA_DIST += tests/integration/oldmount.sh
