#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What jail says of sockets that it looked for in what it shows, and what `require = sockets` does. That they cannot be reached is
# row IPC-05 of the hardening suite.
# shellcheck disable=SC2154  # set by lib.sh
# shellcheck source=tests/integration/lib.sh
. "$top_srcdir/tests/integration/lib.sh"

host=$top_builddir/tests/escape/host

serve() { # serve LOG KIND NAME [DIR]
	rm -f "$scratch/served"
	mkfifo "$scratch/served"
	"$host" listen "$scratch/$1.log" "$2" "$3" ${4+"$4"} >"$scratch/served" 2>"$scratch/served.err" &
	at_end "kill $! 2>/dev/null"
	read -r served_line <"$scratch/served" && [ "$served_line" = ready ]
}
hidden() { printf '%s\n' "$out" | grep -c "hidden .*(a host program's socket)"; }

plan 11

run explain
is "$(hidden)" 0 "nothing is hidden where there is no socket"
mkdir -p sub here
serve absolute stream "$work/absolute.sock" && serve relative stream sub/relative.sock "$work" || exit 99
serve moved stream "$work/here/moved.sock" && mv here there
run explain
is "$(hidden)" 3 "explain has each that is: bound by either kind of name, and moved"
unlike "$out" 'host programs have moved' "and has no doubt"
run --require sockets -- true
is "$rc,$err" 0, "require = sockets is content with that"

# The kernel's list cannot be had.
blind="$top_builddir/tests/helpers/deny EAFNOSUPPORT netlink -- $JAIL"
out=$($blind explain)
like "$out" 'note +the kernel does not tell where sockets are' "without the kernel's list explain says so"
is "$(hidden)" 1 "and hides what a name leads to"
out=$($blind --require sockets -- touch ran 2>&1)
is "$?,$(ls ran 2>/dev/null)" 125, "require = sockets refuses that"
like "$out" '^jail: --require: sockets is required' "and says why"

# A directory that cannot be searched, and a socket that is nowhere else: rm leaves it bound.
serve gone stream "$work/gone.sock" && rm gone.sock
mkdir -m 300 closed
if [ "$who" = user ]; then
	run -- true
	like "$rc,$err" '^0,jail: weak: not all that is shown could be searched for sockets' "what cannot be searched is announced"
	run --require sockets -- touch ran
	is "$rc,$(ls ran 2>/dev/null)" 125, "and refused with require = sockets"
else
	run -- true
	is "$rc,$err" 0, "root searches every directory"
	run --require sockets -- true
	is "$rc,$err" 0, "and require = sockets is content"
fi
rmdir closed
run --require sockets -- true
is "$rc,$err" 0, "all of it was searched: content"
