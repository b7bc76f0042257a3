# SPDX-License-Identifier: GPL-2.0-or-later
# The hardening suite: a row is a file (README.md). Installed for `jail selftest`, all but what builds or checks it here.
TESTS += tests/escape/check.sh tests/escape/private.sh tests/escape/shipped.sh
EXTRA_DIST += tests/escape

# The host's side of it. Users may have no Python; and it is static for the same reasons as probe.
selftest_PROGRAMS += tests/escape/host
tests_escape_host_SOURCES = \
	base/kernel.h \
	base/text.c \
	tests/escape/host.c \
	tests/escape/host.h \
	tests/escape/host_tty.c \
	tests/escape/host_world.c
tests_escape_host_CFLAGS = $(tests_helpers_probe_CFLAGS)
tests_escape_host_LDFLAGS = $(probe_static)
tests_escape_host_LDADD = -lrt

# A folder is distributed with what the build has left in it.
dist-hook: dist-escape
dist-escape:
	cd '$(distdir)/tests/escape' && rm -rf host$(EXEEXT) check.log check.trs ./*.$(OBJEXT) .deps .dirstamp

install-data-local: install-selftest
install-selftest:
	$(MKDIR_P) '$(DESTDIR)$(selftestdir)/sandboxes'
	$(INSTALL_SCRIPT) $(srcdir)/tests/escape/run '$(DESTDIR)$(selftestdir)/run'
	$(INSTALL_DATA) $(srcdir)/tests/escape/row.sh $(srcdir)/tests/escape/enter.sh $(srcdir)/tests/escape/naive.sh $(srcdir)/tests/escape/report.awk $(srcdir)/tests/escape/comparison.md $(srcdir)/tests/escape/*.row '$(DESTDIR)$(selftestdir)'
	$(INSTALL_DATA) $(srcdir)/tests/escape/sandboxes/*.sh '$(DESTDIR)$(selftestdir)/sandboxes'
	$(INSTALL_DATA) $(srcdir)/tests/seccomp/census-*.txt '$(DESTDIR)$(selftestdir)'

# After automake has taken its programs out of it.
uninstall-hook: uninstall-selftest
uninstall-selftest:
	rm -rf '$(DESTDIR)$(selftestdir)'

escape_environment = \
	ESCAPE_JAIL='$(abs_top_builddir)/jail-intree' ESCAPE_WEAK='$(abs_top_builddir)/jail-weak' \
	ESCAPE_PROBE='$(abs_top_builddir)/tests/helpers/probe' ESCAPE_HOST='$(abs_top_builddir)/tests/escape/host'

# The table, for a person. ROWS='PRV-01 FS-02' or ROWS='--class SYS' for some of it.
check-escape: jail-intree$(EXEEXT) jail-weak$(EXEEXT) $(selftest_PROGRAMS) tests/share/stamp
	@$(escape_environment) $(srcdir)/tests/escape/run $(ROWS)

# The same rows in other sandboxes that are installed here. ROWS as above, and --markdown.
bench-escape: jail-intree$(EXEEXT) jail-weak$(EXEEXT) $(selftest_PROGRAMS) tests/share/stamp
	@$(escape_environment) $(srcdir)/tests/escape/compare $(ROWS)

.PHONY: bench-escape check-escape dist-escape install-selftest uninstall-selftest
