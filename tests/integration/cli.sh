#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The command line: help, exit codes, the status descriptor, what belongs to whom of argv, stdout and stderr.
# shellcheck disable=SC2154,SC2016  # set by lib.sh; programs for the shell inside
# shellcheck source=tests/integration/lib.sh
. "$top_srcdir/tests/integration/lib.sh"

plan 112

# ---- help and version

run --help
is "$rc" 0 "--help succeeds"
is "$err" "" "--help has nothing to complain about"
ok "--help fits a screen: 60 lines" test "$(wc -l <"$scratch/out")" -le 60
is "$(awk 'length > 80' "$scratch/out")" "" "--help fits a screen: 80 columns"
like "$out" '^ +--status-fd N' "--help lists the options"
run -h
like "$out" '^jail \[OPTIONS\]' "-h is --help"
run --version
is "$rc" 0 "--version succeeds"
like "$out" '^jail [0-9]+\.[0-9]+' "--version names the version"
profile default '[jail]' 'nonsense = 1'
run --help
is "$rc" 0 "--help works with a broken default profile"
rm "$config/default.ini"
if [ -c /dev/full ]; then
	rc=0
	for verb in --help doctor explain 'profile ls' 'profile show agent'; do
		rc=0
		# shellcheck disable=SC2086
		jail $verb >/dev/full 2>"$scratch/err" || rc=$?
		is "$rc,$(grep -c 'write to stdout' "$scratch/err")" 125,1 "$verb that cannot be written is a failure"
	done
else
	skip 5 "no /dev/full"
fi

# ---- the command's own status

for n in 0 1 2 42 123 124 125 126 127 128 200 255; do
	run -- sh -c "exit $n"
	is "$rc" "$n" "exit $n comes out"
done
for s in HUP INT KILL TERM SEGV USR1; do
	run -- sh -c "ulimit -c 0; kill -$s \$\$"
	is "$rc" $((128 + $(kill -l "$s" 2>/dev/null || bash -c "kill -l $s"))) "death by SIG$s is 128+n"
done

# ---- what cannot be run

mkdir dir
echo '#!/bin/sh' >noexec
printf '\177ELFnonsense' >badelf
echo 'echo hi' >noformat
printf '#!/none/such\n' >badinterp
chmod +x badelf noformat badinterp
cannot_run() { # cannot_run RC ERE NAME COMMAND...
	want=$1 message=$2 name=$3
	shift 3
	run -- "$@"
	is "$rc" "$want" "$name: $want"
	is "$(grep -cE "^jail: .*$message" "$scratch/err"),$(wc -l <"$scratch/err")" 1,1 "$name: says so in one line"
}
cannot_run 126 "'\./dir'" "a directory" ./dir
cannot_run 126 "'\./noexec'" "no x bit" ./noexec
cannot_run 126 "'\./badelf'.*format" "a broken ELF" ./badelf
cannot_run 126 "'\./noformat'.*format" "text without #!" ./noformat
cannot_run 127 "'\./none'" "no such file" ./none
cannot_run 127 "'none-such-program'" "no such program" none-such-program
cannot_run 126 "'\./badinterp'.*interpreter" "no such interpreter" ./badinterp
cannot_run 127 "''" "an empty name" ''

mkdir "$scratch/bin"
printf '#!/bin/sh\necho ran\n' >"$scratch/bin/only-outside"
chmod +x "$scratch/bin/only-outside"
PATH=$scratch/bin:$PATH
cannot_run 127 "on the host.*not shown inside" "a program of the host only" only-outside
like "$err" "'$scratch/bin/only-outside'" "... the message names it"
cannot_run 127 "not shown inside" "a path of the host only" "$scratch/bin/only-outside"
run --ro "$scratch/bin" -- only-outside
is "$rc,$out" "0,ran" "... and with --ro it runs"
PATH=${PATH#*:}

# ---- jail's own failures

refused "no command" "no command"
refused "no command" "no command after --" --
refused "unknown option; did you mean '--profile'" "a flag misspelt" --profil x -- touch ran
refused "--frobnicate: unknown option" "a flag that is like no other" --frobnicate -- touch ran
refused "--time=soon" "a bad value" --time soon -- touch ran
refused "did you mean 'strict'" "a profile misspelt" --profile strickt -- touch ran
refused "'/none/such'" "a path that is not there" --ro /none/such -- touch ran
refused "landlock-99" "a requirement that is not met" --require landlock-99 -- touch ran
refused "status-fd 77" "a status descriptor that is not open" --status-fd 77 -- touch ran
refused "needs" "a flag without its value" --time -- touch ran
refused "image" "an image there is not" --pull never --image nonsense -- touch ran
refused "workspace" "a workspace that is not there" --workspace ./none -- touch ran
refused "run: no profile" "run without a profile" run
refused "names no command" "run with a profile that has no command" run strict

# ---- the status descriptor

json() { # json KEY...: of the last line of $status
	printf '%s\n' "$status" | tail -n 1 |
		python3 -c 'import json, sys; o = json.load(sys.stdin); print(*(o.get(k) for k in sys.argv[1:]), sep=",")' "$@" 2>&1
}
status() { # status ARG...: runs jail, $status is what it said there
	rc=0
	jail --status-fd 3 "$@" >"$scratch/out" 2>"$scratch/err" 3>"$scratch/status" || rc=$?
	status=$(cat "$scratch/status") out=$(cat "$scratch/out") err=$(cat "$scratch/err")
}
status -- sh -c 'exit 7'
is "$(echo "$status" | head -n 1 | grep -c '"event":"started","pid":[0-9]')" 1 "status: started"
is "$(json event code reason status)" "ended,7,exit,7" "status: exit"
is "$(echo "$status" | wc -l)" 2 "status: two lines in all"
status -- sh -c 'kill -9 $$'
is "$(json code reason signal)" "137,signal,9" "status: signal"
status -- sh -c 'exit 137'
is "$(json code reason status)" "137,exit,137" "status: exit 137 is not a signal"
status -- sh -c 'exit 125'
is "$(json code reason)" "125,exit" "status: exit 125 is not a failure of jail"
status --ro /none/such -- true
is "$(json code reason stage)" "125,error,plan" "status: an error"
like "$(json message)" "/none/such" "status: an error's message"
status
is "$(json code reason)" "125,error" "status: no command"
status --profile none-such -- true
is "$(json event code reason stage)" "ended,125,error,profile" "status: no such profile"
status --time soon -- true
is "$(json event code reason stage)" "ended,125,error,usage" "status: a bad value behind it"
for flags in "--frobnicate" "--time soon" "--profile" "--no-json" "-x"; do
	# shellcheck disable=SC2086  # words
	jail $flags --status-fd 3 -- true 2>/dev/null 3>"$scratch/status"
	status=$(cat "$scratch/status")
	is "$(json event code reason stage)" "ended,125,error,usage" "status: $flags before it"
done
jail run --status-fd 3 none-such 2>/dev/null 3>"$scratch/status"
status=$(cat "$scratch/status")
is "$(json event code reason stage)" "ended,125,error,profile" "status: run of no such profile"
jail run --status-fd 3 strict 2>/dev/null 3>"$scratch/status"
status=$(cat "$scratch/status")
is "$(json event code reason stage),$(echo "$status" | wc -l)" "ended,125,error,usage,1" "status: run of a profile without a command"
jail --frobnicate -- sh -c 'echo "$@"' --status-fd 3 2>/dev/null 3>"$scratch/status"
is "$(cat "$scratch/status")" "" "status: the command's own flag is none of ours"
status -- none-such-program
is "$(json code reason stage)" "127,error,exec" "status: not found"
status -- ./noexec
is "$(json code reason stage)" "126,error,exec" "status: not executable"
status --time 300ms -- sleep 20
is "$(json code reason),$rc" "124,time-limit,124" "status: time limit"
status -- sh -c 'ls /proc/self/fd/ | tr "\n" " "; echo hi >&3'
is "$(json code),${out%% }" "2,0 1 2 3" "the status descriptor is not the command's" # 3 is the directory that ls reads
s=$({ jail --status-fd 1 -- echo hi | cat; } 2>&1)
like "$s" '^hi$' "status on stdout leaves the command its stdout"
like "$s" '"code":0' "status on stdout comes too"
refused "status-fd 3" "a status descriptor that cannot be written" --status-fd 3 -- touch ran 3</dev/null

# ---- the time limit

begin=$(clock)
run --time 500ms --grace 500ms -- sh -c 'trap "" TERM; (trap "" TERM; exec sleep 20) & sleep 20; sleep 20; sleep 20'
took=$(($(clock) - begin))
is "$rc" 124 "children that ignore SIGTERM: 124"
diag "took ${took}0 ms"
ok "... after the grace, not before" test "$took" -ge 95
ok "... and not long after" test "$took" -lt 400
begin=$(clock)
run --time 300ms --grace 15s -- sh -c 'trap "echo bye; exit 0" TERM; sleep 20 & wait'
is "$rc,$out" "124,bye" "a command that ends on SIGTERM says goodbye, and it is 124 all the same"
ok "... without waiting for the grace" test $(($(clock) - begin)) -lt 400
run --time 300ms --grace 0 -- sh -c 'trap "" TERM; while :; do sleep 1; done'
is "$rc" 124 "no grace at all"

# ---- whose argument, whose stream

run -- sh -c 'printf "<%s>" "$@"' x --profile none --help -- -p
is "$out" "<--profile><none><--help><--><-p>" "flags behind -- are the command's"
run sh -c 'printf "<%s>" "$@"' x --time 1s
is "$out" "<--time><1s>" "flags behind the command are the command's"
run --hostname=first --hostname second -- uname -n
is "$out" second "--flag=value and --flag value; the last one counts"
nl='
'
run -- sh -c 'printf "%s:" $#; printf "<%s>" "$@"' x '' 'a b' "c${nl}d" '*' "$(printf '\303\244\001')" ''
is "$out" "6:<><a b><c${nl}d><*><$(printf '\303\244\001')><>" "arguments arrive as they are"
run -- sh -c 'echo out; echo err >&2'
is "$out,$err" "out,err" "stdout and stderr are two"

head -c 1048576 /dev/urandom >"$scratch/random"
run -- cat <"$scratch/random"
ok "1 MB from file to file, unchanged" cmp "$scratch/random" "$scratch/out"
# shellcheck disable=SC2002  # a pipe is the point
cat "$scratch/random" | jail -- cat | cat >"$scratch/piped"
ok "1 MB from pipe to pipe, unchanged" cmp "$scratch/random" "$scratch/piped"

# A closed descriptor is /dev/null inside, never somebody else's file.
run -- sh -c 'readlink /proc/self/fd/0; cat' <&-
is "$rc,$out" "0,/dev/null" "stdin closed"
rc=0
jail -- sh -c 'sh -c "readlink /proc/\$PPID/fd/1 >&2"; echo lost' >&- 2>"$scratch/err" || rc=$?
is "$rc,$(cat "$scratch/err")" "0,/dev/null" "stdout closed"
rc=0
out=$(jail -- sh -c 'sh -c "readlink /proc/\$PPID/fd/2"; echo lost >&2' 2>&-) || rc=$?
is "$rc,$out" "0,/dev/null" "stderr closed"
rc=0
jail -- true <&- >&- 2>&- || rc=$?
is "$rc" 0 "all three closed"
rc=0
jail --none-such <&- >&- 2>&- || rc=$?
is "$rc" 125 "a failure that nobody can hear is one"
