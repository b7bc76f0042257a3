# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2016,SC2086,SC2154
# A launcher that shows things read-only and covers a file, as jail does, and then leaves all capabilities.
sandbox_enter() {
	$via timeout -s KILL "$limit" unshare -UrmnupiCf -- sh -c '
		for dir in ${1#--ro } /usr /proc/sys; do mount --bind "$dir" "$dir" && mount -o remount,bind,ro "$dir" || exit 125; done
		mount --bind /dev/null /proc/interrupts || exit 125
		cd "$PWD" && shift && exec "$@"' sh "$jailopts" "$@"
}
