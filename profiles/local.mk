# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += profiles/libprofiles.a

profiles_libprofiles_a_SOURCES = \
	profiles/argv.c \
	profiles/batch.h \
	profiles/completion.c \
	profiles/draft.c profiles/draft.h \
	profiles/extends.c \
	profiles/hostgroups.c profiles/hostgroups.h \
	profiles/locate.c profiles/locate.h \
	profiles/options.c profiles/options.def profiles/options.h \
	profiles/reader.c profiles/reader.h \
	profiles/values.c profiles/values.h
profiles_libprofiles_a_CPPFLAGS = $(AM_CPPFLAGS) $(INIH_CFLAGS)

dist_profiles_DATA = \
	profiles/agent.ini \
	profiles/build.ini \
	profiles/default.ini \
	profiles/offline.ini \
	profiles/strict.ini
