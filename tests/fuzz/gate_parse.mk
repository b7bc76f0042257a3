# SPDX-License-Identifier: GPL-2.0-or-later
fuzz_programs += tests/fuzz/fuzz_hello tests/fuzz/fuzz_http
tests_fuzz_fuzz_hello_SOURCES = tests/fuzz/fuzz_hello.c tests/fuzz/driver.c
tests_fuzz_fuzz_hello_CPPFLAGS = $(AM_CPPFLAGS) $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_hello_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_hello_LDADD = $(gate_parse_ldadd)

http_peer_sources = tests/fuzz/http_peer.c tests/fuzz/http_peer.h
tests_fuzz_fuzz_http_SOURCES = tests/fuzz/fuzz_http.c tests/fuzz/driver.c $(http_peer_sources)
tests_fuzz_fuzz_http_CPPFLAGS = $(AM_CPPFLAGS) $(FUZZ_CPPFLAGS) $(HTTP_PARSER_CPPFLAGS)
tests_fuzz_fuzz_http_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_http_LDADD = $(gate_parse_ldadd) $(HTTP_PARSER_LIBS)

# The same comparison without a fuzzer, and a reason when it cannot be made.
check_PROGRAMS += tests/fuzz/peer_http
TESTS += tests/fuzz/peer_http
tests_fuzz_peer_http_SOURCES = tests/fuzz/peer_http.c $(http_peer_sources)
tests_fuzz_peer_http_CPPFLAGS = $(AM_CPPFLAGS) $(HTTP_PARSER_CPPFLAGS)
tests_fuzz_peer_http_LDADD = $(gate_parse_ldadd) $(HTTP_PARSER_LIBS)

EXTRA_DIST += \
	tests/fuzz/hello.dict \
	tests/fuzz/http.dict \
	tests/fuzz/corpus/hello \
	tests/fuzz/corpus/http
