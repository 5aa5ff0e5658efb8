# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Keycloak as an identity provider on loopback, one for the whole run; and a person who logs in at it with a browser."""

import atexit
import contextlib
import functools
import html.parser
import json
import os
import shutil
import signal
import socket
import subprocess
import tarfile
import tempfile
import time
import urllib.parse
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests

from . import java

VERSION = "26.7.3"
OLDEST_JAVA = 17
START_SECONDS = 600
STOP_SECONDS = 60
TIMEOUT_SECONDS = 120

AUDIENCE = "lakeward"
PASSWORD = "keycloak-canary-of-a-password"  # of every user
SECRET = "keycloak-canary-of-a-client-secret"  # of every confidential client
# The users, each with its groups there.
USERS = {
    "root": [],
    "manager": [],
    "staff": ["engineers"],
    "analyst": [],
    "ann": ["readers", "elsewhere"],
    "eve": [],
}
CLI = "lakeward-cli"
JOB = "catalog-job"
NO_AUDIENCE = "no-audience"


def require():
    if java.home(OLDEST_JAVA) is None or not java.has_maven():
        pytest.fail("Keycloak needs Java 17 or later, and Maven (Debian: default-jre-headless, maven)")


def _realm():
    """What Keycloak is told at its start."""
    audience = {
        "name": "audience", "protocol": "openid-connect", "protocolMapper": "oidc-audience-mapper",
        "config": {"included.custom.audience": AUDIENCE, "access.token.claim": "true"},
    }  # fmt: skip
    groups = {
        "name": "groups", "protocol": "openid-connect", "protocolMapper": "oidc-group-membership-mapper",
        "config": {"claim.name": "groups", "full.path": "false", "access.token.claim": "true"},
    }  # fmt: skip

    def client(name, **more):
        return {"clientId": name, "enabled": True, "protocol": "openid-connect", **more}

    def service(name, mappers):
        return client(
            name, secret=SECRET, serviceAccountsEnabled=True, standardFlowEnabled=False, protocolMappers=mappers
        )

    return {
        "realm": "lake",
        "enabled": True,
        "sslRequired": "none",
        "accessTokenLifespan": 300,
        "groups": [{"name": name} for name in sorted({group for groups in USERS.values() for group in groups})],
        "users": [
            {
                "username": name, "enabled": True, "email": f"{name}@example.test", "emailVerified": True,
                "firstName": name, "lastName": "Test", "groups": [f"/{group}" for group in groups],
                "credentials": [{"type": "password", "value": PASSWORD, "temporary": False}],
            }
            for name, groups in USERS.items()
        ],
        "clients": [
            client(
                CLI,
                publicClient=True,
                standardFlowEnabled=True,
                directAccessGrantsEnabled=True,
                redirectUris=["http://127.0.0.1/callback"],
                attributes={
                    "oauth2.device.authorization.grant.enabled": "true",
                    "pkce.code.challenge.method": "S256",
                },
                protocolMappers=[audience, groups],
            ),
            service(JOB, [audience, groups]),
            service(NO_AUDIENCE, []),
        ],
    }  # fmt: skip


def _distribution(environment):
    """The folder with the unpacked server, prepared and kept between runs."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "lakeward-e2e"
    folder = cache / f"keycloak-{VERSION}"
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as made:
            packed = java.artifact("org.keycloak", "keycloak-quarkus-dist", VERSION, "tar.gz")
            with tarfile.open(packed) as archive:
                archive.extractall(made, filter="data")
            (unpacked,) = Path(made).iterdir()
            subprocess.run(
                [unpacked / "bin/kc.sh", "build", "--db=dev-mem"],
                env=environment, check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=START_SECONDS,
            )  # fmt: skip
            unpacked.rename(folder)
    return folder


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass(frozen=True)
class Keycloak:
    """A running one, with the realm `lake`."""

    issuer: str

    @property
    def token_url(self):
        return f"{self.issuer}/protocol/openid-connect/token"

    def properties(self, **more):
        """What makes a Lakeward server take its tokens, found by discovery."""
        settings = {
            "authority": self.issuer,
            "serviceAudience": AUDIENCE,
            "principalFields": "preferred_username",
            "groupsFields": "groups",
            "provider": "oidc",
            "clientId": CLI,
            "scope": "openid",
            **more,
        }
        named = {f"gravitino.authenticator.oauth.{name}": value for name, value in settings.items()}
        return {"gravitino.authenticators": "oauth", **named}

    def grant(self, **form):
        """The answer of the token endpoint."""
        answer = requests.post(self.token_url, data=form, timeout=TIMEOUT_SECONDS)
        assert answer.ok, answer.text
        return answer.json()

    def token_of_user(self, user):
        return self.grant(grant_type="password", client_id=CLI, username=user, password=PASSWORD, scope="openid")[
            "access_token"
        ]

    def token_of_client(self, client):
        return self.grant(grant_type="client_credentials", client_id=client, client_secret=SECRET)["access_token"]


@functools.cache
def keycloak():
    """The one of this process."""
    environment = {**os.environ, "JAVA_HOME": str(java.home(OLDEST_JAVA))}
    distribution = _distribution(environment)
    folder = Path(tempfile.mkdtemp(prefix="lakeward-keycloak-"))
    # It writes into its own folder, and finds that by its real path, so that links to the folders would not do.
    home = folder / "home"
    shutil.copytree(distribution, home, copy_function=_link_or_copy)
    realm = home / "data/import/lake-realm.json"
    realm.parent.mkdir(parents=True, exist_ok=True)
    realm.write_text(json.dumps(_realm()))
    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    command = [
        home / "bin/kc.sh", "start", "--optimized", "--import-realm",
        # Without it the cache of a cluster listens on all addresses.
        "--cache=local",
        "--http-enabled=true", "--http-host=127.0.0.1", f"--http-port={port}", f"--hostname={url}",
    ]  # fmt: skip
    environment["JAVA_OPTS_KC_HEAP"] = "-Xms64m -Xmx512m"
    log = folder / "log"
    with log.open("wb") as output:
        # The script stays as the parent of the server, so they are ended as one group.
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )

    def stop():
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        shutil.rmtree(folder)

    atexit.register(stop)
    running = Keycloak(f"{url}/realms/lake")
    deadline = time.monotonic() + START_SECONDS
    while not _is_ready(running.issuer):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.5)
        told = log.read_text(errors="replace")[-4000:]
        assert process.poll() is None and time.monotonic() < deadline, f"Keycloak did not start:\n{told}"
    return running


def _link_or_copy(source, target):
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _is_ready(issuer):
    try:
        return requests.get(f"{issuer}/.well-known/openid-configuration", timeout=5).ok
    except requests.RequestException:
        return False


class _Forms(html.parser.HTMLParser):
    """The forms of a page: where each goes, and its fields."""

    def __init__(self, page):
        super().__init__()
        self.forms = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        said = dict(attributes)
        if tag == "form":
            self.forms.append((said.get("action", ""), {}))
        elif tag in ("input", "button") and said.get("name") and self.forms:
            self.forms[-1][1][said["name"]] = said.get("value") or ""


class _Cookies(requests.cookies.RequestsCookieJar):
    """As in browsers: what this machine says to itself counts as secure, and so do its cookies."""

    def set_cookie(self, cookie, *arguments, **options):
        cookie.secure = False
        return super().set_cookie(cookie, *arguments, **options)


def log_in_at(url, user, password=PASSWORD):
    """Opens an address as a browser does, logs in, agrees to what is asked; the last page."""
    session = requests.Session()
    session.cookies = _Cookies()
    page = session.get(url, timeout=TIMEOUT_SECONDS)
    for _ in range(5):
        assert page.ok, page.text
        forms = _Forms(page.text).forms
        if not forms:
            return page
        action, fields = forms[0]
        if "username" in fields:
            fields |= {"username": user, "password": password}
        else:
            # Of yes and no, yes.
            fields.pop("cancel", None)
        fields = {name: value for name, value in fields.items() if name != "rememberMe"}
        page = session.post(urllib.parse.urljoin(page.url, action), data=fields, timeout=TIMEOUT_SECONDS)
        if "Invalid username or password" in page.text:
            return page
    raise AssertionError(f"no end of forms: {page.text}")
