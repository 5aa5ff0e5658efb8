# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Tables and filesets on Google Cloud Storage and on Azure, against emulators: what the server reads, writes, lists and deletes
there, and that it gives clients no way to these files."""

import pytest
import requests

from harness.cloud_emulators import ACCOUNT_KEY, Azure, Gcs, is_azure_available, is_gcs_available
from harness.lake import CATALOG, Lake
from harness.native import TIMEOUT_SECONDS, Refused
from harness.server import ADMIN, PASSWORD, Server

pytestmark = pytest.mark.slow

SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "long", "required": False}]}
KINDS = {
    "gcs": (Gcs, is_gcs_available, "needs Go"),
    "azure": (Azure, is_azure_available, "needs Node.js and npm"),
}


@pytest.fixture(scope="module", params=KINDS)
def store(request, tmp_path_factory):
    kind, is_available, reason = KINDS[request.param]
    if not is_available():
        pytest.skip(reason)
    store = kind(tmp_path_factory.mktemp(request.param))
    try:
        yield store.start()
    finally:
        store.kill()


@pytest.fixture(scope="module")
def lake(store, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("lakeward")).start()
    try:
        yield Lake(server).create(store.properties(warehouse=f"{store.root}/w"))
        server.stop()
        key = store.properties().get("azure-storage-account-key")
        assert key is None or key not in server.log.read_text()
    finally:
        server.kill()


def add_catalog(lake, name, properties, kind="relational", provider="lakehouse-iceberg"):
    body = {"name": name, "type": kind, "provider": provider, "properties": properties}
    return lake.admin.post(*lake.at("catalogs"), body=body)


def ask(lake, path, method="GET", body=None, catalog=CATALOG, headers=None):
    return requests.request(
        method, f"{lake.server.iceberg}/v1/{catalog}/namespaces{path}", json=body, headers=headers,
        auth=(ADMIN, PASSWORD), timeout=TIMEOUT_SECONDS,
    )  # fmt: skip


def ok(answer):
    assert answer.ok, answer.text
    return answer.json() if answer.content else None


def key_of(store, location):
    assert location.startswith(f"{store.root}/")
    return location.removeprefix(f"{store.root}/")


def live(lake, store, catalog):
    """A table's life: created, changed, listed, loaded, dropped with its files."""
    ok(ask(lake, "", "POST", {"namespace": ["n"]}, catalog))
    made = ok(ask(lake, "/n/tables", "POST", {"name": "t", "schema": SCHEMA}, catalog))
    folder = key_of(store, made["metadata"]["location"])
    assert store.keys(f"{folder}/") == [key_of(store, made["metadata-location"])]
    for number in range(2):
        change = {"action": "set-properties", "updates": {"n": str(number)}}
        changed = ok(ask(lake, "/n/tables/t", "POST", {"requirements": [], "updates": [change]}, catalog))
    loaded = ok(ask(lake, "/n/tables/t", catalog=catalog))
    assert loaded["metadata-location"] == changed["metadata-location"]
    assert loaded["metadata"]["properties"]["n"] == "1"
    assert len(store.keys(f"{folder}/")) == 3
    listed = ok(ask(lake, "/n/tables", catalog=catalog))
    assert [table["name"] for table in listed["identifiers"]] == ["t"]
    store.put(f"{folder}/data/f.parquet")
    store.put(f"{folder}2/data/f.parquet")
    ok(ask(lake, "/n/tables/t?purgeRequested=true", "DELETE", catalog=catalog))
    assert not [key for key in store.keys(f"{folder}/") if "metadata" in key]
    assert store.keys(f"{folder}2/") == [f"{folder}2/data/f.parquet"]


def test_a_table_lives(lake, store):
    live(lake, store, CATALOG)


def test_azure_takes_a_shared_access_signature(lake, store):
    if not isinstance(store, Azure):
        pytest.skip("only Azure has them")
    properties = store.signed(warehouse=f"{store.root}/signed")
    add_catalog(lake, "signed", properties)
    live(lake, store, "signed")
    shown = lake.admin.get(*lake.at("catalogs", "signed"))
    assert properties["adls.sas-token"] not in str(shown)


def test_filesets_lie_there(lake, store):
    add_catalog(lake, "files", store.properties(location=f"{store.root}/files"), "fileset", "fileset")
    lake.admin.post(*lake.at("catalogs", "files", "schemas"), body={"name": "s", "properties": {}})
    filesets = lake.at("catalogs", "files", "schemas", "s", "filesets")
    made = lake.admin.post(*filesets, body={"name": "f", "type": "managed", "properties": {}})
    assert made["fileset"]["storageLocation"] == f"{store.root}/files/s/f"
    # Anybody who may write there can put such names.
    for name in ("a", "b", "dir/c", "dir/d", "dir//e"):
        store.put(f"files/s/f/{name}")
    listed = lake.admin.get(*filesets, "f", "files")["files"]
    assert [(file["name"], file["isDir"]) for file in listed] == [("a", False), ("b", False), ("dir", True)]
    store.put("files/s/f2/other")
    lake.admin.delete(*filesets, "f")
    assert store.keys("files/") == ["files/s/f2/other"]


def ways(lake, catalog):
    """What a client is answered that asks for a way to a table's files."""
    ok(ask(lake, "", "POST", {"namespace": ["closed"]}, catalog))
    ok(ask(lake, "/closed/tables", "POST", {"name": "t", "schema": SCHEMA}, catalog))
    asked = [
        ask(lake, "/closed/tables/t", catalog=catalog, headers={"X-Iceberg-Access-Delegation": way})
        for way in ("vended-credentials", "remote-signing")
    ]
    request = {"method": "GET", "uri": "https://b.example/k", "region": "r", "headers": {}}
    asked.append(ask(lake, "/closed/tables/t/credentials", catalog=catalog))
    asked.append(ask(lake, "/closed/tables/t/sign", "POST", request, catalog))
    for answer in asked:
        assert ACCOUNT_KEY not in answer.text
        if answer.ok:
            assert not answer.json().get("storage-credentials")
            assert not answer.json().get("config")
    return [(answer.status_code, None if answer.ok else answer.json()["error"]["message"]) for answer in asked]


def test_clients_get_no_way_to_the_files(lake, store):
    add_catalog(lake, "nothing", {})
    # What it would do on S3.
    delegates = {
        "data-access": "vended-credentials,remote-signing", "credential-providers": "s3-token", "s3-region": "r",
        "s3-access-key-id": "id", "s3-secret-access-key": "secret", "s3-role-arn": "arn:aws:iam::1:role/r",
    }  # fmt: skip
    add_catalog(lake, "delegates", store.properties(warehouse=f"{store.root}/delegates", **delegates))
    expected = ways(lake, "nothing")
    print(expected)
    assert ways(lake, CATALOG) == expected
    assert ways(lake, "delegates") == expected


def test_properties_that_do_not_do_are_named(lake, store):
    for name in store.properties():
        if name in ("adls.endpoint", "gcs.service.host"):
            continue
        properties = store.properties(warehouse=f"{store.root}/wrong")
        del properties[name]
        with pytest.raises(Refused) as refused:
            add_catalog(lake, "wrong", properties)
        assert refused.value.status == 400
        assert name in refused.value.body


def test_no_other_account_is_sent_the_credential(lake, store):
    if not isinstance(store, Azure):
        pytest.skip("only Azure has accounts in its locations")
    for host in ("other.dfs.core.windows.net", "devstoreaccount1.dfs.example.com"):
        with pytest.raises(Refused) as refused:
            add_catalog(lake, "foreign", store.properties(warehouse=f"abfss://lake@{host}/w"))
        assert refused.value.status == 400
