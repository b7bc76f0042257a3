#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Real terminals: full-screen programs in tmux, window sizes, job control, escapes, and settings that are given back.
# shellcheck disable=SC2154,SC2016  # set by lib.sh; programs for the shell inside
# shellcheck source=tests/integration/lib.sh
. "$top_srcdir/tests/integration/lib.sh"

have tmux || skip_all "no tmux"
for vi in vim vim.tiny vi ''; do
	have "$vi" && break
done
[ -n "$vi" ] || skip_all "no vim"

pty_tests=$(grep -c '^def test_' "$top_srcdir/tests/integration/terminal-pty.py")
plan $((28 + pty_tests))

# ---- in tmux, as a person would

tm() {
	timeout 10 tmux -L jail -f /dev/null "$@"
}
screen() {
	tm capture-pane -p
}
shows() { # shows ERE: now
	screen | grep -Eq -e "$1"
}
see() { # see ERE NAME: within 10 s
	if until_true 10 shows "$1"; then
		pass "$2"
	else
		fail "$2"
		diag "want on the screen: /$1/"
		diag "$(screen)"
	fi
}
keys() {
	tm send-keys "$@"
}
type_line() {
	tm send-keys -l -- "$1"
	tm send-keys Enter
}
prompts=0
fresh() { # a clean screen at the shell's prompt
	prompts=$((prompts + 1))
	type_line "clear; PS1='$prompts> '"
	until_true 10 shows "^$prompts> *\$"
}

# no history: the home is the caller's own
export TMUX_TMPDIR=$scratch JAIL PS1='0> ' HISTFILE=
unset TMUX
at_end 'tm kill-server 2>/dev/null'
tm new-session -d -x 80 -y 24 'bash --norc --noprofile -i'
tm set-option -g window-size manual >/dev/null 2>&1
until_true 10 shows '^0>'

fresh
type_line "stty -g >$scratch/before"
type_line '"$JAIL" -- sh -c "tty; stty size"'
see '^/dev/pts/0$' "the terminal inside is /dev/pts/0"
see '^24 80$' "... and as large as the window"

fresh
type_line "\"\$JAIL\" -- $vi -u NONE -N -c 'set noswapfile ruler' note"
see '"note" \[New' "vim draws its status line"
see '^~' "... and its empty lines"
keys i
tm send-keys -l "first line"
keys Enter
tm send-keys -l "second line"
see '^second line' "what is typed is shown"
tm resize-window -x 100 -y 30
until_true 10 eval '[ "$(screen | grep -c "^~")" = 27 ]'
is "$(screen | grep -c '^~')" 27 "a larger window: vim fills it"
tm resize-window -x 60 -y 12
until_true 10 eval '[ "$(screen | grep -c "^~")" = 9 ]'
is "$(screen | grep -c '^~')" 9 "a smaller one too"
keys Escape
keys C-z
see 'Stopped' "Ctrl-Z stops vim, and the shell is back"
type_line 'stty -a | grep -o " echo " | head -n 1; echo in-between'
see '^in-between$' "... and usable"
tm resize-window -x 80 -y 24
type_line fg
until_true 10 eval '[ "$(screen | grep -c "^~")" = 21 ]'
is "$(screen | grep -c '^~'),$(screen | grep -c '^second line')" 21,1 "fg brings it back, in the window's new size"
tm send-keys -l ':wq'
keys Enter
until_true 10 test -s note
is "$(cat note)" "first line
second line" ":wq writes the file"
see "^[^~]*$prompts> *\$" "the screen is the shell's again"
unlike "$(screen)" '^~' "... and what was on it before, not vim's"

fresh
type_line '"$JAIL" -- sleep 30'
sleep 0.4
keys C-c
see "^(\^C)?$prompts> *\$" "Ctrl-C interrupts"
type_line 'echo rc=$?'
see '^rc=130$' "... as a signal does"
fresh
type_line '"$JAIL" -- sh -c "sleep 30; exit 3"'
sleep 0.4
keys C-z
see 'Stopped.*JAIL' "Ctrl-Z stops a plain command"
type_line jobs
see '^\[1\]\+ +Stopped' "... jobs lists it"
type_line bg
type_line 'jobs; echo listed'
see '^\[1\]\+ +Running' "... bg lets it run"
type_line fg
sleep 0.5
keys C-c
sleep 0.2
type_line 'echo rc=$?'
see '^rc=130$' "... and in front again Ctrl-C reaches it"

fresh
type_line '"$JAIL" -- bash --norc --noprofile -i'
sleep 0.4
type_line 'PS1="in $(uname -n)> "'
see '^in jail> *$' "an interactive shell"
type_line 'sleep 30'
sleep 0.3
keys C-z
see '\[1\]\+ +Stopped +sleep 30' "... has job control of its own"
type_line 'fg'
sleep 0.3
keys C-c
type_line 'exit 5'
see "^$prompts> *\$" "... and ends"
type_line 'echo rc=$?'
see '^rc=5$' "... with its status"

fresh
type_line '"$JAIL" -- printf "one\ntwo\nthree\n" | cat'
see '^three$' "jail | cat: lines begin at the left"
fresh
type_line 'printf "one\ntwo\nthree\n" | "$JAIL" -- cat'
see '^three$' "| jail: lines begin at the left"
fresh
type_line '(for i in 1 2 3; do echo line $i; done; sleep 30) | "$JAIL" -- sh -c "cat; sleep 30"'
see '^line 3$' "what comes through a pipe is shown as it comes"
keys C-c
see "^[^~]*$prompts> *\$" "... and Ctrl-C ends the pipeline"
type_line "stty -g >$scratch/after"
until_true 10 test -s "$scratch/after"
is "$(cat "$scratch/after")" "$(cat "$scratch/before")" "the terminal is set as it was before all this"
tm kill-server 2>/dev/null

# ---- byte by byte

timeout -s KILL 240 python3 "$top_srcdir/tests/integration/terminal-pty.py" >"$scratch/pty" 2>&1
while read -r verdict name; do
	case $verdict in
	pass) pass "$name" ;;
	fail) fail "${name%%:*}"; diag "${name#*: }" ;;
	*) diag "$verdict $name" ;;
	esac
done <"$scratch/pty"
