# SPDX-License-Identifier: GPL-2.0-or-later
# Takes out of jail's words what depends on who runs it, where, and on which system.
#
# usage: awk -v home=DIR -v source=DIR -v real=DIR -v build=DIR -f normal.awk
#   kept    what profiles and options decide
#   changed names, numbers and places of this machine: @user@, @home@, @abi@, ...
#   dropped the host's own trees, and notes about this kernel and this user's groups; of JSON those on lines of their own

function replace(s, what, by,   at, out) {
	out = ""
	while (what != "" && (at = index(s, what))) {
		out = out substr(s, 1, at - 1) by
		s = substr(s, at + length(what))
	}
	return out s
}

function machine(s) {
	s = replace(s, home, "@home@")
	s = replace(s, build "/tests/share/profiles", "@shipped@")
	s = replace(s, real "/tests/share/profiles", "@shipped@")
	s = replace(s, build, "@build@")
	s = replace(s, source, "@source@")
	# Comments in the shipped profiles come and go.
	while (match(s, /(agent|build|default|offline|strict)\.ini:[0-9]+/)) {
		at = RSTART
		n = RLENGTH
		word = substr(s, at, n)
		sub(/:[0-9]+/, ":@line@", word)
		s = substr(s, 1, at - 1) word substr(s, at + n)
	}
	sub(/^  as       .*/, "  as       @user@", s)
	sub(/^  uid      [0-9]+ inside, [0-9]+ outside/, "  uid      @uid@ inside, @uid@ outside", s)
	sub(/, [0-9]+ instructions/, ", @n@ instructions", s)
	sub(/landlock ABI [0-9]+/, "landlock ABI @abi@", s)
	sub(/kernel has ABI [0-9]+/, "kernel has ABI @abi@", s)
	sub(/"user":"[^"]*","uid":[0-9]+,"uid_outside":[0-9]+/, "\"user\":\"@user@\",\"uid\":@uid@,\"uid_outside\":@uid@", s)
	sub(/"landlock_abi":[0-9]+/, "\"landlock_abi\":@abi@", s)
	return s
}

function depends(s) {
	if (s ~ /^  ro       \/.*  \(system\)$/ || s ~ /^  note     (Landlock ABI|group) /)
		return 1
	if (s ~ /^ *\{"path":/)
		return s !~ /"option":/ && s !~ /"kind":"(tmpfs|proc|mask|readonly|devpts)"/
	return s ~ /"id":"(landlock-abi|group)"/
}

# "Notes" with nothing left beneath is held back until something is.
function out(s) {
	if (depends(s))
		return
	# What was dropped may have been the last of a list, or all of it.
	if (s ~ /^ \{/)
		sub(/,$/, "", s)
	if (s == "\"notes\":[],") {
		print "\"notes\":[\n],"
		return
	}
	if (s == "Notes") {
		held = 1
		return
	}
	if (held && s == "") {
		held = 0
		return
	}
	if (held)
		print "Notes"
	held = 0
	print machine(s)
}

{ out($0) }
