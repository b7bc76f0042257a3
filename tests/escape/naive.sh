#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# naive.sh [OPTION...] -- COMMAND...: a launcher without walls, and with the mistakes that launchers are known for. It is the control of
# the rows about jail's own launcher. Each mistake is one of the CVEs that those rows name.

# Options are put together as text and taken apart again, and what stands behind -- may still be one.
options=''
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	options="$options $1"
	shift
done
[ $# -eq 0 ] || shift
while case ${1-} in -*) true ;; *) false ;; esac; do
	options="$options $1"
	shift
done

# An image's root is filled by paths that begin with it, and where it wants to start is entered like that, too.
enter_image() { # enter_image IMAGE
	root=${1#dir:}
	if [ "$root" = "$1" ]; then
		store=$XDG_DATA_HOME/jail/images
		root=$(echo "$store"/layers/*)
		dir=$(sed -n 's/^workdir //p' "$store"/images/*/record)
		cd -P -- "$root$dir" 2>/dev/null || cd -P -- "$dir" || exit 125
		return
	fi
	mkdir -p "$root/dev/shm" "$root/proc" "$root/tmp" "$root/run/jail" "$root/etc" "$root$PWD"
	echo '# no name server' >"$root/etc/resolv.conf"
	echo >"$root$PWD/.mask"
} 2>/dev/null

# What is for the command applies to the launcher; a directory is entered by its path, before there is any other root.
name=''
for word in $options; do
	case $name in
	--chdir | --workspace) cd -P -- "$word" || { printf "naive: cannot enter '%s'\n" "$word" >&2; exit 125; } ;;
	--set) export "${word?}" ;;
	--image) enter_image "$word" ;;
	esac
	case $word in
	--*=*) name='' ;;
	--*) name=$word ;;
	*) name='' ;;
	esac
done

# Helpers are found by PATH, and users by the files of the tree.
nft --version >/dev/null 2>&1
/bin/true
[ ! -e etc/passwd ] || grep -q nobody etc/passwd
# shellcheck disable=SC2016
[ ! -e etc/nsswitch.conf ] ||
	unshare -Urm sh -c 'mount --bind etc/nsswitch.conf /etc/nsswitch.conf && LD_LIBRARY_PATH=$PWD/lib getent passwd x' >/dev/null 2>&1

[ $# -gt 0 ] || exit 0
command -v "$1" >/dev/null || {
	printf "naive: there is no '%s'\n" "$1" >&2
	exit 127
}
# What a command says is kept until it ends.
[ ! -t 1 ] || exec "$@"
out=$("$@")
status=$?
printf '%s\n' "$out"
exit $status
