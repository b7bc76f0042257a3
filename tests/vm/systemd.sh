#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the virtual machine, as uid 1000 where a login would be: in a cgroup of root's, beside a systemd of the user's own.
# shellcheck disable=SC2154,SC2016,SC2119  # set by lib.sh; programs for the shell inside
# shellcheck source=tests/vm/guest-lib.sh
. /tests/guest-lib.sh

tree=/sys/fs/cgroup/user.slice/user-1000.slice
manager=$tree/user@1000.service

plan 41

unset XDG_RUNTIME_DIR	# as after su; where it is is known all the same

as_user() { XDG_RUNTIME_DIR=/run/user/1000 "$@"; }

scopes() {	# those that are loaded, in whatever state
	as_user systemctl --user list-units --all --plain --no-legend 'run-*.scope'
}

# ---- a login session --------------------------------------------------------------------------------------------------

is "$(cat /proc/self/cgroup)" "0::/user.slice/user-1000.slice/jail-test.service" "(where a login would be)"
run doctor
like "$out" "^ok +cgroup +systemd gives a cgroup to a run that needs one: memory, pids and cpu" "doctor: systemd gives one"
is "$rc" 0 "doctor is content"

run --memory 64M --require cgroup -- cat /proc/self/cgroup
is "$rc,$out,$err" "0,0::/," "require = cgroup"
run --memory 64M -- probe mem 100
is "$rc" 137 "beyond the memory limit: killed"
is "$err" "jail: the memory limit of 64M was reached: the kernel killed the command and all it had started" "and jail says so"
is "$(left "$tree")" "" "no cgroup is left"
until_true 10 test -z "$(scopes)"
is "$(scopes)" "" "and no unit, not even a failed one"

background "$manager" --memory 64M --cpu 0.5 --pids 40 -- sh -c 'sleep 60 & echo up; wait'
like "$dir" "^$manager/app.slice/run-[^/]*\.scope/jail-$jail_pid\.0$" "in a scope of its own, by the same process"
is "$(cat "$dir/memory.max" "$dir/memory.swap.max" "$dir/cpu.max" "$dir/pids.max" | tr '\n' ' ')" "67108864 0 50000 100000 40 " "the limits"
is "$(cat "${dir%/*}/jail.supervisor/cgroup.procs")" "$jail_pid" "jail itself beside it"
as_user systemctl --user daemon-reload
as_user systemctl --user set-property "$(basename "${dir%/*}")" CPUWeight=50
is "$(cat "$dir/memory.max")" 67108864 "systemd leaves it alone"
stop_background
is "$rc,$(left "$tree")" "143," "and it ends as it should"

# ---- nothing is lost on the way ---------------------------------------------------------------------------------------

run --memory 64M -- sh -c 'exit 7'
is "$rc" 7 "the exit status"
run --memory 64M -- printf '<%s>' 'a b' '' '$HOME' '${PATH}' '%n %%' '--' '-x' "a
b"
is "$out" "<a b><><\$HOME><\${PATH}><%n %%><--><-x><a
b>" "the words of the command"
run --memory 64M --status-fd 5 -- true 5>"$scratch/status"
like "$(cat "$scratch/status")" '"ended","code":0' "the status descriptor"
is "$(echo through | "$JAIL" --memory 64M -- cat | cat)" through "pipes"
JAIL_SCOPE=1 JAIL_OTHER=2 XDG_RUNTIME_DIR=/run/user/1000 run --memory 64M --pass 'JAIL_*' -- sh -c 'env | grep ^JAIL_'
is "$out" "JAIL_OTHER=2" "the environment, without the mark"
tool pty "$JAIL" --memory 64M -- sh -c 'test -t 0 && test -t 1 && echo terminal' >"$scratch/tty" 2>&1
is "$(tr -d '\r' <"$scratch/tty")" "terminal" "the terminal"
run --memory 64M <&- -- sh -c 'readlink /proc/self/fd/0; cat'
is "$rc,$out" "0,/dev/null" "a closed stdin"
cd /usr || exit
run --memory 64M --workspace "$work" -- pwd
cd "$work" || exit
is "$rc" 0 "the current directory"
profile limited "[jail]" "command = cat /proc/self/cgroup" "require = cgroup" "[limits]" "memory = 64M"
run run limited
is "$rc,$out" "0,0::/" "jail run PROFILE"

# ---- when it is not asked ---------------------------------------------------------------------------------------------

background "$manager" -- sh -c 'echo up; sleep 60; :'
is "$(cat "/proc/$jail_pid/cgroup")" "0::/user.slice/user-1000.slice/jail-test.service" "without such limits jail stays where it is"
stop_background
# A unit of the system's systemd, which marks what it has delegated.
asroot "systemd-run --quiet --unit=given -p DefaultDependencies=no -p User=user -p Delegate=yes -p WorkingDirectory=$work \
	jail --memory 64M --require cgroup -- sleep 60"
until_true 30 sh -c 'find /sys/fs/cgroup/system.slice/given.service -type d 2>/dev/null | grep -q /jail-'
like "$(left /sys/fs/cgroup/system.slice)" "/given.service/jail-[0-9]+\.0$" "a unit that is delegated already is used"
is "$(scopes)" "" "and no scope is made"
asroot "systemctl stop given"
# The user's own marks nothing.
XDG_RUNTIME_DIR=/run/user/1000 systemd-run --user --scope --quiet --unit=other.scope "$JAIL" --memory 64M --require cgroup -- \
	sh -c 'echo up; sleep 60; :' >"$scratch/bg" 2>&1 &
jail_pid=$!
until_true 30 grep -q up "$scratch/bg"
like "$(left "$manager")" "/run-[^/]*\.scope/jail-$jail_pid\.0$" "in one that is not, another is asked for"
unlike "$(left "$manager")" "/other.scope/" "though it is writable"
stop_background
is "$rc,$(left /sys/fs/cgroup)" "143," "nothing is left of either"

# ---- when there is none to be had -------------------------------------------------------------------------------------

without() {	# without NAME: jail works without a cgroup, with a notice, and is refused where one is required
	run --memory 64M -- sh -c 'ulimit -d'
	is "$rc,$out" "0,65536" "$1: limits for each process"
	like "$err" "^jail: no cgroup is delegated here" "$1: a notice"
	refused "a cgroup is required and none is delegated here" "$1: refused where it is required" --require cgroup -- touch ran
}
export XDG_RUNTIME_DIR=/nonexistent
without "no systemd"
mkdir -p "$scratch/run/systemd"
# A socket that nobody listens on any more.
tool bound "$scratch/run/systemd/private"
export XDG_RUNTIME_DIR="$scratch/run"
without "a dead systemd"
unset XDG_RUNTIME_DIR
asroot "chmod o+w /usr/bin/systemd-run"
without "a systemd-run that anybody could have written"
asroot "chmod o-w /usr/bin/systemd-run"
# The mark of a process that asked already: it does not ask again.
rc=0
sh -c 'JAIL_SCOPE=$$ exec "$JAIL" --memory 64M --require cgroup -- true' 2>"$scratch/err" || rc=$?
is "$rc" 125 "no loop"

# ---- root -------------------------------------------------------------------------------------------------------------

asroot 'mkdir -p /root/w; cd /root/w; jail --allow-root --memory 64M -- probe mem 100; test $? = 137' >"$scratch/out" && rc=0 || rc=1
is "$rc" 0 "root asks the system's"
like "$(cat "$scratch/out")" "memory limit of 64M was reached" "and gets it"
is "$(left /sys/fs/cgroup)" "" "nothing is left"
