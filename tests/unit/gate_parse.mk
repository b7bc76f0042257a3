# SPDX-License-Identifier: GPL-2.0-or-later
unit_gate_parse = tests/unit/test_hello tests/unit/test_http
if HAVE_CMOCKA
check_PROGRAMS += $(unit_gate_parse)
TESTS += $(unit_gate_parse)
endif
gate_parse_ldadd = gate/libparse.a net/libnet.a base/libbase.a

tests_unit_test_hello_SOURCES = tests/unit/test_hello.c
tests_unit_test_hello_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_hello_LDADD = $(gate_parse_ldadd) $(CMOCKA_LIBS)

tests_unit_test_http_SOURCES = tests/unit/test_http.c
tests_unit_test_http_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_http_LDADD = $(gate_parse_ldadd) $(CMOCKA_LIBS)
