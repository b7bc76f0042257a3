#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The switches of jail-weak are in no program that is shipped: not as text, not as symbols, not in what it does; nor is jail-weak itself.
# shellcheck disable=SC2154  # set by the Makefile
# shellcheck source=tests/integration/lib.sh
. "$top_srcdir/tests/integration/lib.sh"
: "${top_builddir:?run by make check}"
weak=$top_builddir/jail-weak
cp "$top_builddir/tests/helpers/probe" probe || exit 99
chmod 711 "$scratch" # for root's command, which is another user, in a tree that is not made for it

# What gives jail-weak away: the variable, and those of its words that mean nothing else.
words='JAIL_WEAKEN ipcns utsns cgroupns host-root dumpable'
traces() {
	for word in $words; do
		! tr '\0' '\n' <"$1" | grep -aqxF -e "$word" || printf '%s ' "$word"
	done
}

# Without optimization the function that is always false may be there, as one of a file's own.
symbols() { nm "$1" 2>/dev/null | awk '$3 == "read_weaknesses" || ($3 == "weakened" && $2 == "T") { print $3 }' | sort -u | tr '\n' ' '; }

# One line: what the same attempts get, and what the plan is.
behaviour() {
	"$1" -- ./probe seccomp-listener | awk '{ print $3 }'
	"$1" -- ./probe caps | awk '$5 ~ /[^0]/ { n++ } END { print (n ? "capabilities" : "none"), (NR > 0) }'
	"$1" explain -- true | cksum
}
told() { JAIL_WEAKEN=seccomp,caps,host-root behaviour "$1" 2>&1 | tr '\n' ' '; }
untold() { (unset JAIL_WEAKEN && behaviour "$1" 2>&1 | tr '\n' ' '); }

plan 12
is "$(traces "$JAIL")" '' "jail has none of the words of jail-weak"
is "$(traces "$weak")" "$words " "control: jail-weak has them all"

if have nm && [ -n "$(nm "$weak" 2>/dev/null)" ]; then
	is "$(symbols "$JAIL")" '' "jail has neither of the functions"
	is "$(symbols "$weak")" 'read_weaknesses weakened ' "control: jail-weak has both"
else
	skip 2 "the programs have no symbols, or there is no nm"
fi

like "$(untold "$JAIL")" '^EPERM none 1 ' "jail refuses, and has no capability"
is "$(told "$JAIL")" "$(untold "$JAIL")" "JAIL_WEAKEN changes nothing in jail"
like "$(told "$weak")" '^OK capabilities 1 ' "control: it does in jail-weak"
isnt "$(told "$weak" | cut -d ' ' -f 4-)" "$(untold "$weak" | cut -d ' ' -f 4-)" "control: and in its plan"
is "$(JAIL_WEAKEN=nonsense "$JAIL" -- echo runs 2>&1)" runs "jail does not read it"
like "$(JAIL_WEAKEN=nonsense "$weak" -- echo runs 2>&1)" "'nonsense' is no defence" "control: jail-weak does"

# What a package would hold.
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL "${MAKE:-make}" -s -C "$top_builddir" install DESTDIR="$scratch/dest" >"$scratch/install" 2>&1 ||
	diag "make install: $(tail -n 3 "$scratch/install")"
find "$scratch/dest" -type f >"$scratch/files"
ok "jail is among what is installed" grep -q '/bin/jail$' "$scratch/files"
found=$(grep '/jail-weak' "$scratch/files")
while IFS= read -r file; do
	[ "$(head -c 4 "$file" | tr -d '\177')" = ELF ] || continue
	programs=$((${programs:-0} + 1))
	found="$found$(traces "$file")$(symbols "$file")"
done <"$scratch/files"
is "$found" '' "no jail-weak, and no trace of it in ${programs:-0} programs"
