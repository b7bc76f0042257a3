# SPDX-License-Identifier: GPL-2.0-or-later
# Registries: a real one, and bad ones in front of it.
pull_tests = \
	tests/integration/image-pull.sh \
	tests/integration/pull.sh
TESTS += $(pull_tests)
EXTRA_DIST += $(pull_tests) tests/integration/registry.sh tests/integration/registry-front.py
