#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mode = gate as far as jail itself makes it: routes, rules, sockets, the stub, and the end of all that.
# no-nft.sh runs all of it once more, where the kernel has no nftables.
# shellcheck disable=SC2154,SC2016  # set by lib.sh; programs for the shell inside
# shellcheck source=tests/integration/lib.sh
. "$top_srcdir/tests/integration/lib.sh"

have python3 bash || skip_all "python3 or bash is missing"

# As root the rules are looked at, too.
looked=0
[ "$who" != root ] || ! have nft nsenter || [ -n "${JAIL_NO_NFT-}" ] || looked=8
low=0 # is there a port that cannot be had?
[ "$who" = root ] || low=1
if [ -n "${JAIL_NO_NFT-}" ]; then plan $((44 + low)); else plan $((48 + low + looked)); fi

# ---- a server on the host, which says its name

cat >"$scratch/server.py" <<'END'
import socket, sys, threading
def serve(s):
    while True:
        c, _ = s.accept()
        c.sendall(b"hello from outside\n")
        c.close()
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
serve(s)
END
python3 "$scratch/server.py" >"$scratch/port" &
server=$!
at_end "kill $server 2>/dev/null"
until_true 10 test -s "$scratch/port"
port=$(cat "$scratch/port")

free_port() {
	python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# ---- what is done inside

# try NAME HOST PORT: what it says, or why not. Nothing may take longer than a second: refused is refused at once.
inside='try() { timeout 5 bash -c "exec 3<>/dev/tcp/$1/$2 && cat <&3" 2>&1 | sed "s/.*: //;q"; }
tell() { timeout 5 bash -c "exec 3<>/dev/udp/$1/$2 && echo x >&3" 2>&1 | sed "s/.*: //;q"; }
'

declined() { # declined ERE NAME ARG...: like refused, where a weakness is told as well
	why=$1 what=$2
	shift 2
	# shellcheck disable=SC2086  # no word, or several
	run $without "$@"
	is "$rc,$(printf '%s\n' "$err" | grep -v '^jail: weak: ' | grep -Ec "^jail: .*$why"),$(ls ran 2>/dev/null)" "125,1," "$what"
}

without=
if [ -n "${JAIL_NO_NFT-}" ]; then
	normal=$JAIL
	JAIL=$scratch/denied
	printf '#!/bin/sh\nexec "%s" EPROTONOSUPPORT netfilter -- "%s" "$@"\n' "$top_builddir/tests/helpers/deny" "$normal" >"$JAIL"
	chmod +x "$JAIL"
	refused "nftables: Protocol not supported; .*without-nft = yes" "a kernel without nftables is refused, with a hint" \
		--network gate --allow x.test -- touch ran
	profile weak '[network]' 'without-nft = yes'
	without="--profile default --profile weak"
	many=$(seq -s ' ' -f 'x.test:%.0f' 1000 1100)
	declined "may name 64 ports at most" "... and so are more ports than can be listened at" \
		--network gate --allow "$many" -- touch ran
fi

gate() { # gate ARG...: a run with a name that is the server
	# shellcheck disable=SC2086  # no word, or several
	run $without --network gate --allow "x.test:4711 192.0.2.0/24:4711 [2001:db8::/32]:4711" \
		--resolve "x.test=127.0.0.1:$port" "$@"
}

gate -- sh -c "$inside"'try x.test 4711'
is "$rc,$out" "0,hello from outside" "a name that is allowed is reached"
unlike "$err" 'refused' "... and nothing is said at the end"
if [ -n "$without" ]; then
	like "$err" '^jail: weak: ' "... but that this is weaker"
else
	is "$err" "" "... nothing at all"
fi
gate -- sh -c "$inside"'try x.test 4712; try 198.18.0.1 4712; try 198.51.100.1 443; try 2001:db9::1 443'
is "$out" "Connection refused
Connection refused
Connection refused
Connection refused" "another port, another address: refused"
before=$(clock)
gate -- sh -c "$inside"'for i in 1 2 3 4 5; do try 198.51.100.1 443; tell 198.51.100.1 443; try 2001:db9::1 80; done'
ok "... at once" test $(($(clock) - before)) -lt 300
gate -- sh -c "$inside"'try 127.0.0.1 2; try ::1 2; try 127.0.0.2 2'
is "$out" "Connection refused
Connection refused
Connection refused" "the gate's own port is nobody's"
gate -- sh -c "$inside"'try no.test 4711'
like "$out" 'not known|No address|failure' "a name that is not allowed has no address"
like "$err" '^jail: 1 host refused: no\.test \([0-9]+x\); to allow: allow = no\.test \(a name alone is TLS on port 443; NAME:PORT for others\)$' "... which is said at the end"
gate -- python3 -c '
import socket
s = socket.socket(); s.bind(("127.0.0.1", 5000)); s.listen()
c = socket.create_connection(("127.0.0.1", 5000)); a, _ = s.accept(); a.send(b"within"); print(c.recv(9).decode())
s = socket.socket(socket.AF_INET6); s.bind(("::1", 5000)); s.listen()
c = socket.create_connection(("::1", 5000)); a, _ = s.accept(); a.send(b"within6"); print(c.recv(9).decode())
for port in 2, 53, 80: 
    try: socket.socket().bind(("127.0.0.1", port)); print("bound", port)
    except OSError as e: print(port, e.strerror)
try: socket.socket(socket.AF_INET, socket.SOCK_RAW, 6)
except OSError as e: print(e.strerror)'
is "$out" "within
within6
2 Permission denied
53 Permission denied
80 Permission denied
Operation not permitted" "localhost is as it is, and no privileged port or raw socket is to be had"
if [ -z "$without" ]; then
	gate -- sh -c "$inside"'tell 198.51.100.1 443; tell 2001:db9::1 443; tell 224.0.0.251 5353'
	is "$out" "Operation not permitted
Operation not permitted
Operation not permitted" "UDP is refused"
	like "$err" '^jail: [23] hosts refused: .*not TCP' "... and counted"
	gate -- sh -c "$inside"'try 11.22.33.44 443; try 11.22.33.44 443'
	like "$err" '11\.22\.33\.44:443 \([23]x\); to allow: allow = 11\.22\.33\.44:443$' "a refused address is told, and how often"
	gate -- sh -c "$inside"'try 169.254.169.254 80; try 10.0.0.1 22; try intranet 80'
	like "$err" '^jail: 3 hosts refused: .*169\.254\.169\.254:80' "what the network of the host has is told as well"
	unlike "$err" 'to allow' "... and never offered"
	gate -- python3 -c '
import socket
q = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x01x\x04test\x00\x00\x01\x00\x01"
for family, server in (socket.AF_INET, "203.0.113.9"), (socket.AF_INET6, "2001:db9::53"):
    s = socket.socket(family, socket.SOCK_DGRAM); s.settimeout(3); s.connect((server, 53)); s.send(q); print(len(s.recv(512)) > len(q))
    s = socket.create_connection((server, 53)); s.settimeout(3); s.send(b"\x00\x18" + q); print(len(s.recv(512)) > len(q))'
	is "$out" "True
True
True
True" "DNS is answered whichever server is asked, of both families, by UDP and TCP"
fi

# ---- ports

gate --host-port "$port" -- sh -c "$inside"'try 127.0.0.1 '"$port"
is "$out" "hello from outside" "host-port: the host's port is inside"
gate -- sh -c "$inside"'try 127.0.0.1 '"$port"
is "$out" "Connection refused" "... and only then"
outside=$(free_port)
cat >serve.py <<'END'
import socket
s = socket.create_server(("127.0.0.1", 3000))
open("listening", "w").close()
c, _ = s.accept()
c.sendall(b"hello from inside\n")
c.shutdown(socket.SHUT_WR)
c.recv(1)
END
got=$(
	# shellcheck disable=SC2086
	jail $without --network gate --allow x.test --publish "3000:$outside" -- python3 serve.py &
	until_true 10 test -e listening
	timeout 5 bash -c "exec 3<>/dev/tcp/127.0.0.1/$outside && cat <&3" 2>&1
	wait
)
is "$got" "hello from inside" "publish: a port inside is the host's"
ok "... and free again" python3 -c "import socket; socket.create_server(('127.0.0.1', $outside))"
declined "--publish=3000:$port: 127.0.0.1:$port is in use on the host: use 3000:OTHER$" "... unless it is in use" \
	--network gate --allow x.test --publish "3000:$port" -- touch ran
[ "$low" = 0 ] || declined "--publish=3000:80: .*: use 3000:8080$" "... or is not for users" \
	--network gate --allow x.test --publish 3000:80 -- touch ran

# ---- the stub, the gate, and their end

# The processes that are P0's children: the jail's, and the stub or the gate.
cat >"$scratch/children" <<'END'
for p in /proc/[0-9]*; do
	[ "$(sed -n 's/^PPid:\t//p' "$p/status" 2>/dev/null)" = "$1" ] && printf '%s %s\n' "${p#/proc/}" "$(tr '\0\n' '  ' <"$p/cmdline")"
done
END
start() { # start ARG...: a jail in the background; $p0, and the children's list in $scratch/list
	rm -f ready go
	# shellcheck disable=SC2086
	"$JAIL" $without --network gate --allow "x.test:4711" --resolve "x.test=127.0.0.1:$port" "$@" >"$scratch/out" 2>"$scratch/err" &
	p0=$!
	until_true 10 test -e ready
	sh "$scratch/children" $p0 >"$scratch/list"
}
finish() {
	touch go
	rc=0
	wait $p0 || rc=$?
	out=$(cat "$scratch/out") err=$(cat "$scratch/err")
}
wait_inside="$inside"'touch ready; until [ -e go ]; do sleep 0.02; done; '

start -- sh -c "$wait_inside"'exit 7'
unlike "$(cat "$scratch/list")" 'jail-gate' "without a connection there is no gate"
is "$(wc -l <"$scratch/list")" 2 "... but somebody who waits for one"
finish
is "$rc,$err" "7,$([ -z "$without" ] || echo "$err")" "... and goes without a word"
start -- sh -c "$inside"'try x.test 4711; touch ready; until [ -e go ]; do sleep 0.02; done; try x.test 4711'
gate_pid=$(sed -n 's/ jail-gate .*//p' "$scratch/list")
ok "with the first one there is" test -n "$gate_pid"
is "$({ tr '\0' '\n' <"/proc/$gate_pid/environ"; } 2>/dev/null | wc -l)" 0 "... which has nothing of the caller's environment"
if [ -n "$without" ]; then
	like "$(cat "$scratch/list")" 'jail-gate udp4,udp6,dns4,dns6,at:4711 ' "... and listens at the ports that are allowed"
else
	like "$(cat "$scratch/list")" 'jail-gate nflog,tcp4,tcp6,udp4,udp6,dns4,dns6 ' "... and has the sockets from inside"
fi
finish
is "$rc,$out" "0,hello from outside
hello from outside" "... and serves"
not_ok "... and is gone at the end" test -e "/proc/$gate_pid"

start --events "$scratch/events" -- sh -c "$inside"'try x.test 4711; touch ready; until [ -e go ]; do sleep 0.02; done; try 198.18.0.1 4711; exit 3'
kill -9 "$(sed -n 's/ jail-gate .*//p' "$scratch/list")"
finish
is "$rc,$out" "3,hello from outside
Connection refused" "the gate is killed: the jail lives on, and has no network"
like "$err" '^jail: the gate died \(signal 9\): the jail has no network any more$' "... which is said"
like "$(cat "$scratch/events")" '"event":"gate".*"why":"the gate died' "... and written down"
start -- sh -c "$wait_inside"'try 198.18.0.1 4711; exit 4'
kill -9 "$(sed -n '/ jail-init/!s/ .*//p' "$scratch/list")"
finish
like "$rc,$out,$(printf %s "$err" | tail -n 1)" '^4,Connection re(fused|set by peer),jail: the gate died \(signal 9\)' "he who waits is killed: the same"
start -- sh -c "$inside"'try x.test 4711; touch ready; sleep 100'
gate_pid=$(sed -n 's/ jail-gate .*//p' "$scratch/list")
kill -9 $p0
wait $p0 2>/dev/null
ok "jail itself is killed: the gate goes with it" until_true 5 sh -c "! [ -e /proc/$gate_pid ] || grep -q '^State:.Z' /proc/$gate_pid/status"
# shellcheck disable=SC2086
gate --files 24 -- sh -c "$inside"'ulimit -n; try x.test 4711'
is "$out" "24
hello from outside" "few descriptors for the command are enough for the gate"

# ---- with another mode nothing of all this is there

run --network none -- sh -c "$inside"'try 198.18.0.1 4711; cat /proc/net/route | wc -l'
is "$out" "Network is unreachable
1" "without a gate there is nothing to reach"
profile gated '[network]' 'mode = gate' 'allow = x.test' "publish = 3000:$port"
profile shut '[jail]' 'extends = gated' '[network]' 'mode = none'
run --profile shut -- true
is "$rc$err" 0 "... no port is opened, and nothing is said of lists that were switched off"
profile vain '[network]' 'allow = x.test'
run --profile vain -- true
is "$rc$err" "0jail: note: vain.ini:2: allow has no effect without mode = gate" "... but lists that nobody switched on are told"
for option in --allow=x.test --publish=3000 --host-port=3000 --resolve=x.test=192.0.2.1 --proxy=host "--events=$scratch/made"; do
	refused "$option: needs --network gate$" "${option%%=*} needs a gate" "$option" -- touch ran
done
not_ok "... and no file for events is made" test -e "$scratch/made"

# ---- what doctor says of it

run doctor
like "$out" "^ok +gate +'.*/jail-gate' can be started$" "doctor: the gate's program is there"
if [ -n "${JAIL_NO_NFT-}" ]; then
	like "$out" "^note +nftables +mode = gate cannot be had: .*nftables: Protocol not supported$" "... and nftables is not"
	like "$out" "^ +fix: sudo modprobe .*without-nft = yes" "... with what to do"
else
	like "$out" "^ok +nftables +the rules, routes and sockets of a gate can be made$" "... and so is nftables"
	is "$(jail doctor --json | python3 -c 'import json, sys; print(*(x["verdict"] for x in json.load(sys.stdin) if x["check"] in ("gate", "nftables")))')" \
		"ok ok" "... in JSON too"
fi
run --ro "$top_builddir" -- "$top_builddir/jail-intree" doctor
like "$out" "^FAIL +namespaces +you are inside a jail already" "doctor: inside a jail it says so"

# ---- the rules themselves, as nft shows them

if [ "$looked" != 0 ]; then
	rm -f ready go
	"$JAIL" --status-fd 3 --network gate --allow "x.test y.test:22 y.test:8000-8010 10.0.0.0/8:5432 [2001:db8::/32]:22" -- \
		sh -c "$wait_inside" 3>"$scratch/status" &
	p0=$!
	until_true 10 test -e ready
	pid=$(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$scratch/status" | head -n 1)
	rules=$(nsenter -t "$pid" -n nft list ruleset)
	routes=$(nsenter -t "$pid" -n ip route show table local; nsenter -t "$pid" -n ip -6 route show table local)
	links=$(nsenter -t "$pid" -n ip -o link | wc -l)
	finish
	like "$rules" 'elements = \{ 22, 443, 8000-8010 \}' "rules: the ports of names"
	like "$rules" 'elements = \{ 10\.0\.0\.0/8 \. 5432 \}' "rules: addresses"
	like "$rules" 'elements = \{ 2001:db8::/32 \. 22 \}' "rules: IPv6 addresses"
	like "$rules" 'hook output priority (mangle|-150); policy drop;' "rules: the filter drops what nothing accepts"
	is "$(printf '%s\n' "$rules" | grep -c ' accept$')" 8 "rules: and that is as little as there should be"
	like "$rules" 'ip6 daddr != ::1 .*tcp redirect to :2' "rules: TCP is redirected"
	is "$(printf '%s\n' "$routes" | grep -c '^local default dev lo')" 2 "routes: every address is here, in both families"
	is "$links" 1 "... and lo is the only way"
fi
