# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Two servers on one PostgreSQL: what one changes the other obeys with the next request."""

import pyarrow
import pytest
import requests

from harness import postgres
from harness.lake import CAPABILITY, CAPABILITY_HEADER, CATALOG, Lake
from harness.native import Refused
from harness.query import CommandFailed, Reader
from harness.server import PASSWORD, Server

pytestmark = pytest.mark.skipif(not postgres.is_available(), reason="DATABASE_URL is not set")

TABLE = f"{CATALOG}.shared.t"


@pytest.fixture(scope="module")
def nodes(tmp_path_factory):
    with postgres.fresh_database() as url:
        folder = tmp_path_factory.mktemp("nodes")
        # One warehouse, as on shared storage.
        properties = {"lakeward.data-dir": folder / "shared"}
        first = Server(folder / "first", url, properties).start()
        second = Server(folder / "second", url, properties)
        try:
            second.start()
            yield first, second
            first.stop()
            second.stop()
        finally:
            first.kill()
            second.kill()


@pytest.fixture(scope="module")
def lakes(nodes):
    first, second = map(Lake, nodes)
    first.admin.post("metalakes", body={"name": "lake", "comment": "", "properties": {}})
    warehouse = (first.server.folder.parent / "warehouse").as_uri()
    first.admin.post(
        *first.at("catalogs"),
        body={
            "name": CATALOG,
            "type": "relational",
            "provider": "lakehouse-iceberg",
            "properties": {"warehouse": warehouse},
        },
    )
    first.add_user("bob")
    first.add_readers("bob")
    catalog = first.pyiceberg()
    catalog.create_namespace("shared")
    rows = pyarrow.table({"id": [1, 2, 3], "name": ["a", "b", None]})
    catalog.create_table("shared.t", schema=rows.schema).append(rows)
    return first, second


def status(lake, **headers):
    url = f"{lake.server.iceberg}/v1/{CATALOG}/namespaces/shared/tables/t"
    return requests.get(url, auth=("bob", PASSWORD), headers=headers, timeout=60).status_code


def test_roles(lakes):
    first, second = lakes
    for _ in range(5):
        assert status(second) == 200
        first.admin.put(*first.at("permissions", "users", "bob", "revoke"), body={"roleNames": ["readers"]})
        assert status(second) == 403
        first.admin.put(*first.at("permissions", "users", "bob", "grant"), body={"roleNames": ["readers"]})
    with pytest.raises(Refused):
        second.as_user("bob").delete(*second.at("catalogs", CATALOG, "schemas", "shared"))


def test_policies_and_tags(lakes, tmp_path):
    first, second = lakes
    first.add_tag("level", ["low", "high"])
    first.add_policy("high-rows", "row_filter", 'filter := col("name") == "a"', "level", "high")
    for _ in range(5):
        assert status(second) == 200
        first.assign("table", TABLE, "level", "high")
        assert status(second) == 406
        assert status(second, **{CAPABILITY_HEADER: CAPABILITY}) == 403
        second.enable_policy("high-rows", False)
        assert status(first) == 200 and status(second) == 200
        second.enable_policy("high-rows")
        assert status(first) == 406
        second.unassign("table", TABLE, "level", "high")
        assert status(first) == 200
    # A reader that one node enrolled is known to the other.
    first.assign("table", TABLE, "level", "high")
    reader = Reader(first.server, tmp_path)
    count = f"SELECT count(*) AS n FROM {TABLE}"
    assert reader.query("bob", count)["n"].to_pylist() == [1]
    reader.server = second.server
    assert reader.query("bob", count)["n"].to_pylist() == [1]
    second.admin.delete("readers", "e2e-reader")
    reader.server = first.server
    with pytest.raises(CommandFailed):
        reader.query("bob", count)


def test_commits_of_both_nodes_are_one_history(lakes):
    first, second = (lake.pyiceberg() for lake in lakes)
    rows = pyarrow.table({"id": [1]})
    first.create_table("shared.both", schema=rows.schema)
    for _ in range(3):
        first.load_table("shared.both").append(rows)
        second.load_table("shared.both").append(rows)
    assert first.load_table("shared.both").scan().count() == 6
    assert len(second.load_table("shared.both").metadata.snapshots) == 6
