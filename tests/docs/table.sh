#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The option table and the manuals: every option and key is in its page, with its argument, type and default, and no page has one more.

: "${JAIL:?}" "${top_srcdir:?}" "${top_builddir:?}"
# shellcheck source=tests/docs/lib.sh
. "$top_srcdir/tests/docs/lib.sh"

table=$top_builddir/tests/docs/table
page1=$top_srcdir/man/jail.1
page5=$top_srcdir/man/jail-profile.5
tab=$(printf '\t')

# ---- options, in jail(1): "flag<tab>words of its argument" -----------------------------------------------------------

# .It Fl p Ar name | file , Fl Fl profile Ar name | file
awk '/^\.Ss Options/ { on = 1 } /^\.Sh / { on = 0 }
	on && /^\.It .*Fl Fl / {
		sub(/.*Fl Fl /, "")
		flag = $1
		$1 = ""
		gsub(/(^| )(Ar|Cm|Ns|Op|Fl)/, " ")
		gsub(/[^a-z.]+/, " ")
		gsub(/^ | $/, "")
		print flag "\t" $0
	}' "$page1" >"$scratch/page-flags"
"$table" flags | awk -F '\t' '{
		arg = tolower($2)
		gsub(/[^a-z.]+/, " ", arg)
		gsub(/^ | $/, "", arg)
		print $1 "\t" arg
	}' >"$scratch/table-flags"

in_page1() { grep -qxF -e "$1" "$scratch/page-flags" || { echo "not in a .It of man/jail.1: $1"; return 1; }; }
while IFS= read -r line; do
	check "jail.1 has --$(echo "$line" | tr "$tab" ' ')" in_page1 "$line"
done <"$scratch/table-flags"
check "jail.1 has the options in the order of --help, and no others" same "$scratch/table-flags" "$scratch/page-flags"

# ---- keys, in jail-profile(5): "section<tab>key<tab>type and default" ---------------------------------------------------

# .It Cm tmp Pq size, default 2G
awk '/^\.Sh KEYS/ { on = 1; next } /^\.Sh / { on = 0 }
	on && /^\.Ss \[/ { section = substr($2, 2, length($2) - 2) }
	on && /^\.It Cm / {
		key = $3
		sub(/^\.It Cm [^ ]* Pq /, "")
		gsub(/\\&/, "")
		print section "\t" key "\t" $0
	}' "$page5" >"$scratch/page-keys"
"$table" keys | cut -f 1,2,4 >"$scratch/table-keys"

in_page5() { grep -qxF -e "$1" "$scratch/page-keys" || { echo "not in a .It of man/jail-profile.5: $1"; return 1; }; }
while IFS= read -r line; do
	check "jail-profile.5 has $(echo "$line" | tr "$tab" ' ')" in_page5 "$line"
done <"$scratch/table-keys"
check "jail-profile.5 has the keys in the order of the table, and no others" same "$scratch/table-keys" "$scratch/page-keys"

# A key whose option is called otherwise says so, under its own head.
other_name() {
	awk -v key="$1" -v flag="$2" '/^\.It Cm / { on = $3 == key } on && $0 ~ "^\\.Fl Fl " flag "( |$)" { found = 1 }
		END { exit !found }' "$page5"
}
"$table" keys >"$scratch/keys"
while IFS="$tab" read -r section key flag type; do
	[ "$flag" = - ] || [ "$flag" = "$key" ] || check "jail-profile.5 says that $section.$key is --$flag" other_name "$key" "$flag"
done <"$scratch/keys"

# Each word of a choice is explained: it stands as a .Cm under its key.
choice_told() {
	awk -v key="$1" -v word="$2" '/^\.It Cm / { on = $3 == key; next } /^\.(El|Sh|Ss)/ { on = 0 }
		on && /^\.Cm / { for (i = 2; i <= NF; i++) if ($i == word) found = 1 } END { exit !found }' "$page5"
}
while IFS="$tab" read -r section key flag type; do
	case $type in
	"yes or no"* | "rw or ro"*) continue ;;
	*" or "*) ;;
	*) continue ;;
	esac
	for word in $(echo "${type%, default*}" | tr -d , | sed 's/ or / /'); do
		[ "$word" = filter ] || check "jail-profile.5 tells what $key = $word is" choice_told "$key" "$word"
	done
done <"$scratch/keys"
done_testing
