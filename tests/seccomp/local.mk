# SPDX-License-Identifier: GPL-2.0-or-later
# The seccomp programs: in an interpreter for every architecture, in the real kernel, and a profile's own.
seccomp_programs = tests/seccomp/test_table tests/seccomp/test_native tests/seccomp/test_custom
check_PROGRAMS += $(seccomp_programs)
TESTS += $(seccomp_programs)

tests_seccomp_test_table_SOURCES = \
	tests/seccomp/test_table.c \
	tests/seccomp/census.c \
	tests/seccomp/interp.c tests/seccomp/interp.h \
	tests/seccomp/oracle.c \
	tests/seccomp/rows.c \
	tests/seccomp/shipped.c tests/seccomp/shipped.h \
	tests/seccomp/suite.h tests/seccomp/tap.h \
	tests/seccomp/synthetic.c \
	sandbox/bpf.c sandbox/calls.c sandbox/policy.c
tests_seccomp_test_table_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS)
tests_seccomp_test_table_LDADD = base/libbase.a $(SECCOMP_LIBS)

tests_seccomp_test_native_SOURCES = tests/seccomp/test_native.c tests/seccomp/tap.h
tests_seccomp_test_native_CFLAGS = $(AM_CFLAGS) -pthread
tests_seccomp_test_native_LDFLAGS = $(AM_LDFLAGS) -pthread
tests_seccomp_test_native_LDADD = sandbox/libsandbox.a base/libbase.a base/libpaths-intree.a

tests_seccomp_test_custom_SOURCES = \
	tests/seccomp/test_custom.c \
	tests/seccomp/interp.c tests/seccomp/interp.h \
	tests/seccomp/tap.h
tests_seccomp_test_custom_LDADD = sandbox/libsandbox.a base/libbase.a base/libpaths-intree.a

$(tests_seccomp_test_table_OBJECTS): sandbox/filters.inc

EXTRA_DIST += \
	tests/seccomp/table.txt \
	tests/seccomp/census-aarch64.txt \
	tests/seccomp/census-x86_64.txt
