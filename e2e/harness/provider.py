# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""A small OpenID provider on loopback: it lets one user in without asking, by browser or by code. Its access tokens are
those of `tokens`; a refresh token counts once."""

import base64
import contextlib
import hashlib
import http.server
import json
import secrets
import threading
import urllib.parse

from . import tokens

CLIENT = "lakeward-cli"


class Provider:
    """What it knows, and what it is asked."""

    def __init__(self):
        self.issuer = None
        self.user = "ann"
        # What goes into its tokens beside the user.
        self.claims = {}
        # Codes by what was promised with them.
        self.codes = {}
        self.refresh_tokens = set()
        self.is_approved = False
        # The error of the next answers of the token endpoint.
        self.error = None

    def properties(self):
        """What makes a server send people here."""
        return tokens.PROPERTIES | {
            "gravitino.authenticator.oauth.authority": self.issuer,
            "gravitino.authenticator.oauth.clientId": CLIENT,
            "gravitino.authenticator.oauth.provider": "oidc",
        }

    def metadata(self):
        places = {
            "authorization_endpoint": "authorize", "token_endpoint": "token",
            "device_authorization_endpoint": "device", "revocation_endpoint": "revoke",
        }  # fmt: skip
        return {
            "issuer": self.issuer,
            "authorization_response_iss_parameter_supported": True,
            **{name: f"{self.issuer}/{path}" for name, path in places.items()},
        }

    def authorize(self, said):
        """Where the browser goes on to."""
        assert said["response_type"] == "code" and said["client_id"] == CLIENT
        assert said["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe()
        self.codes[code] = (said["redirect_uri"], said["code_challenge"])
        back = {"code": code, "state": said["state"], "iss": self.issuer}
        return f"{said['redirect_uri']}?{urllib.parse.urlencode(back)}"

    def device(self, said):
        assert said["client_id"] == CLIENT and said["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe()
        self.codes[code] = said["code_challenge"]
        return 200, {
            "device_code": code, "user_code": "ABCD-EFGH", "verification_uri": f"{self.issuer}/enter",
            "expires_in": 600, "interval": 0,
        }  # fmt: skip

    def token(self, said):
        refused = self.error or self.refusal(said)
        if refused:
            return 400, {"error": refused, "error_description": f"it says {refused}"}
        refresh = secrets.token_urlsafe()
        self.refresh_tokens.add(refresh)
        return 200, {
            "access_token": tokens.token(self.user, iss=self.issuer, jti=secrets.token_hex(), **self.claims),
            "refresh_token": refresh, "token_type": "Bearer", "expires_in": 600,
        }  # fmt: skip

    def refusal(self, said):
        match said["grant_type"]:
            case "authorization_code":
                promised = self.codes.pop(said["code"], None)
                return None if promised == (said["redirect_uri"], _challenge(said)) else "invalid_grant"
            case "refresh_token":
                is_known = said["refresh_token"] in self.refresh_tokens
                self.refresh_tokens.discard(said["refresh_token"])
                return None if is_known else "invalid_grant"
            case _:
                assert self.codes[said["device_code"]] == _challenge(said)
                return None if self.is_approved else "authorization_pending"

    def revoke(self, said):
        self.refresh_tokens.discard(said["token"])
        return 200, {}


def _challenge(said):
    digest = hashlib.sha256(said["code_verifier"].encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


class _Endpoints(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path, _, query = self.path.partition("?")
        provider = self.server.provider
        if path == "/authorize":
            self.send_response(302)
            self.send_header("Location", provider.authorize(dict(urllib.parse.parse_qsl(query))))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        found = path == "/.well-known/openid-configuration"
        self.answer(200 if found else 404, provider.metadata() if found else {})

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        said = dict(urllib.parse.parse_qsl(self.rfile.read(length).decode()))
        provider = self.server.provider
        endpoints = {"/token": provider.token, "/device": provider.device, "/revoke": provider.revoke}
        self.answer(*endpoints[self.path](said))

    def answer(self, status, body):
        body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Nothing: the output is the tests'."""


@contextlib.contextmanager
def running():
    """A running one."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Endpoints)
    provider = server.provider = Provider()
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
