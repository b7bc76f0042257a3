#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: kernel.sh DIR          print the path of a kernel for the virtual machine; fails when there is none
#        kernel.sh DIR --fetch  the same, and download one into DIR when there is none
#
# It is Debian 12's for clouds, 6.1: older than the one jail is developed on, and small. JAIL_VM_KERNEL names a directory where its
# package was unpacked. Tests never download: `make vm-kernel` does.
set -eu

dir=$1
pattern='^linux-image-6\.1\.[0-9.-]*-cloud-amd64$'

find_kernel() {
	for tree in ${JAIL_VM_KERNEL:+"$JAIL_VM_KERNEL"} "$dir" ''; do
		for file in "$tree"/boot/vmlinuz-6.1.*-cloud-amd64; do
			if [ -r "$file" ] && [ -d "$tree/lib/modules/${file##*/vmlinuz-}" ]; then
				echo "$file"
				return 0
			fi
		done
	done
	return 1
}

! find_kernel || exit 0
[ "${2-}" = --fetch ] || exit 1

if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
	echo "kernel.sh: no apt here: unpack Debian's linux-image-6.1*-cloud-amd64 and set JAIL_VM_KERNEL to where" >&2
	exit 1
fi
package=$(apt-cache search --names-only "$pattern" | cut -d' ' -f1 | sort -V | tail -n 1)
if [ -z "$package" ]; then
	echo "kernel.sh: apt knows no linux-image-6.1*-cloud-amd64: apt-get update, or set JAIL_VM_KERNEL" >&2
	exit 1
fi
rm -rf "$dir.new"
mkdir -p "$dir.new"
trap 'rm -rf "$dir.new"' EXIT
(cd "$dir.new" && apt-get -q download "$package") >&2
dpkg-deb -x "$dir.new/$package"_*.deb "$dir.new"
rm -f "$dir.new"/*.deb
rm -rf "$dir"
mv "$dir.new" "$dir"
find_kernel
