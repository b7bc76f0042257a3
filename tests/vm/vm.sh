#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Limits, and kernels that jail is not developed on, in a virtual machine: a TAP test that skips where there is none to be had.
set -u
: "${top_srcdir:?run by make check}" "${top_builddir:?run by make check}"

skip_all() {
	# What is skipped with JAIL_MUST_WORK is a failure, unless the list has its reason.
	if [ -n "${JAIL_MUST_WORK-}" ] &&
		! grep -Ev '^(#|$)' "$top_srcdir/tests/allowed-skips" | { p=$(cat); [ -n "$p" ] && echo "$*" | grep -Eq -e "$p"; }; then
		echo "1..1"
		echo "not ok 1 - skipped with JAIL_MUST_WORK: $*"
		exit 1
	fi
	echo "1..0 # SKIP $*"
	exit 0
}

[ "$(uname -m)" = x86_64 ] || skip_all "the virtual machine is an x86_64 one, this machine is not"
[ -z "${JAIL_VM_SKIP-}" ] || skip_all "the virtual machine is tested once: $JAIL_VM_SKIP"
for program in qemu-system-x86_64 busybox ldd; do
	command -v $program >/dev/null || skip_all "no $program: apt-get install qemu-system-x86 busybox-static"
done
[ ! -e "$top_srcdir/config.status" ] || skip_all "configured in the source tree: the machine's jail needs a build of its own beside it"
kernel=$("$top_srcdir/tests/vm/kernel.sh" "$top_builddir/tests/vm/kernel") ||
	skip_all "no kernel for the virtual machine: make vm-kernel"
exec "$top_srcdir/tests/vm/run.sh" "$kernel"
