#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: run.sh KERNEL [BOOT...]
# Builds jail as it would be installed, packs it into an initramfs with a shell and the tests, boots that, and prints the guests' TAP as
# one. Logs stay in tests/vm/work of the build tree: BOOT.console, BOOT.tap.
#
# Boots (all at once, unless some are named):
#   limits    Debian's kernel as it comes: limits, an old Landlock, user namespaces switched off     guest.sh
#   nolsm     the same without Landlock                                                               nolsm.sh
#   escape    the hardening suite, there; JAIL_VM_ROWS=all for all of it                              escape.sh
#   systemd   systemd as pid 1, and a user's own: the way to a cgroup through it                      systemd.sh
set -eu
: "${top_srcdir:?run by make check}" "${top_builddir:?run by make check}"

kernel=$1
shift
[ $# -gt 0 ] || set -- limits nolsm systemd escape
here=$top_srcdir/tests/vm
out=$top_builddir/tests/vm/work
modules=${kernel%/boot/*}/lib/modules/${kernel##*/vmlinuz-}
limit=${JAIL_VM_LIMIT:-400}	# seconds for each boot, on the slowest machine
count=0 failed=0 pids=

say() { echo "# $*"; }

tap() {	# tap OK|NOT-OK TEXT
	count=$((count + 1))
	echo "$1 $count - $2"
	[ "$1" = ok ] || failed=$((failed + 1))
}

finish() {
	echo "1..$count"
	[ "$failed" = 0 ]
	exit
}

give_up() {	# give_up WHAT LOG
	tap "not ok" "$1"
	tail -n 30 "$2" | sed 's/^/# /'
	finish
}

# shellcheck disable=SC2317  # by the trap
stop() {
	for pid in $pids; do
		kill -9 "$pid" 2>/dev/null || :
	done
	rm -rf "$out/root"
}
trap stop EXIT
trap 'exit 130' INT TERM HUP

# ---- jail, with the paths of an installed one -------------------------------------------------------------------------

build() {	# where set -e does not hold
	mkdir -p "$out/build" && cd "$out/build" && rm -rf "$out/stage" || return
	# This make is no part of the one that runs the tests.
	unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES DESTDIR
	[ -e Makefile ] || "$top_srcdir/configure" --quiet --prefix=/usr --sysconfdir=/etc || return
	make -j"$(nproc)" all tests/helpers/probe tests/vm/tool && make install DESTDIR="$out/stage"
}
mkdir -p "$out"
(build) >"$out/build.log" 2>&1 </dev/null || give_up "build jail for the virtual machine" "$out/build.log"

# ---- the guest's system -----------------------------------------------------------------------------------------------

needed_libraries() {	# needed_libraries FILE...
	for file; do
		ldd "$file" 2>/dev/null | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p; s/^[[:space:]]*\(\/[^ ]*\).*/\1/p'
	done | sort -u
}

add_libraries() {	# add_libraries ROOT FILE...: in the same places
	r=$1
	shift
	for lib in $(needed_libraries "$@"); do
		[ -e "$r$lib" ] || { mkdir -p "$r${lib%/*}" && cp -L "$lib" "$r$lib"; }
	done
}

make_root() {	# make_root DIR
	r=$1
	rm -rf "$r"
	mkdir -p "$r/usr/bin" "$r/usr/lib" "$r/usr/lib64" "$r/etc" "$r/run" "$r/root" "$r/home/user" "$r/var" "$r/tests/integration" "$r/modules"
	for link in bin lib lib64; do
		ln -s "usr/$link" "$r/$link"
	done
	ln -s usr/bin "$r/sbin"
	ln -s bin "$r/usr/sbin"
	cp -R "$out/stage/." "$r/"
	cp "$out/build/tests/helpers/probe" "$out/build/tests/vm/tool" "$r/usr/bin/"
	cp -L "$(command -v busybox)" "$r/usr/bin/busybox"
	add_libraries "$r" "$r/usr/bin/jail" "$r/usr/libexec/jail/jail-filter" "$r/usr/bin/busybox"
	for applet in $("$r/usr/bin/busybox" --list); do
		[ -e "$r/usr/bin/$applet" ] || ln -s busybox "$r/usr/bin/$applet"
	done
	cp "$modules/kernel/drivers/block/brd.ko" "$modules/kernel/net/unix/unix_diag.ko" \
		"$modules/kernel/fs/overlayfs/overlay.ko" "$r/modules/"
	printf '%s\n' 'root:x:0:0:root:/root:/bin/sh' 'messagebus:x:100:100::/:/bin/sh' 'user:x:1000:1000::/home/user:/bin/sh' >"$r/etc/passwd"
	printf '%s\n' 'root:x:0:' 'messagebus:x:100:' 'user:x:1000:' >"$r/etc/group"
	echo 'root:secret:1::::::' >"$r/etc/shadow"
	chmod 600 "$r/etc/shadow"
	cp "$here"/*.sh "$r/tests/"
	# jail-weak is never installed: it finds its profiles where it was built.
	cp "$top_builddir/jail-weak" "$r/tests/"
	add_libraries "$r" "$r/tests/jail-weak"
	mkdir -p "$r$top_builddir/tests/share/profiles"
	cp "$top_builddir"/tests/share/profiles/*.ini "$r$top_builddir/tests/share/profiles/"
	cp "$top_srcdir/tests/integration/lib.sh" "$r/tests/integration/"
	cp "$top_srcdir/tests/allowed-skips" "$r/tests/"
	cp "$here/init.sh" "$r/init"
}

# What systemd is made of on this machine, with units of our own in place of the distribution's.
add_systemd() {	# add_systemd ROOT
	r=$1
	mkdir -p "$r/usr/lib/systemd/system" "$r/usr/share/dbus-1/system.d"
	for file in /usr/lib/systemd/systemd /usr/lib/systemd/systemd-executor /usr/bin/systemd-run /usr/bin/systemctl \
		/usr/bin/dbus-daemon; do
		[ ! -e $file ] || { rm -f "$r$file" && cp -L $file "$r$file" && add_libraries "$r" $file; }
	done
	cp -R /usr/lib/systemd/user "$r/usr/lib/systemd/"
	cp /usr/share/dbus-1/system.conf "$r/usr/share/dbus-1/"
	cp /usr/share/dbus-1/system.d/org.freedesktop.systemd1.conf "$r/usr/share/dbus-1/system.d/"
	cp "$here"/units/* "$r/usr/lib/systemd/system/"
	: >"$r/etc/machine-id"
}

pack() {	# pack DIR FILE
	(cd "$1" && find . | busybox cpio -o -H newc) >"$2" 2>"$out/pack.log"
}

boot() {	# boot NAME INITRD APPEND: in the background
	rm -f "$out/$1.tap" "$out/$1.console"
	# Emulated: works everywhere, and a /dev/kvm that can be opened may still not work.
	timeout -s KILL "$limit" qemu-system-x86_64 -accel tcg,thread=multi -cpu max -m 1G -smp 2 -nodefaults -no-user-config -display none -no-reboot \
		-kernel "$kernel" -initrd "$2" -append "console=ttyS0 panic=-1 quiet jail.test=$1 $3" \
		-serial "file:$out/$1.console" -serial "file:$out/$1.tap" -monitor none >"$out/$1.qemu" 2>&1 </dev/null &
	pids="$pids $!"
	eval "pid_$1=$!"
}

# ---- what they said ---------------------------------------------------------------------------------------------------

collect() {	# collect NAME: its cases, numbered after those before
	eval "wait \$pid_$1" || :
	tr -d '\r' <"$out/$1.tap" >"$out/$1.clean" 2>/dev/null || :
	planned=
	ran=0
	while IFS= read -r line; do
		case $line in
		1..0*) planned=0; say "$1: ${line#1..0}" ;;
		1..*) planned=${line#1..} ;;
		ok*"# SKIP"*) ran=$((ran + 1)) count=$((count + 1)); echo "ok $count # SKIP${line#*# SKIP}" ;;
		"ok "*) ran=$((ran + 1)); tap ok "$1: ${line#* - }" ;;
		"not ok "*) ran=$((ran + 1)); tap "not ok" "$1: ${line#* - }" ;;
		"Bail out"*) say "$line" ;;
		*) say "${line#\# }" ;;
		esac
	done <"$out/$1.clean"
	if [ "$planned" != "$ran" ]; then
		tap "not ok" "$1: the guest ran ${planned:-no} cases"
		say "it ran $ran; the end of its console, and of what qemu said:"
		tail -n 25 "$out/$1.console" "$out/$1.qemu" 2>/dev/null | tr -d '\r' | sed 's/^/# /'
	fi
}

wants() {
	for wanted in $boots; do
		[ "$wanted" != "$1" ] || return 0
	done
	return 1
}

boots=$*
make_root "$out/root"
pack "$out/root" "$out/initrd"
! wants limits || boot limits "$out/initrd" ""
! wants escape || boot escape "$out/initrd" "jail.rows=${JAIL_VM_ROWS:-some}"
! wants nolsm || boot nolsm "$out/initrd" "lsm=lockdown,yama"
if wants systemd && [ -x /usr/lib/systemd/systemd ] && [ -x /usr/bin/systemd-run ] && [ -x /usr/bin/dbus-daemon ]; then
	add_systemd "$out/root"
	pack "$out/root" "$out/initrd-systemd"
	boot systemd "$out/initrd-systemd" "systemd.show_status=no systemd.log_target=console"
elif wants systemd; then
	count=$((count + 1))
	echo "ok $count # SKIP systemd and dbus-daemon are not installed here, to be put into the virtual machine"
	boots=$(echo " $boots " | sed 's/ systemd / /')
fi
for name in $boots; do
	collect "$name"
done
finish
