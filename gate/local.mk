# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += gate/libgate.a

gate_libgate_a_SOURCES = \
	gate/cache.c gate/cache.h \
	gate/dns.c gate/dns.h \
	gate/dnsanswer.c gate/dnsanswer.h \
	gate/dnsreply.c \
	gate/dnsserver.c gate/dnsserver.h \
	gate/dnswire.c gate/dnswire.h \
	gate/event.h \
	gate/hostsfile.c gate/hostsfile.h \
	gate/loop.c gate/loop.h \
	gate/names.c gate/names.h \
	gate/question.c gate/question.h \
	gate/resolver.c gate/resolver.h \
	gate/resolvconf.c gate/resolvconf.h
