# SPDX-License-Identifier: GPL-2.0-or-later
# probe is static, so that it runs in an image with another libc, or none, and never has a sanitizer in it, which would not
# survive the limits. Where there is no static libc: make probe_static=
probe_static = -static

selftestdir = $(pkglibexecdir)/selftest
selftest_PROGRAMS = tests/helpers/probe
tests_helpers_probe_SOURCES = \
	base/text.c \
	tests/helpers/probe.c \
	tests/helpers/probe.h \
	tests/helpers/probe_egress.c \
	tests/helpers/probe_file.c \
	tests/helpers/probe_filter.c \
	tests/helpers/probe_kernel.c \
	tests/helpers/probe_limit.c \
	tests/helpers/probe_mount.c \
	tests/helpers/probe_namespace.c \
	tests/helpers/probe_net.c \
	tests/helpers/probe_process.c \
	tests/helpers/probe_self.c \
	tests/helpers/probe_tty.c \
	tests/helpers/probe_without.c
tests_helpers_probe_CFLAGS = -std=gnu17 $(WARN_CFLAGS)
tests_helpers_probe_LDFLAGS = $(probe_static)
tests_helpers_probe_LDADD = -lpthread -lrt

# Starts jail-gate as jail would, without jail.
check_PROGRAMS += tests/helpers/gatebox
tests_helpers_gatebox_SOURCES = tests/helpers/gatebox.c tests/helpers/gatebox.h tests/helpers/gatebox_net.c
tests_helpers_gatebox_LDADD = net/libnet.a base/libbase.a
