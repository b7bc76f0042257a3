# SPDX-License-Identifier: GPL-2.0-or-later
# make bench: start and exit of jail beside bwrap, in one table per payload, and with an image of three layers; then the gate beside
# pasta and slirp4netns. Nothing here is asserted.
#   BENCH_ROUNDS=300   rounds, each runs every peer once
#   JAIL=PATH          the binary to measure (default: the build tree's)

EXTRA_PROGRAMS = bench/start bench/noop bench/egress
EXTRA_DIST += bench/egress.sh bench/image-store.sh bench/unpack.sh
CLEANFILES += $(EXTRA_PROGRAMS) bench/true.json bench/noop.json bench/image.json

bench_start_SOURCES = bench/start.c bench/report.c bench/report.h
bench_start_LDADD = base/libbase.a

bench_noop_SOURCES = bench/noop.c
bench_noop_CFLAGS = -std=gnu17 $(WARN_CFLAGS)
bench_noop_LDFLAGS = -static

BENCH_ROUNDS = 300
BENCH_JAIL = $${JAIL:-./jail-intree$(EXEEXT)}
bench_run = bench/start$(EXEEXT) -n $(BENCH_ROUNDS) --jail "$(BENCH_JAIL)" --dir bench

bench: bench/start$(EXEEXT) bench/noop$(EXEEXT) jail-intree$(EXEEXT) tests/share/stamp tests/libexec/stamp
	@$(bench_run) --payload /bin/true --json bench/true.json
	@echo
	@$(bench_run) --payload "$(abs_top_builddir)/bench/noop$(EXEEXT)" --json bench/noop.json
	@echo
	@$(srcdir)/bench/image-store.sh bench-data 3
	@XDG_DATA_HOME="$(abs_top_builddir)/bench-data" $(bench_run) --payload "$(abs_top_builddir)/bench/noop$(EXEEXT)" \
		--image bench.test/layers:3 --json bench/image.json
	@rm -rf bench-data
	@echo
	@$(MAKE) $(AM_MAKEFLAGS) bench-egress

bench_egress_SOURCES = bench/egress.c
bench_egress_LDADD = base/libbase.a

bench-egress: bench/egress$(EXEEXT) gate/jail-gate$(EXEEXT) tests/helpers/gatebox$(EXEEXT)
	@$(srcdir)/bench/egress.sh .
.PHONY: bench-egress

# An image unpacked, beside umoci, podman, skopeo and GNU tar; takes minutes.
bench-unpack: jail-intree$(EXEEXT) tests/libexec/jail-image$(EXEEXT) tests/libexec/stamp
	@JAIL='$(BENCH_JAIL)' $(srcdir)/bench/unpack.sh $(BENCH_IMAGE)
.PHONY: bench-unpack
