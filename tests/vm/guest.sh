#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the virtual machine, as uid 1000 in a leaf of a cgroup that is delegated to it: limits that need a cgroup and what is left without
# one, Landlock at ABI 2, user namespaces switched off.
# shellcheck disable=SC2154,SC2016  # set by lib.sh; programs for the shell inside
# shellcheck source=tests/vm/guest-lib.sh
. /tests/guest-lib.sh

cg=/sys/fs/cgroup/user

plan 92

# within CGROUP ARG...: like run, from within CGROUP and alone there
within() {
	rc=0
	timeout -s KILL "$limit" sh -c 'echo 0 >"$1/cgroup.procs" || exit 99; shift; exec "$JAIL" "$@"' sh "$@" \
		>"$scratch/out" 2>"$scratch/err" || rc=$?
	out=$(cat "$scratch/out") err=$(cat "$scratch/err")
}

# outside ARG...: like run, from a cgroup that is not ours
outside() {
	rc=0
	timeout -s KILL "$limit" sh -c 'echo "echo $$ >/sys/fs/cgroup/other/cgroup.procs" >/run/asroot/in; cat /run/asroot/out >/dev/null
		exec "$JAIL" "$@"' sh "$@" >"$scratch/out" 2>"$scratch/err" || rc=$?
	out=$(cat "$scratch/out") err=$(cat "$scratch/err")
}

value() {	# value FILE KEY
	sed -n "s/^$2 //p" "$1"
}

available() {
	awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo
}

# ---- the machine ------------------------------------------------------------------------------------------------------

run doctor
is "$rc" 0 "doctor is content"
like "$out" "^ok +cgroup +a cgroup can be made: memory, pids and cpu" "doctor: a cgroup can be made"
like "$out" "^note +landlock +Landlock ABI 2; truncate\(2\) is held by the read-only mounts alone; TCP is held by the network namespace alone" \
	"doctor: what ABI 2 cannot hold"
like "$out" "signals and abstract sockets are held by the namespaces alone" "doctor: what ABI 2 cannot hold, to the end"
like "$out" "^ok +jail +a jail starts" "doctor: a jail starts"
is "$(left "$cg")" "" "doctor leaves no cgroup"
is "$(cat /proc/self/cgroup)" "0::/user/shell" "and moves nobody"

run explain -- true
for what in "truncate" "TCP" "device ioctls" "signals and abstract sockets" "a socket that a host program makes"; do
	like "$out" "Landlock ABI 2 of this kernel: $what" "explain: ABI 2: $what"
done
refused "landlock-3 is required and this kernel has ABI 2" "require = landlock-3" --require landlock-3 -- touch ran
run --require landlock-2 -- true
is "$rc" 0 "require = landlock-2"

# A slow processor shows what is a race: P1 and its thread have one errno.
failures=0 i=0
while [ $i -lt 100 ]; do
	"$JAIL" true || failures=$((failures + 1))
	i=$((i + 1))
done
is "$failures" 0 "a hundred starts, and none fails"

# ---- memory -----------------------------------------------------------------------------------------------------------

run --memory 64M -- probe mem 32
is "$rc,$out,$err" "0,mem 0 OK," "half of the memory limit"
before=$(available)
run --memory 64M -- probe mem 600
is "$rc" 137 "beyond the memory limit: killed"
is "$err" "jail: the memory limit of 64M was reached: the kernel killed the command and all it had started" "and jail says so"
after=$(available)
ok "and the machine has its memory ($before MiB before, $after MiB after)" test "$after" -gt $((before - 100))
is "$(left "$cg")" "" "and the cgroup is gone"
run --memory 64M --status-fd 3 -- probe mem 100 3>"$scratch/status"
like "$(cat "$scratch/status")" '"ended","code":137' "the status descriptor has it"
# Each below the limit, together above it: no rlimit would see it.
run --memory 64M --tmp 200M -- sh -c 'for i in 1 2 3 4; do dd if=/dev/zero of=/tmp/$i bs=1M count=25 2>/dev/null; done; echo never'
is "$rc,$out" "137," "files in /tmp count as memory"
like "$err" "memory limit of 64M was reached" "and it is the memory limit that they reach"
run --memory 64M --tmp 200M -- sh -c 'dd if=/dev/zero of=/tmp/1 bs=1M count=20 2>/dev/null; ls -d /tmp/?'
is "$rc,$out" "0,/tmp/1" "as many as fit do"
refused "a memory limit of 64K is too little to start in" "less than a start needs" --memory 64K -- touch ran

background "$cg" --memory 64M -- sh -c 'cat /proc/self/cgroup; sleep 60 & echo up; wait'
is "$(cat "$dir/memory.max")" 67108864 "memory.max"
is "$(cat "$dir/memory.swap.max")" 0 "no swap unless it is asked for"
is "$(cat "$dir/memory.oom.group")" 1 "killed together"
is "$(head -n 1 "$scratch/bg")" "0::/" "the cgroup namespace begins there"
is "$(sort "$dir/cgroup.procs" | wc -l)" 3 "pid 1, the shell, the sleep: all are in it"
stop_background
is "$rc" 143 "SIGTERM reaches the command"
is "$(left "$cg")" "" "and the cgroup is gone"

run -- cat /proc/self/cgroup
is "$out" "0::/" "without a cgroup of its own the namespace begins at ours"

# Real swap, on a disk of memory.
asroot "insmod /modules/brd.ko rd_nr=1 rd_size=262144 && mkswap /dev/ram0 >/dev/null && swapon /dev/ram0" || diag "no swap"
like "$(cat /proc/swaps)" "^/dev/ram0" "the machine has swap now"
run --memory 64M -- probe mem 100
is "$rc" 137 "which a memory limit does not spill into"
run --memory 64M --swap 128M -- probe mem 100
is "$rc,$out" "0,mem 0 OK" "unless it may"
asroot "swapoff /dev/ram0"

# ---- processes --------------------------------------------------------------------------------------------------------

run --pids 32 --memory 256M -- probe fork-n 100
like "$out" "^fork-n (2[0-9]|3[01]) EAGAIN" "a fork bomb stops at the limit, in a cgroup ($out)"
background "$cg" --pids 32 --require cgroup -- sh -c 'echo up; sleep 60'
is "$(cat "$dir/pids.max")" 32 "pids.max"
stop_background
run --pids 32 -- probe fork-n 100
like "$out" "^fork-n (2[0-9]|3[01]) EAGAIN" "a fork bomb stops at the limit, without a cgroup ($out)"
background "$cg" --pids 32 -- sh -c '(while :; do sleep 60 & done) 2>/dev/null; echo up; while :; do :; done'
is "$dir" "" "no cgroup was made for it"
is "$(probe fork-n 200)" "fork-n 200 OK" "while others of the same user go on forking"
run --pids 32 -- true
is "$rc" 0 "and start more jails"
stop_background KILL

# ---- cpu --------------------------------------------------------------------------------------------------------------

background "$cg" --cpu 0.2 -- timeout 4 sh -c 'echo up; while :; do :; done'
is "$(cat "$dir/cpu.max")" "20000 100000" "cpu.max"
sleep 1.5
throttled=$(value "$dir/cpu.stat" nr_throttled)
ok "a busy loop is held back ($throttled times)" test "$throttled" -gt 3
stop_background
# So small that nobody waits for it to start.
"$JAIL" --cpu 0.005 -- sleep 60 &
jail_pid=$!
until_true 10 sh -c "cat $cg/jail-$jail_pid.0/cpu.max | grep -v max"
is "$(cat "$cg/jail-$jail_pid.0/cpu.max")" "5000 1000000" "a very small share"
stop_background KILL
until_true 20 sh -c "grep 'populated 0' $cg/jail-$jail_pid.0/cgroup.events && rmdir $cg/jail-$jail_pid.0"

# ---- the end of it, in every way --------------------------------------------------------------------------------------

run --memory 64M -- sh -c 'kill -9 $$'
is "$rc,$err" "137," "a command that is killed: no word about memory"
is "$(left "$cg")" "" "no cgroup is left"
word=$(marker)
run --memory 64M -- sh -c "setsid sh -c 'sleep 60; : $word' & sleep 0.2"
is "$rc,$(marked "$word"),$(left "$cg")" "0,," "a command that leaves others behind: they end, and the cgroup with them"
word=$(marker)
run --memory 64M --time 1s --grace 1s -- sh -c "trap '' TERM; while :; do sleep 1; done; : $word"
is "$rc,$(marked "$word"),$(left "$cg")" "124,," "the time limit: no process and no cgroup is left"
background "$cg" --memory 64M -- sh -c 'echo up; sleep 60'
kill -9 "$(sort -n "$dir/cgroup.procs" | head -n 1)"
wait_background
is "$rc,$(left "$cg")" "137," "pid 1 is killed: the same"
background "$cg" --memory 64M -- sh -c 'echo up; sleep 60'
asroot "echo 1 >$dir/cgroup.kill"
wait_background
is "$rc,$(left "$cg")" "137," "the whole cgroup is killed: the same"
background "$cg" --memory 64M -- sh -c 'echo up; sleep 60'
stop_background KILL
until_true 5 grep -q 'populated 0' "$dir/cgroup.events"
is "$(cat "$dir/cgroup.procs")" "" "jail itself is killed: nothing goes on"
run --memory 64M -- true
is "$(left "$cg")" "" "and the next jail sweeps the cgroup away"
for i in 1 2 3 4 5 6; do
	"$JAIL" --memory 64M -- sh -c 'sleep 0.3; echo done' >"$scratch/many.$i" 2>&1 &
done
wait
is "$(cat "$scratch"/many.* | sort | uniq -c | tr -s ' ')" " 6 done" "six at once"
is "$(left "$cg")" "" "and nothing is left of them"

# ---- alone in a cgroup ------------------------------------------------------------------------------------------------

mkdir "$cg/alone"
within "$cg/alone" --memory 64M -- probe mem 100
is "$rc" 137 "alone in a cgroup that passes nothing on: the limit holds"
is "$(find "$cg/alone" -mindepth 1 -type d),$(cat "$cg/alone/cgroup.subtree_control")" "," "and all is as before"
within "$cg/alone" --memory 64M --require cgroup -- true
is "$rc,$err" "0," "so that it works again"
# In the same cgroup there is a shell too, which is not ours to move.
rc=0
sh -c 'echo 0 >"$1/cgroup.procs"; "$JAIL" --memory 64M -- true; exit $?' sh "$cg/alone" 2>"$scratch/err" || rc=$?
is "$rc,$(cat "$scratch/err")" "0," "with company there, the one above is used"
is "$(left "$cg/alone")" "" "and nobody was moved"
rmdir "$cg/alone"

# A part of the controllers is enough for a part of the limits.
mkdir "$cg/part"
echo "+memory +pids" >"$cg/part/cgroup.subtree_control"
mkdir "$cg/part/leaf"
asroot "echo -cpu >$cg/cgroup.subtree_control; echo -cpu >/sys/fs/cgroup/cgroup.subtree_control"
within "$cg/part/leaf" --memory 64M --require cgroup -- true
is "$rc,$err" "0," "memory without cpu is enough for memory"
within "$cg/part/leaf" --cpu 0.5 --require cgroup -- true
is "$rc" 125 "and not for cpu"
asroot "echo +cpu >/sys/fs/cgroup/cgroup.subtree_control; echo +cpu >$cg/cgroup.subtree_control"
rmdir "$cg/part/leaf" "$cg/part"

# Units that systemd did not give away.
mkdir "$cg/x.scope"
within "$cg/x.scope" --memory 64M --require cgroup -- true
is "$rc" 125 "a unit of systemd is not used, though it is writable"
tool delegate "$cg/x.scope"
within "$cg/x.scope" --memory 64M --require cgroup -- true
is "$rc,$err" "0," "unless it is marked as delegated"
rmdir "$cg/x.scope"

# A directory that is ours, and processes that are not ours to move into it.
asroot "chown root $cg/cgroup.procs"
run --memory 64M -- true
asroot "chown user $cg/cgroup.procs"
like "$rc,$err" "^0,jail: no cgroup is delegated here" "half of a delegation is none"

# ---- nothing is delegated ---------------------------------------------------------------------------------------------

asroot mkdir /sys/fs/cgroup/other
outside --require cgroup -- touch ran
is "$rc,$(wc -l <"$scratch/err"),$(ls)" "125,1," "require = cgroup and none: refused"
like "$err" "^jail: a cgroup is required and none is delegated here .*jail doctor" "with one line that says why"
outside --memory 64M -- sh -c 'ulimit -d; probe mem 100; probe mem 32'
is "$rc" 0 "memory and no cgroup: it runs"
like "$err" "^jail: no cgroup is delegated here: memory is limited for each process, cpu and swap not at all" "with a notice"
is "$(echo "$err" | wc -l)" 1 "of one line"
is "$(echo "$out" | tr '\n' ' ')" "65536 mem -1 ENOMEM mem 0 OK " "and a limit for each process"
outside -- true
is "$rc,$err" "0," "without such limits there is nothing to say"
outside doctor
like "$out" "^note +cgroup +no cgroup is delegated, and systemd gives none: limits hold for each process" "doctor says it too"
is "$rc" 0 "and does not call it a failure"
out=$(asroot 'mkdir -p /root/w && cd /root/w && jail --memory 64M -- true; test $? = 125') || out="it ran: $out"
like "$out" "^jail: the file system of '/root/w' cannot show root's files to another user" "root, and a tmpfs that 6.1 cannot idmap: refused"
rc=0
asroot 'cd /root/w && jail --allow-root --memory 64M -- probe mem 100; test $? = 137' >/dev/null || rc=1
is "$rc" 0 "root needs no delegation"
is "$(asroot "find /sys/fs/cgroup -name 'jail*'")" "" "and leaves nothing either"

# ---- an old Landlock --------------------------------------------------------------------------------------------------

echo precious >"$scratch/precious"
run --ro "$scratch/precious" -- probe truncate "$scratch/precious"
is "$out" "truncate -1 EROFS" "truncating a file that is shown read-only"
is "$(cat "$scratch/precious")" "precious" "it is whole"
run -- probe open create /usr/x
is "$out" "open -1 EROFS" "writing to /usr"
run -- probe open r /etc/shadow
is "$out" "open -1 ENOENT" "/etc/shadow is not there"
run -- probe unshare-user
is "$out" "unshare-user -1 EPERM" "no user namespace inside"
run -- probe mount-tmpfs
is "$out" "mount-tmpfs -1 EPERM" "no mount inside"
is "$(tool listen jail-test probe abstract jail-test)" "abstract 0 OK" "an abstract socket of the host's, from the host"
run -- true
out=$(tool listen jail-test "$JAIL" -- probe abstract jail-test) || :
is "$out" "abstract -1 ECONNREFUSED" "and from inside"

# ---- no user namespaces -----------------------------------------------------------------------------------------------

asroot "echo 0 >/proc/sys/user/max_user_namespaces"
refused "make the namespaces: .*max_user_namespaces.*jail doctor" "user.max_user_namespaces=0: refused" -- touch ran
run doctor
is "$rc" 125 "doctor: that is a failure"
like "$out" "fix: sudo sysctl user.max_user_namespaces=[1-9]" "and names the setting"
asroot "echo 15000 >/proc/sys/user/max_user_namespaces; echo 0 >/proc/sys/kernel/unprivileged_userns_clone"
refused "make the namespaces: .*jail doctor" "kernel.unprivileged_userns_clone=0: refused" -- touch ran
run doctor
is "$rc" 125 "doctor: that is a failure"
like "$out" "fix: sudo sysctl kernel.unprivileged_userns_clone=1" "and names the setting"
asroot "echo 1 >/proc/sys/kernel/unprivileged_userns_clone"
run -- true
is "$rc" 0 "with both as they were, jail works"
