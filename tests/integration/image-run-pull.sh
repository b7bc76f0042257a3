#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Running an image that is not there: fetched first, once, from a registry on loopback.
# shellcheck disable=SC2154  # set by lib.sh and registry.sh
# shellcheck source=tests/integration/lib.sh
. "$top_srcdir/tests/integration/lib.sh"
# shellcheck source=tests/integration/registry.sh
. "$top_srcdir/tests/integration/registry.sh"

registry_start
plan 14
limit=60
store=$XDG_DATA_HOME/jail/images
export ASAN_OPTIONS=detect_leaks=0 # cannot be had in a cage
cp "$top_builddir/tests/helpers/probe" probe
where=$(front good)

start() { # start ARG...: jail ARG... with what it asked the registry for in $asked
	: >"$frontlog"
	run "$@" -- "$work/probe" open r /big
	asked=$(grep -c . "$frontlog")
	out=${out##* }
}

refused "is not here; .jail image pull $where/t/a:latest" "never: an image that is not there" --pull never --image "$where/t/a" -- touch ran
start --image "$where/t/a"
is "$rc,$out" 0,OK "missing: it is fetched, and runs"
like "$err" "^pulling $where/t/a:latest$" "... and what is fetched is said, on stderr"
isnt "$asked" 0 "... by the registry"
start --image "$where/t/a"
is "$rc,$out,$err,$asked" 0,OK,,0 "the second time nobody is asked, and nothing said"
start --image "$where/t/a@$manifest"
is "$rc,$out,$asked" 0,OK,0 "... by its digest neither"
start --pull always --image "$where/t/a"
is "$rc,$out" 0,OK "always: it runs"
isnt "$asked" 0 "... and the registry is asked"
start --pull never --image "$where/t/a"
is "$rc,$out,$asked" 0,OK,0 "never: it is there by now"
# What is tried is said first, and then one line tells why not.
failed() { # failed ERE NAME ARG...
	ere=$1 name=$2
	shift 2
	rm -f ran
	run "$@" -- touch ran
	is "$rc,$out,$(echo "$err" | grep -c '^jail: '),$(echo "$err" | tail -n 1 | grep -Ec "^jail: $ere"),$(ls ran 2>/dev/null)" 125,,1,1, "$name"
}
failed "registry '$where' has no '$where/t/a:nope'" "a tag that is not there" --image "$where/t/a:nope"
failed "registry '127.0.0.1:1' does not take connections" "no registry" --image 127.0.0.1:1/t/a
cp "$store"/refs/* "$store/refs/127.0.0.1%3A1%2Ft%2Fa%3Alatest"
failed "registry '127.0.0.1:1' does not take connections" "... for what is there, too, when it is always to be fetched" --pull always \
	--image 127.0.0.1:1/t/a
printf '[root]\nimage = %s/t/a\npull = never\n' "$where" >"$config/image.ini"
start --profile image
is "$rc,$out,$asked" 0,OK,0 "by a profile"
run explain --profile image -- x
like "$out" "^  name +$where/t/a:latest$" "explain shows it"
