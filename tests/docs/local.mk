# SPDX-License-Identifier: GPL-2.0-or-later
# The manuals and the README say what is so: every option, default, exit status and profile, and each example is run.
check_PROGRAMS += tests/docs/table
tests_docs_table_SOURCES = tests/docs/table.c

TESTS += \
	tests/docs/table.sh \
	tests/docs/facts.sh \
	tests/docs/examples.sh

EXTRA_DIST += \
	tests/docs/lib.sh \
	tests/docs/extract.awk \
	tests/docs/table.sh \
	tests/docs/facts.sh \
	tests/docs/examples.sh
