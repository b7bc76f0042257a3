#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The gate's resolver against name servers that answer, that do not, and that are not who they seem to be."""

import os
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
work = tempfile.mkdtemp(prefix="jail-dns.")
queries = []  # (server, protocol, source port, id, name, type)


def record(rtype, value, ttl=300, owner=b"\xc0\x0c"):
    if rtype == A:
        data = socket.inet_pton(socket.AF_INET, value)
    elif rtype == AAAA:
        data = socket.inet_pton(socket.AF_INET6, value)
    else:
        data = wire_name(value)
    return owner + struct.pack(">2HIH", rtype, 1, ttl, len(data)) + data


def reply(m, records=(), rcode=0, flags=0x8180, question=None, ident=None):
    end = m.index(b"\0", 12) + 5
    head = m[:2] if ident is None else struct.pack(">H", ident)
    return head + struct.pack(">5H", flags | rcode, 1, len(records), 0, 0) + (question or m[12:end]) + b"".join(records)


ZONE = {
    ("plain.test", A): [record(A, "192.0.2.1", 2)],
    ("plain.test", AAAA): [record(AAAA, "2001:db8::1", 2)],
    ("long.test", A): [record(A, "192.0.2.2", 100000)],
    ("zero.test", A): [record(A, "192.0.2.3", 0)],
    ("only6.test", AAAA): [record(AAAA, "2001:db8::6")],
    ("many.test", A): [record(A, f"192.0.2.{i}") for i in range(1, 41)],
    ("alias.test", A): [
        record(A, "192.0.2.9", 300, wire_name("end.example.test")),  # the order is not promised
        record(CNAME, "Middle.example.test", 300),
        record(CNAME, "end.example.test", 2, wire_name("miDDle.example.test")),
        record(A, "192.0.2.66", 300, wire_name("stranger.test")),
    ],
    ("circle.test", A): [record(CNAME, "b.test"), record(CNAME, "circle.test", 300, wire_name("b.test"))],
    ("db.corp.test", A): [record(A, "192.0.2.20")],
    ("a.b.corp.test", A): [record(A, "192.0.2.21")],
    ("plain.test.corp.test", A): [record(A, "192.0.2.22")],
}


def answers(m, to, sock=None, client=None):
    """The messages to send back, each perhaps after a pause; None where the server keeps silent."""
    q = parse(m)["question"]
    name, qtype = q[0].lower(), q[1]
    protocol = "udp" if sock else "tcp"
    queries.append((to, protocol, client[1], m[:2], name, qtype))
    if name == "silent.test" or (to == "127.0.0.2"):
        return []
    if name == "broken.test":
        return [reply(m, rcode=2)]
    if name == "referral.test" and to == "127.0.0.1":
        return [reply(m, flags=0x8100)]
    if name == "referral.test":
        return [reply(m, [record(A, "192.0.2.5")] if qtype == A else [])]
    if name == "slow6.test" and qtype == AAAA:
        return []
    if name in ("slow6.test", "joined.test"):
        time.sleep(0.1 if name == "joined.test" else 0)
        return [reply(m, [record(A, "192.0.2.7")] if qtype == A else [])]
    if name == "big.test" and sock:
        return [reply(m, [record(A, "192.0.2.66")], flags=0x8380)]
    if name == "big.test":
        return [reply(m, [record(A, f"192.0.2.{i}") for i in range(1, 101)] if qtype == A else [])]
    if name == "hugetcp.test" and sock:
        return [reply(m, flags=0x8380)]
    if name == "hugetcp.test":
        return [reply(m, [record(TXT, "x" * 60)] * 300)]
    if name == "spoof.test" and sock:
        bad = [record(A, "192.0.2.66")] if qtype == A else [record(AAAA, "2001:db8::66")]
        ident = struct.unpack(">H", m[:2])[0]
        other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        other.bind((to, 0))
        other.sendto(reply(m, bad), client)  # right in all but its port
        far = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        far.bind(("127.0.0.9", 53))
        far.sendto(reply(m, bad), client)  # right in all but its address
        other.close()
        far.close()
        wrong = [
            reply(m, bad, ident=ident ^ 1),
            reply(m, bad, question=wire_name("spoof2.test") + struct.pack(">2H", qtype, 1)),
            reply(m, bad, question=wire_name("spoof.test") + struct.pack(">2H", 29 - qtype, 1)),
            reply(m, bad, question=wire_name("spoof.test") + struct.pack(">2H", qtype, 3)),
            reply(m, bad, flags=0x0180),  # a question
            reply(m, bad)[:-1],
            b"",
            m,
        ]
        return wrong + [0.2, reply(m, [record(A, "192.0.2.8")] if qtype == A else [])]
    if name == "guessed.test" and sock:
        return [reply(m, ident=i) for i in range(40)]
    if name == "guessed.test":
        return [reply(m, [record(A, "192.0.2.4")] if qtype == A else [])]
    if (name, qtype) in ZONE:
        return [reply(m, ZONE[name, qtype])]
    return [reply(m, rcode=0 if any(key[0] == name for key in ZONE) else 3)]


def send(parts, out):
    for part in parts:
        if isinstance(part, float):
            time.sleep(part)
        else:
            out(part)


def serve_udp(family, to):
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.bind((to, 53))

    def loop():
        while True:
            m, client = s.recvfrom(4096)
            job = lambda m=m, client=client: send(answers(m, to, s, client), lambda part: s.sendto(part, client))
            threading.Thread(target=job, daemon=True).start()

    threading.Thread(target=loop, daemon=True).start()


def serve_tcp(family, to):
    s = socket.create_server((to, 53), family=family)

    def one(c, client):
        m = c.recv(4096)
        m += c.recv(4096) if len(m) < 3 else b""
        # Cut in odd places, so that it has to be put together again.
        for part in answers(m[2:], to, None, client):
            part = struct.pack(">H", len(part)) + part
            for i in (slice(0, 1), slice(1, 2), slice(2, 50), slice(50, None)):
                try:
                    c.sendall(part[i])
                except OSError:
                    return
                time.sleep(0.01)
        c.close()

    def loop():
        while True:
            threading.Thread(target=one, args=s.accept(), daemon=True).start()

    threading.Thread(target=loop, daemon=True).start()


for family, to in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET, "127.0.0.2"), (socket.AF_INET6, "::1")):
    serve_udp(family, to)
    serve_tcp(family, to)


def resolve(*steps, conf="nameserver 127.0.0.1\noptions timeout:1\n", hosts="127.0.0.1 localhost\n"):
    """The lines of `dnsside ask`, cut into words."""
    for name, text in (("hosts", hosts), ("conf", conf)):
        with open(f"{work}/{name}", "w") as f:
            f.write(text)
    del queries[:]
    out = subprocess.run([HELPER, "ask", work + "/hosts", work + "/conf"] + list(steps), capture_output=True, text=True, timeout=60)
    if out.returncode:
        print("#", out.returncode, out.stderr)
    return [line.split() for line in out.stdout.splitlines()]


def one(name, **kw):
    """(error, addresses) of one name."""
    words = resolve(name, **kw)[0]
    return words[1], words[3:]


def asked(**want):
    keys = ("to", "protocol", "port", "id", "name", "type")
    return [q for q in queries if all(q[keys.index(k)] == v for k, v in want.items())]


equal(one("plain.test"), ("0", ["192.0.2.1", "2001:db8::1"]), "both families, IPv4 first")
equal(one("only6.test"), ("0", ["2001:db8::6"]), "IPv6 where there is no IPv4")
equal(one("nothing.test"), ("ENOENT", []), "no such name")
equal(one("alias.test"), ("0", ["192.0.2.9"]), "a chain of CNAMEs, in any order and case")
equal(one("many.test")[1], [f"192.0.2.{i}" for i in range(1, 17)], "of 40 addresses the first 16")
equal(one("broken.test"), ("EHOSTUNREACH", []), "SERVFAIL from every server")
equal(len(asked(type=A)), 2, "which was asked twice")
equal(one("circle.test"), ("ETIMEDOUT", []), "a circle of CNAMEs is no answer")

# ---- memory -------------------------------------------------------------------------------------

equal([w[1] for w in resolve("plain.test", "plain.test", "plain.test")], ["0"] * 3, "asked thrice")
equal(len(asked(type=A)), 1, "the server was asked once")
resolve("plain.test", "@2200", "plain.test")
equal(len(asked(type=A)), 2, "and again when the time to live was over")
resolve("alias.test", "@2200", "alias.test")
equal(len(asked(type=A)), 2, "which is the least of a chain")
resolve("zero.test", "zero.test", "@1100", "zero.test")
equal(len(asked(type=A)), 2, "a time to live of 0 is a second")
resolve("nothing.test", "nothing.test", "@5200", "nothing.test")
equal(len(asked(type=A)), 2, "that there is no such name is kept for 5 s")
resolve("broken.test", "broken.test")
equal(len(asked(type=A)), 4, "that a server fails is not kept")
r = resolve("joined.test,joined.test,joined.test")
equal(([w[1:2] + w[3:] for w in r], len(asked(type=A))), ([["0", "192.0.2.7"]] * 3, 1), "three at once are one question")
r = resolve("!joined.test,joined.test", "joined.test")
equal([w[1] for w in r], ["cancelled", "cancelled", "0"], "cancelled, and asked again")
r = resolve(",".join(["silent.test"] + [f"n{i}.test" for i in range(70)]), conf="nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
errors = [w[1] for w in r]
equal((errors.count("EBUSY"), errors.count("ENOENT"), errors.count("ETIMEDOUT")), (7, 63, 1), "64 names at once, more are refused at once")

# ---- servers that do not ------------------------------------------------------------------------

begin = time.monotonic()
equal(one("silent.test"), ("ETIMEDOUT", []), "a server that is silent")
check(1.8 < time.monotonic() - begin < 3, "is waited for twice, a second each", time.monotonic() - begin)
conf = "nameserver 127.0.0.2\nnameserver ::1\noptions timeout:1\n"
equal(one("plain.test", conf=conf)[0], "0", "after a silent one the next, by IPv6")
words = resolve("plain.test", conf="nameserver 127.0.0.3\nnameserver 127.0.0.1\n")[0]
check(words[1] == "0" and int(words[2]) < 500, "after one that is not there the next, at once", words)
equal(one("referral.test", conf="nameserver 127.0.0.1\nnameserver ::1\n"), ("0", ["192.0.2.5"]), "one that does not recurse is no help")
equal(one("plain.test", conf="nameserver 127.0.0.3\n"), ("EHOSTUNREACH", []), "no server at all")
words = resolve("slow6.test")[0]
check(words[1] == "0" and words[3:] == ["192.0.2.7"] and int(words[2]) < 500, "IPv6 is not waited for when IPv4 is there", words)

# ---- TCP ----------------------------------------------------------------------------------------

equal(one("big.test")[1], [f"192.0.2.{i}" for i in range(1, 17)], "what does not fit comes by TCP")
equal(len(asked(protocol="tcp")), 2, "for each of the questions")
equal(one("hugetcp.test"), ("EHOSTUNREACH", []), "an answer of 20 KB is none")
equal(one("plain.test", conf="nameserver 127.0.0.1\noptions use-vc\n")[0], "0", "use-vc")
equal(len(asked(protocol="udp")), 0, "is TCP from the start")

# ---- who seems to be the server -----------------------------------------------------------------

words = resolve("spoof.test")[0]
equal((words[1], words[3:]), ("0", ["192.0.2.8"]), "answers with a wrong id, question, class, port or address are passed over")
check(200 <= int(words[2]) < 900, "and the right one is waited for", words)
equal(one("guessed.test"), ("0", ["192.0.2.4"]), "who is guessed at asks by TCP")
check(asked(protocol="tcp", name="guessed.test"), "indeed")
resolve(",".join(f"r{i}.test" for i in range(60)))
check(len(queries) == 120 and len({q[3] for q in queries}) > 110, "ids are random", len({q[3] for q in queries}))
check(len({q[2] for q in queries}) > 110, "and so are ports", len({q[2] for q in queries}))
ports = [q[2] for q in queries]
steps = sum(abs(b - a) <= 2 for a, b in zip(ports, ports[1:]))
check(steps < 12, "which do not count up", ports)
resolve("silent.test")
tries = asked(type=A)
check(len(tries) == 2 and tries[0][2] != tries[1][2] and tries[0][3] != tries[1][3], "a second try has its own", tries)

# ---- the files ----------------------------------------------------------------------------------

hosts = "# plain.test\n192.0.2.50 other.test\tPlain.Test. # x\n2001:db8::50 plain.test\n::1 localhost\nfe80::1%lo plain.test\n"
equal(one("plain.test", hosts=hosts), ("0", ["192.0.2.50", "2001:db8::50"]), "the hosts file comes first")
equal(len(queries), 0, "and nobody is asked")
equal(one("localhost", hosts=""), ("0", ["127.0.0.1"]), "nor for localhost")
equal(len(queries), 0, "ever")
search = "search corp.test\nnameserver 127.0.0.1\n"
equal(one("db", conf=search), ("0", ["192.0.2.20"]), "a name without a dot is looked for in the search list")
equal(one("plain.test", conf=search)[1][0], "192.0.2.1", "one with a dot is not")
equal(one("nothing.test", conf=search)[0], "ENOENT", "also when there is none")
equal({q[4] for q in queries}, {"nothing.test"}, "and is not shown to the search list's servers")
equal(one("a.b", conf=search + "options ndots:2\n")[1], ["192.0.2.21"], "unless ndots says so")
equal(one("plain.test", conf=search + "options ndots:2\n")[1], ["192.0.2.22"], "then it is that domain's first")
equal(one("only6.test", conf=search + "options ndots:2\n")[1], ["2001:db8::6"], "and itself afterwards")
big = "192.0.2.60 first.test\n" + "# filler line\n" * 80000 + "192.0.2.61 last.test\n"
r = resolve("first.test", "last.test", hosts=big)
equal((r[0], r[1][3:], r[2][1]), (["init", "1"], ["192.0.2.60"], "ENOENT"), "of a hosts file that is too long the rest is not read, which is told")
os.unlink(work + "/hosts")
os.unlink(work + "/conf")
out = subprocess.run([HELPER, "ask", work + "/hosts", work + "/conf", "plain.test"], capture_output=True, text=True)
equal(out.stdout.split()[1], "0", "without files it is the server at 127.0.0.1")
os.rmdir(work)
finish()
