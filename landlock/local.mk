# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += landlock/liblandlock.a

landlock_liblandlock_a_SOURCES = \
	landlock/rights.c landlock/rights.h \
	landlock/ruleset.c landlock/ruleset.h
