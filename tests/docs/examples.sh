#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each example in the manuals and in the README is run, as whoever runs this, offline, in a project of its own.
#
# What is expected stands in a comment before the example:
#   exit N [silent] [output /ERE/]...   run it with sh; its status, and lines of what it prints
#   groups PATH                         it is a groups.ini: write it there, use each of its groups
#   file PATH                           it is a profile: write it there, check it, explain it
#   transcript                          lines that begin with "$ " are typed, the others are what comes back
# An example without such a comment fails.

: "${JAIL:?}" "${top_srcdir:?}" "${top_builddir:?}"
# shellcheck source=tests/docs/lib.sh
. "$top_srcdir/tests/docs/lib.sh"
can_run

# expect BODY exit N WORDS...: `silent`, or `output` and an expression
expect() {
	body=$1 status=$3
	shift 3
	sh "$body" >"$scratch/said" 2>&1 </dev/null
	got=$?
	if [ "$got" != "$status" ]; then
		echo "exit status $got, not $status, of:"
		cat "$body" "$scratch/said"
		return 1
	fi
	while [ $# -gt 0 ]; do
		case $1 in
		silent)
			if [ -s "$scratch/said" ]; then
				echo "printed something:"
				cat "$scratch/said"
				return 1
			fi
			shift
			;;
		output)
			pattern=${2#/}
			pattern=${pattern%/}
			if ! grep -Eq -e "$pattern" "$scratch/said"; then
				echo "no line matches $2 in what came of:"
				cat "$body" "$scratch/said"
				return 1
			fi
			shift 2
			;;
		*)
			echo "not understood: $1"
			return 1
			;;
		esac
	done
}

write() {	# write BODY PATH: to $file
	# shellcheck disable=SC2088  # the two characters
	case $2 in
	"~/"*) file=$HOME/${2#"~/"} ;;
	*) file=./$2 ;;
	esac
	mkdir -p "${file%/*}"
	cp "$1" "$file"
}

groups() {	# groups BODY PATH
	write "$@"
	for group in $(sed -n 's/^\([a-z0-9-]*\) *=.*/\1/p' "$file" | sort -u); do
		jail explain --network gate --allow "@$group" | grep "(@$group)" || return
	done
}

profile() {	# profile BODY PATH
	write "$@"
	jail profile check "$file" && jail explain --profile "$file" >/dev/null
}

type_in() {	# type_in BODY: as one would at a prompt
	sed -n 's/^\$ //p' "$1" >"$scratch/typed"
	while read -r line <&3; do
		printf '$ %s\n' "$line"
		eval "$line" </dev/null 2>&1
	done 3<"$scratch/typed"
}

transcript() {	# transcript BODY: in a home with little in it
	make_home typing
	mv "$HOME/project" "$HOME/hello"
	rm -r "$HOME/.local" "$HOME/.cache" "$HOME/.gitconfig" "$HOME/.tidyrc"
	cd "$HOME" || return
	# Through a pipe: in a file the order of output and errors would be open.
	type_in "$1" | cat >"$scratch/said"
	# Other systems' tools have other words for the same.
	touch --version 2>/dev/null | grep -q coreutils || return 0
	same "$1" "$scratch/said"
}

run_example() {	# run_example BASE: the .want as words, with the expressions kept whole
	want=$(cat "$1.want")
	case $want in
	'') echo "there is no test: comment before it"; return 1 ;;
	groups\ *) groups "$1.body" "${want#groups }"; return ;;
	file\ *) profile "$1.body" "${want#file }"; return ;;
	transcript) transcript "$1.body"; return ;;
	esac
	# An expression may have spaces: put each /.../ on a line of its own, then split by lines.
	printf '%s\n' "$want" | awk '{
		n = split($0, part, / output \//)
		gsub(/ /, "\n", part[1])
		print part[1]
		for (i = 2; i <= n; i++)
			print "output\n/" part[i]
	}' >"$scratch/words"
	set -- "$1.body"
	while read -r word; do
		set -- "$@" "$word"
	done <"$scratch/words"
	expect "$@"
}

for page in man/jail.1 man/jail-profile.5 man/jail-security.7 README.md; do
	name=$(basename "$page")
	mkdir -p "$scratch/ex-$name"
	awk -v out="$scratch/ex-$name" -f "$top_srcdir/tests/docs/extract.awk" "$top_srcdir/$page"
	make_home "$name"
	for body in "$scratch/ex-$name"/*.body; do
		[ -e "$body" ] || { check "$page has examples" false; continue; }
		base=${body%.body}
		where=$(cat "$base.where")
		check "$page:${where##*:} $(grep -v '^ *$' "$body" | head -n 1 | tr '#' ' ')" run_example "$base"
	done
done
done_testing
