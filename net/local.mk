# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += net/libnet.a

net_libnet_a_SOURCES = \
	net/addr.c net/addr.h \
	net/batch.c net/batch.h \
	net/gate.h \
	net/name.c net/name.h \
	net/netlink.c net/netlink.h \
	net/policy.c net/policy.h \
	net/ruleset.h \
	net/ruletext.c \
	net/sources.c net/sources.h

jaildatadir = $(datadir)/jail
dist_jaildata_DATA = profiles/groups.ini
