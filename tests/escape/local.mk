# SPDX-License-Identifier: GPL-2.0-or-later
# The hardening suite: a row is a file (README.md). Installed for `jail selftest`, all but what builds or checks it here.
TESTS += tests/escape/check.sh
EXTRA_DIST += tests/escape

install-data-local: install-selftest
install-selftest:
	$(MKDIR_P) '$(DESTDIR)$(selftestdir)/sandboxes'
	$(INSTALL_SCRIPT) $(srcdir)/tests/escape/run '$(DESTDIR)$(selftestdir)/run'
	$(INSTALL_DATA) $(srcdir)/tests/escape/row.sh $(srcdir)/tests/escape/report.awk $(srcdir)/tests/escape/*.row '$(DESTDIR)$(selftestdir)'
	$(INSTALL_DATA) $(srcdir)/tests/escape/sandboxes/*.sh '$(DESTDIR)$(selftestdir)/sandboxes'

uninstall-local: uninstall-selftest
uninstall-selftest:
	rm -rf '$(DESTDIR)$(selftestdir)'

escape_environment = \
	ESCAPE_JAIL='$(abs_top_builddir)/jail-intree' ESCAPE_WEAK='$(abs_top_builddir)/jail-weak' \
	ESCAPE_PROBE='$(abs_top_builddir)/tests/helpers/probe' ESCAPE_HOST='$(abs_top_srcdir)/tests/escape/host.py'

# The table, for a person. ROWS='PRV-01 FS-02' or ROWS='--class SYS' for some of it.
check-escape: jail-intree$(EXEEXT) jail-weak$(EXEEXT) tests/helpers/probe$(EXEEXT)
	@$(escape_environment) $(srcdir)/tests/escape/run $(ROWS)

.PHONY: check-escape install-selftest uninstall-selftest
