#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What stands behind descriptors 0, 1 and 2: files and sockets are relayed, pipes handed on; the bytes are exact, and nothing of the
# host's files can be had through them but these bytes.
# shellcheck disable=SC2154,SC2016,SC2094  # set by lib.sh; programs for the shell inside; nothing is written there
# shellcheck source=tests/integration/lib.sh
. "$top_srcdir/tests/integration/lib.sh"

plan 43

# ---- a regular file cannot be had but as a stream

echo original >"$scratch/file"
run -- sh -c 'readlink /proc/self/fd/0' <"$scratch/file"
like "$out" '^pipe:' "a file on stdin is a pipe inside"
run -- sh -c '(echo evil >/proc/self/fd/0) 2>/dev/null; (echo evil >/dev/stdin) 2>/dev/null; grep -x original' <"$scratch/file"
is "$out,$(cat "$scratch/file")" original,original "... and opening it for writing does not reach the file"
run -- python3 -c 'import os; os.ftruncate(0, 0)' <"$scratch/file"
is "$(cat "$scratch/file")" original "... nor truncated"
run -- sh -c 'cat <&0; echo evil >&0' <>"$scratch/file"
is "$(cat "$scratch/file")" original "... nor written when the caller opened it for both"

log=$scratch/log
echo prefix >"$log"
jail -- sh -c 'echo line; echo evil >/proc/self/fd/1; : >/dev/stdout; echo line' >>"$log" 2>/dev/null
is "$(head -n 2 "$log" | tr '\n' ,)" "prefix,line," "appending keeps what is there, whatever is reopened"
jail -- python3 -c 'import os
for call in lambda: os.ftruncate(1, 0), lambda: os.pwrite(1, b"evil", 0), lambda: os.lseek(1, 0, 0):
	try: call()
	except OSError: pass' >>"$log"
is "$(head -n 1 "$log")" prefix "... whatever is truncated, seeked or written in place"
{
	echo before
	jail -- echo inside
	echo after
} >"$log"
is "$(tr '\n' , <"$log")" before,inside,after, "the caller's offset is kept between writers"
printf '1\n2\n3\n' >"$scratch/file"
jail -- sh -c 'echo out; echo err >&2' >"$scratch/both" 2>&1
is "$(sort "$scratch/both" | tr '\n' ,)" err,out, "stdout and stderr in one file"
run -- sh -c 'echo a >/dev/stdout; echo b >/dev/stderr; cat /dev/stdin' <"$scratch/file"
is "$out,$err" "a
1
2
3,b" "/dev/stdin, /dev/stdout and /dev/stderr can be opened: files"
out=$(echo in | jail -- sh -c 'cat /dev/stdin >/dev/stdout; echo b >/dev/stderr' 2>&1 | cat)
is "$out" "in
b" "/dev/stdin, /dev/stdout and /dev/stderr can be opened: pipes"

# ---- all bytes, in order, and no waiting for what nobody will read

head -c 50000000 /dev/urandom >"$scratch/large"
jail -- cat <"$scratch/large" >"$scratch/copy"
ok "50 MB from file to file" cmp "$scratch/large" "$scratch/copy"
# shellcheck disable=SC2002
cat "$scratch/large" | jail -- cat | cmp - "$scratch/large"
is "${PIPESTATUS[*]}" "0 0 0" "50 MB from pipe to pipe"
jail -- cat <"$scratch/large" | cmp - "$scratch/large"
is "${PIPESTATUS[*]}" "0 0" "50 MB from file to pipe"
# shellcheck disable=SC2002
cat "$scratch/large" | jail -- cat >"$scratch/copy"
ok "50 MB from pipe to file" cmp "$scratch/large" "$scratch/copy"
rm "$scratch/copy"
jail -- sh -c 'cat; sleep 0.1; cat' <"$scratch/large" 2>"$scratch/err" | (sleep 0.3; cmp - "$scratch/large")
is "${PIPESTATUS[*]}" "0 0" "a slow reader gets it all"
limit=5
run -- head -c 1 <"$scratch/large"
is "$rc,$(wc -c <"$scratch/out")" 0,1 "a command that does not read to the end does not hang"
yes | jail -- head -n 1 >"$scratch/out"
is "${PIPESTATUS[*]},$(cat "$scratch/out")" "141 0,y" "... from a pipe: its writer gets SIGPIPE"
jail -- true <"$scratch/large" >/dev/null
is $? 0 "... or does not read at all"
jail -- echo fin < <(exec sleep 30) >"$scratch/out"
is "$?,$(cat "$scratch/out")" 0,fin "... or whose input never ends"
kill $! 2>/dev/null

printf '1\n2\n3\n' >"$scratch/lines"
is "$( (jail -- true; cat) <"$scratch/lines" | tr '\n' ,)" 1,2,3, "what the command did not read is left to the next reader of the file"
# shellcheck disable=SC2002
is "$(cat "$scratch/lines" | (jail -- true; cat) | tr '\n' ,)" 1,2,3, "... or of the pipe"
is "$( (jail -- sh -c 'read -r x; echo "<$x>"'; cat) <"$scratch/lines" | tr '\n' ,)" "<1>,2,3," "... from the line on where it stopped"

jail -- yes 2>"$scratch/err" | head -n 1 >/dev/null
is "${PIPESTATUS[0]},$(cat "$scratch/err")" 141, "a reader that leaves ends the command by SIGPIPE, silently"
jail -- sh -c 'trap "" PIPE; yes 2>/dev/null; exit 7' | head -n 1 >/dev/null
is "${PIPESTATUS[0]}" 7 "... unless it looks at errors"
(
	trap '' PIPE
	jail -- sh -c 'yes; echo $? >status' 2>/dev/null | head -n 1 >/dev/null
)
is "$(cat status)" 1 "SIGPIPE ignored by the caller is ignored inside"
(
	trap '' CHLD
	jail -- sh -c 'true; exit 3'
)
is $? 3 "SIGCHLD ignored by the caller does no harm"

if [ -c /dev/full ]; then
	jail -- echo lost >/dev/full 2>"$scratch/err"
	is "$?,$(cat "$scratch/err")" "125,jail: write stdout: No space left on device" "output that could not be written is a failure"
	jail -- sh -c 'echo lost; exit 9' >/dev/full 2>"$scratch/err"
	is "$?,$(wc -l <"$scratch/err")" 9,1 "... which does not hide the command's own"
else
	skip 2 "no /dev/full"
fi

# ---- other kinds

jail -- sh -c 'readlink /proc/self/fd/0; cat; echo x >/dev/stdin && echo written' </dev/null >"$scratch/out" 2>&1
is "$(cat "$scratch/out")" "/dev/null
written" "/dev/null is /dev/null"
jail -- sh -c 'head -c 100000' </dev/zero 2>/dev/null | cmp -n 100000 - /dev/zero
is "${PIPESTATUS[*]}" "0 0" "/dev/zero is relayed"
refused "descriptor 0: Is a directory" "a directory on stdin" -- touch ran </
mkfifo "$scratch/fifo"
(cat "$scratch/fifo" >"$scratch/fifo.out") &
jail -- sh -c 'readlink /proc/$$/fd/1; echo end' >"$scratch/fifo"
wait $!
like "$(cat "$scratch/fifo.out")" '^pipe:.*|end' "a named FIFO on stdout"
unlike "$(cat "$scratch/fifo.out")" fifo "... is not the FIFO itself inside"
(cat "$scratch/large" >"$scratch/fifo") 2>/dev/null &
jail -- cat <"$scratch/fifo" | cmp - "$scratch/large"
is "${PIPESTATUS[*]}" "0 0" "a named FIFO on stdin, 50 MB"
wait $!
(cat "$scratch/large" >"$scratch/fifo") 2>/dev/null &
jail -- head -c 1 <"$scratch/fifo" >"$scratch/out"
is "$?,$(wc -c <"$scratch/out")" 0,1 "... which is not read to the end"
wait $!
(head -n 1 "$scratch/fifo" >/dev/null) &
jail -- yes >"$scratch/fifo" 2>/dev/null
is $? 141 "... whose reader leaves"
wait $!

cat >"$scratch/sockets.py" <<'E'
import os, socket, subprocess, sys, threading

jail = os.environ["JAIL"]
data = open(sys.argv[1], "rb").read()


def through(kind, command, send):
	ours, theirs = socket.socketpair(socket.AF_UNIX, kind)
	flags = os.get_blocking(theirs.fileno())
	p = subprocess.Popen([jail, "--", *command], stdin=theirs, stdout=theirs, stderr=subprocess.PIPE)

	def write():
		try:
			ours.sendall(send)
			ours.shutdown(socket.SHUT_WR)
		except BrokenPipeError:
			pass

	t = threading.Thread(target=write)
	t.start()
	same = os.get_blocking(theirs.fileno()) == flags
	theirs.close()
	got = bytearray()
	while True:
		try:
			part = ours.recv(1 << 16)
		except ConnectionResetError:
			break
		if not part:
			break
		got += part
	t.join()
	return got, p.wait(), p.stderr.read(), same


got, rc, err, same = through(socket.SOCK_STREAM, ["cat"], data)
print("exact" if got == data else "%d of %d bytes" % (len(got), len(data)), rc, err.decode(), same)
got, rc, err, _ = through(socket.SOCK_STREAM, ["sh", "-c", "readlink /proc/$$/fd/0 /proc/$$/fd/1"], b"")
print(b"socket" in got, rc, err.decode())
got, rc, err, _ = through(socket.SOCK_STREAM, ["head", "-c", "1"], data)
print(len(got), rc, err.decode())

# The peer of stdout goes away.
ours, theirs = socket.socketpair()
p = subprocess.Popen([jail, "--", "yes"], stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL)
theirs.close()
ours.recv(10)
ours.close()
print(p.wait())
E
mapfile -t lines < <(timeout -s KILL 20 python3 "$scratch/sockets.py" "$scratch/large" 2>&1)
is "${lines[0]-}" "exact 0  True" "a socket as stdin and stdout: 50 MB both ways, and its flags stay"
is "${lines[1]-}" "False 0 " "... inside it is no socket"
is "${lines[2]-}" "1 0 " "... not read to the end"
is "${lines[3]-}" "141" "... whose peer leaves"

# ---- other descriptors

run -- sh -c 'ls -l /proc/$$/fd' 7<"$scratch/file" 8</
is "$(echo "$out" | awk '/->/ { print $9 }' | grep -vx 255 | tr '\n' ' ')" "0 1 2 " "no descriptor but 0, 1 and 2"
run -- sh -c 'umask; ulimit -c'
is "$(echo "$out" | head -n 1)" "0022" "the umask comes along"
(
	umask 077
	jail -- touch private
)
is "$(stat -c %a private)" 600 "... whatever it is"
