# SPDX-License-Identifier: GPL-2.0-or-later
# The escape catalogue: one script a class, a case or more a row, each with the control that shows the probe could succeed.
escape_tests = \
	tests/integration/escape-fs.sh
TESTS += $(escape_tests)
EXTRA_DIST += $(escape_tests) tests/integration/escape-lib.sh
