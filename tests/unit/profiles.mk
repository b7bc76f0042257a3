# SPDX-License-Identifier: GPL-2.0-or-later
unit_profiles = \
	tests/unit/test_draft \
	tests/unit/test_options \
	tests/unit/test_reader \
	tests/unit/test_values
unit_profiles_ldadd = \
	profiles/libprofiles.a base/libbase.a base/libpaths-intree.a $(INIH_LIBS) $(CMOCKA_LIBS)

if HAVE_CMOCKA
check_PROGRAMS += $(unit_profiles)
TESTS += $(unit_profiles)
endif

tests_unit_test_draft_SOURCES = tests/unit/test_draft.c
tests_unit_test_draft_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_draft_LDADD = $(unit_profiles_ldadd)

tests_unit_test_options_SOURCES = tests/unit/test_options.c
tests_unit_test_options_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_options_LDADD = $(unit_profiles_ldadd)

tests_unit_test_reader_SOURCES = tests/unit/test_reader.c
tests_unit_test_reader_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_reader_LDADD = $(unit_profiles_ldadd)

tests_unit_test_values_SOURCES = tests/unit/test_values.c
tests_unit_test_values_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_values_LDADD = $(unit_profiles_ldadd)
