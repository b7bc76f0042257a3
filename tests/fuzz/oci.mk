# SPDX-License-Identifier: GPL-2.0-or-later
fuzz_programs += tests/fuzz/fuzz_layer tests/fuzz/fuzz_manifest tests/fuzz/fuzz_ref

tests_fuzz_fuzz_layer_SOURCES = tests/fuzz/fuzz_layer.c tests/fuzz/oracle.h tests/fuzz/driver.c
tests_fuzz_fuzz_layer_CPPFLAGS = $(AM_CPPFLAGS) $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_layer_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS) -pthread
tests_fuzz_fuzz_layer_LDADD = $(unpack_libraries) $(unpack_libs)

tests_fuzz_fuzz_manifest_SOURCES = tests/fuzz/fuzz_manifest.c tests/fuzz/oracle.h tests/fuzz/driver.c
tests_fuzz_fuzz_manifest_CPPFLAGS = $(AM_CPPFLAGS) $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_manifest_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_manifest_LDADD = oci/liboci.a base/libbase.a $(JANSSON_LIBS) $(CRYPTO_LIBS)

tests_fuzz_fuzz_ref_SOURCES = tests/fuzz/fuzz_ref.c tests/fuzz/oracle.h tests/fuzz/driver.c
tests_fuzz_fuzz_ref_CPPFLAGS = $(AM_CPPFLAGS) $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_ref_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_ref_LDADD = oci/liboci.a base/libbase.a

EXTRA_DIST += \
	tests/fuzz/corpus/layer \
	tests/fuzz/corpus/manifest tests/fuzz/manifest.dict \
	tests/fuzz/corpus/ref
