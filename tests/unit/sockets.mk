# SPDX-License-Identifier: GPL-2.0-or-later
unit_sockets = tests/unit/test_sockdiag tests/unit/test_sockwalk
if HAVE_CMOCKA
check_PROGRAMS += $(unit_sockets)
TESTS += $(unit_sockets)
endif
tests_unit_test_sockdiag_SOURCES = tests/unit/test_sockdiag.c
tests_unit_test_sockdiag_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_sockdiag_LDADD = sandbox/libsandbox.a base/libbase.a $(CMOCKA_LIBS)

tests_unit_test_sockwalk_SOURCES = tests/unit/test_sockwalk.c
tests_unit_test_sockwalk_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_sockwalk_LDADD = $(unit_sandbox_ldadd)

fuzz_programs += tests/fuzz/fuzz_sockdiag
tests_fuzz_fuzz_sockdiag_SOURCES = tests/fuzz/fuzz_sockdiag.c tests/fuzz/driver.c
tests_fuzz_fuzz_sockdiag_CPPFLAGS = $(AM_CPPFLAGS) $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_sockdiag_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_sockdiag_LDADD = sandbox/libsandbox.a base/libbase.a
EXTRA_DIST += tests/fuzz/corpus/sockdiag
