# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_scope
TESTS += tests/unit/test_scope
endif
tests_unit_test_scope_SOURCES = tests/unit/test_scope.c
tests_unit_test_scope_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_scope_LDADD = $(jail_libraries) base/libpaths-intree.a $(CAP_LIBS) $(INIH_LIBS) $(CMOCKA_LIBS)
