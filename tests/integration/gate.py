#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""jail-gate, with real nftables and real servers, in network namespaces of its own and without jail (tests/helpers/gatebox).

This half is "outside": servers at addresses that are all on this namespace's loopback. gate_inside.py is the other half."""
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

BUILD = os.environ.get("top_builddir", ".")
SOURCE = os.environ.get("top_srcdir", ".")
HOSTS = """127.0.0.1 localhost loop.test
11.22.33.44 public.test
10.0.0.5 private.test
10.0.0.6 listed.test
169.254.169.254 meta.test
11.22.33.99 closed.test
"""
ALLOW = ["tls.test", "web.test:80", "db.test:5432", "11.22.33.44:7", "10.0.0.6:7", "public.test:7", "private.test:7",
         "loop.test:7", "meta.test:7", "listed.test:7", "closed.test:9", "private.test:80", "nope.test:9"]
PINS = ["tls.test=127.0.0.1:8443", "web.test=127.0.0.1:8080", "db.test=127.0.0.1:7"]
count = failed = 0


def check(name, ok, detail=""):
    global count, failed
    count += 1
    failed += not ok
    print(f"{'ok' if ok else 'not ok'} {count} - {name}", flush=True)
    if not ok and detail:
        print(f"# {detail}", flush=True)


def enter():
    """Into a network and a mount namespace of our own; a hosts file of our own in the latter."""
    if os.environ.get("GATE_TEST") != "inside":
        os.environ["GATE_TEST"] = "inside"
        os.execvp("unshare", ["unshare", "-rnm", sys.executable, *sys.argv])
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    work = tempfile.mkdtemp(prefix="jail-gate.")
    os.chdir(work)
    for name, text in (("hosts", HOSTS), ("resolv.conf", "nameserver 127.0.0.77\noptions timeout:1 attempts:1\n")):
        with open(name, "w") as f:
            f.write(text)
        subprocess.run(["mount", "--bind", name, os.path.realpath("/etc/" + name)], check=True)
    for command in ("link set lo up", "addr add 11.22.33.44/32 dev lo", "addr add 10.0.0.5/32 dev lo",
                    "addr add 10.0.0.6/32 dev lo", "addr add 11.22.33.99/32 dev lo", "addr add 169.254.169.254/32 dev lo"):
        subprocess.run(["ip", *command.split()], check=True)
    return work


seen = []


def serve(address, handler):
    def one(c, to):
        seen.append(to)
        with c:
            try:
                handler(c)
            except OSError:
                pass

    def forever(listener):
        while True:
            c, _ = listener.accept()
            threading.Thread(target=one, args=(c, c.getsockname()), daemon=True).start()
    listener = socket.create_server(address, backlog=1024)
    threading.Thread(target=forever, args=(listener,), daemon=True).start()


def echo(c):
    while data := c.recv(65536):
        c.sendall(data)


def web(c):
    data = b""
    while True:
        while b"\r\n\r\n" not in data:
            more = c.recv(65536)
            if not more:
                return
            data += more
        head, data = data.split(b"\r\n\r\n", 1)
        length = next((int(x.split(b":")[1]) for x in head.split(b"\r\n") if x.lower().startswith(b"content-length")), 0)
        while len(data) < length:
            data += c.recv(65536)
        body = b"%d" % length if length else b"web"
        data = data[length:]
        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        if b"close" in head:
            return


def proxy(c):
    head = b""
    while b"\r\n\r\n" not in head:
        head += c.recv(1000)
    target = head.split()[1].decode()
    if head.split()[0] != b"CONNECT" or target != "tls.test:443":
        c.sendall(b"HTTP/1.1 403 Forbidden\r\n\r\n")
        return
    far = socket.create_connection(("127.0.0.1", 8443))
    c.sendall(b"HTTP/1.1 200 Connection established\r\nX: y\r\n\r\n")

    def copy(a, b):
        while data := a.recv(65536):
            b.sendall(data)
    threading.Thread(target=copy, args=(far, c), daemon=True).start()
    copy(c, far)


def start_servers():
    subprocess.run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=tls.test "
                   "-keyout key.pem -out cert.pem".split(), check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("cert.pem", "key.pem")

    def tls(c):
        with context.wrap_socket(c, server_side=True) as t:
            t.sendall(b"tls:" + t.recv(100))
    serve(("127.0.0.1", 8443), tls)
    serve(("127.0.0.1", 8080), web)
    serve(("127.0.0.1", 8888), proxy)
    serve(("127.0.0.1", 16000), echo)
    for address in ("127.0.0.1", "11.22.33.44", "10.0.0.5", "10.0.0.6", "169.254.169.254"):
        serve((address, 7), echo)


heard = []
RETRY = bytes.fromhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")


def slow(c):
    """Looks late at what it was sent."""
    time.sleep(0.05)
    heard.append(c.recv(65536))
    c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


def retry(c):
    """Asks for a second ClientHello."""
    heard.append(c.recv(65536))
    body = b"\x03\x03" + RETRY + b"\x00\x13\x01\x00\x00\x00"
    c.sendall(b"\x16\x03\x03" + (len(body) + 4).to_bytes(2, "big") + b"\x02" + len(body).to_bytes(3, "big") + body)
    while data := c.recv(65536):
        heard.append(data)
        c.sendall(b"heard")


def changed():
    """What is checked is what arrives, although its sender still has the pages, and so is a second hello."""
    serve(("127.0.0.1", 8081), slow)
    serve(("127.0.0.1", 8444), retry)
    _, events = box(["changing", "second_hello"], allow=["slow.test:80", "slow.test:443", "retry.test"],
                    pins=["slow.test=127.0.0.1:8081", "retry.test=127.0.0.1:8444"])
    everything = b"".join(heard)
    check("nothing was changed behind the gate's back", b"evil.t" not in everything and heard, everything[:300])
    check("a second hello for another name did not arrive", b"other.test" not in everything, everything[:300])
    check("one for the same name did", sum(b"retry.test" in x for x in heard) == 3, len(heard))


def box(cases, *options, allow=None, pins=None, limit=60):
    """Run cases inside; (what the gate became, its events)."""
    for name in ("events", "report"):
        if os.path.exists(name):
            os.unlink(name)
    argv = [f"{BUILD}/tests/helpers/gatebox", "--gate", f"{BUILD}/gate/jail-gate", "--events", "events", "--report", "report"]
    for rule in allow or ALLOW:
        argv += ["--allow", rule]
    for pin in PINS if pins is None else pins:
        argv += ["--resolve", pin]
    argv += [*options, "--", sys.executable, f"{SOURCE}/tests/integration/gate_inside.py", *cases]
    p = subprocess.run(argv, stdout=subprocess.PIPE, text=True, timeout=limit, stdin=subprocess.DEVNULL)
    for line in p.stdout.splitlines():
        got = json.loads(line)
        check(got["name"], got["ok"], got["detail"])
    with open("events") as f:
        events = [json.loads(x) for x in f]
    with open("report") as f:
        return json.load(f), events


def publish_client(result):
    while not os.path.exists("inside-listens"):
        time.sleep(0.05)
    with socket.create_connection(("127.0.0.1", 13000), 5) as s:
        s.sendall(b"outside")
        s.shutdown(socket.SHUT_WR)
        data = b""
        while more := s.recv(100):
            data += more
    result.append(data)


def functional():
    report, events = box(["tls_cases", "http_cases", "tcp_cases", "bad_input", "status_cases"])
    check("the gate ended in order", report["gate"] == 0, report)
    reached = {a for a, _ in seen}
    check("no private address was connected to", "10.0.0.5" not in reached and "169.254.169.254" not in reached, reached)
    why = {(e.get("name"), e.get("why")) for e in events if e["event"] == "refuse"}
    for name in ("private.test", "loop.test", "meta.test"):
        check(f"an event says why: {name}", (name, "its address is private") in why, why)
    packets = [e for e in events if e["event"] == "packet" and e.get("addr") == "203.0.113.7"]
    check("500 packets are few events", 1 <= len(packets) <= 8 and sum(e["count"] for e in packets) == 500,
          [(e.get("addr"), e.get("why"), e["count"]) for e in events if e["event"] == "packet"])
    closed = [e for e in events if e["event"] == "close" and e.get("sent") == 10 and e.get("received") == 10]
    check("bytes are counted, both ways", closed and closed[0]["rule"] == ALLOW.index("11.22.33.44:7"), closed)
    scores = {(what, why) for what, _, why, _ in report["scores"]}
    check("the scoreboard has them", {("private.test", 3), ("other.test", 4), ("db.test", 1)} <= scores, scores)
    check("and what was not understood", {("tls.test", 6), ("web.test", 6), ("198.18.9.9", 6)} <= scores, scores)
    check("and what was not reached", {("closed.test", 7), ("nope.test", 7)} <= scores, scores)
    asked = {(e["name"], e.get("asked")) for e in events if e["event"] == "refuse" and e.get("name") in ("tls.test", "web.test")}
    check("an event has the name that was asked for", {("tls.test", "other.test"), ("web.test", "other.test")} <= asked, asked)
    made = {(e.get("name"), e["port"], e.get("addr"), e.get("addr_port")) for e in events if e["event"] == "connect"}
    check("and the port that was connected to, where it is another",
          {("tls.test", 443, "127.0.0.1", 8443), ("public.test", 7, "11.22.33.44", None)} <= made, made)


def ports():
    result = []
    client = threading.Thread(target=publish_client, args=(result,), daemon=True)
    client.start()
    report, _ = box(["ports_cases"], "--host-port", "6000:16000", "--publish", "3000:13000")
    client.join(5)
    check("and answers", result == [b"inside:outside"], result)
    check("the gate with a connector ended in order", report["gate"] == 0, report)


def load():
    report, events = box(["silent", "many", "transfer", "silent_end"], limit=120)
    why = "nothing was asked for in time"
    check("a client that says nothing is told of", any(e.get("why") == why for e in events) and ["tls.test", 443, 6, 1] in report["scores"], report)
    print(f"# rss of the gate after all of these: {report['rss_kb']} kB", flush=True)
    check("the gate's memory is bounded", 0 < report["rss_kb"] < 16384, report)
    report, events = crowded()
    check("those that found no slot are counted", any(e.get("why") == "no slot was free" and e["count"] for e in events), events[-3:])
    check("and told by their names", any(x[:3] == ["db.test", 5432, 6] for x in report["scores"]), report["scores"])


def crowded():
    """A gate with few descriptors has few slots."""
    with open("few-files", "w") as f:
        f.write(f"#!/bin/sh\nulimit -n 700\nexec {BUILD}/gate/jail-gate \"$@\"\n")
    os.chmod("few-files", 0o755)
    return box(["crowd"], "--gate", os.path.abspath("few-files"))


def main():
    missing = [x for x in ("unshare", "nft", "ip", "openssl", "mount") if not shutil.which(x, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
    if missing and not os.environ.get("JAIL_MUST_WORK"):
        print(f"1..0 # SKIP {missing[0]} is not installed")
        return 0
    work = enter()
    try:
        start_servers()
        functional()
        changed()
        ports()
        load()
        report, _ = box(["killed"])
        check("the killed gate is told", report["gate"] == 137, report)
        box(["direct"], "--nft", "no", allow=["tls.test"])
        _, events = box(["proxied"], "--proxy", "127.0.0.1:8888", allow=["tls.test", "no.test:5432"], pins=[])
        check("what a proxy refuses is an event", any(e.get("why") == "the proxy refused" for e in events), events)
        report, events = box(["no_proxy"], "--proxy", "127.0.0.1:8889", allow=["no.test:5432"], pins=[])
        check("a proxy that is not there is told", any(e.get("why") == "the proxy cannot be reached" for e in events)
              and ["no.test", 5432, 7, 1] in report["scores"], (events, report))
        p = subprocess.run([f"{BUILD}/gate/jail-gate", "--help"], capture_output=True, text=True)
        check("it is not for use by hand", (p.returncode, p.stderr) == (125, "jail-gate: it is started by jail, never by hand\n"), p)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"1..{count}")
    return 1 if failed else 0


sys.exit(main())
