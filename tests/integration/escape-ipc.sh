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

# IPC-05, IPC-06 -- sockets in the workspace, by whatever name they were bound.
serve "$scratch/tree.log" stream "$work/tree.sock" || fail "IPC-05 a listener"
serve "$scratch/dgram.log" dgram "$work/dgram.sock" || fail "IPC-05 a listener"
mkdir sub
serve "$scratch/relative.log" stream relative.sock "$work/sub" || fail "IPC-05 a listener"
serve "$scratch/moved.log" stream "$work/sub/before.sock" || fail "IPC-05 a listener"
mv sub/before.sock sub/moved.sock
flips=OK
blocked 'EACCES|ECONNREFUSED' "IPC-05 a socket of the host in the workspace is refused" unixconnect "$work/tree.sock"
blocked 'EACCES|ECONNREFUSED' "IPC-05 a datagram to one is refused" unixsend "$work/dgram.sock"
todo='/proc/net/unix does not tell where these are'
blocked 'EACCES|ECONNREFUSED' "IPC-05 one that was bound by a relative name is refused" unixconnect "$work/sub/relative.sock"
blocked 'EACCES|ECONNREFUSED' "IPC-05 one that was renamed is refused" unixconnect "$work/sub/moved.sock"
is "$(say relative | wc -l) $(say moved | wc -l)" '1 1' "IPC-05 and these two were reached by the control, and by nothing else"
todo=''
until_true 2 test -s "$scratch/dgram.log"
is "$(say tree | wc -l) $(say dgram | wc -l)" '1 1' "IPC-05 the listeners were reached by the control, and by nothing else"
run -- sh -c 'ln tree.sock y; mv tree.sock x; rm -f tree.sock; ls'
unlike "$out" '^[xy]$' "IPC-05 it cannot be given another name"
run -- sh -c 'cp probe p; (exec 2>/dev/null; rm -f own.sock); python3 -c "
import socket
s = socket.socket(socket.AF_UNIX); s.bind(\"own.sock\"); s.listen()
c = socket.socket(socket.AF_UNIX); c.connect(\"own.sock\"); print(\"connected\")"'
is "$out" connected "IPC-05 control: a socket of the jail's own can be used"
is "$(tried unixsend "$work/dgram.sock")" EACCES "IPC-06 a datagram from a socket pair is EACCES"
opts='--seccomp strict'
refused unready:EPERM "IPC-06 with seccomp = strict there is no datagram socket pair" unixsend "$work/dgram.sock"
refused unready:EPERM "IPC-05 with seccomp = strict there is no socket to connect" unixconnect "$work/sub/relative.sock"
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
