# SPDX-License-Identifier: GPL-2.0-or-later
unit_sandbox = \
	tests/unit/test_sandbox_base \
	tests/unit/test_sandbox_environ \
	tests/unit/test_sandbox_landlock \
	tests/unit/test_sandbox_mountlist \
	tests/unit/test_sandbox_refusals \
	tests/unit/test_sandbox_resolve \
	tests/unit/test_sandbox_text \
	tests/unit/test_sandbox_wire
unit_sandbox_ldadd = $(jail_libraries) base/libpaths-intree.a $(CAP_LIBS) $(INIH_LIBS) $(CMOCKA_LIBS)

if HAVE_CMOCKA
check_PROGRAMS += $(unit_sandbox)
TESTS += $(unit_sandbox)
endif

tests_unit_test_sandbox_base_SOURCES = tests/unit/test_sandbox_base.c
tests_unit_test_sandbox_base_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_sandbox_base_LDADD = base/libbase.a $(CMOCKA_LIBS)

tests_unit_test_sandbox_environ_SOURCES = tests/unit/test_sandbox_environ.c
tests_unit_test_sandbox_environ_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_sandbox_environ_LDADD = $(unit_sandbox_ldadd)

tests_unit_test_sandbox_landlock_SOURCES = tests/unit/test_sandbox_landlock.c
tests_unit_test_sandbox_landlock_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_sandbox_landlock_LDADD = landlock/liblandlock.a base/libbase.a $(CMOCKA_LIBS)

tests_unit_test_sandbox_mountlist_SOURCES = tests/unit/test_sandbox_mountlist.c
tests_unit_test_sandbox_mountlist_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_sandbox_mountlist_LDADD = $(unit_sandbox_ldadd)

tests_unit_test_sandbox_refusals_SOURCES = tests/unit/test_sandbox_refusals.c
tests_unit_test_sandbox_refusals_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_sandbox_refusals_LDADD = $(unit_sandbox_ldadd)

tests_unit_test_sandbox_resolve_SOURCES = tests/unit/test_sandbox_resolve.c
tests_unit_test_sandbox_resolve_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_sandbox_resolve_LDADD = $(unit_sandbox_ldadd)

tests_unit_test_sandbox_text_SOURCES = tests/unit/test_sandbox_text.c
tests_unit_test_sandbox_text_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_sandbox_text_LDADD = base/libbase.a $(CMOCKA_LIBS)

tests_unit_test_sandbox_wire_SOURCES = tests/unit/test_sandbox_wire.c
tests_unit_test_sandbox_wire_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_sandbox_wire_LDADD = sandbox/libsandbox.a base/libbase.a $(CMOCKA_LIBS)
