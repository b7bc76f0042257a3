# SPDX-License-Identifier: GPL-2.0-or-later
fuzz_programs += tests/fuzz/fuzz_ttyfilter
tests_fuzz_fuzz_ttyfilter_SOURCES = tests/fuzz/fuzz_ttyfilter.c tests/fuzz/driver.c
tests_fuzz_fuzz_ttyfilter_CPPFLAGS = $(AM_CPPFLAGS) $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_ttyfilter_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_ttyfilter_LDADD = sandbox/libsandbox.a base/libbase.a
EXTRA_DIST += \
	tests/fuzz/ttyfilter.dict \
	tests/fuzz/corpus/ttyfilter
