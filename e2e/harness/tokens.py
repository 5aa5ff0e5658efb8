# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""An issuer of bearer tokens, with a secret that it shares with the server."""

import base64
import contextlib
import hashlib
import hmac
import http.server
import json
import threading
import time
import urllib.parse

SECRET = bytes(range(32))
AUDIENCE = "GravitinoServer"

# What makes a server take the tokens, beside passwords.
PROPERTIES = {
    "gravitino.authenticators": "basic,oauth",
    "gravitino.authenticator.oauth.signAlgorithmType": "HS256",
    "gravitino.authenticator.oauth.defaultSignKey": base64.b64encode(SECRET).decode(),
}


def _part(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token(user, secret=SECRET, **claims):
    """A token that names a user, with more claims."""
    now = int(time.time())
    claims = {"sub": user, "aud": AUDIENCE, "iat": now, "exp": now + 600, **claims}
    parts = [{"alg": "HS256", "typ": "JWT"}, claims]
    message = ".".join(_part(json.dumps(part).encode()) for part in parts)
    return f"{message}.{_part(hmac.digest(secret, message.encode(), hashlib.sha256))}"


class _TokenEndpoint(http.server.BaseHTTPRequestHandler):
    """Gives whoever asks with client credentials a token of that client."""

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        form = urllib.parse.parse_qs(self.rfile.read(length).decode())
        answer = {
            "access_token": token(form["client_id"][0]),
            "token_type": "bearer",
            "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
            "expires_in": 600,
            "scope": "lake",
        }
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Nothing: the output is the tests'."""


@contextlib.contextmanager
def endpoint():
    """The address of a running token endpoint, whose path is `token`."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _TokenEndpoint)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
