# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""A hop on loopback between a client and the server: it tells what passed, and lets a test act at an exact moment."""

import http.client
import http.server
import ssl
import threading
from dataclasses import dataclass
from urllib.parse import urlsplit

SECONDS = 120
# Headers that speak of one connection only (RFC 9110, section 7.6.1), and those that this hop makes itself.
OF_ONE_HOP = {"connection", "content-length", "date", "host", "keep-alive", "server", "transfer-encoding"}


@dataclass(frozen=True)
class Exchange:
    """One request and the status of its answer."""

    method: str
    path: str
    status: int


class Forwarder:
    """Passes requests on to `upstream`, the Iceberg REST root of a server.

    `headers` are added to every request. With `identity`, the folder of an enrolled reader, it connects as that reader:
    so it stands for a client that has the reader's certificate. `before(method, path)` runs before a request is passed
    on; `change(method, path, status, body)` gives the body that the client gets.
    """

    def __init__(self, upstream, headers=None, identity=None):
        self.upstream = urlsplit(upstream)
        self.headers = headers or {}
        self.before = lambda method, path: None
        self.change = lambda method, path, status, body: body
        self.exchanges = []
        self.failures = []
        self.tls = None
        if identity is not None:
            self.tls = ssl.create_default_context(cafile=identity / "authority.pem")
            self.tls.load_cert_chain(identity / "certificate.pem", identity / "key.pem")

    def __enter__(self):
        handler = type("Handler", (_Handler,), {"hop": self})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}{self.upstream.path}"
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
        assert not self.failures, self.failures

    def statuses(self, method, *endings):
        """The statuses of the requests whose path ends in one of these ways, in order."""
        return [
            exchange.status
            for exchange in list(self.exchanges)
            if exchange.method == method and urlsplit(exchange.path).path.endswith(endings)
        ]

    def pass_on(self, method, path, body, headers):
        """Status, headers and body of the server's answer."""
        self.before(method, path)
        connect = http.client.HTTPSConnection if self.tls else http.client.HTTPConnection
        options = {"context": self.tls} if self.tls else {}
        connection = connect(self.upstream.hostname, self.upstream.port, timeout=SECONDS, **options)
        try:
            connection.request(method, path, body, {**headers, **self.headers})
            response = connection.getresponse()
            answer = self.change(method, path, response.status, response.read())
            self.exchanges.append(Exchange(method, path, response.status))
            return response.status, response.getheaders(), answer
        finally:
            connection.close()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hop: Forwarder

    def _pass_on(self):
        if "Transfer-Encoding" in self.headers:
            self.hop.failures.append(f"{self.command} {self.path}: a body without a length")
            self.send_error(http.HTTPStatus.LENGTH_REQUIRED)
            return
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name: value for name, value in self.headers.items() if name.lower() not in OF_ONE_HOP}
        # Answers are read here, so they must not be compressed.
        headers["Accept-Encoding"] = "identity"
        try:
            status, answered, answer = self.hop.pass_on(self.command, self.path, body or None, headers)
        except Exception as error:  # Whatever it is, the test must see it; a client would only see a lost connection.
            self.hop.failures.append(f"{self.command} {self.path}: {error!r}")
            self.send_error(http.HTTPStatus.BAD_GATEWAY)
            return
        self.send_response_only(status)
        for name, value in answered:
            if name.lower() not in OF_ONE_HOP:
                self.send_header(name, value)
        if status not in (http.HTTPStatus.NO_CONTENT, http.HTTPStatus.NOT_MODIFIED):
            self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = _pass_on

    def log_message(self, *_):
        pass
