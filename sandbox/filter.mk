# SPDX-License-Identifier: GPL-2.0-or-later
# jail-filter compiles seccomp programs: the shipped ones now (filters.inc), a profile's own at run time.
pkglibexec_PROGRAMS += sandbox/jail-filter

sandbox_jail_filter_SOURCES = \
	sandbox/jail-filter.c \
	sandbox/bpf.c sandbox/bpf.h \
	sandbox/calls.c sandbox/calls.h \
	sandbox/policy.c sandbox/policy.h \
	sandbox/checks.def sandbox/syscalls.def
sandbox_jail_filter_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS)
sandbox_jail_filter_LDADD = base/libbase.a $(SECCOMP_LIBS)

# A cross build cannot run its own: make JAIL_FILTER_FOR_BUILD=/path/to/jail-filter, a native one of the same version.
if CROSS
JAIL_FILTER_FOR_BUILD = jail-filter
else
JAIL_FILTER_FOR_BUILD = sandbox/jail-filter$(EXEEXT)
endif

sandbox/filters.inc: sandbox/jail-filter$(EXEEXT)
	$(AM_V_GEN)$(JAIL_FILTER_FOR_BUILD) --emit-c >$@.tmp && mv $@.tmp $@

$(sandbox_libsandbox_a_OBJECTS) $(sandbox_libsandbox_weak_a_OBJECTS): sandbox/filters.inc

BUILT_SOURCES += sandbox/filters.inc
CLEANFILES += sandbox/filters.inc sandbox/filters.inc.tmp
