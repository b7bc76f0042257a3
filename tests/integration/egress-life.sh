#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016,SC2154
# The gate's life: it begins with the first use and ends with the jail; when it dies the jail lives on, without a network; and many
# connections at once, or one after the other, change nothing. JAIL_LOAD_FULL=1: 10,000 and 1,000 of them.
. "$top_srcdir/tests/integration/lib.sh"
# shellcheck source=/dev/null
. "$top_srcdir/tests/integration/egress-lib.sh"

have ps || skip_all "needs ps"
gate="--network gate --allow a.test --allow h.test:80 --resolve a.test=127.0.0.1:$https --resolve h.test=127.0.0.1:$http"

# begin OPTION... -- COMMAND...: a jail that goes on; $jail_pid is its supervisor's. Its words are in $scratch/begun.
begin() {
	rm -f "$work/go" "$work/done" "$work/up"
	# shellcheck disable=SC2086
	"$JAIL" $gate "$@" >"$scratch/begun.out" 2>"$scratch/begun" &
	jail_pid=$!
	at_end "kill -KILL $jail_pid 2>/dev/null"
	until_true 10 test -e "$work/up" || diag "it did not begin: $(cat "$scratch/begun")"
}
gate_pid() { ps -o pid=,comm= --ppid "$jail_pid" | awk '$2 == "jail-gate" { print $1; found = 1 } END { exit !found }'; }
no_gate() { ! gate_pid; }
ended() { ! kill -0 "$1" 2>/dev/null; }
field() { sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status"; }
finish() {
	rc=0
	wait "$jail_pid" || rc=$?
}
wait_go=': >up; until [ -e go ]; do sleep 0.02; done'

plan 28

# ---- it begins with the first use

begin -- sh -c "$wait_go; curl -sS --cacert ca.pem https://a.test/; : >done; until [ -e end ]; do sleep 0.02; done; exit 7"
ok 'no gate before it is needed' no_gate
: >"$work/go"
until_true 10 test -e "$work/done"
is "$(cat "$scratch/begun.out")" 'https a.test 0' 'the first connection'
ok 'then there is one' gate_pid
pid=$(gate_pid || echo self)
is "$(field "$pid" NoNewPrivs)" 1 'which can gain nothing'
is "$(field "$pid" Seccomp)" 2 'has a filter'
is "$(field "$pid" CapEff)" 0000000000000000 'no capability'
is "$(field "$pid" Groups | tr -d ' ')" "$(field "$jail_pid" Groups | tr -d ' ')" 'and no more groups than the caller'
: >"$work/end"
finish
is "$rc" 7 'the command ends as it likes'
ok 'and the gate ends with it' until_true 5 ended "$pid"
rm "$work/end"

inside='ls /proc | grep -c "^[0-9]"; cat /proc/[0-9]*/comm | grep -c gate'
# shellcheck disable=SC2086
run $gate -- sh -c "curl -sS --cacert ca.pem https://a.test/ >/dev/null; $inside"
like "$out" '^0$' 'nothing of it is seen inside'
run -- sh -c 'curl -sS https://a.test/'
like "$err" 'resolve|connect' 'without a gate there is no network'

# ---- it dies

events=$scratch/events
begin --events "$events" -- sh -c "$wait_go"'
	curl -sS --limit-rate 1M -o /dev/null http://h.test/big & curl=$!
	until [ -e killed ]; do sleep 0.02; done
	wait $curl
	echo "transfer $?"
	curl -sS -m 5 http://h.test/
	echo "again $?"
	exec 2>/dev/null
	exit 9'
: >"$work/go"
until_true 10 gate_pid
pid=$(gate_pid || echo 0)
until_true 10 grep -q /big "$site/log"
kill -KILL "$pid"
: >"$work/killed"
finish
is "$rc" 9 'a jail outlives its gate'
like "$(cat "$scratch/begun.out")" '^transfer [1-9]' 'what it carried has failed'
like "$(cat "$scratch/begun.out")" '^again [1-9]' 'and nothing is carried any more'
is "$(grep -c 'the gate died' "$scratch/begun")" 1 'it is told, once'
like "$(cat "$events")" 'the gate died' 'and is an event'
like "$(cat "$events")" '"name":"h\.test"' 'after what there was before'

begin -- sh -c "$wait_go; curl -sS --limit-rate 1M -o /dev/null http://h.test/big"
: >"$work/go"
until_true 10 gate_pid
pid=$(gate_pid || echo 0)
kill -KILL "$jail_pid"
wait "$jail_pid" 2>/dev/null
ok 'a supervisor that is killed takes its gate along' until_true 5 ended "$pid"

# ---- many

many=400 few=100
[ -z "${JAIL_LOAD_FULL-}" ] || many=10000 few=1000
cat >"$work/load.py" <<'END'
import socket, sys
head = b"GET / HTTP/1.1\r\nHost: h.test\r\nConnection: close\r\n\r\n"
address = socket.getaddrinfo("h.test", 80, socket.AF_INET)[0][4]
good = 0
def read(s):
    data = b""
    while more := s.recv(4096):
        data += more
    return data.endswith(b"http h.test 0\n")
for _ in range(int(sys.argv[1])):
    with socket.create_connection(address) as s:
        s.sendall(head)
        good += read(s)
print("one after the other", good)
good = 0
all = [socket.create_connection(address) for _ in range(int(sys.argv[2]))]
for s in all:
    s.sendall(head)
for s in all:
    good += read(s)
print("at once", good)
END
limit=300
begin -- sh -c "$wait_go; ulimit -n 4096; /usr/bin/python3 load.py $many $few; : >done; until [ -e end ]; do sleep 0.02; done"
: >"$work/go"
until_true 280 test -e "$work/done"
like "$(cat "$scratch/begun.out")" "^one after the other $many\$" "$many connections, one after the other"
like "$(cat "$scratch/begun.out")" "^at once $few\$" "$few connections at once"
pid=$(gate_pid || echo self)
rss=$(field "$pid" VmRSS)
diag "the gate's memory: $rss"
ok 'the gate is as small as before' test "${rss% kB}" -lt 32768
: >"$work/end"
finish
is "$rc" 0 'and the jail ends'
is "$(cat "$scratch/begun")" '' 'without a word: nothing was refused'

# ---- two jails are two networks

rm -f "$work/end"
begin -- sh -c ': >up; /usr/bin/python3 -m http.server 8123 >/dev/null 2>&1'
first=$jail_pid
# shellcheck disable=SC2086
run $gate -- curl -sS -m 3 http://127.0.0.1:8123/
isnt "$rc" 0 'a server in another jail is not here'
kill "$first"
wait "$first" 2>/dev/null

# ---- what bad settings get

refused 'allow' 'a gate without rules' --network gate -- touch ran
refused 'nosuchgroup' 'a group that is not known' --network gate --allow @nosuchgroup -- touch ran
refused 'a\.test:65536' 'a port out of range' --network gate --allow a.test:65536 -- touch ran
refused 'a\.\.test' 'a name that is none' --network gate --allow a..test -- touch ran
