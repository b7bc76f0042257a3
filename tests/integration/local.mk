# SPDX-License-Identifier: GPL-2.0-or-later
# The whole program, run as a user would. What the tests share is described at the top of lib.sh.
EXTRA_DIST += tests/integration/lib.sh

# How it behaves.
behaviour_tests = \
	tests/integration/cli.sh \
	tests/integration/egress.sh \
	tests/integration/egress-life.sh \
	tests/integration/network.sh \
	tests/integration/no-nft.sh \
	tests/integration/image-run.sh \
	tests/integration/image-run-pull.sh \
	tests/integration/image.sh \
	tests/integration/image-bad.sh \
	tests/integration/profile.sh \
	tests/integration/stdio.sh \
	tests/integration/signals.sh \
	tests/integration/sockets.sh \
	tests/integration/terminal.sh \
	tests/integration/work.sh
TESTS += $(behaviour_tests)
EXTRA_DIST += $(behaviour_tests) tests/integration/terminal-pty.py tests/integration/egress-servers.py tests/integration/egress-lib.sh

# The gate alone, started as jail would.
TESTS += tests/integration/gate.py
EXTRA_DIST += tests/integration/gate.py tests/integration/gate_inside.py

# The gate where the kernel has no nftables.
check-no-nft:
	$(MAKE) check TESTS=tests/integration/no-nft.sh
.PHONY: check-no-nft
EXTRA_DIST += \
	tests/integration/image-lib.sh tests/integration/image-make.py
