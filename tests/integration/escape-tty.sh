#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The terminal: TTY-01 to TTY-04. The harness holds the master, types nothing, and looks at what is in the input queue at the end.
# shellcheck disable=SC2154,SC2034,SC2016  # set, or read, by escape-lib.sh; programs for the shell inside
# shellcheck disable=SC2012,SC2002,SC3045,SC2015
# shellcheck source=tests/integration/escape-lib.sh
. "$top_srcdir/tests/integration/escape-lib.sh"

# on_tty COMMAND... sets $tty_rc, $typed (bytes in the terminal's input, hexadecimal, - for none) and $shown (what it displayed).
on_tty() {
	tty_line=$(timeout 30 "$on_host" pty "$scratch/shown" "$@" 2>"$scratch/pty.err")
	tty_rc=$(echo "$tty_line" | awk '{ print $2 }') typed=$(echo "$tty_line" | awk '{ print $4 }')
	shown=$(tr -d '\000\r' <"$scratch/shown")
}

# TTY-01
on_tty "$probe" tiocsti
free=$typed
verdict_of=tiocsti
on_tty "$JAIL" -- ./probe tiocsti
verdict "TTY-01 TIOCSTI is EPERM" "$(printf '%s\n' "$shown" | answer)" EPERM "$free" 23
is "$typed" - "TTY-01 nothing was put into the user's input"
on_tty "$probe" tiocsti high
free=$typed
on_tty "$JAIL" -- ./probe tiocsti high
verdict "TTY-01 TIOCSTI with a high bit set is EPERM" "$(printf '%s\n' "$shown" | answer)" EPERM "$free" 23
is "$typed" - "TTY-01 nothing was put into the user's input by that"
on_tty "$JAIL" -- sh -c 'for t in /dev/tty /dev/pts/[0-9]* /dev/stdin /dev/stdout /proc/self/fd/2; do for c in tiocsti "tiocsti high" tioclinux tiocsetd; do ./probe $c <$t; done; done'
is "$(printf '%s\n' "$shown" | awk '{ print $NF }' | sort -u)" EPERM "TTY-01 TIOCSTI, TIOCLINUX and TIOCSETD are EPERM on every terminal that can be opened"
ok "TTY-01 there were terminals to try" test "$(printf '%s\n' "$shown" | wc -l)" -ge 20
is "$typed" - "TTY-01 nothing was put into the user's input by any of them"
opts='--allow-syscall ioctl'
# shellcheck disable=SC2086
on_tty "$JAIL" $opts -- ./probe tiocsti
is "$typed" - "TTY-01 without the filter the character goes to the jail's own terminal, not to the user's"
opts=''
on_tty "$probe" tiocsetd
free=$(printf '%s\n' "$shown" | answer)
on_tty "$JAIL" -- ./probe tiocsetd
verdict_of=tiocsetd
verdict "TTY-01 TIOCSETD is EPERM" "$(printf '%s\n' "$shown" | answer)" EPERM "$free" OK
verdict_of=

# TTY-02 -- a process of the host in jail's own process group.
group() {
	: >"$scratch/group"
	timeout -s KILL 5 "$on_host" group "$scratch/group" "$@" >"$scratch/group.out" 2>&1
}
group "$probe" kill 0 10
like "$(cat "$scratch/group")" SIGUSR1 "TTY-02 control: kill(0) outside reaches the process beside"
group "$JAIL" -- ./probe kill 0 10
is "$?" 138 "TTY-02 kill(0) inside ends the command"
is "$(cat "$scratch/group")" '' "TTY-02 and reaches nobody outside"
group "$JAIL" -- sh -c 'trap : USR1 TERM HUP; kill -USR1 -1; kill -USR1 0; kill -TERM 0; kill -HUP -1; (kill -USR1 0); :'
is "$(cat "$scratch/group")" '' "TTY-02 nor does any other signal to a group or to all"
run -- ./probe sid
is "$(echo "$out" | awk '{ print $2, ($3 == $4) }')" '1 1' "TTY-02 pid 1 leads the session, and the command its process group"
# A command that stops itself may stop its jail, and no more than that when there is no terminal.
group "$JAIL" --time=1s --grace=100ms -- sh -c 'while :; do echo >>beats; sleep 0.1; done & sleep 0.2; kill -STOP $$; echo resumed'
is "$?" 124 "TTY-02 the time limit holds for a command that stops itself"
is "$(cat "$scratch/group")" '' "TTY-02 a command that stops itself stops no process of the host"
ok "TTY-02 what it left running ends at the limit too" test "$(wc -l <beats)" -lt 20

# TTY-03 -- what is displayed, and what jail itself prints.
cat >corpus <<'END'
\033]52;c;ZXZpbA==\007
\033]52;c;?\033\\
\033]0;title\007\033[21t
\033P+q544e\033\\
\033P$qm\033\\
\033_Gf=100;evil\033\\
\033^private\033\\
\033Xstring\033\\
\033[201~rm -rf ~\n
\033[5i\033[4i
\033[?1001h
\033[2h\033[12l
\033]50;?\007
\033]1337;File=name=eA==:eA==\007
\033]777;notify;a;b\007
\033]9;notify\007
\033]99;;notify\033\\
\033[3t\033[8;1;1t\033[2t
\033c
\033[1;1;1;1;1;1*y
\033[1*z
\033[4?w
\033[$w
\2335n
\2350;c1 title\234
\220raw dcs\234
\302\2335n
\302\235title\302\234
\033%%@\033 G\033 F
\033[?2l
\033[?38h
\005\006\021\023
END
# shellcheck disable=SC2016
printf '%s\n' 'while IFS= read -r line; do printf "<"; printf "$line"; printf ">\n"; done <corpus' >print-corpus
sh ./print-corpus >raw
dangers='\x1b\]52|\x1bP|\x1b_|\x1b\^|\x1bX|\x1b\[20?1?~|\x1b\[[45]i|\x1b\[21t|\x1b\]50|\x1b\]1337|\x1b\]777|\x1b\]9|\x1b\[\?1001|\x1b\[[23]t|\x1b\[8;|\*[yz]|\$w|[\x80-\x9f]5n|\xc2[\x80-\x9f]|\x1b%|\x1b [FG]|\x1b\[\?2l|\x1b\[\?38|[\x05\x06]'
dangerous() {
	"$on_host" find "$dangers" "$1"
}
isnt "$(dangerous raw)" '' "TTY-03 control: raw, the sequences are there"
on_tty "$JAIL" -- sh ./print-corpus
is "$(dangerous "$scratch/shown")" '' "TTY-03 none of them reaches the user's terminal"
is "$(grep -ac '>' "$scratch/shown") $typed" "$(wc -l <corpus | tr -d ' ') -" "TTY-03 the text around them does, and nothing was answered"
on_tty "$JAIL" --escapes raw -- sh ./print-corpus
isnt "$(dangerous "$scratch/shown")" '' "TTY-03 control: with escapes = raw they are displayed"

# C0 but newline and tab, DEL, and C1 in UTF-8 or raw.
unclean() {
	"$on_host" find '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|(?<![\x80-\xff])[\x80-\x9f]' "$1"
}
evil=$(printf 'e\033]0;x\007\033[201~\rf\302\233g')
mkdir "$evil" "$(printf 'new\nline')"
: >"$scratch/said"
for how in "-- $evil" "--workspace $evil/none -- true" "--ro $evil/none -- true" "--profile $evil -- true" "--profile ./$evil -- true" "--$evil" \
	"--seccomp $evil -- true" "--set $evil -- true" "--hostname $evil -- true" "--allow-syscall $evil -- true" "--memory $evil -- true" \
	"run $evil" "profile show $evil" "profile check ./$evil" "explain --ro $evil $evil" "explain --json --ro $evil $evil" "doctor $evil" "$evil"; do
	IFS=' '
	# shellcheck disable=SC2086
	run $how
	unset IFS
	cat "$scratch/out" "$scratch/err" >>"$scratch/said"
	printf '%s\n' "rc $rc" >>"$scratch/said"
done
printf '[files]\nro = %s\n' "$evil" >bad.ini
printf '[%s]\n' "$evil" >bad2.ini
for f in bad.ini bad2.ini; do
	run --profile ./$f -- true
	cat "$scratch/out" "$scratch/err" >>"$scratch/said"
done
(cd "$evil" && run -- true && run explain && cat "$scratch/out" "$scratch/err" && run --status-fd 2 -- ./nothing && cat "$scratch/err") >>"$scratch/said" 2>&1
(cd "$(printf 'new\nline')" && run explain && cat "$scratch/out" "$scratch/err") >>"$scratch/said" 2>&1
is "$(unclean "$scratch/said")" '' "TTY-03 nothing that jail says holds a control character"
ok "TTY-03 it said something" test "$(wc -c <"$scratch/said")" -gt 5000
printf '%s\n' "$evil" >"$scratch/name"
isnt "$(unclean "$scratch/name")" '' "TTY-03 control: the name holds some"

# TTY-04
on_tty "$JAIL" -- sh -c 'ls -1 /dev/pts; tty; ls -l /proc/self/fd/0 | sed "s/.*-> //"'
is "$(printf '%s\n' "$shown" | tr '\n' ' ')" '0 ptmx /dev/pts/0 /dev/pts/0 ' "TTY-04 the jail's terminal is the only one there is"
on_tty ls /dev/pts
isnt "$(printf '%s\n' "$shown" | grep -c '[0-9]')" 0 "TTY-04 control: outside there are others"
refused ENXIO "TTY-04 without a terminal there is no /dev/tty" open rw /dev/tty
on_tty "$probe" open rw /dev/tty
is "$(printf '%s\n' "$shown" | answer)" OK "TTY-04 control: with one there is"
run -- ls /dev/pts
is "$out" ptmx "TTY-04 without a terminal /dev/pts is empty"
finish
