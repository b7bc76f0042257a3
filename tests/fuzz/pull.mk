# SPDX-License-Identifier: GPL-2.0-or-later
fuzz_programs += tests/fuzz/fuzz_authfile tests/fuzz/fuzz_challenge

tests_fuzz_fuzz_authfile_SOURCES = tests/fuzz/fuzz_authfile.c tests/fuzz/driver.c
tests_fuzz_fuzz_authfile_CPPFLAGS = $(AM_CPPFLAGS) $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_authfile_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_authfile_LDADD = $(pull_libraries)

tests_fuzz_fuzz_challenge_SOURCES = tests/fuzz/fuzz_challenge.c tests/fuzz/driver.c
tests_fuzz_fuzz_challenge_CPPFLAGS = $(AM_CPPFLAGS) $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_challenge_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_challenge_LDADD = $(pull_libraries)

EXTRA_DIST += \
	tests/fuzz/authfile.dict tests/fuzz/corpus/authfile \
	tests/fuzz/challenge.dict tests/fuzz/corpus/challenge
