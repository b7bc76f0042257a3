# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# shellcheck disable=SC2034  # what is set here is read by the tests
# What the integration tests share; POSIX sh, sourced first: . "$top_srcdir/tests/integration/lib.sh"
#
# Sourcing it makes a scratch directory, puts jail's configuration there, and changes to an empty workspace. All is removed at the end.
#
#   $JAIL          the jail under test (from the Makefile)
#   $scratch       a directory of this test's own, beneath /tmp; not shown inside
#   $work          $scratch/work, the current directory and so the workspace
#   $config        $scratch/config/jail/profiles: the user's profiles (XDG_CONFIG_HOME is $scratch/config)
#   $who           "root" (uid 0 of the machine: the command is remapped), "userns" (uid 0 of unshare -r) or "user"
#   $inner_uid, $inner_user   what the command runs as
#
#   plan N                     say how many cases there are; call it once, first
#   ok NAME COMMAND...         a case: COMMAND succeeds
#   not_ok NAME COMMAND...     a case: COMMAND fails
#   is GOT WANT NAME           a case: the strings are equal
#   isnt GOT NOT NAME          a case: they are not
#   like GOT ERE NAME          a case: a line of GOT matches the extended regular expression
#   unlike GOT ERE NAME        a case: no line of GOT does
#   pass NAME, fail NAME       a case that was decided elsewhere
#   skip N REASON              N cases cannot be had here; with JAIL_MUST_WORK=1 they fail unless tests/allowed-skips has REASON
#   skip_all REASON            the same for the whole test; ends it
#   have COMMAND...            are these programs there (on the host)?
#   diag TEXT                  a remark in the log
#
#   run ARG...                 runs jail ARG... (killed after $limit seconds, 20 unless set: rc is 137 then) and sets
#                              $rc the exit status, $out and $err what it wrote; the bytes are in $scratch/out and $scratch/err.
#                              stdin is /dev/null unless redirected: run -- cat <file
#   refused ERE NAME ARG...    a case: jail ARG... ends with 125 and one line on stderr that matches ERE, and did not make ./ran:
#                              refused "no profile" "a bad name" --profile x -- touch ran
#   jail ARG...                runs jail ARG... with the limit and nothing else, for pipelines
#   profile NAME [LINE...]     writes $config/NAME.ini from the lines, or from stdin when there are none
#   until_true SECONDS CMD...  waits until CMD succeeds; fails when it never does
#   clock                      prints a time in hundredths of a second, for differences
#   at_end COMMAND-LINE        what else to clean up, last one first
#   marker                     prints a word that nobody else uses, to look for in command lines
#   marked WORD                prints the pids that have WORD in their command line, other than this shell's; fails when there are none

: "${JAIL:?run by make check}" "${top_srcdir:?run by make check}"

tap_planned=0 tap_count=0 tap_failed=0 tap_cleanup=:
limit=20
umask 022
exec </dev/null

scratch=$(mktemp -d "${TMPDIR:-/tmp}/jail-test.XXXXXX") || exit 99
scratch=$(cd "$scratch" && pwd -P)
work=$scratch/work
config=$scratch/config/jail/profiles
mkdir -p "$work" "$config"
# The caller's own settings are no part of a test. HOME stays: what it is to jail is.
XDG_CONFIG_HOME=$scratch/config XDG_CACHE_HOME=$scratch/cache XDG_DATA_HOME=$scratch/data
export XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME
cd "$work" || exit 99

if [ "$(id -u)" != 0 ]; then
	who=user inner_uid=$(id -u) inner_user=$(id -un)
elif awk '$1 == 0 && $2 == 0 { found = 1 } END { exit !found }' /proc/self/uid_map; then
	who=root inner_uid=1000 inner_user=jail
else
	who=userns inner_uid=0 inner_user=root
fi

tap_end() {
	status=$?
	trap - EXIT
	eval "$tap_cleanup"
	cd / || :
	chmod -R u+rwX "$scratch" 2>/dev/null
	rm -rf "$scratch"
	if [ "$tap_planned" != "$tap_count" ]; then
		echo "# planned $tap_planned cases, ran $tap_count"
		exit 1
	fi
	[ "$tap_failed" = 0 ] || exit 1
	exit "$status"
}
trap tap_end EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

at_end() {
	tap_cleanup="$1; $tap_cleanup"
}

plan() {
	tap_planned=$1
	echo "1..$1"
}

diag() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

pass() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $*"
}

fail() {
	tap_count=$((tap_count + 1)) tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $*"
}

# What the last run said helps to see why.
fail_run() {
	fail "$1"
	if [ -n "${rc-}" ]; then
		diag "last run: rc $rc"
		[ -z "${out-}" ] || diag "stdout: $(printf %.600s "$out")"
		[ -z "${err-}" ] || diag "stderr: $(printf %.600s "$err")"
	fi
}

ok() {
	tap_name=$1
	shift
	if "$@" >"$scratch/ok.log" 2>&1; then
		pass "$tap_name"
	else
		fail_run "$tap_name"
		diag "failed: $*"
		diag "$(head -c 600 "$scratch/ok.log")"
	fi
}

not_ok() {
	tap_name=$1
	shift
	if "$@" >"$scratch/ok.log" 2>&1; then
		fail_run "$tap_name"
		diag "succeeded: $*"
	else
		pass "$tap_name"
	fi
}

is() {
	if [ "$1" = "$2" ]; then
		pass "$3"
	else
		fail_run "$3"
		diag "got:  $(printf %.600s "$1")"
		diag "want: $2"
	fi
}

isnt() {
	if [ "$1" != "$2" ]; then
		pass "$3"
	else
		fail_run "$3"
		diag "got what should not be: $2"
	fi
}

like() {
	if printf '%s\n' "$1" | grep -Eq -e "$2"; then
		pass "$3"
	else
		fail_run "$3"
		diag "got:  $(printf %.600s "$1")"
		diag "want: /$2/"
	fi
}

unlike() {
	if printf '%s\n' "$1" | grep -Eq -e "$2"; then
		fail_run "$3"
		diag "got: $(printf %.600s "$1")"
		diag "want nothing like: /$2/"
	else
		pass "$3"
	fi
}

# Without JAIL_MUST_WORK any reason will do, with it those of the list.
skip_allowed() {
	[ -n "${JAIL_MUST_WORK-}" ] || return 0
	grep -Ev '^(#|$)' "$top_srcdir/tests/allowed-skips" >"$scratch/allowed" || return 1
	printf '%s\n' "$1" | grep -Eq -f "$scratch/allowed"
}

skip() {
	tap_left=$1
	shift
	while [ "$tap_left" -gt 0 ]; do
		tap_left=$((tap_left - 1))
		if skip_allowed "$*"; then
			tap_count=$((tap_count + 1))
			echo "ok $tap_count # SKIP $*"
		else
			fail "skipped with JAIL_MUST_WORK: $*"
		fi
	done
}

skip_all() {
	if skip_allowed "$*"; then
		echo "1..0 # SKIP $*"
	else
		plan 1
		fail "skipped with JAIL_MUST_WORK: $*"
	fi
	exit 0
}

have() {
	for tap_program; do
		command -v "$tap_program" >/dev/null 2>&1 || return 1
	done
}

jail() {
	timeout -s KILL "$limit" "$JAIL" "$@"
}

run() {
	rc=0
	jail "$@" >"$scratch/out" 2>"$scratch/err" || rc=$?
	out=$(tr -d '\000' <"$scratch/out")
	err=$(tr -d '\000' <"$scratch/err")
}

refused() {
	tap_message=$1 tap_name=$2
	shift 2
	rm -f "$work/ran"
	run "$@"
	if [ "$rc" != 125 ]; then
		tap_why="exit status $rc, not 125"
	elif [ -e "$work/ran" ]; then
		tap_why="the command ran"
	elif [ "$(wc -l <"$scratch/err")" != 1 ] || [ -s "$scratch/out" ]; then
		tap_why="not one line on stderr and nothing on stdout"
	elif ! grep -Eq -e "^jail: .*$tap_message" "$scratch/err"; then
		tap_why="want: /$tap_message/"
	else
		pass "$tap_name"
		return
	fi
	fail_run "$tap_name"
	diag "$tap_why"
}

profile() {
	tap_file=$config/$1.ini
	shift
	if [ $# -gt 0 ]; then
		printf '%s\n' "$@" >"$tap_file"
	else
		cat >"$tap_file"
	fi
}

until_true() {
	tap_tries=$(($1 * 20))
	shift
	while [ "$tap_tries" -gt 0 ]; do
		! "$@" >/dev/null 2>&1 || return 0
		tap_tries=$((tap_tries - 1))
		sleep 0.05
	done
	return 1
}

clock() {
	read -r tap_up _ </proc/uptime
	echo "${tap_up%.*}${tap_up#*.}"
}

marker() {
	echo "jailtest-$$-$(od -An -N6 -tx1 /dev/urandom | tr -d ' \n')"
}

# The list of processes is made before grep is one of them.
marked() {
	tap_word=$1
	set -- /proc/[0-9]*/cmdline
	grep -alF -e "$tap_word" "$@" 2>/dev/null | cut -d/ -f3 | grep -vx $$
}
