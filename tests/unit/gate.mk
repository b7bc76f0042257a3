# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_gate
TESTS += tests/unit/test_gate
endif
tests_unit_test_gate_SOURCES = tests/unit/test_gate.c
tests_unit_test_gate_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_gate_LDADD = gate/libgate.a gate/libparse.a net/libnet.a landlock/liblandlock.a base/libbase.a $(CMOCKA_LIBS)
