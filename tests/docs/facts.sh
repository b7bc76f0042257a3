#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the manuals, the README and --help state, beside the option table, is so.

: "${JAIL:?}" "${top_srcdir:?}" "${top_builddir:?}"
# shellcheck source=tests/docs/lib.sh
. "$top_srcdir/tests/docs/lib.sh"
can_run
cd "$top_srcdir" || exit 1

# ---- form ---------------------------------------------------------------------------------------------------------------

for page in man/jail.1 man/jail-gate.8 man/jail-image.1 man/jail-profile.5 man/jail-security.7; do
	if command -v mandoc >/dev/null 2>&1; then
		check "$page is clean" mandoc -T lint -W warning "$page"
	else
		skip "$page is clean" "mandoc is not installed"
	fi
done

"$JAIL" --help >"$scratch/help"
narrow() { awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' "$scratch/help"; }
short() { awk 'END { print NR " lines"; exit NR > 48 }' "$scratch/help"; }
check "--help has at most 80 columns" narrow
check "--help fits one screen (48 lines)" short

# ---- options that the README and --help name ------------------------------------------------------------------------------

"$top_builddir/tests/docs/table" flags | cut -f 1 >"$scratch/flags"
known_flags() {	# known_flags FILE: the options on lines about jail, up to a lone --; the suite has its own
	grep -E '(^|[^a-z./-])jail ' "$1" | grep -v 'jail selftest' | sed 's/ -- .*//' | grep -oE -e '--[a-z][a-z-]*' | sed 's/^--//' | sort -u >"$scratch/named"
	grep -vxF -f "$scratch/flags" "$scratch/named" && return 1
	return 0
}
check "the README names no option that is not there" known_flags README.md
check "SECURITY.md names no option that is not there" known_flags SECURITY.md
help_has_all() {
	while read -r flag; do
		grep -qE -e "--$flag([ =]|\$)" "$scratch/help" || { echo "--$flag"; return 1; }
	done <"$scratch/flags"
}
check "--help names every option" help_has_all

lists_told() {	# each option that can be repeated is in the sentence that says so
	awk '/^One that sets a list/ { on = 1 } /^adds to it/ { on = 0 } on' man/jail.1 | grep -oE 'Fl Fl [a-z-]+' | cut -d ' ' -f 3 >"$scratch/told"
	"$top_builddir/tests/docs/table" keys | awk -F '\t' '$3 != "-" && $4 ~ /, list/ { print $3 }' >"$scratch/lists"
	grep -vxF -f "$scratch/told" "$scratch/lists" && return 1
	[ -s "$scratch/lists" ]
}
check "jail.1 says which options can be repeated" lists_told
gate_told() { [ "$(grep -lx '\.Xr jail-gate 8' man/jail.1 man/jail-profile.5 man/jail-security.7 | wc -l)" = 3 ]; }
check "the other manuals lead to jail-gate.8" gate_told

# ---- the rows that the manual names ----------------------------------------------------------------------------------------

rows_exist() {
	grep -oE '\b[A-Z]{2,3}-[0-9]{2}\b' man/jail-security.7 | sort -u >"$scratch/rows"
	while read -r row; do
		[ -e "tests/escape/$row.row" ] || { echo "$row"; return 1; }
	done <"$scratch/rows"
	[ -s "$scratch/rows" ]
}
check "the rows that jail-security.7 names are there" rows_exist
check "it has all eighteen scenarios" test "$(grep -c '^Rows: ' man/jail-security.7)" = 18

# ---- verbs ----------------------------------------------------------------------------------------------------------------

grep -oE '\{ "[a-z]+", verb_' sandbox/main.c | cut -d '"' -f 2 | sort -u >"$scratch/verbs"
check "the verbs were found in sandbox/main.c" test "$(wc -l <"$scratch/verbs")" -ge 5
verb_told() { grep -qE "^\.It Cm $1( |\$)" man/jail.1 && grep -qx "\.Cm $1" man/jail.1; }
while read -r verb; do
	check "jail.1 describes the verb $verb" verb_told "$verb"
done <"$scratch/verbs"
readme_verbs() {
	awk '/^```/ { code = !code } code || /`jail/' README.md | grep -oE '(^|`)jail [a-z]+' | sed 's/.*jail //' | sort -u >"$scratch/used"
	# make is the one command that follows jail at once.
	grep -vx make "$scratch/used" | grep -vxF -f "$scratch/verbs" && return 1
	return 0
}
check "the README uses verbs that are there" readme_verbs

# ---- exit statuses ----------------------------------------------------------------------------------------------------------

status_told() { awk '/^\.Sh EXIT STATUS/ { on = 1; next } /^\.Sh / { on = 0 } on && /^\.It /' man/jail.1 | grep -qE "^\.It $1( |\$)"; }
status_is() {	# status_is STATUS JAIL-ARGUMENTS...
	want=$1
	shift
	(cd "$HOME/project" && "$JAIL" "$@" </dev/null)
	got=$?
	[ "$got" = "$want" ] || { echo "exit status $got"; return 1; }
}
one_status() {	# one_status IN-THE-PAGE STATUS JAIL-ARGUMENTS...
	check "jail.1 lists the exit status $1" status_told "$1"
	page=$1
	shift
	check "exit status $page: jail $(shift; echo "$*")" status_is "$@"
}
one_status '0.*255' 42 -- sh -c 'exit 42'
one_status 124 124 --time 200ms --grace 0 -- sleep 30
one_status 125 125 --no-such-option -- true
one_status 126 126 -- /etc/passwd
one_status 127 127 -- no-such-command
one_status '128 [+] Ar n' 137 -- sh -c 'kill -9 $$'

# ---- the status descriptor --------------------------------------------------------------------------------------------------

sed -n '/^static const char \*const names/,/^};/p' base/err.c | grep -oE '"[a-z]+"' | tr -d '"' | grep -vx none >"$scratch/stages"
awk '/^\.Sh STATUS DESCRIPTOR/ { on = 1; next } /^\.Sh / { on = 0 } on && /where it happened/ { list = 1; next } /^\.El/ { list = 0 }
	list && /^\.Cm / { print $2 }' man/jail.1 >"$scratch/told"
check "jail.1 lists the stages of base/err.c" same "$scratch/stages" "$scratch/told"

# ---- profiles ---------------------------------------------------------------------------------------------------------------

for ini in profiles/*.ini; do
	basename "$ini" .ini
done | grep -vx groups | sort >"$scratch/shipped"
awk '/^\.Sh SHIPPED PROFILES/ { on = 1; next } /^\.Sh / { on = 0 } on && /^\.It Cm / { print $3 }' man/jail-profile.5 | sort >"$scratch/told"
check "jail-profile.5 describes the shipped profiles, and no others" same "$scratch/shipped" "$scratch/told"
check_profile() { (cd "$HOME/project" && "$JAIL" profile check "$1" && "$JAIL" explain --profile "$1" >/dev/null); }
while read -r name; do
	check "the shipped profile $name is right" check_profile "$name"
done <"$scratch/shipped"

# ---- host groups ------------------------------------------------------------------------------------------------------------

sed -n 's/^\([a-z-]*\) = .*/\1/p' profiles/groups.ini | sort -u >"$scratch/groups"
awk '/^\.Sh HOST GROUPS/ { on = 1; next } /^\.Sh / { on = 0 } on && /^\.Bl/ { list = 1 }
	on && list && /^\.(It )?Cm / { sub(/^\.(It )?Cm /, ""); gsub(/ , /, "\n"); print }' man/jail-profile.5 | sort -u >"$scratch/told"
{ cat "$scratch/groups" && printf '%s\n' apt npm; } | sort >"$scratch/known"
check "jail-profile.5 names the shipped groups, those of the machine, and no others" same "$scratch/known" "$scratch/told"
group_rules() { (cd "$HOME/project" && "$JAIL" explain --network gate --allow "@$1" | grep -qF "(@$1)"); }
while read -r name; do
	check "the shipped group $name is right" group_rules "$name"
done <"$scratch/groups"

# ---- the README's tour of the tree ------------------------------------------------------------------------------------------

# Two tables in sandbox/stages.c, one in the README.
sed -n 's/^	{ ST_[A-Z]*, stage_\([a-z_]*\) },$/\1/p' sandbox/stages.c >"$scratch/stages"
awk '/^\| stage \|/ { on = 1; next } !/^\|/ { on = 0 } on && !/^\|-/ { print $2 }' README.md >"$scratch/told"
check "the stages were found in sandbox/stages.c" test "$(wc -l <"$scratch/stages")" -ge 10
check "the README's stages are those of sandbox/stages.c, in order" same "$scratch/stages" "$scratch/told"

folders() {
	sed -n 's/^| `\([a-z]*\)\/` |.*/\1/p' README.md >"$scratch/folders"
	[ -s "$scratch/folders" ] || return 1
	while read -r folder; do
		[ -d "$folder" ] || { echo "no folder $folder"; return 1; }
	done <"$scratch/folders"
}
links() {
	for link in $(grep -oE '\]\([^)]*\)' README.md | tr -d ']()'); do
		[ -e "$link" ] || { echo "no file $link"; return 1; }
	done
}
bootstrap_words() {
	for word in $(grep -oE '\./bootstrap [a-z]+' README.md | cut -d' ' -f 2 | sort -u); do
		grep -qE "^$word\)" bootstrap || { echo "./bootstrap $word"; return 1; }
	done
}
configure_words() {
	for word in $(grep -oE -e '--enable-[a-z-]+' README.md | sort -u); do
		grep -q "AC_ARG_ENABLE(\[${word#--enable-}\]" configure.ac || { echo "$word"; return 1; }
	done
}
make_words() {
	for word in $(grep -oE '^ +(sudo )?make [a-z-]+|`make [a-z-]+' README.md | sed 's/.*make //' | sort -u); do
		case $word in check | install) continue ;; esac
		grep -q "^$word:" Makefile.am tests/local.mk || { echo "make $word"; return 1; }
	done
}
check "the README's folders are there" folders
check "the README's links lead somewhere" links
check "the README's ./bootstrap commands are there" bootstrap_words
check "the README's configure options are there" configure_words
check "the README's make targets are there" make_words
done_testing
