# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""SCIM as an identity provider speaks it (RFC 7644): what it pushes decides the next request."""

import json

import pytest
import requests

from harness.lake import CATALOG, METALAKE, Lake
from harness.server import PASSWORD, Server

TOKEN = "a-token-of-the-identity-provider-0123456789"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scim")
    (folder / "token").write_text(TOKEN + "\n")
    server = Server(
        folder / "server",
        properties={
            "lakeward.scim.enabled": "true",
            "lakeward.scim.provisioners": "identity-provider",
            "lakeward.scim.tokenUser": "identity-provider",
            "lakeward.scim.tokenFile": folder / "token",
        },
    ).start()
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


@pytest.fixture(scope="module")
def scim(lake):
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {TOKEN}"

    def ask(method, path, status, body=None, **headers):
        data = None if body is None else json.dumps(body)
        headers = {"Content-Type": "application/scim+json", **headers}
        answer = session.request(
            method, f"{lake.server.native}/scim/v2{path}", data=data, headers=headers, timeout=60
        )
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
        assert status == 204 or answer.headers["Content-Type"] == "application/scim+json"
        return answer.json() if answer.content else None

    return ask


def patched(**operation):
    return {"schemas": [PATCH], "Operations": [operation]}


def load_catalog(lake):
    path = f"{lake.server.native}/api/metalakes/{METALAKE}/catalogs/{CATALOG}"
    return requests.get(path, auth=("ann", PASSWORD), timeout=60).status_code


def test_what_is_pushed_decides_the_next_request(lake, scim):
    assert load_catalog(lake) == 403
    ann = scim("POST", "/Users", 201, {"userName": "ann", "externalId": "e-1", "active": True})
    assert ann["meta"]["location"].endswith(f"/scim/v2/Users/{ann['id']}")
    group = scim("POST", "/Groups", 201, {"displayName": "readers"})
    assert load_catalog(lake) == 403
    members = [{"value": ann["id"]}]
    scim("PATCH", f"/Groups/{group['id']}", 200, patched(op="add", path="members", value=members))
    assert load_catalog(lake) == 200
    user = f"/Users/{ann['id']}"
    changed = scim("PATCH", user, 200, patched(op="Replace", path="active", value="False"))
    assert changed["active"] is False
    assert load_catalog(lake) == 403
    scim("PATCH", user, 412, patched(op="replace", path="active", value=True), **{"If-Match": 'W/"1"'})
    assert load_catalog(lake) == 403
    scim("PATCH", user, 200, patched(op="replace", path="active", value=True), **{"If-Match": changed["meta"]["version"]})
    assert load_catalog(lake) == 200
    path = f'members[value eq "{ann["id"]}"]'
    scim("PATCH", f"/Groups/{group['id']}", 200, patched(op="remove", path=path))
    assert load_catalog(lake) == 403
    scim("DELETE", user, 204)
    answer = requests.get(f"{lake.server.native}/api/metalakes", auth=("ann", PASSWORD), timeout=60)
    assert answer.status_code == 403
    assert "removed or renamed this user" in answer.json()["message"]
    # Who comes after her under her name gets nothing of hers.
    refused = scim("POST", "/Users", 409, {"userName": "ann", "externalId": "e-2"})
    assert refused["scimType"] == "uniqueness"
    records = [json.loads(line) for line in (lake.server.folder / "data/audit/audit.jsonl").read_text().splitlines()]
    pushes = [record for record in records if record.get("user") == "identity-provider"]
    assert {"CreateDirectoryUser", "ChangeDirectoryGroup", "RemoveDirectoryUser"} <= {
        record["operation"] for record in pushes
    }


def test_lists_are_filtered_and_paged(lake, scim):
    for number in range(5):
        scim("POST", "/Users", 201, {"userName": f"person-{number}", "externalId": f"p-{number}"})

    def found(query):
        answer = scim("GET", f"/Users?{query}", 200)
        return answer["totalResults"], [user["userName"] for user in answer["Resources"]]

    people = "filter=" + requests.utils.quote('userName sw "PERSON-"')
    assert found(f"{people}&startIndex=2&count=2") == (5, ["person-1", "person-2"])
    assert found(f"{people}&startIndex=5&count=2") == (5, ["person-4"])
    one = requests.utils.quote('externalId eq "p-3" and not (active eq false)')
    assert found(f"filter={one}") == (1, ["person-3"])
    bad = scim("GET", "/Users?filter=userName%20like%20%22x%22", 400)
    assert bad["scimType"] == "invalidFilter"
    body = {"schemas": ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"], "filter": 'userName eq "person-0"'}
    assert scim("POST", "/.search", 200, body)["Resources"][0]["externalId"] == "p-0"


def test_only_provisioners_may(lake):
    url = f"{lake.server.native}/scim/v2/Users"
    assert requests.get(url, timeout=60).status_code == 401
    assert requests.get(url, headers={"Authorization": f"Bearer {TOKEN}x"}, timeout=60).status_code == 401
    answer = requests.get(
        f"{lake.server.native}/api/metalakes", headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60
    )
    assert answer.status_code == 401, "the token is good for nothing else"
