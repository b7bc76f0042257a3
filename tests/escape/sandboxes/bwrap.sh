# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2046,SC2086,SC2154  # options are words; set by row.sh
# bubblewrap. It is a tool to make sandboxes with and has no policy of its own: this is the strictest that its manual has words for,
# with the programs of the system. Only its --seccomp is not used: a filter would have to be written for it first, and none is shipped.
#   --unshare-user --disable-userns   no namespaces inside; --unshare-all alone would go on without a user namespace
#   --new-session                     what the manual asks for against TIOCSTI
#   --remount-ro /                    the root is a tmpfs, and writable otherwise
bwrap_options='--unshare-all --unshare-user --disable-userns --new-session --die-with-parent --clearenv --cap-drop ALL
	--hostname bwrap --ro-bind /usr /usr --proc /proc --dev /dev --tmpfs /tmp'
bwrap_programs() {
	for d in bin sbin lib lib32 lib64; do
		if [ -L "/$d" ]; then echo "--symlink $(readlink "/$d") /$d"; else echo "--ro-bind-try /$d /$d"; fi
	done
	for f in alternatives group ld.so.cache localtime nsswitch.conf passwd; do echo "--ro-bind-try /etc/$f /etc/$f"; done
}

sandbox_here() { command -v bwrap; }
sandbox_version() { bwrap --version; }
sandbox_options() { echo $bwrap_options $(bwrap_programs) --tmpfs HOME --bind WORK WORK --remount-ro / --chdir WORK; }
sandbox_enter() {
	[ -z "$jailopts" ] || { echo '- -1 ENOTASKED' | tee ../not-asked && return; }
	${via-} timeout -s KILL "$limit" ${by-} bwrap $bwrap_options $(bwrap_programs) --setenv HOME "$HOME" --setenv PATH /usr/bin:/bin \
		--tmpfs "$HOME" --bind "$PWD" "$PWD" --remount-ro / --chdir "$PWD" -- "$@"
}
