# SPDX-License-Identifier: GPL-2.0-or-later
# jail-gate: the only way out of a jail's network.
pkglibexec_PROGRAMS += gate/jail-gate

gate_libgate_a_SOURCES += \
	gate/confine.c gate/confine.h \
	gate/connector.c \
	gate/door.c gate/door.h \
	gate/event.c \
	gate/far.c \
	gate/nflog.c gate/nflog.h \
	gate/ports.c gate/ports.h \
	gate/proxy.c \
	gate/pipes.c \
	gate/relay.c \
	gate/taken.c gate/taken.h \
	gate/slot.c gate/slot.h \
	gate/want.c

gate_jail_gate_SOURCES = gate/main.c
gate_jail_gate_LDFLAGS = $(AM_LDFLAGS) $(JAIL_STATIC)
gate_jail_gate_LDADD = gate/libgate.a gate/libparse.a net/libnet.a landlock/liblandlock.a base/libbase.a

gate/filters.inc: sandbox/jail-filter$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) gate && $(JAIL_FILTER_FOR_BUILD) --emit-c gate connector >$@.tmp && mv $@.tmp $@

$(gate_libgate_a_OBJECTS): gate/filters.inc

BUILT_SOURCES += gate/filters.inc
CLEANFILES += gate/filters.inc gate/filters.inc.tmp
