#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016,SC2154
# Real clients, inside a jail with a gate, and real servers outside, on this host's loopback, found by `resolve`: a host that is allowed
# works and another one is refused at once, for programs that know nothing of proxies.
. "$top_srcdir/tests/integration/lib.sh"

# shellcheck source=/dev/null
. "$top_srcdir/tests/integration/egress-lib.sh"

gate="--network gate --allow a.test --allow h.test:80 --allow *.w.test --resolve a.test=127.0.0.1:$https --resolve h.test=127.0.0.1:$http"
gate="$gate --resolve x.w.test=127.0.0.1:$https"

# inside OPTION... -- COMMAND...: with the gate.
inside() {
	set -f
	# shellcheck disable=SC2086
	run $gate "$@"
	set +f
}

# quick NAME OPTION... -- COMMAND...: a case: the command fails inside by itself: it is told no, and not left to wait until somebody
# ends it. How long it took is told.
timer='read -r a _ </proc/uptime; "$@" >client.log 2>&1; rc=$?; read -r b _ </proc/uptime
	echo "$rc $((${b%.*}${b#*.} - ${a%.*}${a#*.}))"'
quick() {
	quick_name=$1
	shift
	set -f
	quick_options=''
	while [ "$1" != -- ]; do
		quick_options="$quick_options $1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	run $gate $quick_options -- sh -c "$timer" sh "$@"
	diag "$quick_name: ${out#* }0 ms, rc ${out% *}"
	set +f
	if [ "$rc" = 0 ] && [ -n "$out" ] && [ "${out% *}" != 0 ]; then
		pass "$quick_name"
	else
		fail_run "$quick_name"
		diag "client: $(head -c 500 "$work/client.log" 2>/dev/null)"
	fi
}

plan 57

# ---- curl, and what the gate says

inside -- curl -sS --cacert ca.pem https://a.test/x
is "$out" 'https a.test 0' 'curl: an allowed host'
inside -- curl -sS --cacert ca.pem https://x.w.test/x
is "$out" 'https x.w.test 0' 'curl: a host beneath a wildcard'
inside -- curl -sS http://h.test/x
is "$out" 'http h.test 0' 'curl: plain HTTP, to a rule for port 80'
inside -- sh -c 'head -c 3000000 /dev/zero | curl -sS --cacert ca.pem -T - https://a.test/up'
is "$out" 'https a.test 3000000' 'curl: 3 MB up, in chunks'
inside -- sh -c 'head -c 300000 /dev/zero | curl -sS -H Expect: -T - http://h.test/up'
is "$out" 'http h.test 300000' 'curl: chunks over plain HTTP'
inside -- curl -sS http://h.test/1 http://h.test/2
is "$out" "$(printf 'http h.test 0\nhttp h.test 0')" 'curl: two requests on one connection'
inside -- sh -c 'env | grep -i proxy'
is "$out" '' 'no proxy variables inside'

quick 'curl: another host' -- curl -sS --cacert ca.pem https://b.test/
like "$err" "b\.test" 'what was refused is told at the end'
like "$err" 'allow = b\.test' 'and the line that would allow it'
quick 'curl: the port of another rule' -- curl -sS http://a.test/
quick 'curl: an address' -- curl -sS http://198.51.100.7/
quick 'curl: an IPv6 address' -- curl -sS 'http://[2600::1]/'
quick 'curl: the host, by address' -- curl -sS -k "https://127.0.0.1:$https/"
quick 'curl: another name in the handshake' -- curl -sS --cacert ca.pem --connect-to b.test:443:a.test:443 https://b.test/
like "$(cat client.log)" 'alert|handshake|SSL' 'it gets an alert'
inside -- curl -sS -w '%{http_code}' -H 'Host: b.test' http://h.test/
like "$out" '403$' 'another Host: 403'
like "$out" 'b\.test' 'which names the host'
like "$out" 'rule: h\.test:80' 'and the rule'
like "$out" 'allow = b\.test:80' 'and the line to add'
inside --allow i.test:80 -- curl -sS -H 'Host: i.test' http://h.test/
like "$out" 'i\.test is allowed: connect to it itself' 'another Host that is allowed: where to connect to'
unlike "$out" 'allow = ' 'and no line that is there already'
unlike "$(cat "$site/log")" 'b\.test' 'no server has heard of it'

inside --events "$scratch/events" -- sh -c 'curl -sS --cacert ca.pem https://a.test/; curl -sS https://b.test/; :'
like "$(cat "$scratch/events")" '"name":"a\.test".*"verdict":"allow"|"verdict":"allow".*"name":"a\.test"' 'an event for what was allowed'
like "$(cat "$scratch/events")" '"name":"b\.test".*"verdict":"deny"|"verdict":"deny".*"name":"b\.test"' 'and for what was not'
if python3 -c 'import json, sys; [json.loads(l) for l in open(sys.argv[1])]' "$scratch/events"; then pass 'each is a line of JSON'; else fail 'each is a line of JSON'; fi

# ---- git

cat >"$work/push" <<'END'
set -e
url=$1
rm -rf one two
git init -q -b main one
cd one
git config user.name x
git config user.email x@a.test
echo "$2" >file
git add file
git commit -qm x
git push -q "$url" +main
cd ..
git clone -q "$url" two
cat two/file
END
git_env="--set GIT_CONFIG_NOSYSTEM=1 --set GIT_CONFIG_GLOBAL=/dev/null --set GIT_TERMINAL_PROMPT=0"
# shellcheck disable=SC2086
inside $git_env --set "GIT_SSL_CAINFO=$work/ca.pem" -- sh push https://a.test/git/repo 'by https'
is "$out" 'by https' 'git: push and clone over https'
# shellcheck disable=SC2086
quick 'git: another host' $git_env -- git clone -q https://b.test/git/repo three

ssh_cases() {
	have ssh || { skip 2 'ssh is not installed'; return; }
	sshd=$(PATH=$PATH:/usr/sbin command -v sshd) || { skip 2 'sshd is not installed'; return; }
	[ "$who" = user ] || { skip 2 'sshd is started by an ordinary user here'; return; }
	ssh-keygen -q -t ed25519 -N '' -f "$site/host" && ssh-keygen -q -t ed25519 -N '' -f "$work/id" || return
	cp "$work/id.pub" "$site/authorized"
	ssh_port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	"$sshd" -D -e -f /dev/null -p "$ssh_port" -h "$site/host" -o ListenAddress=127.0.0.1 -o UsePAM=no -o StrictModes=no \
		-o AuthorizedKeysFile="$site/authorized" -o PidFile=none -o PasswordAuthentication=no 2>"$scratch/sshd.log" &
	at_end "kill $!"
	until_true 10 grep -q 'listening' "$scratch/sshd.log"
	ssh="ssh -F /dev/null -i $work/id -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o ConnectTimeout=5"
	# shellcheck disable=SC2086
	inside --allow s.test:22 --resolve "s.test=127.0.0.1:$ssh_port" $git_env --set "GIT_SSH_COMMAND=$ssh" -- \
		sh push "ssh://$(id -un)@s.test$site/git/repo" 'by ssh'
	is "$out" 'by ssh' 'git: push and clone over ssh'
	# shellcheck disable=SC2086
	quick 'ssh: another host' --allow s.test:22 -- $ssh "$(id -un)@u.test" true
}
ssh_cases

# ---- languages

python='import sys, ssl, urllib.request
c = ssl.create_default_context(cafile="ca.pem")
sys.stdout.write(urllib.request.urlopen(sys.argv[1], timeout=5, context=c).read().decode())'
inside -- /usr/bin/python3 -c "$python" https://a.test/
is "$out" 'https a.test 0' 'python: urllib'
quick 'python: another host' -- /usr/bin/python3 -c "$python" https://b.test/
if /usr/bin/python3 -c 'import requests' 2>/dev/null; then
	requests='import sys, requests; sys.stdout.write(requests.get(sys.argv[1], timeout=5, verify="ca.pem").text)'
	inside -- /usr/bin/python3 -c "$requests" https://a.test/
	is "$out" 'https a.test 0' 'python: requests'
	quick 'python: requests, another host' -- /usr/bin/python3 -c "$requests" https://b.test/
else
	skip 2 'requests is not installed'
fi

if have node && node -e 'fetch' 2>/dev/null; then
	fetch='fetch(process.argv[1]).then(r => r.text()).then(t => process.stdout.write(t), e => { console.error(e.cause || e); process.exit(1) })'
	inside --set "NODE_EXTRA_CA_CERTS=$work/ca.pem" -- node -e "$fetch" https://a.test/
	is "$out" 'https a.test 0' 'node: fetch'
	quick 'node: another host' -- node -e "$fetch" https://b.test/
	quick 'node: another name in the handshake' -- node -e 'require("tls").connect({ host: "a.test", port: 443, servername: "b.test" }).on("error", e => { console.error(e); process.exit(1) })'
	like "$(cat client.log)" 'alert|SSL' 'node understands the alert'
else
	skip 4 'node with fetch is not installed'
fi

java_cases() {
	have java javac keytool || { skip 3 'a JDK is not installed'; return; }
	cat >"$work/Fetch.java" <<-'END'
		import java.net.URI;
		import java.net.http.*;
		public class Fetch {
			/* Twice, because the first time is spent on loading classes. */
			public static void main(String[] a) throws Exception {
				HttpClient client = HttpClient.newHttpClient();
				for (int i = 0; i < 2; i++) {
					long start = System.nanoTime();
					try {
						System.out.print(client.send(HttpRequest.newBuilder(URI.create(a[0])).build(),
							HttpResponse.BodyHandlers.ofString()).body());
					} catch (java.io.IOException e) {
						System.out.println("refused " + (System.nanoTime() - start) / 1000000 + " " + e);
					}
				}
			}
		}
	END
	ok 'java: compiled' javac -d "$work" "$work/Fetch.java"
	keytool -importcert -noprompt -alias x -file "$work/ca.pem" -keystore "$work/trust.p12" -storepass changeit >"$scratch/keytool.log" 2>&1
	java='java -Xmx256m -Djavax.net.ssl.trustStore=trust.p12 -Djavax.net.ssl.trustStorePassword=changeit'
	etc=''
	for dir in /etc/java-*; do [ ! -d "$dir" ] || etc="$etc --ro $dir"; done
	# shellcheck disable=SC2086
	inside $etc -- $java Fetch https://a.test/
	is "$out" "$(printf 'https a.test 0\nhttps a.test 0')" 'java: HttpClient'
	# shellcheck disable=SC2086
	inside $etc -- $java Fetch https://b.test/
	diag "java: another host: $out"
	like "$out" '^refused' 'java: another host'
}
java_cases

# ---- a database

postgres_cases() {
	have psql || { skip 2 'psql is not installed'; return; }
	for bin in /usr/lib/postgresql/*/bin "$(dirname "$(command -v initdb || echo /nonexistent/x)")"; do [ ! -x "$bin/initdb" ] || break; done
	[ -x "$bin/initdb" ] || { skip 2 'a PostgreSQL server is not installed'; return; }
	[ "$who" = user ] || { skip 2 'PostgreSQL does not run as root'; return; }
	pg_port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	"$bin/initdb" -D "$site/pg" -A trust -U me --no-sync >"$scratch/pg.log" 2>&1 || { fail 'initdb'; fail 'initdb'; return; }
	"$bin/postgres" -D "$site/pg" -p "$pg_port" -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off >>"$scratch/pg.log" 2>&1 &
	postgres=$!
	at_end "kill -INT $postgres; wait $postgres"
	until_true 15 psql -h 127.0.0.1 -p "$pg_port" -U me -d postgres -c 'select 1'
	inside --allow db.test:5432 --resolve "db.test=127.0.0.1:$pg_port" -- psql -h db.test -U me -d postgres -Atc 'select 6 * 7'
	is "$out" 42 'psql: an allowed host'
	quick 'psql: another host' --allow db.test:5432 -- psql -h no.test -U me -d postgres -Atc 'select 1'
}
postgres_cases

# ---- the other direction, and a gate that dies

inside --host-port "$http" -- curl -sS "http://127.0.0.1:$http/x"
is "$out" "http 127.0.0.1:$http 0" 'host-port: one port of the host'
quick 'and no other' --host-port "$http" -- curl -sS -k "https://127.0.0.1:$https/"
publish=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
echo from inside >"$work/file"
set -f
# shellcheck disable=SC2086
"$JAIL" $gate --publish "$publish" -- /usr/bin/python3 -m http.server --bind 127.0.0.1 "$publish" >/dev/null 2>&1 &
set +f
published=$!
if until_true 10 curl -s -o "$scratch/got" "http://127.0.0.1:$publish/file"; then
	is "$(cat "$scratch/got")" 'from inside' 'publish: a server inside'
else
	fail 'publish: a server inside'
fi
kill "$published" 2>/dev/null
wait "$published" 2>/dev/null || :

# What was sent before the end arrives, although nobody is left who sent it.
cat >"$work/once.py" <<'END'
import socket, sys
s = socket.create_server(("127.0.0.1", int(sys.argv[1])))
c, _ = s.accept()
c.recv(100)
c.sendall(b"x" * 300000)
END
set -f
# shellcheck disable=SC2086
"$JAIL" $gate --publish "$publish" -- /usr/bin/python3 once.py "$publish" >/dev/null 2>&1 &
set +f
published=$!
got=$(python3 - "$publish" <<'END'
import socket, sys, time
for tried in range(200):
    try:
        c = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        c.sendall(b"now")
        n = 0
        while data := c.recv(65536):
            n += len(data)
            time.sleep(0.01)
        if n:
            break
    except OSError:
        pass
    time.sleep(0.05)
print(n)
END
)
is "$got" 300000 'publish: what was sent before the end arrives'
wait "$published" 2>/dev/null || :

# A port that no rule has, of a name that one has.
inside -- curl -sS -m 5 -k https://a.test:4712/
like "$err" 'refused: a\.test:4712 \(1x\); to allow: allow = a\.test:4712' 'a refused port is told with its name'

# What is spoken there, and where nobody is.
inside -- bash -c 'exec 3<>/dev/tcp/a.test/443; echo SSH-2.0-x >&3; cat <&3 >/dev/null'
is "$err" 'jail: 1 host refused: a.test:443 (1x, no TLS handshake)' 'no TLS on a TLS port is told'
inside -- curl -sS -o out --http2-prior-knowledge http://h.test/
like "$err" '^jail: 1 host refused: h\.test:80 \(1x, not HTTP/1\.1 or HTTP/1\.0\)$' 'and HTTP/2 on an HTTP port'
closed=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
inside --allow gone.test:80 --resolve "gone.test=127.0.0.1:$closed" -- curl -sS -w '%{http_code}' http://gone.test/
like "$out" '^jail could not reach this host: the server refused$' 'a server that is not there: a text'
like "$out" '^502$' 'with 502'
is "$err" 'jail: 1 host not reached: gone.test:80 (the server refused)' 'and a line at the end'
inside --resolve "y.w.test=127.0.0.1:$closed" -- curl -sS https://y.w.test/
like "$err" '^jail: 1 host not reached: y\.w\.test:443 \(the server refused\)$' 'by TLS as well'
inside --host-port "$closed" -- curl -sS "http://127.0.0.1:$closed/"
like "$err" "^jail: 1 host not reached: 127\.0\.0\.1:$closed \(the server refused\)$" 'and by a host-port'
inside -- bash -c 'exec 3<>/dev/tcp/a.test/443'
is "$err" '' 'a client that goes without a word is nothing to tell'
python3 -c 'import socket, sys, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(0)
c = [socket.socket() for i in range(8)]
for x in c: x.setblocking(False); x.connect_ex(s.getsockname())
print(s.getsockname()[1], flush=True)
time.sleep(60)' >"$scratch/full" &
at_end "kill $!"
until_true 10 test -s "$scratch/full"
inside --resolve "y.w.test=127.0.0.1:$(cat "$scratch/full")" -- curl -sS -m 2 https://y.w.test/
like "$err" '^jail: 1 host not reached: y\.w\.test:443 \(no answer so far\)$' 'a server that does not answer is told, whoever gave up'
