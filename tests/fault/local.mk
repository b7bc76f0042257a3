# SPDX-License-Identifier: GPL-2.0-or-later
# Fault injection: each system call of the set-up fails once. JAIL_FAULT_FULL=1 tries them all.
check_PROGRAMS += tests/fault/test_fault tests/fault/posture
TESTS += tests/fault/test_fault

tests_fault_test_fault_SOURCES = \
	tests/fault/test_fault.c \
	tests/fault/arch.h \
	tests/fault/calls.c \
	tests/fault/judge.c tests/fault/judge.h \
	tests/fault/points.c tests/fault/points.h \
	tests/fault/room.c tests/fault/room.h \
	tests/fault/special.c tests/fault/special.h \
	tests/fault/trace.c tests/fault/trace.h \
	tests/seccomp/tap.h
tests_fault_test_fault_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS)
tests_fault_test_fault_LDADD = landlock/liblandlock.a base/libbase.a $(SECCOMP_LIBS)

# The command inside: static and without sanitizers, like probe.
tests_fault_posture_SOURCES = tests/fault/posture.c base/fs.c base/text.c
tests_fault_posture_CFLAGS = -std=gnu17 $(WARN_CFLAGS)
tests_fault_posture_LDFLAGS = $(probe_static)

EXTRA_DIST += tests/fault/harmless.txt
