# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034  # set by lib.sh; read by the tests
# What the image tests share, sourced behind lib.sh.
#
#   $images                 the store
#   make_image DIR WHAT...  an OCI layout (see image-make.py)
#   list_tree DIR           a tree as lines
#   list_image DIGEST       the same of an image of the store, as overlayfs shows it
#   store_state             names of all that is in the store, but for locks: the same means unchanged

maker=$top_srcdir/tests/integration/image-make.py
images=$XDG_DATA_HOME/jail/images
limit=120

have python3 || skip_all "python3 is missing"
unshare -Urm true 2>/dev/null || skip_all "no user namespaces here"

make_image() {
	rm -rf "$1"
	python3 "$maker" layout "$@"
}

list_tree() {
	python3 "$maker" list "$1" | grep -v "devices/"
}

# Short names: the list of 130 layers has to fit in a page.
list_image() {
	rm -rf "$scratch/lowers"
	mkdir -p "$scratch/lowers/empty" "$scratch/lowers/mnt"
	lowers='' count=0
	for layer in $(sed -n 's/^layer sha256:/sha256-/p' "$images/images/sha256-${1#sha256:}/record"); do
		count=$((count + 1))
		ln -s "$images/layers/$layer" "$scratch/lowers/$count"
		lowers=$count${lowers:+:$lowers}
	done
	(cd "$scratch/lowers" && unshare -Urm sh -c '
		mount -t overlay -o "userxattr,ro,lowerdir=$1:empty" overlay mnt && python3 "$2" list mnt' sh "$lowers" "$maker") |
		grep -v "devices/"
}

# import ARG...: the image's digest on stdout
import() {
	jail image import "$@" | sed -n 's/.* \(sha256:[0-9a-f]*\)$/\1/p'
}

store_state() {
	find "$images" \( -path "$images/locks" -prune \) -o -printf '%P %y %s\n' 2>/dev/null | sort
}
