# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_mountinfo
TESTS += tests/unit/test_mountinfo
endif
tests_unit_test_mountinfo_SOURCES = tests/unit/test_mountinfo.c
tests_unit_test_mountinfo_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_mountinfo_LDADD = sandbox/libsandbox.a base/libbase.a $(CMOCKA_LIBS)

fuzz_programs += tests/fuzz/fuzz_mountinfo
tests_fuzz_fuzz_mountinfo_SOURCES = tests/fuzz/fuzz_mountinfo.c tests/fuzz/driver.c
tests_fuzz_fuzz_mountinfo_CPPFLAGS = $(AM_CPPFLAGS) $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_mountinfo_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_mountinfo_LDADD = sandbox/libsandbox.a base/libbase.a
EXTRA_DIST += \
	tests/fuzz/mountinfo.dict \
	tests/fuzz/corpus/mountinfo
