# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""A load answer is reused only by the caller it was made for, and only while nothing that shaped it has changed."""

import pyarrow
import pytest
import requests

from harness.lake import CAPABILITY, CAPABILITY_HEADER, CATALOG
from harness.server import PASSWORD

TABLE = f"{CATALOG}.cached.t"


@pytest.fixture(scope="module")
def table(lake):
    lake.add_group("auditors")
    lake.add_user("ann", ["auditors"])
    lake.add_user("bob")
    lake.add_readers("ann", "bob")
    catalog = lake.pyiceberg()
    catalog.create_namespace("cached")
    rows = pyarrow.table({"id": [1], "name": ["a"]})
    table = catalog.create_table("cached.t", schema=rows.schema)
    table.append(rows)
    return table


@pytest.fixture
def load(lake, table):
    url = f"{lake.server.iceberg}/v1/{CATALOG}/namespaces/cached/tables/t"

    def load(user="ann", etag=None, query=None, **headers):
        if etag:
            headers["If-None-Match"] = etag
        return requests.get(url, auth=(user, PASSWORD), headers=headers, params=query, timeout=60)

    return load


def test_the_same_caller_gets_304_without_a_body(load):
    first = load()
    assert first.status_code == 200 and first.headers["ETag"].startswith('"')
    again = load(etag=first.headers["ETag"])
    assert again.status_code == 304 and again.content == b"" and again.headers["ETag"] == first.headers["ETag"]
    assert load(etag=f'"other", W/{first.headers["ETag"]}').status_code == 304
    assert load(etag='"other"').status_code == 200


def test_answers_say_that_they_are_private(load):
    headers = load().headers
    assert "private" in headers["Cache-Control"] or "no-store" in headers["Cache-Control"]
    vary = headers["Vary"].lower()
    for name in ["authorization", "x-iceberg-access-delegation", CAPABILITY_HEADER.lower()]:
        assert name in vary


def test_another_caller_or_form_gets_the_whole_answer(load):
    etag = load().headers["ETag"]
    assert load("bob", etag).status_code == 200
    assert load(etag=etag, query={"snapshots": "refs"}).status_code == 200
    assert load(etag=etag, **{CAPABILITY_HEADER: CAPABILITY}).status_code == 200
    assert load(etag=etag, **{"X-Iceberg-Access-Delegation": "vended-credentials"}).status_code == 200


def test_snapshot_modes_differ_in_snapshots_only(load, table):
    for name in ["one", "two"]:
        table.append(pyarrow.table({"id": [2], "name": [name]}))
    everything, referenced = load().json(), load(query={"snapshots": "refs"}).json()
    assert everything["metadata-location"] == referenced["metadata-location"]
    assert len(everything["metadata"].pop("snapshots")) == 3 and len(referenced["metadata"].pop("snapshots")) == 1
    assert everything == referenced


def test_every_change_of_what_shaped_the_answer_ends_its_reuse(lake, table, load):
    def changed(change):
        etag = load().headers["ETag"]
        assert load(etag=etag).status_code == 304
        change()
        return load(etag=etag).status_code

    assert changed(lambda: table.append(pyarrow.table({"id": [3], "name": ["c"]}))) == 200
    lake.add_tag("harmless")
    assert changed(lambda: lake.assign("table", TABLE, "harmless")) == 200
    assert changed(lambda: lake.add_policy("none", "row_filter", "filter := true", "harmless")) == 200
    leave = {"usersToRemove": ["ann"]}
    assert changed(lambda: lake.admin.put("idp", "groups", "auditors", "users", body=leave)) == 200
    # A filter that is always true would conflict with another one all the same.
    assert changed(lambda: lake.unassign("table", TABLE, "harmless")) == 200
    # A restriction that now applies is decided before any 304.
    lake.add_tag("secret")
    lake.add_policy("deny", "row_filter", "filter := false", "secret")
    assert changed(lambda: lake.assign("table", TABLE, "secret")) == 406
    lake.unassign("table", TABLE, "secret")
    revoke = ("permissions", "users", "ann", "revoke")
    assert changed(lambda: lake.admin.put(*lake.at(*revoke), body={"roleNames": ["readers"]})) == 403
