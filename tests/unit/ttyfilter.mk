# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_ttyfilter
TESTS += tests/unit/test_ttyfilter
endif
tests_unit_test_ttyfilter_SOURCES = tests/unit/test_ttyfilter.c
tests_unit_test_ttyfilter_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_ttyfilter_LDADD = sandbox/libsandbox.a base/libbase.a $(CMOCKA_LIBS)
