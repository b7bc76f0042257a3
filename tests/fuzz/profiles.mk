# SPDX-License-Identifier: GPL-2.0-or-later
fuzz_programs += tests/fuzz/fuzz_argv tests/fuzz/fuzz_ini tests/fuzz/fuzz_values
fuzz_profiles_ldadd = profiles/libprofiles.a base/libbase.a base/libpaths-intree.a $(INIH_LIBS)

tests_fuzz_fuzz_argv_SOURCES = tests/fuzz/fuzz_argv.c tests/fuzz/oracle.h tests/fuzz/driver.c
tests_fuzz_fuzz_argv_CPPFLAGS = $(AM_CPPFLAGS) $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_argv_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_argv_LDADD = $(fuzz_profiles_ldadd)

tests_fuzz_fuzz_ini_SOURCES = tests/fuzz/fuzz_ini.c tests/fuzz/oracle.h tests/fuzz/driver.c
tests_fuzz_fuzz_ini_CPPFLAGS = $(AM_CPPFLAGS) $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_ini_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_ini_LDADD = $(fuzz_profiles_ldadd)

tests_fuzz_fuzz_values_SOURCES = tests/fuzz/fuzz_values.c tests/fuzz/oracle.h tests/fuzz/driver.c
tests_fuzz_fuzz_values_CPPFLAGS = $(AM_CPPFLAGS) $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_values_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_values_LDADD = $(fuzz_profiles_ldadd)

EXTRA_DIST += \
	tests/fuzz/argv.dict tests/fuzz/corpus/argv \
	tests/fuzz/ini.dict tests/fuzz/corpus/ini \
	tests/fuzz/values.dict tests/fuzz/corpus/values
