#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The hardening suite as a test of `make check`: a row that is inconclusive is a skipped one, and with JAIL_MUST_WORK=1 a failed one
# unless tests/allowed-skips has its reason.
set -u
: "${JAIL:?run by make check}" "${top_srcdir:?}" "${top_builddir:?}"
export ESCAPE_JAIL="$JAIL" ESCAPE_WEAK="$top_builddir/jail-weak" ESCAPE_PROBE="$top_builddir/tests/helpers/probe"
export ESCAPE_HOST="$top_builddir/tests/escape/host"

patterns=$(mktemp) || exit 99
trap 'rm -f "$patterns"' EXIT
grep -Ev '^(#|$)' "$top_srcdir/tests/allowed-skips" >"$patterns"

"$top_srcdir/tests/escape/run" --tap | while IFS= read -r line; do
	case $line in
	'ok '*' # SKIP '*)
		reason=${line#* # SKIP }
		if [ -n "${JAIL_MUST_WORK:-}" ] && ! printf '%s\n' "$reason" | grep -Eqf "$patterns"; then
			line="not ${line%% # SKIP *} ($reason)"
		fi
		;;
	esac
	printf '%s\n' "$line"
done
