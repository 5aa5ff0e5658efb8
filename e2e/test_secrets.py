# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""No password, token or key that is sent, given or configured is told again: in no answer, no log, no audit."""

import base64
import itertools

import pytest
import requests

from harness import tokens
from harness.lake import CATALOG, METALAKE, Lake
from harness.login import Person
from harness.query import CommandFailed
from harness.server import ADMIN, PASSWORD, Server

# Of an account; wrong ones; one that is given to the wrong place.
ACCOUNT = "canary-account-password"
WRONG = "canary-wrong-password"
MISPLACED = "canary-misplaced-password"


def basic(user, password):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def canaries(sent):
    """What must not be found: secrets as they are, and each part of a credential that is long enough to be one."""
    yield from (PASSWORD, ACCOUNT, WRONG, MISPLACED)
    yield base64.b64encode(tokens.SECRET).decode()
    for credential in sent:
        yield from (part for part in credential.split(" ")[-1].split(".") if len(part) > 12)


@pytest.mark.parametrize("level", ["debug"])
def test_no_secret_is_told_again(tmp_path, monkeypatch, level):
    monkeypatch.setenv("LAKEWARD_LOG", level)
    server = Server(tmp_path / "server", properties=tokens.PROPERTIES).start()
    answers = []
    try:
        lake = Lake(server).create()
        lake.admin.session.hooks["response"].append(lambda answer, *_, **__: answers.append(answer))
        lake.admin.post("idp", "users", body={"user": "ann", "password": ACCOUNT})
        lake.admin.post(*lake.at("users"), body={"name": "ann"})
        good = tokens.token("ann", groups=["readers"])
        credentials = [
            basic("ann", ACCOUNT),
            basic("ann", WRONG),
            basic(MISPLACED, "x"),
            f"Bearer {good}",
            f"Bearer {good[:-3]}",
            f"Bearer {tokens.token('ann', aud='other')}",
            f"Bearer {tokens.token('ann', exp=1)}",
            f"Bearer {tokens.token('ann', secret=bytes(32))}",
            f"Negotiate {base64.b64encode(b'canary-of-a-ticket').decode()}",
        ]
        places = [
            "/api/authn/me",
            f"/api/metalakes/{METALAKE}/catalogs/{CATALOG}",
            "/api/nothing",
            "/iceberg/v1/config",
            f"/iceberg/v1/{CATALOG}/namespaces/nothing/tables/nothing",
            f"/api/metalakes?access_token={good}&password={MISPLACED}",
        ]
        for place, credential in itertools.product(places, credentials):
            for method in ("GET", "POST"):
                answers.append(
                    requests.request(
                        method, server.native + place, headers={"Authorization": credential},
                        json={"user": "bob", "password": WRONG} if method == "POST" else None, timeout=60,
                    )
                )  # fmt: skip
        bad = {"user": "bob", "password": WRONG, "passwort": MISPLACED}
        answers.append(requests.post(f"{server.native}/api/idp/users", json=bad, auth=(ADMIN, PASSWORD), timeout=60))
        for open_to_all in ("/configs", "/prometheus/metrics", "/metrics", "/health", "/openapi.json"):
            answers.append(requests.get(server.native + open_to_all, timeout=60))

        # The commands tell nothing either.
        person = Person(tmp_path / "person")
        person.folder.mkdir()
        person.environment["LAKEWARD_LOG"] = level
        said = []
        for number, credential in enumerate(credentials):
            kind, _, secret = credential.partition(" ")
            file = person.folder / f"secret-{number}"
            file.write_text(secret if kind == "Bearer" else WRONG)
            options = ["--token-file"] if kind == "Bearer" else ["--user", "ann", "--password-file"]
            try:
                said.append(person.run("whoami", "--server", server.native, *options, file))
            except CommandFailed as failed:
                said.append(failed.error)
        server.stop()
    finally:
        server.kill()
    assert {answer.status_code for answer in answers} >= {200, 401}
    told = {f"answer of {answer.url.partition('?')[0]}": f"{answer.headers} {answer.text}" for answer in answers}
    told |= {f"command {number}": text for number, text in enumerate(said)}
    audit = list((server.folder / "data/audit").iterdir())
    told |= {str(file): file.read_text() for file in [server.log, *audit]}
    assert "/api/authn/me" in audit[0].read_text() and "request" in server.log.read_text()
    for where, text in told.items():
        for secret in canaries(credentials):
            assert secret not in text, f"{secret} in the {where}"
