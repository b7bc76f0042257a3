#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What is asked inside a jail, over real sockets: the answers, the bounds, and how long programs wait for a refusal."""

import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from dnslib import *  # noqa: E402,F403

in_namespace()
events = []
server = subprocess.Popen(
    [HELPER, "serve", "allowed.test", "ssh.test:22", "*.wild.test", "192.0.2.0/24:22"], stdout=subprocess.PIPE, text=True
)
assert server.stdout.readline() == "ready\n"
threading.Thread(target=lambda: events.extend(iter(server.stdout.readline, "")), daemon=True).start()


def udp(message, to="127.0.0.1"):
    s = socket.socket(socket.AF_INET6 if ":" in to else socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(2)
    s.connect((to, 53))
    s.send(message)
    try:
        return s.recv(4096)
    except (socket.timeout, OSError):
        return None
    finally:
        s.close()


def ask(*args, to="127.0.0.1", **kw):
    got = udp(query(*args, **kw), to)
    return parse(got) if got else None


def tcp():
    s = socket.create_connection(("127.0.0.1", 53), 3)
    s.settimeout(3)
    return s


def framed(m):
    return struct.pack(">H", len(m)) + m


def read_exactly(s, n):
    out = b""
    while len(out) < n:
        more = s.recv(n - len(out))
        if not more:
            return None
        out += more
    return out


def read_answer(s):
    head = read_exactly(s, 2)
    return head and parse(read_exactly(s, struct.unpack(">H", head)[0]))


# ---- answers ------------------------------------------------------------------------------------

r = ask("allowed.test")
equal((r["id"], r["rcode"], r["question"]), (0x1234, 0, ("allowed.test", A, 1)), "an allowed name is answered")
equal([(a[0], a[2]) for a in r["answers"]], [(A, "198.18.0.1")], "with an address of its own")
check(0 < r["answers"][0][1] <= 300, "for a short time", r)
equal(ask("AlLoWeD.TeSt")["question"][0], "AlLoWeD.TeSt", "the question comes back letter by letter")
equal(ask("AlLoWeD.TeSt")["answers"][0][2], "198.18.0.1", "and means the same name")
equal(ask("ssh.test")["answers"][0][2], "198.18.0.2", "another name has another address")
for qtype in (AAAA, HTTPS, 64, TXT, 15, 33, SOA, NS):
    r = ask("allowed.test", qtype)
    equal((r["rcode"], r["answers"]), (0, []), f"type {qtype} of an allowed name: no data")
r = ask("other.test")
equal((r["rcode"], r["answers"]), (3, []), "another name is NXDOMAIN")
check(r["ede"] and r["ede"][0] == 15 and "allow = other.test" in r["ede"][1], "and the line that would allow it is told", r)
r = ask("other.test", edns=False)
equal((r["rcode"], r["edns"]), (3, False), "without EDNS it is not told")
for name in ("single", "allowed.test.corp.test", "notallowed.test", "test", "allowed", "x.allowed.test", "wild.test"):
    equal(ask(name)["rcode"], 3, f"{name} is NXDOMAIN")
for raw, what in (
    (b"\x08allo\x00wed\x04test\0", "a NUL"),
    (b"\x0callowed.test\0", "a dot inside a label"),
    (b"\x08allowed%\x04test\0", "a percent sign"),
    (b"\x07allowed\x04tes\xf4\0", "a byte over 127"),
    (b"\0", "the root"),
):
    r = ask("", raw=raw)
    equal((r["rcode"], r["answers"]), (3, []), f"{what}: NXDOMAIN")
for name in ("localhost", "x.y.localhost"):
    equal([a[2] for a in ask(name)["answers"]], ["127.0.0.1"], f"{name} is 127.0.0.1")
    equal([a[2] for a in ask(name, AAAA)["answers"]], ["::1"], f"{name} is ::1")
equal(ask("2.0.18.198.in-addr.arpa", PTR)["answers"][0][2], "ssh.test", "an address that was given has its name behind it")
for name in ("3.0.18.198.in-addr.arpa", "0.0.18.198.in-addr.arpa", "1.0.0.127.in-addr.arpa", "8.b.d.0.1.0.0.2.ip6.arpa"):
    equal(ask(name, PTR)["rcode"], 3, f"PTR {name}: NXDOMAIN")

# ---- what is no such question -------------------------------------------------------------------

for qtype in (ANY, AXFR, 251, OPT, 0):
    equal(ask("allowed.test", qtype)["rcode"], 5, f"type {qtype}: refused")
equal(ask("allowed.test", qclass=3)["rcode"], 5, "class CHAOS: refused")
equal(ask("allowed.test", qclass=255)["rcode"], 5, "class ANY: refused")
equal(ask("allowed.test", flags=0x2900)["rcode"], 4, "an update: not implemented")
equal(ask("allowed.test", version=1)["rcode"], 16, "EDNS 1: BADVERS")
good = query("allowed.test", edns=False)
two = good[:4] + b"\0\2" + good[6:] + wire_name("allowed.test") + b"\0\1\0\1"
equal(parse(udp(two))["rcode"], 1, "two questions: a format error")
equal(parse(udp(good + b"x"))["rcode"], 1, "something behind the end: a format error")
equal(parse(udp(good[:-1]))["rcode"], 1, "a question that is cut: a format error")
equal(parse(udp(good + bytes(600)))["rcode"], 1, "more than a question can have: a format error")
equal(parse(udp(query("", raw=b"\xc0\x0c")))["rcode"], 1, "a pointer to itself: a format error")

# Nothing is due, so the next answer is the next question's.
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(2)
s.connect(("127.0.0.1", 53))
for junk in (b"", b"x", bytes(11), query("allowed.test", flags=0x8100, ident=7)):
    s.send(junk)
s.send(query("allowed.test", ident=99))
equal(parse(s.recv(4096))["id"], 99, "what is no question has no answer")
s.close()

equal(ask("allowed.test", to="192.0.2.53")["rcode"], 0, "a server of any address answers, from that address")
equal(ask("allowed.test", to="::1")["rcode"], 0, "also at ::1")
equal(ask("allowed.test", to="2001:db8::53")["rcode"], 0, "and at any IPv6 address")

# ---- TCP ----------------------------------------------------------------------------------------

s = tcp()
s.sendall(b"".join(framed(query("allowed.test", ident=i)) for i in range(200)))
equal([read_answer(s)["id"] for i in range(200)], list(range(200)), "200 questions in one go are answered in order")
for byte in framed(query("ssh.test")):
    s.send(bytes([byte]))
equal(read_answer(s)["answers"][0][2], "198.18.0.2", "a question byte by byte")
s.sendall(framed(query("allowed.test"))[:10])
s.shutdown(socket.SHUT_WR)
equal(s.recv(10), b"", "a question that never gets whole is the end")
s.close()
s = tcp()
s.sendall(struct.pack(">H", 60000))
try:
    equal(s.recv(10), b"", "a question of 60000 bytes is the end")
except ConnectionResetError:
    check(True, "a question of 60000 bytes is the end")
s.close()

# One that never reads: its answers wait, and nobody else does.
deaf = tcp()
deaf.setblocking(False)
sent = 0
try:
    while True:
        sent += deaf.send(framed(query("allowed.test")) * 100)
except BlockingIOError:
    pass
equal(ask("allowed.test")["rcode"], 0, "who never reads its answers keeps nobody from theirs")
deaf.settimeout(2)
due = sent // len(framed(query("allowed.test"))) * len(framed(udp(query("allowed.test"))))
try:
    while due > 0:
        due -= len(deaf.recv(1 << 20)) or due + 1
except OSError:
    pass
equal(due, 0, "and may still read them all")
deaf.close()

many = [tcp() for i in range(40)]
answers = []
for i, s in enumerate(many):
    try:
        s.sendall(framed(query("allowed.test", ident=i)))
        answers.append(read_answer(s) is not None)
    except OSError:
        answers.append(False)
equal((answers.count(True), answers[:32]), (32, [True] * 32), "of 40 connections 32 are served, the rest are closed at once")
begin = time.monotonic()
try:
    many[0].settimeout(15)
    gone = many[0].recv(1) == b""
except OSError:
    gone = False
check(gone and 8 < time.monotonic() - begin < 13, "a connection that asks nothing more is closed after 10 s", time.monotonic() - begin)
for s in many:
    s.close()
s = tcp()
s.sendall(framed(query("allowed.test")))
equal(read_answer(s)["rcode"], 0, "and there is room again")
s.close()

# ---- beneath a wildcard -------------------------------------------------------------------------

equal(ask("a.wild.test")["rcode"], 0, "a name beneath a wildcard")
equal(ask("a.b.c.d.wild.test")["rcode"], 0, "four labels beneath it")
r = ask("a.b.c.d.e.wild.test")
equal((r["rcode"], r["ede"] and r["ede"][0]), (3, 17), "five are too many")
equal(ask("a" * 32 + "." + "b" * 31 + ".wild.test")["rcode"], 0, "64 bytes beneath it")
equal(ask("a" * 32 + "." + "b" * 32 + ".wild.test")["rcode"], 3, "65 are too many")
begin = time.monotonic()
codes = [ask(f"n{i}.wild.test")["rcode"] for i in range(100)]
most = 63 + int((time.monotonic() - begin) * 64 / 60)  # a slow machine gets more
check(61 <= codes.count(0) <= most and codes.count(0) + codes.count(5) == 100, "64 new names a minute, then they are refused", codes)
equal(ask("a.wild.test")["rcode"], 0, "those that were given stay")
equal(ask("allowed.test")["rcode"], 0, "and names with a rule of their own are not bounded")
time.sleep(2)
equal(ask("later.wild.test")["rcode"], 0, "a little later there is room for one more")

# ---- programs -----------------------------------------------------------------------------------

work = tempfile.mkdtemp(prefix="jail-dns.")
conf, hosts = work + "/resolv.conf", work + "/hosts"
with open(conf, "w") as f:
    f.write("nameserver 127.0.0.1\n")
with open(hosts, "w") as f:
    f.write("127.0.0.1 localhost\n")


def program(argv):
    """Runs it with a resolv.conf that asks the server, as a jail has it; what it prints, and how long it took."""
    script = f'mount --bind {conf} "$(readlink -f /etc/resolv.conf)" && mount --bind {hosts} /etc/hosts && exec "$@"'
    out = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh"] + argv, capture_output=True, text=True, timeout=30)
    return out.stdout.strip() + out.stderr.strip()


PYTHON = """
import socket, time
for name in ("allowed.test", "other.test", "single"):
    t = time.monotonic()
    try: r = sorted({a[4][0] for a in socket.getaddrinfo(name, 443)})
    except socket.gaierror as e: r = e.errno == socket.EAI_NONAME
    print(name, r, "fast" if time.monotonic() - t < 0.1 else time.monotonic() - t)
"""
equal(
    program([sys.executable, "-c", PYTHON]).splitlines(),
    ["allowed.test ['198.18.0.1'] fast", "other.test True fast", "single True fast"],
    "libc's getaddrinfo(), for both families",
)
NODE = """
const dns = require("dns");
const timed = (what, f) => new Promise(done => { const t = Date.now(); f((e, r) =>
  done(console.log(what, e ? e.code : JSON.stringify(r), Date.now() - t < 100 ? "fast" : Date.now() - t))); });
(async () => {
  await timed("lookup", f => dns.lookup("allowed.test", {all: true}, f));
  await timed("lookup", f => dns.lookup("other.test", f));
  await timed("resolve4", f => dns.resolve4("allowed.test", f));
  await timed("resolve6", f => dns.resolve6("allowed.test", f));
  await timed("resolve4", f => dns.resolve4("other.test", f));
  await timed("reverse", f => dns.reverse("198.18.0.2", f));
})();
"""
if shutil.which("node"):
    equal(
        program(["node", "-e", NODE]).splitlines(),
        [
            'lookup [{"address":"198.18.0.1","family":4}] fast',
            "lookup ENOTFOUND fast",
            'resolve4 ["198.18.0.1"] fast',
            "resolve6 ENODATA fast",
            "resolve4 ENOTFOUND fast",
            'reverse ["ssh.test"] fast',
        ],
        "node, by libc and by c-ares",
    )
shutil.rmtree(work)

# ---- events -------------------------------------------------------------------------------------

server.terminate()
server.wait()
time.sleep(0.1)
lines = [e.strip() for e in events]
check("query allow allowed.test -" in lines, "an answer is an event", lines[:5])
check("query deny other.test not on the list" in lines, "and so is a refusal")
check("score 0 other.test 0" in lines and "score 0 single 0" in lines, "which counts")
check(not [e for e in lines if e.startswith("score") and "arpa" in e], "but not for addresses")
check("query deny n99.wild.test too many new names beneath wildcards in a minute" in lines, "a burst is an event")
finish()
