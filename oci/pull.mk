# SPDX-License-Identifier: GPL-2.0-or-later
# jail-pull talks to registries; the one program that links libcurl.
pkglibexec_PROGRAMS += oci/jail-pull
noinst_LIBRARIES += oci/libpull.a

# All of it but main and the cage.
oci_libpull_a_SOURCES = \
	oci/base64.c \
	oci/pull.h \
	oci/pull_auth.c oci/pull_auth.h \
	oci/pull_challenge.c oci/pull_challenge.h \
	oci/pull_fetch.c \
	oci/pull_http.c oci/pull_http.h \
	oci/pull_sink.c \
	oci/pull_token.c
oci_libpull_a_CPPFLAGS = $(AM_CPPFLAGS) $(CURL_CFLAGS)
pull_libraries = oci/libpull.a oci/liboci.a landlock/liblandlock.a base/libbase.a \
	$(CURL_LIBS) $(JANSSON_LIBS) $(CRYPTO_LIBS)

oci_jail_pull_SOURCES = oci/pull_main.c oci/pull_confine.c
oci_jail_pull_LDADD = $(pull_libraries)
