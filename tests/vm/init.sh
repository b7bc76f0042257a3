#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# /init of the virtual machine, as root; runs the test that the kernel's command line names, and turns the machine off.
#
# First on the initramfs, then once more on a tmpfs: the initramfs is a root that cannot be pivoted away from.
export PATH=/usr/bin HOME=/root

if [ ! -e /proc/self ] && [ ! -e /second ]; then
	busybox mkdir -p /new
	busybox mount -t tmpfs -o size=400m,mode=755 tmpfs /new
	for f in /*; do
		case $f in
		/new | /dev | /proc | /sys | /tmp) ;;
		*) busybox cp -a "$f" /new/ ;;
		esac
	done
	busybox mkdir -p /new/dev /new/proc /new/sys /new/tmp
	busybox touch /new/second
	busybox chown -R 0:0 /new	# whoever packed it
	exec busybox switch_root /new /init
fi

chmod 1777 /tmp
chown -R 1000:1000 /home/user
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs shm /dev/shm
chmod 1777 /dev/shm
mount -t cgroup2 cgroup2 /sys/fs/cgroup
ip link set lo up
insmod /modules/unix_diag.ko # which would load by themselves where modprobe is
insmod /modules/overlay.ko

test=$(sed -n 's/.*jail\.test=\([a-z]*\).*/\1/p' /proc/cmdline)
stty -F /dev/ttyS1 raw -echo
if [ "$test" = systemd ]; then
	# It mounts these for itself, its own way.
	umount /sys/fs/cgroup
	chmod 666 /dev/ttyS1
	exec /usr/lib/systemd/systemd
fi
exec </dev/null >/dev/ttyS1 2>&1
sh /tests/asroot.sh &
until [ -e /run/asroot/out ]; do sleep 0.1; done

case $test in
limits | escape)
	# Delegated to the user as systemd would: the directory and three files in it, and the user itself in a leaf.
	cd /sys/fs/cgroup || exit
	echo "+memory +pids +cpu" >cgroup.subtree_control
	mkdir -p user
	for f in . cgroup.procs cgroup.threads cgroup.subtree_control; do
		chown 1000:1000 "user/$f"
	done
	mkdir -p user/shell
	chown -R 1000:1000 user/shell
	echo "+memory +pids +cpu" >user/cgroup.subtree_control
	(
		echo 0 >/sys/fs/cgroup/user/shell/cgroup.procs
		[ "$test" = escape ] || test=guest
		cd /home/user && exec su user -c "sh /tests/$test.sh"
	)
	;;
*)
	(cd /home/user && exec su user -c "sh /tests/$test.sh")
	;;
esac
sync
reboot -f
