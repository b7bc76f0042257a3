# SPDX-License-Identifier: GPL-2.0-or-later
# The whole program, run as a user would. What the tests share is described at the top of lib.sh.
EXTRA_DIST += tests/integration/lib.sh

# How it behaves.
behaviour_tests = \
	tests/integration/cli.sh \
	tests/integration/profile.sh \
	tests/integration/stdio.sh \
	tests/integration/signals.sh \
	tests/integration/sockets.sh \
	tests/integration/terminal.sh \
	tests/integration/work.sh
TESTS += $(behaviour_tests)
EXTRA_DIST += $(behaviour_tests) tests/integration/terminal-pty.py
