# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += base/libbase.a base/libpaths.a
check_LIBRARIES += base/libpaths-intree.a

base_libbase_a_SOURCES = \
	base/arena.c base/arena.h \
	base/err.c base/err.h \
	base/fs.c base/fs.h \
	base/json.c base/json.h \
	base/kernel.h \
	base/now.c base/now.h \
	base/own.h \
	base/pass.c base/pass.h \
	base/shed.c base/shed.h \
	base/text.c base/text.h

# Where the installed parts are. Tests link the twin, so that they use what was just built.
base_libpaths_a_SOURCES = base/paths.c base/paths.h
base_libpaths_a_CPPFLAGS = $(AM_CPPFLAGS) \
	-DJAIL_LIBEXECDIR='"$(pkglibexecdir)"' \
	-DJAIL_DATADIR='"$(datadir)/jail"' \
	-DJAIL_SYSCONFDIR='"$(sysconfdir)/jail"'

base_libpaths_intree_a_SOURCES = tests/intree-paths.c base/paths.h
base_libpaths_intree_a_CPPFLAGS = $(AM_CPPFLAGS) \
	-DJAIL_LIBEXECDIR='"$(abs_top_builddir)/tests/libexec"' \
	-DJAIL_GATEDIR='"$(abs_top_builddir)/gate"' \
	-DJAIL_SELFTESTDIR='"$(abs_top_srcdir)/tests/escape"' \
	-DJAIL_DATADIR='"$(abs_top_builddir)/tests/share"' \
	-DJAIL_SYSCONFDIR='"$(abs_top_builddir)/tests/etc"'
