# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154  # what is set here is read by the tests; set by the Makefile
# What the escape tests share; sourced instead of lib.sh, which it sources. The rows are those of the escape catalogue (PRV-01 ...).
#
# A case has three sides. The probe runs inside with valid arguments, and the error it gets is one of those the row names: EFAULT or
# EINVAL is not "blocked". Where the host can see something, it is looked at there. And the same probe gets through in the control,
# which is the same user without the defence: a probe that always fails proves nothing. A control that is refused too makes the case
# inconclusive, and tests/allowed-skips says for which probes that may be.
#
#   $probe                      tests/helpers/probe, copied into the workspace: ./probe inside
#   $py                         python3
#   $nonce                      a word that only this run knows
#
#   tried ARG...                runs the probe inside, with jail's $opts; prints the error's name, OK, or what went wrong
#   host ARG...                 the same outside, as the same user
#   in_userns ARG...            the same in new namespaces of every kind, with all capabilities there
#   blocked WANT NAME ARG...    a case: inside one of WANT (EPERM|ENOSYS), in $control (host) one of $flips (OK)
#   verdict NAME GOT WANT FREE FLIPS   the same, for results that were had in another way
#   refused WANT NAME ARG...    a case without a control of its own, beside one that has
#   inconclusive NAME REASON    a case that nothing can be learnt from here
#   finish                      instead of plan, at the end
#   $todo                       while it is set, cases are expected to fail, for that reason: a hole that is known and open. One that
#                               passes is reported too, so that the day it is closed the word goes
#
#   start NAME ARG...           jail ARG... in the background, with a command that makes ./NAME.up and ends when ./NAME.down is there;
#                               sets $command and $init, the pids of the command and of the jail's pid 1 as seen from here
#   stop NAME                   ends it, and waits
#   serve LOG KIND NAME [DIR]   a listener (tests/escape/host.c) in the background

# shellcheck source=tests/integration/lib.sh
. "$top_srcdir/tests/integration/lib.sh"

have python3 unshare || skip_all "python3 or unshare is not installed"
if [ -x /usr/bin/python3 ]; then py=/usr/bin/python3; else py=python3; fi
on_host=${top_builddir:?run by make check}/tests/escape/host
cp "${top_builddir:?run by make check}/tests/helpers/probe" "$work/probe" || exit 99
probe=$work/probe
nonce=$(marker)
opts='' control=host flips=OK todo=''

# As in lib.sh, and TAP's TODO.
pass() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $*${todo:+ # TODO $todo}"
}

fail() {
	tap_count=$((tap_count + 1))
	[ -n "$todo" ] || tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $*${todo:+ # TODO $todo}"
}

# "name -1 EPERM" is EPERM; a step before that failed is not.
answer() {
	awk 'NF >= 3 && $2 == -2 { $NF = "unready:" $NF } { last = $NF } END { print NR ? last : "nothing" }'
}

tried() {
	# shellcheck disable=SC2086
	jail $opts -- ./probe "$@" 2>"$scratch/tried.err" | answer
}

host() {
	timeout -s KILL "$limit" "$probe" "$@" 2>&1 | answer
}

in_userns() {
	timeout -s KILL "$limit" unshare -UrmnupiCf -- "$probe" "$@" 2>&1 | answer
}

in_set() {
	case "|$2|" in
	*"|$1|"*) return 0 ;;
	esac
	return 1
}

inconclusive() {
	if skip_allowed "inconclusive: $2"; then
		tap_count=$((tap_count + 1))
		echo "ok $tap_count - $1 # SKIP inconclusive: $2"
	else
		fail "$1 (inconclusive: $2)"
	fi
}

verdict() {
	if ! in_set "$2" "$3"; then
		rc=
		fail "$1"
		diag "inside: $2, wanted: $3"
		[ ! -s "$scratch/tried.err" ] || diag "$(head -c 400 "$scratch/tried.err")"
	elif ! in_set "$4" "$5"; then
		inconclusive "$1" "${verdict_of:-it} is refused here without a jail too ($4)"
	else
		pass "$1"
	fi
}

blocked() {
	case_want=$1 case_name=$2
	shift 2
	verdict_of=$*
	verdict "$case_name" "$(tried "$@")" "$case_want" "$($control "$@")" "$flips"
	verdict_of=
}

refused() {
	case_want=$1 case_name=$2
	shift 2
	verdict "$case_name" "$(tried "$@")" "$case_want" OK OK
}

finish() {
	plan "$tap_count"
}

# How many pid namespaces deep; 0 for a process that has ended meanwhile.
depth() {
	sed -n 's/^NSpid://p' "/proc/$1/status" 2>/dev/null | wc -w
}

start() {
	start_name=$1
	shift
	start_mark=$(marker)
	rm -f "$start_name.up" "$start_name.down"
	# The names are left to the shell inside.
	# shellcheck disable=SC2016
	jail "$@" -- sh -c 'until [ -e "$1.down" ]; do [ -e "$1.up" ] || : >"$1.up"; sleep 0.02; done' "$start_mark" "$start_name" \
		>"$scratch/$start_name.out" 2>"$scratch/$start_name.err" &
	start_job=$!
	until_true 5 test -e "$start_name.up" || return 1
	command='' init=''
	start_depth=$(depth $$)
	for start_pid in $(marked "$start_mark"); do
		[ "$(depth "$start_pid")" -gt "$start_depth" ] || continue
		command=$start_pid
		init=$(awk '/^PPid:/ { print $2 }' "/proc/$start_pid/status")
	done
	[ -n "$command" ]
}

stop() {
	: >"$1.down"
	wait "$start_job"
}

serve() {
	rm -f "$scratch/served"
	mkfifo "$scratch/served"
	"$on_host" listen "$@" >"$scratch/served" 2>"$scratch/served.err" &
	at_end "kill $! 2>/dev/null"
	read -r served_line <"$scratch/served" && [ "$served_line" = ready ]
}
