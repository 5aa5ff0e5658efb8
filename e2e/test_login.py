# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""`lakeward login`, `whoami` and `logout`, with a small provider of identities; `test_keycloak.py` has a real one."""

import stat
import threading

import pytest
import requests

from harness import provider, tokens
from harness.lake import CATALOG, METALAKE, Lake
from harness.login import BY_CODE, IN_BROWSER, Person
from harness.query import CommandFailed
from harness.server import ADMIN, PASSWORD, Server


@pytest.fixture(scope="module")
def running():
    with provider.running() as running:
        yield running


@pytest.fixture(scope="module")
def lake(running, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("login"), properties=running.properties()).start()
    try:
        lake = Lake(server).create()
        lake.add_user("ann")
        lake.add_group("readers")
        lake.add_role("reads", ["use_catalog"])
        lake.admin.put(*lake.at("permissions", "groups", "readers", "grant"), body={"roleNames": ["reads"]})
        yield lake
        server.stop()
    finally:
        server.kill()


@pytest.fixture
def server(lake):
    return lake.server


@pytest.fixture
def issuer(running):
    """The provider as at first."""
    running.claims = {"groups": ["readers", "elsewhere"]}
    running.error = None
    running.is_approved = True
    return running


@pytest.fixture
def ann(tmp_path):
    return Person(tmp_path)


def visit(url):
    assert "You are logged in" in requests.get(url, timeout=60).text


def approve(issuer):
    """Waits until the command has been told to be patient."""
    issuer.is_approved = False

    def enter(url):
        assert url == f"{issuer.issuer}/enter"
        threading.Timer(0.2, lambda: setattr(issuer, "is_approved", True)).start()

    return enter


@pytest.mark.parametrize("way", [IN_BROWSER, BY_CODE], ids=["browser", "code"])
def test_a_login_is_used_until_it_is_forgotten(server, issuer, ann, way):
    output = ann.log_in(server, way, visit if way is IN_BROWSER else approve(issuer))
    assert output == f"logged in to {server.native}/ as ann\n"
    assert stat.S_IMODE(ann.logins.stat().st_mode) == 0o600
    told = ann.run("whoami", "--server", server.native)
    assert told == (
        f"ann\n{METALAKE}:\n  roles   none\n  groups  readers (by your token)\n  roles   reads through group readers\n"
    )
    explained = ann.run("access", "explain", "catalog", CATALOG, "--server", server.native)
    assert "verdict" in explained and "allowed" in explained

    # A token that is over is renewed, each time with another refresh token.
    for _ in range(2):
        before = ann.login
        ann.change_login(expires=1)
        assert ann.run("whoami", "--server", server.native) == told
        assert ann.login["access-token"] != before["access-token"] and ann.login["expires"] > 1

    kept = ann.logins.read_text()
    assert ann.run("logout", "--server", server.native) == f"ann is logged out of {server.native}/\n"
    assert not ann.logins.exists() and not issuer.refresh_tokens
    with pytest.raises(CommandFailed, match="you are nobody yet"):
        ann.run("whoami", "--server", server.native)
    # Whoever kept a copy can renew it no more.
    ann.logins.touch(mode=0o600)
    ann.logins.write_text(kept)
    ann.change_login(expires=1)
    with pytest.raises(CommandFailed, match="has ended; log in again"):
        ann.run("whoami", "--server", server.native)


def test_what_is_given_counts_more_than_what_is_kept(server, issuer, ann):
    ann.log_in(server, IN_BROWSER, visit)
    secret = ann.folder / "secret"
    secret.write_text(PASSWORD)
    as_admin = ["--server", server.native, "--user", ADMIN, "--password-file", secret]
    assert ann.run("whoami", *as_admin).startswith(f"{ADMIN}\n")
    secret.write_text(tokens.token("ann", iss=issuer.issuer, exp=1))
    with pytest.raises(CommandFailed, match="(?s)does not take the token of --token-file.*has expired"):
        ann.run("whoami", "--server", server.native, "--token-file", secret)


def test_every_way_to_fail_says_what_to_do(server, issuer, ann, lake):
    # The server does not take the token: nothing is kept.
    for claims, reason in [
        ({"aud": "other"}, f"its `aud` must hold `{tokens.AUDIENCE}`"),
        ({"iat": 1, "exp": 2}, "has expired"),
        ({"sub": ""}, "`sub`"),
    ]:
        issuer.claims = claims
        with pytest.raises(CommandFailed) as failed:
            ann.log_in(server, IN_BROWSER, visit)
        assert "the provider let you in, but the server does not take its token" in failed.value.error
        assert reason in failed.value.error
        assert not ann.logins.exists()
    issuer.claims = {}

    # The provider refuses.
    issuer.error = "invalid_client"
    for way in (IN_BROWSER, BY_CODE):
        with pytest.raises(CommandFailed, match="the identity provider refuses: it says invalid_client"):
            ann.log_in(server, way, visit if way is IN_BROWSER else lambda _: None)
    issuer.error = None

    # The person, or somebody else, says no.
    def deny(url):
        asked = dict(requests.compat.urlparse(url) and [part.split("=") for part in url.partition("?")[2].split("&")])
        back = requests.compat.unquote(asked["redirect_uri"])
        for wrong in ("state=x&error=access_denied", "code=stolen", f"state={asked['state']}&code=x&iss=http://other"):
            assert requests.get(f"{back}?{wrong}", timeout=60).status_code == 404
        no = {"state": asked["state"], "error": "access_denied", "iss": issuer.issuer}
        assert "not logged in" in requests.get(back, params=no, timeout=60).text

    with pytest.raises(CommandFailed, match="did not let you in: access_denied"):
        ann.log_in(server, IN_BROWSER, deny)

    # The groups are not known.
    ann.log_in(server, IN_BROWSER, visit)
    told = ann.run("whoami", "--server", server.native)
    assert "not known" in told and "policies that ask for a group refuse you" in told
    # The token counts no more, though it is not over.
    ann.change_login(**{"access-token": tokens.token("ann", secret=bytes(32), iss=issuer.issuer)})
    with pytest.raises(CommandFailed, match="(?s)renew it with `lakeward login`.*not signed by a key"):
        ann.run("whoami", "--server", server.native)
    # Others can read it.
    ann.logins.chmod(0o644)
    with pytest.raises(CommandFailed, match="others may read"):
        ann.run("whoami", "--server", server.native)
    # Somebody else answers for the provider.
    with pytest.raises(CommandFailed, match="calls itself"):
        ann.log_in(server, IN_BROWSER, visit, "--issuer", f"{issuer.issuer}/")
    for arguments, reason in [
        (("--server", "http://lake.example.test:8090"), "unencrypted"),
        (("--server", server.native, "--issuer", "http://idp.example.test"), "neither `https://…` nor on this machine"),
    ]:
        with pytest.raises(CommandFailed, match=reason):
            ann.run("login", "--no-browser", *arguments)


def test_a_server_without_tokens_says_so(embedded_lake, ann):
    with pytest.raises(CommandFailed, match="takes no tokens"):
        ann.run("login", "--server", embedded_lake.server.native)
