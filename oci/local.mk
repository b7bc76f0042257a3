# SPDX-License-Identifier: GPL-2.0-or-later
# Images. jail links none of this: it starts jail-image, and reads the records that jail-image wrote.
noinst_LIBRARIES += oci/liboci.a

# What the helpers share. Of the libraries behind it each helper links those that it uses.
oci_liboci_a_SOURCES = \
	oci/digest.c oci/digest.h \
	oci/hash.c oci/hash.h \
	oci/jsondoc.c oci/jsondoc.h \
	oci/manifest.c oci/manifest.h \
	oci/platform.c oci/platform.h \
	oci/record.c oci/record.h \
	oci/ref.c oci/ref.h \
	oci/store.c oci/store.h \
	oci/store_put.c \
	oci/tree.c oci/tree.h
oci_liboci_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(CRYPTO_CFLAGS)

# jail-unpack: everything that looks into a layer. The library is apart for the fuzzer's sake.
pkglibexec_PROGRAMS += oci/jail-unpack
noinst_LIBRARIES += oci/libunpack.a
oci_libunpack_a_SOURCES = \
	oci/cage.c oci/cage.h \
	oci/dirs.c oci/dirs.h \
	oci/inflate.c oci/inflate.h \
	oci/layer.c oci/layer.h oci/layer_impl.h \
	oci/layer_path.c \
	oci/stream.c oci/stream.h \
	oci/tar.c oci/tar.h \
	oci/unzstd.c
if HAVE_ISAL
oci_libunpack_a_SOURCES += oci/gunzip_isal.c
EXTRA_DIST += oci/gunzip_zlib.c
else
oci_libunpack_a_SOURCES += oci/gunzip_zlib.c
EXTRA_DIST += oci/gunzip_isal.c
endif
oci_libunpack_a_CPPFLAGS = $(AM_CPPFLAGS) $(ARCHIVE_CFLAGS) $(ZLIB_CFLAGS) $(ZSTD_CFLAGS) $(ISAL_CFLAGS)
oci_libunpack_a_CFLAGS = $(AM_CFLAGS) -pthread
unpack_libraries = oci/libunpack.a oci/liboci.a landlock/liblandlock.a base/libbase.a
unpack_libs = $(ARCHIVE_LIBS) $(GUNZIP_LIBS) $(ZSTD_LIBS) $(CRYPTO_LIBS)

oci_jail_unpack_SOURCES = oci/jail-unpack.c
oci_jail_unpack_LDFLAGS = $(AM_LDFLAGS) -pthread
oci_jail_unpack_LDADD = $(unpack_libraries) $(unpack_libs)

# jail-image: what `jail image` starts. It keeps the store and reads manifests; layers it never looks into itself.
pkglibexec_PROGRAMS += oci/jail-image
noinst_LIBRARIES += oci/libimage.a
oci_libimage_a_SOURCES = \
	oci/catalog.c oci/catalog.h \
	oci/chain.c oci/chain.h \
	oci/import.c oci/import.h \
	oci/import_docker.c \
	oci/import_layout.c \
	oci/import_tree.c \
	oci/install.c oci/install.h \
	oci/job.c oci/job.h \
	oci/progress.c oci/progress.h \
	oci/puller.c oci/puller.h \
	oci/tarwrite.c oci/tarwrite.h \
	oci/verb_import.c oci/image_verbs.h \
	oci/verb_pull.c \
	oci/verb_remove.c \
	oci/verb_show.c
image_libraries = oci/libimage.a oci/liboci.a base/libbase.a
image_libs = $(JANSSON_LIBS) $(CRYPTO_LIBS)

oci_jail_image_SOURCES = oci/jail-image.c
oci_jail_image_LDADD = $(image_libraries) base/libpaths.a $(image_libs)

# What the tests run: helpers side by side, as they are installed, and found there.
check_PROGRAMS += tests/libexec/jail-image
tests_libexec_jail_image_SOURCES = oci/jail-image.c
tests_libexec_jail_image_LDADD = $(image_libraries) base/libpaths-intree.a $(image_libs)
