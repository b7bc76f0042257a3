# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_image
TESTS += tests/unit/test_image
endif
tests_unit_test_image_SOURCES = tests/unit/test_image.c
tests_unit_test_image_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_image_LDADD = $(unit_sandbox_ldadd)

fuzz_programs += tests/fuzz/fuzz_imagerecord
tests_fuzz_fuzz_imagerecord_SOURCES = tests/fuzz/fuzz_imagerecord.c tests/fuzz/driver.c
tests_fuzz_fuzz_imagerecord_CPPFLAGS = $(AM_CPPFLAGS) $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_imagerecord_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_imagerecord_LDADD = sandbox/libsandbox.a oci/liboci.a base/libbase.a
EXTRA_DIST += \
	tests/fuzz/imagerecord.dict \
	tests/fuzz/corpus/imagerecord
