# SPDX-License-Identifier: GPL-2.0-or-later
unit_pull = tests/unit/test_progress tests/unit/test_pull tests/unit/test_pull_confine

if HAVE_CMOCKA
check_PROGRAMS += $(unit_pull)
TESTS += $(unit_pull)
endif

tests_unit_test_progress_SOURCES = tests/unit/test_progress.c
tests_unit_test_progress_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_progress_LDADD = $(image_libraries) base/libpaths-intree.a $(image_libs) $(CMOCKA_LIBS) -lutil

tests_unit_test_pull_SOURCES = tests/unit/test_pull.c
tests_unit_test_pull_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_pull_LDADD = $(pull_libraries) $(CMOCKA_LIBS)

tests_unit_test_pull_confine_SOURCES = tests/unit/test_pull_confine.c oci/pull_confine.c
tests_unit_test_pull_confine_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) -pthread
tests_unit_test_pull_confine_LDADD = $(pull_libraries) $(CMOCKA_LIBS)
