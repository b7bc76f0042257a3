# SPDX-License-Identifier: GPL-2.0-or-later
# Every test speaks TAP: a program, or a script that is executable and says by #! what runs it.
#
# A fragment adds to unit_programs, fuzz_programs (both are built and run by themselves), or to TESTS and EXTRA_DIST.

TEST_EXTENSIONS = .sh .py
tap_driver = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(tap_driver)
SH_LOG_DRIVER = $(tap_driver)
PY_LOG_DRIVER = $(tap_driver)

AM_TESTS_ENVIRONMENT = \
	JAIL='$(abs_top_builddir)/jail-intree'; export JAIL; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	$(escape_environment); export ESCAPE_JAIL ESCAPE_WEAK ESCAPE_PROBE ESCAPE_HOST; \
	LC_ALL=C.UTF-8; export LC_ALL;

# The shipped profiles with the modes of an installation: in a clone made under umask 002 their group can write the sources, and
# jail reads no such profile.
check_DATA = tests/share/stamp
tests/share/stamp: $(dist_profiles_DATA) $(dist_jaildata_DATA)
	@$(MKDIR_P) tests/share/profiles
	$(AM_V_GEN)for f in $(dist_profiles_DATA); do \
		$(INSTALL_DATA) $(srcdir)/$$f tests/share/$$f || exit 1; \
	done && $(INSTALL_DATA) $(srcdir)/$(dist_jaildata_DATA) tests/share/groups.ini && : >$@

# The helpers, where the binaries of the build tree look for them.
check_DATA += tests/libexec/stamp
tests/libexec/stamp: sandbox/jail-filter$(EXEEXT) oci/jail-unpack$(EXEEXT) oci/jail-pull$(EXEEXT)
	@$(MKDIR_P) tests/libexec
	$(AM_V_GEN)for f in $^; do \
		ln -sf "$(abs_top_builddir)/$$f" tests/libexec/ || exit 1; \
	done && : >$@

# cmocka's flags are $(CMOCKA_CFLAGS) and $(CMOCKA_LIBS), inside `if HAVE_CMOCKA`.
#
# fuzz_programs are called tests/fuzz/fuzz_X, with tests/fuzz/corpus/X and maybe tests/fuzz/X.dict. Each is linked with
# tests/fuzz/driver.c, which replays the corpus; with --enable-fuzzing libFuzzer takes its place.
fuzz_programs =

include tests/unit/gate_parse.mk
include tests/unit/dns.mk
include tests/unit/gate.mk
include tests/unit/image.mk
include tests/unit/mountinfo.mk
include tests/unit/net.mk
include tests/unit/oci.mk
include tests/unit/profiles.mk
include tests/unit/pull.mk
include tests/unit/sandbox.mk
include tests/unit/scope.mk
include tests/unit/sockets.mk
include tests/unit/ttyfilter.mk
include tests/seccomp/local.mk
include tests/fuzz/gate_parse.mk
include tests/fuzz/oci.mk
include tests/fuzz/profiles.mk
include tests/fuzz/pull.mk
include tests/fuzz/ttyfilter.mk
include tests/fuzz/wire.mk
include tests/fault/local.mk
include tests/helpers/local.mk
include tests/escape/local.mk
include tests/integration/local.mk
include tests/integration/oldmount.mk
include tests/integration/pull.mk
include tests/docs/local.mk
include tests/golden/local.mk
include tests/vm/local.mk

check_PROGRAMS += $(fuzz_programs)
if !ENABLE_FUZZING
TESTS += $(fuzz_programs)
endif

FUZZ_SECONDS = 60

if ENABLE_FUZZING
fuzz-smoke: $(fuzz_programs)
	@for p in $(fuzz_programs); do \
		name=$${p##*/fuzz_}; new=tests/fuzz/new/$$name; dict=$(srcdir)/tests/fuzz/$$name.dict; \
		test -e $$dict && dict=-dict=$$dict || dict=; \
		$(MKDIR_P) $$new || exit 1; \
		echo "fuzz-smoke: $$name, $(FUZZ_SECONDS) s"; \
		./$$p -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
			-artifact_prefix=tests/fuzz/new/$$name- $$dict $$new $(srcdir)/tests/fuzz/corpus/$$name \
			>tests/fuzz/new/$$name.log 2>&1 || \
			{ tail -n 60 tests/fuzz/new/$$name.log; echo "fuzz-smoke: $$name failed" >&2; exit 1; }; \
		grep -E 'number_of_executed_units|average_exec' tests/fuzz/new/$$name.log | sed 's/^stat::/  /'; \
	done
else
fuzz-smoke:
	@echo "fuzz-smoke: configure with CC=clang --enable-fuzzing first" >&2; exit 1
endif

TESTS += tests/sources.sh
if !HAVE_CMOCKA
TESTS += tests/no-cmocka.sh
endif
EXTRA_DIST += tests/sources.sh tests/no-cmocka.sh tests/allowed-skips

# ./bootstrap picks from these.
print-tests:
	@echo $(TESTS)
.PHONY: print-tests

clean-local: clean-fuzz clean-share clean-libexec
clean-libexec:
	-rm -rf tests/libexec
clean-fuzz:
	-rm -rf tests/fuzz/new
clean-share:
	-rm -rf tests/share
.PHONY: clean-fuzz clean-share clean-libexec
