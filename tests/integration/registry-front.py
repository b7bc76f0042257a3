#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A bad registry in front of a good one: each way of being bad is a port of its own.

usage: registry-front.py UPSTREAM-PORT LOG [CERT KEY]

Prints one line MODE PORT for each mode, then an empty one. LOG gets a line for each request: MODE METHOD PATH
AUTHORIZATION RANGE. Ends when stdin does."""
import base64, hashlib, http.client, http.server, os, socket, ssl, sys, threading, time

upstream, log = int(sys.argv[1]), open(sys.argv[2], "a", buffering=1)
cert = sys.argv[3:5]
ports, counts, lock = {}, {}, threading.Lock()
user = "Basic " + base64.b64encode(b"anna:secret word").decode()


def count(mode, path):
    with lock:
        counts[mode, path] = counts.get((mode, path), 0) + 1
        return counts[mode, path]


class Front(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    mode = None

    def log_message(self, *args):
        pass

    def version_string(self):
        return "front"

    def fetch(self, headers=()):
        c = http.client.HTTPConnection("127.0.0.1", upstream)
        ask = {"Accept": self.headers.get("Accept", "*/*")}
        ask.update(headers)
        c.request("GET", self.path, headers=ask)
        r = c.getresponse()
        return r.status, dict(r.getheaders()), r.read()

    def reply(self, status, headers=(), body=b"", length=None):
        self.send_response(status)
        for k, v in dict(headers).items():
            if k.lower() not in ("content-length", "transfer-encoding", "connection", "date"):
                self.send_header(k, v)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def error(self, status, message="of this test", **headers):
        body = b'{"errors":[{"code":"TEST","message":"%s"}]}' % message.encode()
        self.reply(status, {k.replace("_", "-"): v for k, v in headers.items()}, body)

    def on(self):
        """Pass on what was asked, with its range."""
        ask = {"Range": self.headers["Range"]} if self.headers.get("Range") else {}
        self.reply(*self.fetch(ask))

    def do_POST(self):
        form = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
        log.write(f"{self.mode} POST {self.path} - {form}\n")
        if "refresh_token=it%20is%20me" not in form:
            return self.error(401)
        self.reply(200, {}, b'{"access_token":"letmein"}')

    def do_GET(self):
        auth = self.headers.get("Authorization", "-")
        log.write(f"{self.mode} GET {self.path} {auth} {self.headers.get('Range', '-')}\n")
        try:
            getattr(self, "mode_" + self.mode.replace("-", "_"))(auth, "/blobs/" in self.path)
        except (BrokenPipeError, ConnectionResetError):
            pass

    # ---- the ways -------------------------------------------------------------------------------------------------

    def mode_good(self, auth, blob):
        self.on()

    mode_tls = mode_other = mode_good

    def mode_redirect(self, auth, blob):
        if auth != user:
            return self.error(401, WWW_Authenticate='Basic realm="here"')
        if not blob:
            return self.on()
        self.reply(307, {"Location": f"http://localhost:{ports['other']}{self.path}"})

    def mode_redirect_same(self, auth, blob):
        if auth != user:
            return self.error(401, WWW_Authenticate='Basic realm="here"')
        if not blob or "again" in self.path:
            return self.on()
        self.reply(302, {"Location": self.path + "?again"})

    def mode_redirect_401(self, auth, blob):
        if blob:
            return self.reply(307, {"Location": f"http://localhost:{ports['always_401']}{self.path}"})
        self.on()

    def mode_redirect_clear(self, auth, blob):
        if blob:
            return self.reply(307, {"Location": "http://blobs.test" + self.path})
        self.on()

    def mode_redirect_file(self, auth, blob):
        self.reply(302, {"Location": "file:///etc/passwd"}) if blob else self.on()

    def mode_redirect_loop(self, auth, blob):
        self.reply(302, {"Location": self.path})

    def cut(self, ranges):
        """The first three requests for a blob end in the middle."""
        ask = {"Range": self.headers["Range"]} if self.headers.get("Range") and ranges else {}
        status, headers, body = self.fetch(ask)
        if count(self.mode, self.path) > 3 or len(body) < 100000:
            return self.reply(status, headers, body)
        self.reply(status, headers, body[:len(body) // 2], len(body))
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def mode_cut(self, auth, blob):
        self.cut(True) if blob else self.on()

    def mode_cut_whole(self, auth, blob):
        self.cut(False) if blob else self.on()

    def mode_wrong_range(self, auth, blob):
        if not blob or not self.headers.get("Range"):
            return self.mode_cut(auth, blob)
        status, headers, body = self.fetch({"Range": "bytes=1000-"})
        self.reply(206, headers, body)

    def mode_always_cut(self, auth, blob):
        status, headers, body = self.fetch({"Range": self.headers["Range"]} if self.headers.get("Range") else {})
        if not blob:
            return self.reply(status, headers, body)
        self.reply(status, headers, body[:10], len(body))
        self.close_connection = True

    def mode_always_401(self, auth, blob):
        self.error(401, WWW_Authenticate='Basic realm="here"')

    def mode_odd_401(self, auth, blob):
        self.error(401, WWW_Authenticate='Bearer realm="unfinished')

    def mode_always_404(self, auth, blob):
        self.error(404, "\\u001b[31mred\\u202e")

    def mode_always_500(self, auth, blob):
        self.error(500)

    def mode_once_503(self, auth, blob):
        self.error(503) if count(self.mode, self.path) == 1 else self.on()

    def mode_once_429(self, auth, blob):
        self.error(429, Retry_After="1") if count(self.mode, self.path) == 1 else self.on()

    def mode_long_429(self, auth, blob):
        self.error(429, "too many", Retry_After="3600")

    def mode_long_length(self, auth, blob):
        status, headers, body = self.fetch()
        self.reply(status, headers, body, len(body) + (1000 if blob else 0))
        self.close_connection = True

    def mode_more(self, auth, blob):
        status, headers, body = self.fetch()
        self.send_response(status)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        body += b"more" if blob else b""
        self.wfile.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))

    def mode_flip(self, auth, blob):
        status, headers, body = self.fetch()
        self.reply(status, headers, bytes([body[0] ^ 1]) + body[1:] if blob else body)

    def mode_flip_manifest(self, auth, blob):
        status, headers, body = self.fetch()
        self.reply(status, headers, body if blob else body + b" ")

    def mode_big_manifest(self, auth, blob):
        self.reply(200, {"Content-Type": "application/vnd.oci.image.manifest.v1+json"}, b" " * (5 << 20))

    def mode_slow_head(self, auth, blob):
        try:
            for c in "HTTP/1.1 200 OK\r\n" + "X: y\r\n" * 1000:
                self.wfile.write(c.encode())
                time.sleep(0.1)
        except OSError:
            pass

    def mode_slow_body(self, auth, blob):
        status, headers, body = self.fetch()
        if not blob:
            return self.reply(status, headers, body)
        self.reply(status, headers, b"", len(body))
        for i in range(600):
            self.wfile.write(body[i:i + 1])
            time.sleep(0.1)

    def mode_drip(self, auth, blob):
        """A transfer long enough to be killed in."""
        status, headers, body = self.fetch({"Range": self.headers["Range"]} if self.headers.get("Range") else {})
        if not blob:
            return self.reply(status, headers, body)
        self.reply(status, headers, b"", len(body))
        for i in range(0, len(body), 1 << 17):
            self.wfile.write(body[i:i + (1 << 17)])
            time.sleep(0.01)

    def mode_garbage(self, auth, blob):
        self.wfile.write(b"\x00\xff SSH-2.0 \r\n\r\n" * 100)
        self.close_connection = True

    def token(self, realm, want=None):
        if self.headers.get("Authorization") == "Bearer letmein":
            return self.on()
        self.error(401, WWW_Authenticate=f'Bearer realm="{realm}",service="a b",scope="repository:x:push"')

    def mode_bearer(self, auth, blob):
        if not self.path.startswith("/token"):
            return self.token(f"http://127.0.0.1:{ports['bearer']}/token?x=1")
        self.reply(200, {}, b'{"token":"letmein","expires_in":60}')

    def mode_bearer_login(self, auth, blob):
        if not self.path.startswith("/token"):
            return self.token(f"http://127.0.0.1:{ports['bearer_login']}/token")
        if auth != user:
            return self.error(401, "who are you")
        self.reply(200, {}, b'{"access_token":"letmein"}')

    def mode_bearer_expires(self, auth, blob):
        """Each token is good for one request."""
        if self.path.startswith("/token"):
            return self.reply(200, {}, b'{"token":"t%d"}' % count(self.mode, "/token"))
        if auth == "-" or count(self.mode, auth) > 1:
            return self.error(401, WWW_Authenticate=f'Bearer realm="http://127.0.0.1:{ports[self.mode]}/token"')
        self.on()

    def mode_bearer_clear(self, auth, blob):
        self.token("http://tokens.test/token")

    def mode_bearer_header(self, auth, blob):
        if not self.path.startswith("/token"):
            return self.token(f"http://127.0.0.1:{ports['bearer_header']}/token")
        self.reply(200, {}, b'{"token":"let\\r\\nHost: evil.test"}')

    def mode_bearer_flood(self, auth, blob):
        if not self.path.startswith("/token"):
            return self.token(f"http://127.0.0.1:{ports['bearer_flood']}/token")
        self.reply(200, {}, b'{"token":"' + b"x" * (1 << 20) + b'"}')


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        pass


for name in sorted(n[5:] for n in dir(Front) if n.startswith("mode_")):
    server = Server(("127.0.0.1", 0), type(name, (Front,), {"mode": name}))
    if name == "tls":
        if not cert:
            continue
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*cert)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    ports[name] = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
for name, port in ports.items():
    print(name, port)
print(flush=True)
sys.stdin.read()
