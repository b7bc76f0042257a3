# SPDX-License-Identifier: GPL-2.0-or-later
unit_net = \
	tests/unit/test_net_addr \
	tests/unit/test_net_batch \
	tests/unit/test_net_name \
	tests/unit/test_net_policy \
	tests/unit/test_net_rules \
	tests/unit/test_net_sources

if HAVE_CMOCKA
check_PROGRAMS += $(unit_net)
TESTS += $(unit_net)
endif

tests_unit_test_net_addr_SOURCES = tests/unit/test_net_addr.c
tests_unit_test_net_addr_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_net_addr_LDADD = net/libnet.a base/libbase.a $(CMOCKA_LIBS)

tests_unit_test_net_batch_SOURCES = tests/unit/test_net_batch.c
tests_unit_test_net_batch_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_net_batch_LDADD = net/libnet.a base/libbase.a $(CMOCKA_LIBS)

tests_unit_test_net_name_SOURCES = tests/unit/test_net_name.c
tests_unit_test_net_name_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_net_name_LDADD = net/libnet.a base/libbase.a $(CMOCKA_LIBS)

tests_unit_test_net_policy_SOURCES = tests/unit/test_net_policy.c
tests_unit_test_net_policy_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_net_policy_LDADD = net/libnet.a base/libbase.a $(CMOCKA_LIBS)

tests_unit_test_net_rules_SOURCES = tests/unit/test_net_rules.c
tests_unit_test_net_rules_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_net_rules_LDADD = net/libnet.a base/libbase.a $(CMOCKA_LIBS)

tests_unit_test_net_sources_SOURCES = tests/unit/test_net_sources.c
tests_unit_test_net_sources_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_net_sources_LDADD = net/libnet.a $(unit_profiles_ldadd)

fuzz_programs += tests/fuzz/fuzz_rules
tests_fuzz_fuzz_rules_SOURCES = tests/fuzz/fuzz_rules.c tests/fuzz/driver.c
tests_fuzz_fuzz_rules_CPPFLAGS = $(AM_CPPFLAGS) $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_rules_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_rules_LDADD = net/libnet.a profiles/libprofiles.a base/libbase.a base/libpaths-intree.a $(INIH_LIBS)
EXTRA_DIST += \
	tests/fuzz/rules.dict \
	tests/fuzz/corpus/rules
