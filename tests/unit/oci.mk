# SPDX-License-Identifier: GPL-2.0-or-later
unit_oci = \
	tests/unit/test_oci_cage \
	tests/unit/test_oci_manifest \
	tests/unit/test_oci_names \
	tests/unit/test_oci_store
unit_oci_ldadd = oci/liboci.a base/libbase.a $(JANSSON_LIBS) $(CRYPTO_LIBS) $(CMOCKA_LIBS)

if HAVE_CMOCKA
check_PROGRAMS += $(unit_oci)
TESTS += $(unit_oci)
endif

tests_unit_test_oci_names_SOURCES = tests/unit/test_oci_names.c
tests_unit_test_oci_names_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_oci_names_LDADD = $(unit_oci_ldadd)

tests_unit_test_oci_store_SOURCES = tests/unit/test_oci_store.c
tests_unit_test_oci_store_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_oci_store_LDADD = $(unit_oci_ldadd)

tests_unit_test_oci_manifest_SOURCES = tests/unit/test_oci_manifest.c
tests_unit_test_oci_manifest_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_oci_manifest_LDADD = $(unit_oci_ldadd)

tests_unit_test_oci_cage_SOURCES = tests/unit/test_oci_cage.c
tests_unit_test_oci_cage_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_oci_cage_LDADD = oci/libunpack.a oci/liboci.a landlock/liblandlock.a base/libbase.a $(CMOCKA_LIBS)
