# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Tickets of a real key distribution centre, sent by curl."""

import base64
import json
import os
import re
import subprocess
import time
from urllib.parse import urlsplit

import pytest
import requests

from harness import kerberos, tokens
from harness.server import ADMIN, PASSWORD, Server

pytestmark = pytest.mark.kerberos

KEYS = "gravitino.authenticator.kerberos"


@pytest.fixture(scope="module")
def realm(tmp_path_factory):
    kerberos.require()
    realm = kerberos.Realm(tmp_path_factory.mktemp("realm") / "kdc")
    try:
        yield realm.start("alice", "bob", "batch/node")
    finally:
        realm.stop()


@pytest.fixture(scope="module")
def server(realm, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAKEWARD_BIN", os.environ["LAKEWARD_KERBEROS_BIN"])
        patch.setenv("KRB5_CONFIG", realm.environment["KRB5_CONFIG"])
        patch.setenv("KRB5_KTNAME", f"FILE:{realm.keytab('HTTP/localhost')}")
        properties = tokens.PROPERTIES | {
            "gravitino.authenticators": "basic,oauth,kerberos",
            f"{KEYS}.principal": kerberos.SERVICE,
            f"{KEYS}.keytab": realm.keytab("HTTP/localhost"),
            "gravitino.authorization.serviceAdmins": f"{ADMIN},alice",
        }
        server = Server(tmp_path_factory.mktemp("server"), properties=properties).start()
        try:
            yield server
            server.stop()
        finally:
            server.kill()


def address(server, path):
    # The principal of the service is that of this name.
    return f"http://localhost:{urlsplit(server.native).port}{path}"


def curl(server, tickets, path="/api/authn/me", *options):
    """Status, headers and body of an answer, and the credentials that were sent."""
    command = ["curl", "-sS", "-v", "-i", "--negotiate", "-u", ":", "--noproxy", "*", *options, address(server, path)]
    done = subprocess.run(command, env=tickets, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    head, _, body = done.stdout.replace("\r\n", "\n").rpartition("\n\n")
    last = head.rsplit("\n\n", 1)[-1]
    sent = re.findall(r"^> Authorization: (Negotiate .*)$", done.stderr, re.MULTILINE)
    return int(last.split()[1]), last.lower(), body, sent[-1].strip() if sent else None


def ask(server, credentials):
    headers = {"Authorization": credentials} if credentials else {}
    return requests.get(address(server, "/api/authn/me"), headers=headers, timeout=60)


def test_a_ticket_names_its_user_and_the_server_proves_itself(server, realm):
    status, head, body, _ = curl(server, realm.tickets("alice"))
    assert status == 200 and '"alice"' in body
    proof = re.search(r"^www-authenticate: negotiate (\S+)$", head, re.MULTILINE)
    assert base64.b64decode(proof[1])
    for path, options, expected in (("/api/nowhere", (), 404), ("/api/authn/me", ("-X", "DELETE"), 405)):
        status, head, _, _ = curl(server, realm.tickets("alice"), path, *options)
        proofs = re.findall(r"^www-authenticate: (.*)$", head, re.MULTILINE)
        assert status == expected and len(proofs) == 1 and proofs[0].startswith("negotiate "), head
    made = ("-X", "POST", "-H", "Content-Type: application/json", "-d", '{"name":"lake","properties":{}}')
    status, _, body, _ = curl(server, realm.tickets("alice"), "/api/metalakes", *made)
    assert status == 200, body
    status, _, body, _ = curl(server, realm.tickets("bob"), "/api/metalakes", *made)
    assert status == 403, body
    # The name of a service keeps its host, as the original has it.
    status, _, body, _ = curl(server, realm.tickets("batch/node"))
    assert status == 200 and '"batch/node"' in body


def test_iceberg_takes_tickets_too(server, realm):
    port = urlsplit(server.iceberg).port
    native = urlsplit(server.native).port
    assert port != native
    url = f"http://localhost:{port}/iceberg/v1/config"
    command = ["curl", "-sS", "-i", "--negotiate", "-u", ":", "--noproxy", "*", url]
    done = subprocess.run(command, env=realm.tickets("alice"), capture_output=True, text=True, timeout=60, check=False)
    assert " 401" not in done.stdout.splitlines()[0] and "www-authenticate: negotiate " in done.stdout.lower(), done


def test_other_authenticators_go_on(server):
    assert requests.get(address(server, "/api/authn/me"), auth=(ADMIN, PASSWORD), timeout=60).ok
    assert ask(server, f"Bearer {tokens.token('ann')}").ok
    nobody = ask(server, None)
    assert nobody.status_code == 401
    challenges = nobody.raw.headers.getlist("WWW-Authenticate")
    assert challenges == ['Bearer realm="lakeward"', "Negotiate"]


def refused(answer):
    assert answer.status_code == 401, answer.text
    assert "Negotiate" in answer.raw.headers.getlist("WWW-Authenticate")
    return answer.json()["message"]


def test_a_ticket_counts_once(server, realm):
    status, _, _, sent = curl(server, realm.tickets("alice"))
    assert status == 200
    assert "shown before" in refused(ask(server, sent))


def test_what_is_no_ticket_for_this_server_is_refused(server, realm, tmp_path):
    for wrong in ("Negotiate", "Negotiate !!!", "Negotiate YWJj", "Negotiate " + base64.b64encode(os.urandom(5000)).decode()):
        refused(ask(server, wrong))
    _, _, _, sent = curl(server, realm.tickets("alice"))
    token = bytearray(base64.b64decode(sent.removeprefix("Negotiate ")))
    for change in (len(token) // 2, len(token) - 20):
        forged = bytearray(token)
        forged[change] ^= 0xFF
        refused(ask(server, "Negotiate " + base64.b64encode(forged).decode()))
    refused(ask(server, "Negotiate " + base64.b64encode(token[: len(token) // 2]).decode()))
    # A ticket for another service of the realm, and one of another realm that calls itself the same.
    elsewhere = ("--connect-to", f"elsewhere:{urlsplit(server.native).port}:127.0.0.1:{urlsplit(server.native).port}")
    command = ["curl", "-sS", "-i", "--negotiate", "-u", ":", "--noproxy", "*", *elsewhere,
               address(server, "/api/authn/me").replace("localhost", "elsewhere")]  # fmt: skip
    done = subprocess.run(command, env=realm.tickets("alice"), capture_output=True, text=True, timeout=60, check=False)
    assert " 401" in done.stdout.splitlines()[0], done
    stranger = kerberos.Realm(tmp_path / "kdc")
    try:
        stranger.start("alice")
        status, _, body, _ = curl(server, stranger.tickets("alice"))
        assert status == 401 and "alice" not in body
    finally:
        stranger.stop()


def test_an_expired_ticket_is_refused(server, realm):
    tickets = realm.tickets("alice", "-l", "3s")
    assert curl(server, tickets)[0] == 200
    # A client does not even send what it knows to have ended, so the answer is that of nobody.
    deadline = time.monotonic() + 120
    while curl(server, tickets)[0] == 200:
        assert time.monotonic() < deadline
        time.sleep(1)
    status, head, _, _ = curl(server, tickets)
    assert status == 401 and "www-authenticate: negotiate" in head


def test_a_new_key_counts_without_a_restart(server, realm):
    realm.change_key("HTTP/localhost")
    assert curl(server, realm.tickets("alice"))[0] == 200


def test_refusals_are_recorded_and_no_ticket_is(server, realm):
    _, _, _, sent = curl(server, realm.tickets("alice"))
    ask(server, sent)
    records = [json.loads(line) for line in (server.folder / "data/audit/audit.jsonl").read_text().splitlines()]
    assert any("shown before" in str(record.get("reason")) for record in records)
    token = sent.removeprefix("Negotiate ")
    for file in [server.log, *(server.folder / "data/audit").iterdir()]:
        assert token not in file.read_text()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({f"{KEYS}.principal": f"HTTP/other@{kerberos.REALM}"}, "klist -k"),
        ({f"{KEYS}.keytab": "/nowhere/keytab"}, "/nowhere/keytab"),
        ({f"{KEYS}.principal": "alice"}, "HTTP/host@REALM"),
        # There, and not where the library looks.
        ({f"{KEYS}.keytab": __file__}, "KRB5_KTNAME"),
    ],
)
def test_what_cannot_be_used_is_said_at_start(server, realm, tmp_path, change, said, monkeypatch):
    monkeypatch.setenv("LAKEWARD_BIN", os.environ["LAKEWARD_KERBEROS_BIN"])
    monkeypatch.setenv("KRB5_CONFIG", realm.environment["KRB5_CONFIG"])
    monkeypatch.setenv("KRB5_KTNAME", f"FILE:{realm.keytab('HTTP/localhost')}")
    wrong = Server(tmp_path / "server", properties={**server.properties, **change})
    with pytest.raises(AssertionError, match=re.escape(said)):
        try:
            wrong.start()
        finally:
            wrong.kill()
