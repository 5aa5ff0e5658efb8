# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Bearer tokens of a real identity provider: Keycloak, found by discovery, and every way to get a token there."""

import base64
import json
import re
import urllib.parse

import pytest
import requests
from gravitino import GravitinoClient
from gravitino.auth.default_oauth2_token_provider import DefaultOAuth2TokenProvider
from gravitino.exceptions.base import UnauthorizedException
from pyiceberg.catalog.rest import RestCatalog

from harness import keycloak as provider
from harness.engines import spark
from harness.login import BY_COMPLETE_CODE, IN_BROWSER, Person
from harness.native import Native, Refused
from harness.query import CommandFailed, run
from harness.server import Server

pytestmark = pytest.mark.slow

METALAKE = "lake"


@pytest.fixture(scope="module")
def keycloak():
    provider.require()
    return provider.keycloak()


@pytest.fixture(scope="module")
def server(keycloak, tmp_path_factory):
    properties = keycloak.properties() | {
        "gravitino.authorization.serviceAdmins": "root",
        "gravitino.server.rest.extensionPackages": "",
    }
    server = Server(tmp_path_factory.mktemp("keycloak"), properties=properties).start()
    try:
        yield server
        server.stop()
        # What was sent or granted in these tests is nowhere: not in the log, not in the audit.
        for file in [server.log, *(server.folder / "data/audit").iterdir()]:
            text = file.read_text()
            for secret in (provider.PASSWORD, provider.SECRET, "eyJ"):
                assert secret not in text, f"{secret} in {file}"
    finally:
        server.kill()


class Bearer(Native):
    """The native API with the token of a user."""

    def __init__(self, server, token):
        super().__init__(server.native)
        self.session.auth = None
        self.session.headers["Authorization"] = f"Bearer {token}"


@pytest.fixture(scope="module")
def walked(keycloak, server):
    """The walkthrough, each identity with its own token; what its last step cannot do without is granted."""
    people = {
        name: Bearer(server, keycloak.token_of_user(name)) for name in ("root", "manager", "staff", "analyst", "ann", "eve")
    }
    lake = ("metalakes", METALAKE)
    root, manager, staff = people["root"], people["manager"], people["staff"]
    with pytest.raises(Refused, match="403"):
        manager.post("metalakes", body={"name": METALAKE})
    root.post("metalakes", body={"name": METALAKE, "comment": "example metalake", "properties": {}})
    root.post(*lake, "users", body={"name": "manager"})
    root.put(*lake, "owners", "metalake", METALAKE, body={"name": "manager", "type": "USER"})

    def role(whose, name, *objects):
        whose.post(
            *lake, "roles",
            body={
                "name": name,
                "properties": {},
                "securableObjects": [
                    {
                        "fullName": full_name, "type": kind,
                        "privileges": [{"name": privilege, "condition": "ALLOW"} for privilege in privileges],
                    }
                    for kind, full_name, privileges in objects
                ],
            },
        )  # fmt: skip

    for user in ("staff", "analyst", "ann", provider.JOB):
        manager.post(*lake, "users", body={"name": user})
    manager.post(*lake, "groups", body={"name": "readers"})
    role(
        manager,
        "catalog_manager",
        ("METALAKE", METALAKE, ["CREATE_CATALOG", "CREATE_ROLE", "MANAGE_GRANTS"]),
    )
    manager.put(*lake, "permissions", "users", "staff", "grant", body={"roleNames": ["catalog_manager"]})
    staff.post(
        *lake, "catalogs",
        body={"name": "ice", "type": "RELATIONAL", "provider": "lakehouse-iceberg", "properties": {}},
    )  # fmt: skip
    staff.post(*lake, "catalogs", "ice", "schemas", body={"name": "sales"})
    column = {"name": "amount", "type": "long", "nullable": True}
    staff.post(
        *lake, "catalogs", "ice", "schemas", "sales", "tables", body={"name": "orders", "columns": [column]}
    )
    role(
        staff,
        "schema_reader",
        ("CATALOG", "ice", ["USE_CATALOG"]),
        ("SCHEMA", "ice.sales", ["USE_SCHEMA", "SELECT_TABLE"]),
    )
    staff.put(*lake, "permissions", "users", "analyst", "grant", body={"roleNames": ["schema_reader"]})
    # To a group, of which only the claim of the token says who is in it.
    staff.put(*lake, "permissions", "groups", "readers", "grant", body={"roleNames": ["schema_reader"]})
    return people


TABLE = ("metalakes", METALAKE, "catalogs", "ice", "schemas", "sales", "tables", "orders")


def test_the_walkthrough_with_bearer_tokens(walked):
    for user in ("staff", "analyst", "ann"):
        assert walked[user].get(*TABLE)["table"]["name"] == "orders"
    with pytest.raises(Refused, match="403"):
        walked["analyst"].post("metalakes", METALAKE, "catalogs", "ice", "schemas", body={"name": "mine"})
    for user in ("root", "eve"):
        with pytest.raises(Refused) as refused:
            walked[user].get(*TABLE)
        assert refused.value.status in (403, 404)


def test_a_token_for_somebody_else_is_refused(keycloak, server, walked):
    token = keycloak.token_of_client(provider.NO_AUDIENCE)
    answer = requests.get(
        f"{server.native}/api/authn/me", headers={"Authorization": f"Bearer {token}"}, timeout=60
    )
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="lakeward", error="invalid_token"'
    assert f"`{provider.AUDIENCE}`" in answer.json()["message"]
    assert token not in answer.text


def test_the_original_client_pyiceberg_and_spark_fetch_their_tokens(keycloak, server, walked):
    """All come with client credentials; the service account has a name of its own, and the groups of nobody."""
    account = f"service-account-{provider.JOB}"
    walked["manager"].post("metalakes", METALAKE, "users", body={"name": account})
    grant = {"roleNames": ["schema_reader"]}
    walked["staff"].put("metalakes", METALAKE, "permissions", "users", account, "grant", body=grant)
    base, _, path = keycloak.token_url.partition("/realms/")
    credential = f"{provider.JOB}:{provider.SECRET}"
    tokens = DefaultOAuth2TokenProvider(base, credential, "openid", f"realms/{path}")
    client = GravitinoClient(uri=server.native, metalake_name=METALAKE, auth_data_provider=tokens)
    assert [str(name) for name in client.list_catalogs()] == ["ice"]
    catalog = RestCatalog(
        "ice", uri=server.iceberg, warehouse="ice", credential=credential, scope="openid",
        **{"oauth2-server-uri": keycloak.token_url},
    )  # fmt: skip
    assert catalog.load_table("sales.orders").scan().to_arrow().num_rows == 0
    assert catalog.list_namespaces() == [("sales",)]
    spark.require()
    oauth2 = {
        "rest.auth.type": "oauth2", "credential": credential, "scope": "openid", "oauth2-server-uri": keycloak.token_url,
    }  # fmt: skip
    with spark.connect(server.iceberg, account, options=oauth2) as session:
        assert session.sql(f"SELECT count(*) FROM {session.catalog}.sales.orders") == [(0,)]
    with pytest.raises((UnauthorizedException, RuntimeError, Exception), match="(?i)unauthorized|invalid|401"):
        wrong = DefaultOAuth2TokenProvider(base, f"{provider.JOB}:wrong", "openid", f"realms/{path}")
        GravitinoClient(uri=server.native, metalake_name=METALAKE, auth_data_provider=wrong).list_catalogs()


@pytest.fixture
def ann(tmp_path):
    return Person(tmp_path)


@pytest.mark.parametrize("way", [IN_BROWSER, BY_COMPLETE_CODE], ids=["browser", "device"])
def test_a_login_is_used_by_every_command(ann, server, walked, way):
    assert ann.log_in(server, way, log_in_as_ann) == f"logged in to {server.native}/ as ann\n"
    whoami = ann.run("whoami", "--server", server.native)
    assert whoami == (
        "ann\nlake:\n  roles   none\n  groups  readers (by your token)\n  roles   schema_reader through group readers\n"
    )
    # The server's other listener is of the same host.
    query = ("query", "--server", server.iceberg, "--format", "csv", "SELECT count(*) FROM ice.sales.orders")
    assert ann.run(*query).splitlines()[1:] == ["0"]
    # A token that is over is renewed.
    before = ann.login["access-token"]
    ann.change_login(expires=1)
    assert ann.run("whoami", "--server", server.native) == whoami
    assert ann.login["access-token"] != before
    # The provider knows a login no more that was given back, whoever kept a copy of it.
    kept = ann.logins.read_text()
    assert ann.run("logout", "--server", server.native) == f"ann is logged out of {server.native}/\n"
    ann.logins.touch(mode=0o600)
    ann.logins.write_text(kept)
    ann.change_login(expires=1)
    with pytest.raises(CommandFailed, match="has ended; log in again"):
        ann.run("whoami", "--server", server.native)


def test_a_reader_exchanges_the_tokens_of_its_users(keycloak, server, walked, tmp_path):
    """What it gets names the user and the reader, and is good here alone, for no longer and for no more."""
    operator = tmp_path / "token"
    operator.write_text(keycloak.token_of_user("root"))
    operator.chmod(0o600)
    as_root = ("--server", server.native, "--token-file", operator)
    run("reader", "enroll", "gateway", "--oauth-client", provider.JOB, "--token-exchange", *as_root)

    def exchange(user, **more):
        token = "urn:ietf:params:oauth:token-type:access_token"
        form = {
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
            "subject_token": keycloak.token_of_user(user), "subject_token_type": token,
            "actor_token": keycloak.token_of_client(provider.JOB), "actor_token_type": token,
            **more,
        }  # fmt: skip
        return requests.post(f"{server.native}/oauth/token", data=form, timeout=60), claims(form["subject_token"])

    def claims(token):
        part = token.split(".")[1]
        return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))

    answer, given = exchange("ann")
    assert answer.ok, answer.text
    got = claims(answer.json()["access_token"])
    assert got["sub"] == "ann" and got["aud"] == provider.AUDIENCE
    assert got["act"]["sub"] == "gateway"
    assert sorted(got["groups"]) == sorted(given["groups"])
    assert got["exp"] <= given["exp"] and got["exp"] <= got["iat"] + 300
    assert set(got["scope"].split()) <= set(given["scope"].split())
    # `ann` reaches the table by her group alone, so the groups came along.
    ann = Bearer(server, answer.json()["access_token"])
    assert ann.get(*TABLE)["table"]["name"] == "orders"
    elsewhere = requests.get(
        f"{keycloak.issuer}/protocol/openid-connect/userinfo", headers=ann.session.headers, timeout=60
    )
    assert elsewhere.status_code == 401
    # What `root` may do on the server does not go with it.
    root = Bearer(server, exchange("root")[0].json()["access_token"])
    with pytest.raises(Refused, match="403"):
        root.post("metalakes", body={"name": "another", "properties": {}})

    for wrong, error in [
        ({"actor_token": keycloak.token_of_user("ann")}, "invalid_client"),
        ({"subject_token": answer.json()["access_token"]}, "invalid_request"),
        ({"subject_token": keycloak.token_of_client(provider.NO_AUDIENCE)}, "invalid_request"),
        ({"audience": "elsewhere"}, "invalid_target"),
        ({"scope": "everything"}, "invalid_scope"),
    ]:
        refused, _ = exchange("ann", **wrong)
        assert (refused.status_code, refused.json()["error"]) == (401 if error == "invalid_client" else 400, error)

    run("reader", "remove", "gateway", *as_root)
    with pytest.raises(Refused, match="401"):
        ann.get(*TABLE)


def log_in_as_ann(url):
    assert provider.log_in_at(url, "ann").ok


def test_a_code_that_nobody_gave_out_is_refused(keycloak, ann, server, walked):
    def visit(url):
        assert "Invalid username or password" in provider.log_in_at(url, "ann", "wrong").text
        asked = dict(urllib.parse.parse_qsl(url.partition("?")[2]))
        made_up = {"code": "made-up", "state": asked["state"], "iss": keycloak.issuer}
        assert requests.get(asked["redirect_uri"], params=made_up, timeout=60).ok

    with pytest.raises(CommandFailed, match="invalid_grant"):
        ann.log_in(server, IN_BROWSER, visit)
    assert not ann.logins.exists()


def test_a_code_counts_once(keycloak, ann, server, walked):
    """A code that somebody saw in the browser's history is of no use."""
    seen = []

    def visit(url):
        seen.append(provider.log_in_at(url, "ann").url)

    ann.log_in(server, IN_BROWSER, visit)
    replayed = re.search(r"[?&]code=([^&]+)", seen[0])[1]
    answer = requests.post(
        keycloak.token_url,
        data={"grant_type": "authorization_code", "client_id": provider.CLI, "code": replayed,
              "redirect_uri": seen[0].partition("?")[0], "code_verifier": "x" * 43},
        timeout=60,
    )  # fmt: skip
    assert answer.status_code == 400 and answer.json()["error"] == "invalid_grant"
