# SPDX-License-Identifier: GPL-2.0-or-later
"""What dns-inside.py and dns-outside.py share: TAP, a network namespace of one's own, and DNS messages in plain Python."""

import os
import socket
import struct
import subprocess
import sys

HELPER = os.environ["top_builddir"] + "/tests/helpers/dnsside"
A, NS, CNAME, SOA, PTR, TXT, AAAA, OPT, HTTPS, AXFR, ANY = 1, 2, 5, 6, 12, 16, 28, 41, 65, 252, 255

_count = [0, 0]


def check(good, name, why=""):
    _count[0] += 1
    print(f"{'' if good else 'not '}ok {_count[0]} - {name}")
    if not good:
        _count[1] += 1
        for line in str(why).splitlines():
            print("# " + line)
    sys.stdout.flush()


def equal(got, want, name):
    check(got == want, name, f"got  {got!r}\nwant {want!r}")


def finish():
    print(f"1..{_count[0]}")
    sys.exit(1 if _count[1] else 0)


def in_namespace():
    """Starts this script again where port 53 is its own, with lo up and every address local, as in a jail."""
    if os.environ.get("DNS_TEST_INSIDE"):
        for args in (["link", "set", "lo", "up"], ["route", "add", "local", "default", "dev", "lo"]):
            subprocess.run(["ip"] + args, check=True)
        subprocess.run(["ip", "-6", "route", "add", "local", "default", "dev", "lo"], check=False)
        return
    env = dict(os.environ, DNS_TEST_INSIDE="1")
    os.execvpe("unshare", ["unshare", "-rn", "--kill-child", sys.executable] + sys.argv, env)


def wire_name(name):
    out = b""
    for label in name.split(".") if name else []:
        out += bytes([len(label)]) + label.encode("latin-1")
    return out + b"\0"


def query(name, qtype=A, ident=0x1234, edns=True, qclass=1, flags=0x0100, version=0, raw=None):
    m = struct.pack(">6H", ident, flags, 1, 0, 0, 1 if edns else 0)
    m += (wire_name(name) if raw is None else raw) + struct.pack(">2H", qtype, qclass)
    if edns:
        m += b"\0" + struct.pack(">2HIH", OPT, 1232, version << 16, 0)
    return m


def read_name(m, at):
    labels, jumped, end = [], False, at
    while True:
        n = m[at]
        if n >= 0xC0:
            if not jumped:
                end = at + 2
            jumped = True
            at = (n & 0x3F) << 8 | m[at + 1]
            continue
        at += 1
        if not n:
            return ".".join(labels), end if jumped else at
        labels.append(m[at : at + n].decode("latin-1"))
        at += n


def parse(m):
    """A second reader of messages: id, flags, rcode, question, answers (type, ttl, value), extended error (code, text)."""
    ident, flags, qd, an, ns, ar = struct.unpack(">6H", m[:12])
    r = {"id": ident, "flags": flags, "rcode": flags & 15, "question": None, "answers": [], "ede": None, "edns": False}
    at = 12
    for _ in range(qd):
        name, at = read_name(m, at)
        r["question"] = (name,) + struct.unpack(">2H", m[at : at + 4])
        at += 4
    for _ in range(an + ns + ar):
        name, at = read_name(m, at)
        rtype, rclass, ttl, n = struct.unpack(">2HIH", m[at : at + 10])
        at += 10
        data = m[at : at + n]
        assert len(data) == n
        if rtype == OPT:
            r["edns"] = True
            r["rcode"] |= ttl >> 24 << 4
            if n:
                code, length, ede = struct.unpack(">3H", data[:6])
                assert code == 15 and length == n - 4
                r["ede"] = (ede, data[6:].decode())
        elif rtype == PTR:
            r["answers"].append((rtype, ttl, read_name(m, at)[0]))
        else:
            family = {A: socket.AF_INET, AAAA: socket.AF_INET6}[rtype]
            r["answers"].append((rtype, ttl, socket.inet_ntop(family, data)))
        at += n
    assert at == len(m)
    return r
