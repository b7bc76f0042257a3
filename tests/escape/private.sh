#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The suite makes set-uid programs as root, and directories that anybody may write: from outside nobody else gets to them.
set -u
: "${top_srcdir:?run by make check}"
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
echo 1..4
n=0
check() { # check NAME COMMAND...
	n=$((n + 1)) name=$1
	shift
	if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; fi
}
the_directory() { for d in "$scratch"/jail-selftest.*; do [ -d "$d" ] && echo "$d"; done; }

TMPDIR=$scratch "$top_srcdir/tests/escape/run" --tap LIF-01 PRV-05 >"$scratch/out" 2>&1 &
suite=$!
tries=0 worst=0 seen=''
while kill -0 $suite 2>/dev/null && [ $tries -lt 2000 ]; do
	tries=$((tries + 1))
	for d in $(the_directory); do
		seen=yes
		mode=$(stat -c %a "$d" 2>/dev/null) || continue
		[ "$mode" = 700 ] || worst=$mode
	done
	sleep 0.01
done
wait $suite
status=$?
check "the suite ran" test $status = 0
check "its directory was seen from outside" test -n "$seen"
check "and was closed to others all the time" test "$worst" = 0
check "and is gone" test -z "$(the_directory)"
