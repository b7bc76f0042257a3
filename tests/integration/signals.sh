#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Signals reach the command, and nothing of a jail outlives it: not its end, not the death of jail itself at any moment.
# shellcheck disable=SC2154,SC2016  # set by lib.sh; programs for the shell inside
# shellcheck source=tests/integration/lib.sh
. "$top_srcdir/tests/integration/lib.sh"

plan 36

# start ARG...: jail ARG... in the background, $pid; not through timeout, which would be the one to get the signal. Job control gives it
# a process group of its own and leaves it SIGINT.
start() {
	set -m
	"$JAIL" "$@" >"$scratch/out" 2>"$scratch/err" &
	pid=$!
	set +m
	(sleep 20; kill -9 "$pid") >/dev/null 2>&1 &
	guard=$!
}
finish() { # $rc, $out and $err of what was started
	wait "$pid" 2>/dev/null
	rc=$?
	kill "$guard" 2>/dev/null
	wait "$guard" 2>/dev/null
	out=$(cat "$scratch/out") err=$(cat "$scratch/err")
}
ready() { # wait until the command has made ./up
	until_true 10 test -e up
	rm -f up
}
still() { # still FILE: it does not grow any more
	was=$(wc -c <"$1")
	sleep 0.3
	[ "$(wc -c <"$1")" = "$was" ]
}
state() { # of a process
	sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null
}
is_state() {
	[ "$(state "$1")" = "$2" ]
}

# ---- delivery

for s in TERM INT HUP QUIT USR1 USR2; do
	start -- bash -c "trap 'echo $s; exit 7' $s; touch up; while :; do sleep 0.02; done"
	ready
	kill "-$s" "$pid"
	finish
	is "$rc,$out" "7,$s" "SIG$s reaches the command, and its trap runs"
done
start -- sh -c 'ulimit -c 0; touch up; exec sleep 20'
ready
kill -TERM "$pid"
finish
is "$rc,$err" "143," "SIGTERM without a trap"
start -- sh -c 'trap "echo parent" TERM; sh -c "trap \"echo child; exit\" TERM; touch up; while :; do sleep 0.02; done"; exit 3'
ready
kill -TERM "$pid"
finish
is "$rc,$(echo "$out" | sort | tr '\n' ,)" "3,child,parent," "... goes to the whole process group"
start -- sh -c 'trap "" TERM; touch up; while ! test -e stop; do sleep 0.02; done; exit 4'
ready
kill -TERM "$pid"
sleep 0.2
ok "a command that ignores SIGTERM goes on, and jail with it" kill -0 "$pid"
touch stop
finish
is "$rc" 4 "... until it ends by itself"
start -- setsid -w bash -c 'trap "exit 5" TERM; touch up; while :; do sleep 0.02; done'
ready
read -r first _ <"/proc/$pid/task/$pid/children" # pid 1 of the jail
kill -KILL "$first"
finish
is "$rc" 137 "the death of the jail's pid 1 is reported as 137"
(
	trap '' HUP
	exec "$JAIL" -- sh -c 'touch up; while ! test -e stop2; do sleep 0.02; done; exit 6'
) >/dev/null 2>&1 &
pid=$!
ready
kill -HUP "$pid"
sleep 0.1
touch stop2
wait "$pid"
is $? 6 "nohup: SIGHUP ignored by the caller is ignored inside"

# ---- stopping without a terminal

start -- sh -c 'touch up; while :; do echo x >>beat; sleep 0.02; done'
ready
kill -TSTP "$pid"
ok "SIGTSTP stops jail" until_true 5 is_state "$pid" T
ok "... and the command" still beat
kill -CONT "$pid"
was=$(wc -c <beat)
sleep 0.3
ok "SIGCONT lets both go on" test "$(wc -c <beat)" -gt "$was"
kill -TSTP "$pid"
until_true 5 is_state "$pid" T
kill -KILL "$pid"
finish
ok "a stopped jail that is killed takes the command with it" still beat

run --time 500ms --grace 200ms -- sh -c 'kill -STOP $$; echo continued'
is "$rc" 124 "a command that stops itself does not stop the clock"
start -- sh -c 'touch up; kill -STOP $$; exit 5'
ready
sleep 0.2
isnt "$(state "$pid")" T "... nor jail"
kill -CONT "$pid"
finish
is "$rc" 5 "... and SIGCONT to jail continues it"

# ---- nothing outlives jail

cat >daemon.sh <<'E'
# Twice forked, in a session of its own, deaf to everything: a beat every 10 ms
trap '' HUP TERM INT
(
	(
		exec setsid sh -c 'trap "" HUP TERM INT; while :; do echo x >>beat2; sleep 0.01; done' >/dev/null 2>&1
	) &
)
until test -s beat2; do sleep 0.01; done
E
start -- sh -c '. ./daemon.sh; touch up; sleep 20'
ready
kill -KILL "$pid"
finish
sleep 1
ok "kill -9 of jail ends a daemon inside within a second" still beat2

rm -f beat2
begin=$(clock)
run -- sh -c '. ./daemon.sh; sleep 20 & echo end'
is "$rc,$out" 0,end "the command's end is jail's, whatever it left behind"
ok "... at once" test $(($(clock) - begin)) -lt 300
ok "... and what it left is gone" still beat2
rm -f beat2
out=$(jail -- sh -c '. ./daemon.sh; sleep 20 & sleep 20 & echo piped' | cat)
is "$out" piped "... also when it holds the pipe that somebody reads"
rm -f beat2
run --time 300ms --grace 200ms -- sh -c '. ./daemon.sh; sleep 20'
is "$rc" 124 "the time limit ends a deaf daemon"
ok "... and it is gone" still beat2

# A process whose jail was killed becomes our child (we are its subreaper), so whatever is left can be waited for, or not.
cat >"$scratch/startup.py" <<'E'
import ctypes, os, random, signal, subprocess, sys, time

ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
sig, tries = int(sys.argv[1]), int(sys.argv[2])
left, codes = 0, {}
random.seed()
for _ in range(tries):
	p = subprocess.Popen(
		[os.environ["JAIL"], "--", "sleep", "30"],
		stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
	)
	until = time.perf_counter() + random.random() * 0.008
	while time.perf_counter() < until:
		pass
	os.kill(p.pid, sig)
	deadline = time.monotonic() + 2
	while True:
		try:
			pid, status = os.waitpid(-1, os.WNOHANG)
		except ChildProcessError:
			break
		if pid == p.pid:
			code = os.waitstatus_to_exitcode(status)
			codes[code] = codes.get(code, 0) + 1
		if pid == 0:
			if time.monotonic() > deadline:
				left += 1
				for child in open("/proc/self/task/%d/children" % os.getpid()).read().split():
					os.kill(int(child), signal.SIGKILL)
				deadline += 5
			time.sleep(0.001)
	p.returncode = 0
print(left, sorted(codes))
E
out=$(timeout -s KILL 60 python3 "$scratch/startup.py" 9 100 2>&1) rc=$?
is "$rc,$out" "0,0 [-9]" "kill -9 of jail at 100 moments of its start leaves no process"
out=$(timeout -s KILL 60 python3 "$scratch/startup.py" 15 60 2>&1) rc=$?
like "$rc,$out" '^0,0 \[(-15|143|-15, 143)\]$' "SIGTERM at 60 moments of its start ends it, or the command, and leaves no process"
m=$(marker)
start -- sh -c "touch up; sleep 20; : $m"
ready
isnt "$(marked "$m")" "" "(a marked command line can be found)"
kill -KILL "$pid"
finish
ok "... and is gone with jail" until_true 1 eval '! marked "$m"'

# ---- nor a namespace: a user namespace that may hold sixteen of a kind at a time sees sixty jails come and go

if [ "$who" = root ]; then
	skip 2 "namespaces are counted for an ordinary user"
else
	sixty='for i in $(seq 60); do "$JAIL" -- true || exit; sleep 0.02; done'
	for kind in mnt net; do
		out=$(timeout -s KILL 60 unshare -r sh -c "echo 16 >/proc/sys/user/max_${kind}_namespaces && $sixty" 2>&1) rc=$?
		is "$rc,$out" 0, "$kind namespaces are gone soon after their jails"
	done
fi

# ---- pid 1 reaps

run -- bash -c 'for i in {1..1000}; do (true & true &) ; done; sleep 0.3
	set -- /proc/[0-9]*/stat; cat "$@" 2>/dev/null | grep -c ") Z "; echo $#'
is "$(echo "$out" | head -n 1)" 0 "2000 orphans leave no zombie"
run -- cat /proc/1/comm
like "$out" '^jail' "pid 1 is jail's own"
run -- bash -c '(bash -c "sleep 0.2; cut -d\" \" -f4 /proc/\$\$/stat >parent" &); sleep 0.5; cat parent'
is "$out" 1 "an orphan belongs to pid 1"
run -- sh -c 'kill -9 1; kill -TERM 1; kill -9 -1; echo here' # -1 is everyone but oneself and pid 1
is "$rc,$out" "0,here" "pid 1 cannot be killed from inside"
