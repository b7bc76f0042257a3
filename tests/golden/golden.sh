#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What jail makes of options and profiles, beside what it made of them when somebody last looked: a changed answer is a diff to review.
#
# usage: golden.sh             TAP: one test for each NAME.in
#        golden.sh --update    rewrite NAME.out; look at the difference before it is committed
# with JAIL, top_srcdir and top_builddir set as tests/local.mk sets them: JAIL=$PWD/jail-intree in a build tree
#
# NAME.in:   # a comment
#            $ a command, run with sh in a fresh project; `jail` is the one under test, `lines` breaks its JSON up
#            any other line is run too, and neither it nor what it prints is kept
#            ==> PATH        the lines up to the next one are a file there: of the project, or ~/PATH
# NAME.out:  the commands with what they print, through normal.awk, and the exit status where it is not 0

: "${JAIL:?}" "${top_srcdir:?}" "${top_builddir:?}"
set -u
umask 022
update=no
if [ "${1-}" = --update ]; then
	update=yes
fi
here=$top_srcdir/tests/golden
real=$(CDPATH='' cd -- "$top_builddir" && pwd -P) || exit 1	# jail says where a profile really is
scratch=$(mktemp -d "${TMPDIR:-/tmp}/jail-golden.XXXXXX") || exit 1
scratch=$(CDPATH='' cd -- "$scratch" && pwd -P) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
mkdir "$scratch/bin"
ln -s "$JAIL" "$scratch/bin/jail"
printf '#!/bin/sh\nexec awk -f "%s/lines.awk"\n' "$here" >"$scratch/bin/lines"
chmod +x "$scratch/bin/lines"

in_clean_env() {	# in_clean_env COMMAND...: nothing of whoever runs the tests
	env -i HOME="$home" PATH="$scratch/bin:/usr/bin:/bin" TERM=dumb LANG=C.UTF-8 "$@"
}

unpack() {	# unpack CASE.in: the files, and what is left as a script
	awk -v home="$home" -v project="$home/project" -v script="$scratch/script" '
		/^==> / {
			file = $2 ~ /^~\// ? home substr($2, 2) : project "/" $2
			dir = file
			sub(/\/[^\/]*$/, "", dir)
			system("mkdir -p \047" dir "\047")
			printf "" >file
			next
		}
		file != "" { print >file; next }
		/^\$ / { print "say " quote(substr($0, 3)) >script; next }
		{ print "{ " ($0 ~ /^#|^$/ ? ":" : $0) "; } >/dev/null 2>&1" >script }
		function quote(s) { gsub(/\047/, "\047\\\047\047", s); return "\047" s "\047" }
	' "$1"
}

answer() {	# answer CASE.in
	home=$scratch/home
	rm -rf "$home"
	mkdir -p "$home/project"
	: >"$scratch/script"
	unpack "$1"
	cat >"$scratch/run" <<'END'
say() {
	printf '$ %s\n' "$1"
	code=0
	(eval "$1") 2>&1 </dev/null || code=$?
	[ "$code" = 0 ] || printf '[exit %s]\n' "$code"
}
END
	cat "$scratch/script" >>"$scratch/run"
	(cd "$home/project" && in_clean_env sh "$scratch/run") |
		awk -v home="$home" -v source="$top_srcdir" -v real="$real" -v build="$top_builddir" -f "$here/normal.awk"
}

home=$scratch/home
mkdir -p "$home/project"
said=$(cd "$home/project" && in_clean_env jail -- true 2>&1 </dev/null) || {
	case $said in
	*"started by root inside a user namespace"*) echo "1..0 # SKIP jail refuses root of the host in a user namespace"; exit 0 ;;
	esac
	echo "Bail out! jail does not start: $said"
	exit 1
}

n=0
for in in "$here"/*.in; do
	name=$(basename "$in" .in)
	n=$((n + 1))
	answer "$in" >"$scratch/out"
	if [ "$update" = yes ]; then
		cmp -s "$scratch/out" "$here/$name.out" || { echo "updated: $name"; cp "$scratch/out" "$here/$name.out"; }
	elif diff -u "$here/$name.out" "$scratch/out" >"$scratch/diff" 2>&1; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		sed 's/^/#   /' "$scratch/diff"
		echo "#   when this is right: tests/golden/golden.sh --update"
	fi
done
[ "$update" = yes ] || echo "1..$n"
