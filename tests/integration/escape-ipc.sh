#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sockets, descriptors and System V and POSIX IPC: IPC-01 to IPC-08. The host's side listens and keeps a log.
# shellcheck disable=SC2154,SC2034,SC2016  # set, or read, by escape-lib.sh; programs for the shell inside
# shellcheck disable=SC2012,SC2002,SC3045,SC2015
# shellcheck source=tests/integration/escape-lib.sh
. "$top_srcdir/tests/integration/escape-lib.sh"

say() {
	cat "$scratch/$1.log" 2>/dev/null
}

# IPC-01
serve "$scratch/docker.log" stream "$scratch/docker.sock" || fail "IPC-01 a listener"
mkdir -p "$scratch/run"
serve "$scratch/bus.log" stream "$scratch/run/bus" || fail "IPC-03 a listener"
# In a mount namespace with a /run of its own, where something listens at every one of these.
uid=$(id -u)
wellknown="/run/docker.sock /run/podman/podman.sock /run/containerd/containerd.sock /run/crio/crio.sock /run/buildkit/buildkitd.sock
	/run/libvirt/libvirt-sock /run/lxd.socket /run/incus/unix.socket /run/snapd.socket /run/docker/containerd/containerd.sock
	/run/k3s/containerd/containerd.sock /run/dockershim.sock /run/rpcbind.sock /run/user/$uid/podman/podman.sock /run/user/$uid/docker.sock"
session="/run/user/$uid/bus /run/dbus/system_bus_socket /run/user/$uid/systemd/private /run/systemd/private /run/systemd/journal/socket
	/run/user/$uid/wayland-0 /run/user/$uid/pulse/native /run/user/$uid/pipewire-0 /run/udev/control /run/nscd/socket /run/acpid.socket"
cat >"$scratch/plant" <<'END'
mount -t tmpfs none /run && mkfifo /run/ready || exit
"$1" sockets $2 >/run/ready &
listener=$!
read -r line </run/ready
for path in $2; do
	outside=$("$3" unixconnect "$path")
	inside=$(timeout 20 "$JAIL" -- ./probe unixconnect "$path" 2>&1)
	echo "$path ${inside##* } ${outside##* }"
done
kill $listener
END
userns=-Ur
[ "$who" = user ] || userns=
# shellcheck disable=SC2086
unshare $userns -m sh "$scratch/plant" "$on_host" "$wellknown $session" "$probe" >"$scratch/planted" 2>"$scratch/plant.err"
diag "$(cat "$scratch/plant.err")"
inside_of() {
	awk -v p="$1" '$1 == p { print $2 }' "$scratch/planted"
}
outside_of() {
	awk -v p="$1" '$1 == p { print $3 }' "$scratch/planted"
}
for path in $wellknown; do
	verdict "IPC-01 $path does not exist" "$(inside_of "$path")" ENOENT "$(outside_of "$path")" OK
done
refused ENOENT "IPC-01 /var/run/docker.sock does not exist" unixconnect /var/run/docker.sock
blocked ENOENT "IPC-01 a socket beside the workspace does not exist" unixconnect "$scratch/docker.sock"
for how in --ro --rw; do
	run $how "$scratch/docker.sock" -- ./probe unixconnect "$scratch/docker.sock"
	is "$rc $(printf '%s\n' "$err" | grep -c 'is a socket')" '125 1' "IPC-01 jail $how docker.sock is refused"
done
run --ro "$scratch/run" -- ./probe unixconnect "$scratch/run/bus"
is "$(printf '%s\n' "$out" | answer)" EACCES "IPC-01 a socket in a directory that is shown is EACCES"
DOCKER_HOST="unix://$scratch/docker.sock" CONTAINER_HOST=x run -- env
unlike "$out" 'DOCKER_HOST|CONTAINER_HOST' "IPC-01 DOCKER_HOST is not passed on"
is "$(say docker | wc -l | tr -d ' ')" 1 "IPC-01 the listener was reached by the control, and by nothing else"

# IPC-02
serve "$scratch/agent.log" stream "$scratch/agent.sock" || fail "IPC-02 a listener"
export SSH_AUTH_SOCK="$scratch/agent.sock" SSH_AGENT_PID=1 GPG_AGENT_INFO=x GIT_ASKPASS=x SSH_ASKPASS=x VSCODE_GIT_IPC_HANDLE=x GNOME_KEYRING_CONTROL=x
run -- env
unlike "$out" '^(SSH_|GPG_|GIT_ASKPASS|VSCODE_|GNOME_)' "IPC-02 no variable leads to an agent"
like "$out" '^HOME=' "IPC-02 there is an environment"
like "$(env)" '^SSH_AUTH_SOCK=' "IPC-02 control: outside it does"
unset SSH_AGENT_PID GPG_AGENT_INFO GIT_ASKPASS SSH_ASKPASS VSCODE_GIT_IPC_HANDLE GNOME_KEYRING_CONTROL
blocked ENOENT "IPC-02 the agent's socket does not exist" unixconnect "$SSH_AUTH_SOCK"
run --pass SSH_AUTH_SOCK -- sh -c './probe unixconnect "$SSH_AUTH_SOCK"'
is "$(printf '%s\n' "$out" | answer)" ENOENT "IPC-02 not even when its variable is passed on"
is "$(say agent | wc -l | tr -d ' ')" 1 "IPC-02 the agent was reached by the control, and by nothing else"
unset SSH_AUTH_SOCK

# IPC-03
for path in $session; do
	verdict "IPC-03 $path does not exist" "$(inside_of "$path")" ENOENT "$(outside_of "$path")" OK
done
refused ENOENT "IPC-03 /tmp/.X11-unix/X0 does not exist" unixconnect /tmp/.X11-unix/X0
DISPLAY=:0 WAYLAND_DISPLAY=wayland-0 DBUS_SESSION_BUS_ADDRESS=x XAUTHORITY=x PULSE_SERVER=x run -- env
unlike "$out" 'DISPLAY|DBUS|XAUTH|PULSE' "IPC-03 no variable leads to a display or a bus"
refused 'ECONNREFUSED|EPERM' "IPC-03 the X server's abstract socket is not there" abstract /tmp/.X11-unix/X0
is "$(host unixconnect "$scratch/run/bus")" OK "IPC-03 control: a bus outside answers"
is "$(say bus | wc -l | tr -d ' ')" 1 "IPC-03 and was reached by nothing else"

# IPC-04 -- by the network namespace, and with the host's network by Landlock.
serve "$scratch/abstract.log" abstract "$nonce" || fail "IPC-04 a listener"
blocked 'ECONNREFUSED|EPERM' "IPC-04 an abstract socket of the host is not there" abstract "$nonce"
opts='--network host'
got=$(tried abstract "$nonce") abi=$(jail explain --json 2>/dev/null | tr -d ' \n' | sed -n 's/.*"landlock[^0-9]*\([0-9]*\).*/\1/p')
opts=''
if [ "$got" != EPERM ] && [ -n "$abi" ] && [ "$abi" -lt 6 ]; then
	inconclusive "IPC-04 with the host's network it is EPERM by Landlock alone" "Landlock has no scopes here (ABI $abi)"
else
	verdict "IPC-04 with the host's network it is EPERM by Landlock alone" "$got" EPERM OK OK
fi
is "$(say abstract | wc -l | tr -d ' ')" 1 "IPC-04 the listener was reached by the control, and by nothing else"

# IPC-05, IPC-06 -- sockets in the workspace, by whatever name they were bound and wherever they went since. $layer_off is the same jail
# with the list of /proc/net/unix, which has their names alone.
layer_off="$top_builddir/tests/helpers/deny EAFNOSUPPORT netlink -- $JAIL"
unmasked() {
	# shellcheck disable=SC2086
	timeout -s KILL "$limit" $layer_off -- ./probe "$@" 2>"$scratch/tried.err" | answer
}
reached() { # reached NAME...: how often each of these listeners was
	for listener; do say "$listener" | wc -l; done | tr -d ' ' | tr '\n' ' '
}
serve "$scratch/tree.log" stream "$work/tree.sock" || fail "IPC-05 a listener"
serve "$scratch/dgram.log" dgram "$work/dgram.sock" || fail "IPC-05 a listener"
flips=OK
blocked 'EACCES|ECONNREFUSED' "IPC-05 a socket of the host in the workspace is refused" unixconnect "$work/tree.sock"
blocked 'EACCES|ECONNREFUSED' "IPC-05 a datagram to one is refused" unixsend "$work/dgram.sock"
until_true 2 test -s "$scratch/dgram.log"
is "$(reached tree dgram)" '1 1 ' "IPC-05 the listeners were reached by the control, and by nothing else"
run -- sh -c 'ln tree.sock y; mv tree.sock x; rm -f tree.sock; ls'
unlike "$out" '^[xy]$' "IPC-05 it cannot be given another name"

mkdir -p sub/tmp away/from/here here
serve "$scratch/relative.log" stream tmp/relative.sock "$work/sub" || fail "IPC-05 a listener"
serve "$scratch/top.log" stream sub/top.sock "$work" || fail "IPC-05 a listener"
serve "$scratch/renamed.log" stream "$work/sub/before.sock" || fail "IPC-05 a listener"
mv sub/before.sock sub/renamed.sock
serve "$scratch/moved.log" stream moved.sock "$work/sub" || fail "IPC-05 a listener"
mv sub/moved.sock away/from/here/
serve "$scratch/dir.log" stream "$work/here/dir.sock" || fail "IPC-05 a listener"
mv here there
serve "$scratch/linked.log" stream "$work/linked.sock" || fail "IPC-05 a listener"
ln linked.sock sub/other.sock
for way in "bound by a relative name=sub/tmp/relative.sock" "bound by a name relative to the workspace=sub/top.sock" \
	"renamed in its directory=sub/renamed.sock" "bound by a relative name, and moved=away/from/here/moved.sock" \
	"in a directory that was renamed=there/dir.sock" "known by a second name=sub/other.sock"; do
	blocked 'EACCES|ECONNREFUSED' "IPC-05 one that is ${way%=*} is refused" unixconnect "$work/${way#*=}"
	control=unmasked
	blocked 'EACCES|ECONNREFUSED' "IPC-05 ... and is by the mask" unixconnect "$work/${way#*=}"
	control=host
done
is "$(reached relative top renamed moved dir linked)" '2 2 2 2 2 2 ' "IPC-05 these were reached by the controls, and by nothing else"
is "$(unmasked unixconnect "$work/tree.sock"),$(reached tree)" 'EACCES,1 ' "IPC-05 without the kernel's list a name that leads there is refused still"
# shellcheck disable=SC2086
like "$($layer_off explain)" 'note +the kernel does not tell where sockets are' "IPC-05 ... and explain tells what is not"
# shellcheck disable=SC2086
is "$($layer_off --require sockets -- true 2>&1 | grep -c '^jail: --require: sockets is required')" 1 "IPC-05 ... and require = sockets refuses it"
run explain
is "$(printf '%s\n' "$out" | grep -c "hidden .*(a host program's socket)") $(printf '%s\n' "$out" | grep -c 'host programs have moved')" '9 0' \
	"IPC-05 explain has all that are hidden, and no doubt"

# What one run moves, the next one finds.
run -- sh -c 'mkdir attic && mv there attic/cellar && ./probe unixconnect attic/cellar/dir.sock'
is "$(printf '%s\n' "$out" | answer)" EACCES "IPC-05 in a directory that the command renames it stays refused"
blocked 'EACCES|ECONNREFUSED' "IPC-05 and for the next command, too" unixconnect "$work/attic/cellar/dir.sock"
mkdir -p alias
cat >"$scratch/alias" <<'END'
mount --bind sub alias && timeout 20 "$JAIL" -- ./probe unixconnect "$PWD/alias/top.sock"
"$1" unixconnect "$PWD/alias/top.sock"
END
# shellcheck disable=SC2086
unshare $userns -m sh "$scratch/alias" "$probe" >"$scratch/aliased" 2>&1
verdict "IPC-05 one that is seen through a second mount is refused there" "$(head -n 1 "$scratch/aliased" | answer)" EACCES \
	"$(tail -n 1 "$scratch/aliased" | answer)" OK
is "$(reached dir top)" '3 3 ' "IPC-05 both were reached by the control, and by nothing else"
if [ "$who" = user ]; then # root reads everything, in a namespace of its own as well
	chmod 300 attic
	run -- true
	like "$rc $err" '^0 jail: weak: not all that is shown could be searched for sockets' "IPC-05 what cannot be searched is announced"
	run --require sockets -- touch ran
	is "$rc $(ls ran 2>/dev/null) $(printf '%s\n' "$err" | grep -c 'sockets is required')" '125  1' "IPC-05 ... and refused with require = sockets"
	chmod 700 attic
fi
run --require sockets -- true
is "$rc $err" '0 ' "IPC-05 what can is not"

# A listener in a network namespace of its own, as in a container.
rm -f "$scratch/served"
mkfifo "$scratch/served"
# shellcheck disable=SC2086
unshare $userns -n "$on_host" listen "$scratch/foreign.log" stream "$work/foreign.sock" >"$scratch/served" 2>"$scratch/served.err" &
at_end "kill $! 2>/dev/null"
read -r line <"$scratch/served" || fail "IPC-05 a listener"
todo='the kernel lists the sockets of our own network namespace alone'
blocked 'EACCES|ECONNREFUSED' "IPC-05 one of another network namespace is refused" unixconnect "$work/foreign.sock"
todo=''

run -- sh -c 'cp probe p; (exec 2>/dev/null; rm -f own.sock); python3 -c "
import os, socket
s = socket.socket(socket.AF_UNIX); s.bind(\"own.sock\"); s.listen()
c = socket.socket(socket.AF_UNIX); c.connect(\"own.sock\"); print(\"connected\")
os.mkdir(\"own\"); os.rename(\"own.sock\", \"own/a\"); os.rename(\"own\", \"owned\")
c = socket.socket(socket.AF_UNIX); c.connect(\"owned/a\"); print(\"again\")
d = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); d.bind(os.getcwd() + \"/owned/d\")
c = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); c.sendto(b\"sent\", \"owned/d\"); print(d.recv(9).decode())"'
is "$(printf "%s" "$out" | tr "\n" " ")" "connected again sent" "IPC-05 control: sockets of the jail's own can be used, by any name"
run -- sh -c 'rm owned/a && mv owned/d e && rm e && rmdir owned && echo gone'
is "$out" gone "IPC-05 and what is left of them is the next command's to remove"
is "$(tried unixsend "$work/dgram.sock")" EACCES "IPC-06 a datagram from a socket pair is EACCES"
opts='--seccomp strict'
refused unready:EPERM "IPC-06 with seccomp = strict there is no datagram socket pair" unixsend "$work/dgram.sock"
refused unready:EPERM "IPC-05 with seccomp = strict there is no socket to connect" unixconnect "$work/sub/top.sock"
opts=''

# IPC-07
rm -f "$scratch/served"
mkfifo "$scratch/served"
"$on_host" ipc "$nonce" >"$scratch/served" 2>"$scratch/ipc.err" &
at_end "kill $! 2>/dev/null; wait $! 2>/dev/null"
read -r key has_shm has_queue <"$scratch/served"
blocked ENOENT "IPC-07 a System V segment of the host is not there" shmget "$key"
if [ "$has_shm" = 1 ]; then
	blocked ENOENT "IPC-07 a POSIX segment of the host is not there" shm_open "/$nonce"
else
	inconclusive "IPC-07 a POSIX segment of the host is not there" "no /dev/shm here"
fi
if [ "$has_queue" = 1 ]; then
	blocked ENOENT "IPC-07 a message queue of the host is not there" mqopen "/$nonce"
else
	inconclusive "IPC-07 a message queue of the host is not there" "no POSIX message queues here"
fi
run -- sh -c 'ls -A /dev/shm; cat /proc/sysvipc/shm | wc -l'
is "$out" 1 "IPC-07 both tables are empty inside"

# IPC-08 -- started with descriptors 3 to 200 open, on a directory, a socket, a memfd, a pidfd.
echo "$nonce" >"$scratch/canary"
"$on_host" fds "$scratch" timeout 20 "$JAIL" -- sh -c './probe fds; ./probe open r /proc/self/fd/9/canary; ./probe open r /dev/fd/9/canary; ./probe setns-fd 9' >"$scratch/out" 2>&1
is "$(awk '/^fds/ { print $2 }' "$scratch/out" | tr '\n' ' ')" '0 1 2 ' "IPC-08 the command has descriptors 0 to 2 and no others"
is "$(awk '/^open/ { print $3 }' "$scratch/out" | sort -u)" ENOENT "IPC-08 the directory that was open cannot be walked into"
"$on_host" fds "$scratch" "$probe" fds >"$scratch/out" 2>&1
is "$(awk '$2 < 201' "$scratch/out" | wc -l | tr -d ' ') $("$on_host" fds "$scratch" "$probe" open r /proc/self/fd/9/canary)" '201 open 0 OK' \
	"IPC-08 control: without jail there are 201, and it can"
cat >"$scratch/held" <<'END'
exec timeout 20 "$JAIL" -- sh -c ': >fds.up; until [ -e fds.down ]; do sleep 0.02; done' "$1"
END
mark=$(marker)
"$on_host" fds "$scratch" sh "$scratch/held" "$mark" >"$scratch/out" 2>&1 &
held=$!
until_true 5 test -e fds.up
command=$(for p in $(marked "$mark"); do [ "$(depth "$p")" -gt "$(depth $$)" ] && echo "$p"; done)
init=$(awk '/^PPid:/ { print $2 }' "/proc/$command/status")
is "$(ls "/proc/$command/fd" | tr '\n' ' ')" '0 1 2 ' "IPC-08 the host sees those three too"
if [ "$who" = root ]; then
	is "$(ls -l "/proc/$init/fd" | awk 'NR > 1 { print $NF }' | sed 's/:.*//')" socket "IPC-08 pid 1 has one, the wire"
	is "$(readlink "/proc/$init/cwd") $(readlink "/proc/$init/root")" "$work /" "IPC-08 pid 1 stands inside"
fi
: >fds.down
wait $held
finish
