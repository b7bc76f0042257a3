# SPDX-License-Identifier: GPL-2.0-or-later
# The DNS sides of the gate: the parts, the fuzzer, and both sides over real sockets.
unit_dns = tests/unit/test_dns tests/unit/test_dnsanswer tests/unit/test_resolvfiles
dns_ldadd = gate/libgate.a net/libnet.a base/libbase.a
if HAVE_CMOCKA
check_PROGRAMS += $(unit_dns)
TESTS += $(unit_dns)
endif
tests_unit_test_dns_SOURCES = tests/unit/test_dns.c
tests_unit_test_dns_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_dns_LDADD = $(dns_ldadd) $(CMOCKA_LIBS)

tests_unit_test_dnsanswer_SOURCES = tests/unit/test_dnsanswer.c
tests_unit_test_dnsanswer_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_dnsanswer_LDADD = $(dns_ldadd) $(CMOCKA_LIBS)

tests_unit_test_resolvfiles_SOURCES = tests/unit/test_resolvfiles.c
tests_unit_test_resolvfiles_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_resolvfiles_LDADD = $(dns_ldadd) $(CMOCKA_LIBS)

fuzz_programs += tests/fuzz/fuzz_dns
tests_fuzz_fuzz_dns_SOURCES = tests/fuzz/fuzz_dns.c tests/fuzz/driver.c
tests_fuzz_fuzz_dns_CPPFLAGS = $(AM_CPPFLAGS) $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_dns_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_dns_LDADD = $(dns_ldadd)
EXTRA_DIST += tests/fuzz/dns.dict tests/fuzz/corpus/dns

check_PROGRAMS += tests/helpers/dnsside
tests_helpers_dnsside_SOURCES = tests/helpers/dnsside.c
tests_helpers_dnsside_LDADD = $(dns_ldadd)
dns_tests = tests/integration/dns-inside.py tests/integration/dns-outside.py
TESTS += $(dns_tests)
EXTRA_DIST += $(dns_tests) tests/integration/dnslib.py
