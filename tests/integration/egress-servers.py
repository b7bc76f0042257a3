#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Servers on the host's loopback for egress.sh: HTTPS with git behind it, and HTTP. egress-servers.py DIR: DIR has cert.pem, key.pem
and git/; the ports are written to DIR/ports, and DIR/log gets a line "KIND HOST PATH" for each request; /big is 64 MB. Until SIGTERM."""

import http.server
import os
import ssl
import subprocess
import sys
import threading

top = sys.argv[1]
log = open(os.path.join(top, "log"), "a", buffering=1)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    kind = "http"

    def log_message(self, *args):
        pass

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            data = b""
            while True:
                size = int(self.rfile.readline(), 16)
                data += self.rfile.read(size)
                self.rfile.readline()
                if not size:
                    return data
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def git(self, body):
        path, _, query = self.path.partition("?")
        env = dict(
            os.environ,
            GIT_PROJECT_ROOT=top,
            GIT_HTTP_EXPORT_ALL="1",
            GIT_CONFIG_NOSYSTEM="1",
            PATH_INFO=path,
            QUERY_STRING=query,
            REQUEST_METHOD=self.command,
            CONTENT_TYPE=self.headers.get("Content-Type", ""),
            HTTP_CONTENT_ENCODING=self.headers.get("Content-Encoding", ""),
            HTTP_GIT_PROTOCOL=self.headers.get("Git-Protocol", ""),
            CONTENT_LENGTH=str(len(body)),
            REMOTE_USER="x",
            REMOTE_ADDR="127.0.0.1",
        )
        out = subprocess.run(["git", "http-backend"], input=body, env=env, stdout=subprocess.PIPE, check=False).stdout
        head, _, rest = out.partition(b"\r\n\r\n")
        status, kind = 200, "text/plain"
        for line in head.decode().split("\r\n"):
            name, _, value = line.partition(": ")
            if name == "Status":
                status = int(value.split()[0])
            elif name == "Content-Type":
                kind = value
        self.answer(status, kind, rest)

    def do_GET(self):
        body = self.body()
        print(self.kind, self.headers.get("Host"), self.path, file=log)
        if self.path.startswith("/git/"):
            self.git(body)
        elif self.path == "/big":
            self.answer(200, "text/plain", bytes(64 << 20))
        else:
            self.answer(200, "text/plain", f"{self.kind} {self.headers.get('Host')} {len(body)}\n".encode())

    do_POST = do_PUT = do_GET


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, request, client_address):
        pass


class Secure(Handler):
    kind = "https"


def start(handler):
    server = Server(("127.0.0.1", 0), handler)
    if handler is Secure:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(top, "cert.pem"), os.path.join(top, "key.pem"))
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


ports = f"https={start(Secure)} http={start(Handler)}\n"
with open(os.path.join(top, "ports.new"), "w", encoding="ascii") as f:
    f.write(ports)
os.rename(os.path.join(top, "ports.new"), os.path.join(top, "ports"))
threading.Event().wait()
