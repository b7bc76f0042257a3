# SPDX-License-Identifier: GPL-2.0-or-later
fuzz_programs += tests/fuzz/fuzz_wire
tests_fuzz_fuzz_wire_SOURCES = tests/fuzz/fuzz_wire.c tests/fuzz/driver.c
tests_fuzz_fuzz_wire_CPPFLAGS = $(AM_CPPFLAGS) $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_wire_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_wire_LDADD = sandbox/libsandbox.a base/libbase.a
EXTRA_DIST += tests/fuzz/corpus/wire
