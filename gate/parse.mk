# SPDX-License-Identifier: GPL-2.0-or-later
# What reads the bytes from inside, and what they are answered: pure functions, tested and fuzzed alone.
noinst_LIBRARIES += gate/libparse.a

gate_libparse_a_SOURCES = \
	gate/hello.c gate/hello.h \
	gate/http.c gate/http.h \
	gate/http_head.c gate/http_head.h \
	gate/refuse.c gate/refuse.h
