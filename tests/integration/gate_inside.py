#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The client's side of gate.py: runs inside gatebox, does one set of cases, and prints a line of JSON for each."""
import json
import mmap
import os
import socket
import ssl
import struct
import sys
import threading
import time


def say(name, ok, detail=""):
    print(json.dumps({"name": name, "ok": bool(ok), "detail": str(detail)[:300]}), flush=True)


def resolve(name, server="9.9.9.9"):
    """The address that the gate gives a name; None: it has none."""
    labels = b"".join(bytes([len(x)]) + x.encode() for x in name.split("."))
    query = struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", 1, 1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.settimeout(3)
        s.sendto(query, (server, 53))
        answer = s.recv(512)
    return socket.inet_ntoa(answer[-4:]) if answer[3] & 15 == 0 and answer[7] == 1 else None


def connect(name, port, timeout=4):
    return socket.create_connection((resolve(name), port), timeout)


def read_all(s):
    data = b""
    try:
        while True:
            more = s.recv(65536)
            if not more:
                return data, "end"
            data += more
    except ConnectionResetError:
        return data, "reset"
    except TimeoutError:
        return data, "time"


def refused(f):
    """Was it a reset, and soon?"""
    start = time.monotonic()
    try:
        f()
    except (ConnectionResetError, ConnectionRefusedError, BrokenPipeError):
        return time.monotonic() - start < 1
    return False


def hello(name):
    """The bytes of a real ClientHello."""
    inp, out = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl._create_unverified_context()
    o = context.wrap_bio(inp, out, server_hostname=name)
    try:
        o.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return out.read()


def tls(name, sni):
    with connect(name, 443) as s:
        with ssl._create_unverified_context().wrap_socket(s, server_hostname=sni) as t:
            t.sendall(b"hi")
            return t.recv(100)


def tls_refusal(name, sni):
    try:
        return "got " + str(tls(name, sni))
    except ssl.SSLError as e:
        return e.reason or str(e)


def tls_cases():
    say("TLS to an allowed name", tls("tls.test", "tls.test") == b"tls:hi")
    got = tls_refusal("tls.test", "other.test")
    say("TLS with another name gets an alert", "UNRECOGNIZED_NAME" in got, got)
    got = tls_refusal("tls.test", None)
    say("TLS without a name gets an alert", "ACCESS_DENIED" in got, got)
    with connect("tls.test", 443) as s:
        for byte in hello("tls.test"):
            s.sendall(bytes([byte]))
        say("a ClientHello byte by byte", s.recv(5)[:1] == b"\x16")
    with connect("tls.test", 443) as s:
        s.sendall(b"SSH-2.0-not-tls\r\n")
        data, how = read_all(s)
        say("no TLS on a TLS port", data[:1] == b"\x15" and how == "end", (data, how))


def http(name, request):
    with connect(name, 80) as s:
        s.sendall(request)
        return read_all(s)[0]


def http_cases():
    ok = b"GET / HTTP/1.1\r\nHost: web.test\r\n\r\n"
    got = http("web.test", ok.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
    say("HTTP to an allowed name", got.startswith(b"HTTP/1.1 200") and got.endswith(b"web"), got)
    got = http("web.test", b"GET / HTTP/1.1\r\nHost: other.test\r\n\r\n")
    say("HTTP for another name is a 403 that says so", got.startswith(b"HTTP/1.1 403") and b"other.test" in got, got)
    with connect("web.test", 80) as s:
        s.sendall(ok)
        first = s.recv(1000)
        s.sendall(b"GET / HTTP/1.1\r\nHost: other.test\r\n\r\n")
        rest = read_all(s)
        say("the second request of a connection is looked at",
            first.startswith(b"HTTP/1.1 200") and b"200" not in rest[0], (first, rest))
    with connect("web.test", 80) as s:
        s.sendall(ok[:20])
        time.sleep(0.2)
        s.sendall(ok[20:])
        say("a head in two parts", s.recv(1000).startswith(b"HTTP/1.1 200"))
    body = b"x" * 300000
    got = http("web.test", b"POST /n HTTP/1.1\r\nHost: web.test\r\nConnection: close\r\nContent-Length: 300000\r\n\r\n" + body)
    say("a body larger than what is looked at", got.endswith(b"300000"), got)
    got = http("web.test", b"GET / HTTP/1.1\r\nHost: web.test\r\nHost: other.test\r\n\r\n")
    say("two Hosts are refused", got.startswith(b"HTTP/1.1 403"), got)
    got = http("private.test", b"GET / HTTP/1.1\r\nHost: private.test\r\n\r\n")
    say("a private address is a 403 that says what would help", got.startswith(b"HTTP/1.1 403")
        and b"resolve = private.test=ADDRESS" in got and b"allow = ADDRESS:80" in got, got)
    with connect("web.test", 80) as s:
        s.send(b"G")
        s.send(b"E", socket.MSG_OOB)
        say("urgent data is refused", read_all(s)[0][:15] in (b"", b"HTTP/1.1 403 Fo"))


def send_changing(port, text, before, after, pause):
    """Pages that are ours and the socket's: what is sent is what stands there when somebody looks."""
    with connect("slow.test", port) as s:
        fd = os.memfd_create("page")
        os.ftruncate(fd, 4096)
        with mmap.mmap(fd, 4096) as page:
            page[:len(text)] = text
            at = text.index(before)
            os.sendfile(s.fileno(), fd, 0, len(text))
            time.sleep(pause)
            page[at:at + len(after)] = after
            read_all(s)
        os.close(fd)


def changing():
    request = b"GET / HTTP/1.1\r\nHost: slow.test\r\nConnection: close\r\n\r\n"
    for pause in (0, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03):
        send_changing(80, request, b"slow.test", b"evil.test", pause)
        send_changing(443, hello("slow.test"), b"slow.test", b"evil.test", pause)
    say("requests and hellos that change under way", True)


def second_hello():
    for name in ("retry.test", "other.test"):
        with connect("retry.test", 443) as s:
            s.sendall(hello("retry.test"))
            s.recv(1000)
            s.sendall(hello(name))
            got = read_all(s) if name != "retry.test" else (s.recv(100), "")
        say(f"a second hello, for {name}", (got[0] == b"heard") == (name == "retry.test"), got)


def tcp_cases():
    with connect("db.test", 5432) as s:
        s.sendall(b"hello")
        s.shutdown(socket.SHUT_WR)
        say("plain TCP, and a half-close", read_all(s) == (b"hello", "end"))
    say("a port that no rule has", refused(lambda: connect("db.test", 23).recv(1)))
    say("an address of no name", refused(lambda: socket.create_connection(("198.18.9.9", 5432), 3).recv(1)))
    say("straight to the gate", refused(lambda: socket.create_connection(("127.0.0.1", 2), 3).recv(1)))
    say("straight to the gate by IPv6", refused(lambda: socket.create_connection(("::1", 2), 3).recv(1)))
    say("an address that nobody listed", refused(lambda: socket.create_connection(("203.0.113.9", 443), 3).recv(1)))
    with socket.create_connection(("11.22.33.44", 7), 3) as s:
        s.sendall(b"by address")
        s.shutdown(socket.SHUT_WR)
        say("a listed address", read_all(s)[0] == b"by address")
    with connect("public.test", 7) as s:
        s.sendall(b"looked up")
        s.shutdown(socket.SHUT_WR)
        say("a name that is looked up", read_all(s)[0] == b"looked up")
    for name in ("private.test", "loop.test", "meta.test"):
        say(f"a private answer: {name}", refused(lambda n=name: connect(n, 7).recv(1)))
    with connect("listed.test", 7) as s:
        s.sendall(b"listed")
        s.shutdown(socket.SHUT_WR)
        say("a private answer whose address is listed", read_all(s)[0] == b"listed")
    say("nobody is there", refused(lambda: connect("closed.test", 9).recv(1)))
    say("nobody knows where it is", refused(lambda: connect("nope.test", 9).recv(1)))
    say("a name that nobody has", resolve("unlisted.test") is None)
    u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for _ in range(500):
        try:
            u.sendto(b"x", ("203.0.113.7", 443))
        except OSError:
            pass
    time.sleep(0.2)  # the kernel hands them over in batches


def ports_cases():
    with socket.create_connection(("127.0.0.1", 6000), 3) as s:
        s.sendall(b"host")
        s.shutdown(socket.SHUT_WR)
        say("a port of the host's", read_all(s)[0] == b"host")
    server = socket.create_server(("127.0.0.1", 3000))
    open("inside-listens", "w").close()
    server.settimeout(5)
    c, _ = server.accept()
    with c:
        data = read_all(c)[0]
        c.sendall(b"inside:" + data)
    say("a published port is reached", data == b"outside")
    pid = os.environ["GATE_PID"]
    for child in open(f"/proc/{pid}/task/{pid}/children").read().split():
        fields = dict(x.split(":", 1) for x in open(f"/proc/{child}/status"))
        got = {k: fields[k].strip() for k in ("Seccomp", "NoNewPrivs", "CapEff", "CapPrm")}
        say("the connector is confined", got == {"Seccomp": "2", "NoNewPrivs": "1", "CapEff": "0" * 16, "CapPrm": "0" * 16}, got)


def status_cases():
    pid = os.environ["GATE_PID"]
    fields = dict(x.split(":", 1) for x in open(f"/proc/{pid}/status"))
    got = {k: fields[k].strip() for k in ("Seccomp", "NoNewPrivs", "CapEff", "CapPrm")}
    say("the gate is confined", got["Seccomp"] == "2" and got["NoNewPrivs"] == "1" and not int(got["CapEff"], 16)
        and not int(got["CapPrm"], 16), got)
    try:
        open(f"/proc/{pid}/mem", "rb").close()
        say("the gate cannot be looked into", False)
    except PermissionError:
        say("the gate cannot be looked into", True)


def bad_input():
    for port, junk in ((443, os.urandom(3000)), (443, b"\x16\x03\x01\xff\xff" + b"\0" * 70000), (80, b"\0" * 100),
                       (80, b"GET " + b"a" * 20000), (443, b"")):
        with connect("tls.test" if port == 443 else "web.test", port) as s:
            try:
                s.sendall(junk)
                s.shutdown(socket.SHUT_WR)
                read_all(s)
            except OSError:
                pass
    say("malformed input is survived", tls("tls.test", "tls.test") == b"tls:hi")


def silent():
    global mute
    mute = connect("tls.test", 443, 15)


def silent_end():
    say("a client that says nothing is refused", read_all(mute)[0][:1] == b"\x15")


def many():
    address = resolve("db.test")
    held = []
    for _ in range(1000):
        s = socket.socket()
        s.setblocking(False)
        try:
            s.connect((address, 5432))
        except BlockingIOError:
            pass
        held.append(s)
    done = 0
    for s in held:
        s.setblocking(True)
        s.settimeout(10)
        s.sendall(b"p" * 100)
    for s in held:
        data = b""
        while len(data) < 100:
            data += s.recv(100)
        done += data == b"p" * 100
        s.close()
    say("1,000 connections at once", done == 1000, done)
    done = 0
    for i in range(10000):
        with socket.create_connection((address, 5432), 5) as s:
            s.sendall(b"ab")
            done += s.recv(2) == b"ab"
    say("10,000 connections one after the other", done == 10000, done)


def crowd():
    address = resolve("db.test")
    answered = gone = 0
    held = []
    for _ in range(400):
        s = socket.socket()
        s.settimeout(5)
        try:
            s.connect((address, 5432))
            s.sendall(b"x")
            held.append(s)
        except OSError:
            gone += 1
    for s in held:
        try:
            if s.recv(1) == b"x":
                answered += 1
            else:
                gone += 1
        except OSError:
            gone += 1
    for s in held:
        s.close()
    say("when slots run out, the others are refused and none hangs", answered >= 16 and gone and answered + gone == 400,
        (answered, gone))
    time.sleep(0.3)
    with socket.create_connection((address, 5432), 5) as s:
        s.sendall(b"x")
        say("and when some are free again, they are used", s.recv(1) == b"x")


def transfer(name="db.test", size=50_000_000):
    s = connect(name, 5432, 20)
    sent = threading.Thread(target=lambda: (s.sendall(b"z" * size), s.shutdown(socket.SHUT_WR)))
    sent.start()
    got = 0
    while True:
        data = s.recv(1 << 20)
        if not data:
            break
        got += len(data)
    sent.join()
    say("50 MB there and back, all of it", got == size, got)
    time.sleep(0.2)
    s = connect(name, 5432, 10)
    s.sendall(b"z" * 1000)
    time.sleep(1)
    say("a reader that waits loses nothing", s.recv(1000, socket.MSG_WAITALL) == b"z" * 1000)
    s.close()


def killed():
    s = connect("db.test", 5432)
    s.sendall(b"x")
    s.recv(1)
    os.kill(int(os.environ["GATE_PID"]), 9)
    s.settimeout(3)
    say("a connection of a killed gate fails", refused(lambda: [s.sendall(b"y"), time.sleep(0.1), s.recv(1) or s.sendall(b"z"), s.sendall(b"z")]))
    say("and there is no other way out", refused(lambda: socket.create_connection(("198.18.0.1", 5432), 2)))


def direct():
    with socket.create_connection((resolve("tls.test"), 443), 3) as s:
        with ssl._create_unverified_context().wrap_socket(s, server_hostname="tls.test") as t:
            t.sendall(b"hi")
            say("TLS without nftables", t.recv(100) == b"tls:hi")
    say("another address without nftables", refused(lambda: socket.create_connection(("203.0.113.9", 443), 3).recv(1)))


def proxied():
    with connect("tls.test", 443) as s:
        with ssl._create_unverified_context().wrap_socket(s, server_hostname="tls.test") as t:
            t.sendall(b"hi")
            say("TLS through the host's proxy", t.recv(100) == b"tls:hi")
    say("what the proxy refuses", refused(lambda: [connect("no.test", 5432).recv(1)]))


def no_proxy():
    say("without its proxy", refused(lambda: connect("no.test", 5432).recv(1)))


def main():
    for case in sys.argv[1:]:
        try:
            globals()[case]()
        except Exception as e:  # noqa: BLE001: every failure is a case that failed
            say(f"{case} runs to its end", False, repr(e))


main()
