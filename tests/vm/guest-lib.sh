# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154  # read by the tests; set by lib.sh
# What the tests in the virtual machine share, on top of the integration tests' own lib.sh.
JAIL=/usr/bin/jail top_srcdir=/
export JAIL top_srcdir
# shellcheck source=tests/integration/lib.sh
. /tests/integration/lib.sh
limit=60

# asroot COMMAND-LINE: by the root of asroot.sh; prints what it said
asroot() {
	printf '%s\n' "$*" >/run/asroot/in
	cat /run/asroot/out >"$scratch/asroot"
	sed '$d' "$scratch/asroot"
	[ "$(tail -n 1 "$scratch/asroot")" = asroot=0 ]
}

# left DIR: the cgroups of jails beneath it
left() {
	find "$1" -mindepth 1 -type d \( -name 'jail-[0-9]*' -o -name jail.supervisor \) 2>/dev/null
}

# background DIR ARG...: a jail that says "up" when its command runs: $jail_pid, and its cgroup beneath DIR: $dir
background() {
	bg_top=$1
	shift
	rm -f "$scratch/bg"
	"$JAIL" "$@" >"$scratch/bg" 2>"$scratch/bg.err" &
	jail_pid=$!
	until_true 30 grep -q up "$scratch/bg" || diag "$(cat "$scratch/bg" "$scratch/bg.err")"
	dir=$(left "$bg_top" | grep '/jail-' | head -n 1)
}

wait_background() {
	rc=0
	wait "$jail_pid" 2>/dev/null || rc=$?
}

stop_background() {	# stop_background [SIGNAL]
	kill "-${1:-TERM}" "$jail_pid"
	wait_background
}
